"""Other tools through their own MCP servers, offline: LeanToken and code-index-mcp.

`--peers FOLDER` has `node_modules/leantoken-linux-x64` (from npm) and `venv/bin/code-index-mcp` (from PyPI). Each is
asked as its instructions advise, with arguments that a model could know from its tool list and the answers before.
"""

from __future__ import annotations

import os
import re
import subprocess
from time import sleep
from typing import TYPE_CHECKING

from benchmarks.agents.mcp_client import McpClient
from benchmarks.agents.server_policy import ServerPolicy
from benchmarks.agents.tasks import BREAKS, CODE, DOCUMENTATION, USES
from benchmarks.agents.words import longest_words, names, paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.agents.runs import Call, Project
    from benchmarks.agents.tasks import Task

_BUDGET = 2000
_READS, _LINES = 6, 40
_SECONDS = 60


class LeanToken(ServerPolicy):
    """`leantoken_search` (references of a name, else any of the four longest words) in the folders of the task's kind,
    `leantoken_read` of 40 lines around each of six hits; then `leantoken_context` and its places in the same way."""

    name = "LeanToken"
    kinds: tuple[str, ...] = (DOCUMENTATION, CODE, USES, BREAKS)
    program = "node_modules/leantoken-linux-x64/leantoken"

    def open(self, project: Project) -> None:
        self._repository = project.repository
        shared = ["--root", ".", "--database", str(self.home / f"{project.repository.name}.leantoken")]
        subprocess.run([self.installed, *shared, "index"], cwd=project.folder, capture_output=True, check=True)
        command = [str(self.installed), *shared, "mcp", "--result-mode", "text"]
        self.client = McpClient(command, project.folder, os.environ)
        for _ in range(_SECONDS):  # a server says so while it checks its index
            if "retry shortly" not in self.client.call("leantoken_search", {"query": "the", "mode": "text"}):
                break
            sleep(1)

    def calls(self, task: Task, question: str) -> Iterator[Call]:
        focus = self._repository.documentation if task.kind == DOCUMENTATION else self._repository.code
        words = "|".join(longest_words(question))
        if task.kind == USES:
            found = self.call("leantoken_search", query=names(question)[-1], mode="reference")
        elif task.kind == BREAKS and paths(question):
            found = self.call("leantoken_search", query=_stem(paths(question)[0]), mode="text", focus_paths=focus)
        else:
            found = self.call("leantoken_search", query=words, mode="regex", focus_paths=focus)
        yield from self._with_reads(found)
        again = self.call("leantoken_context", task=question, token_budget=_BUDGET, focus_paths=focus)
        yield from self._with_reads(again)

    def _with_reads(self, found: Call) -> Iterator[Call]:
        yield found
        places = re.findall(r'"path":\s*"([^"]+)"[^{}]*?"start_line":\s*(\d+)', found.answer)
        for path, line in list(dict.fromkeys(places))[:_READS]:
            first = max(1, int(line) - _LINES // 4)
            yield self.call("leantoken_read", path=path, start_line=first, end_line=first + _LINES - 1)


class CodeIndex(ServerPolicy):
    """`search_code_advanced` for a name, else for each of the four longest words, two pages of ten; after each page
    `get_symbol_body` of the names that its lines define."""

    name = "code-index-mcp"
    kinds: tuple[str, ...] = (DOCUMENTATION, CODE, USES, BREAKS)
    program = "venv/bin/code-index-mcp"

    def open(self, project: Project) -> None:
        command = [str(self.installed), "--project-path", str(project.folder), "--indexer-path", str(self.home)]
        self.client = McpClient(command, project.folder, os.environ)
        self.client.call("build_deep_index", {})
        names = [
            path.suffix
            for folder in project.repository.documentation
            for path in (project.folder / folder).rglob("*.*")
        ]
        self._pages = "*" + max(sorted(set(names) & {".md", ".rst", ".txt"}), key=names.count)

    def calls(self, task: Task, question: str) -> Iterator[Call]:
        if task.kind in (USES, BREAKS):
            asked = [_stem(path) for path in paths(question)] or names(question)[-1:]
        else:
            asked = longest_words(question)
        for pattern in asked:
            for start in (0, 10):
                keep = {"file_pattern": self._pages} if task.kind == DOCUMENTATION else {}
                found = self.call(
                    "search_code_advanced",
                    **keep,
                    pattern=pattern,
                    regex=True,
                    case_sensitive=False,
                    context_lines=2,
                    max_results=10,
                    start_index=start,
                )
                yield found
                defined = re.findall(r'"file":\s*"([^"]+)"[^{}]*?(?:def|function|func|class|fn) (\w+)', found.answer)
                for path, symbol in dict.fromkeys(defined):
                    yield self.call("get_symbol_body", file_path=path.removeprefix("./"), symbol_name=symbol)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


PEERS: tuple[type[LeanToken | CodeIndex], ...] = (LeanToken, CodeIndex)
