"""A project that changes under a server: files that flip between two states, and the answers that are true in each."""

from __future__ import annotations

import itertools
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from playground import CODE, SPECS, lay_out

from holdfast import build_cache
from holdfast.catalog import find_tool, tools
from holdfast.operation import answer
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

# Calls whose answers change with the project, beside some that do not.
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("context.resolve", {"cache": "moving", "query": "how long does a token last", "budget": 4000}),
    ("context.resolve", {"cache": "moving", "query": "word7 word3", "budget": 300}),
    ("context.search", {"cache": "moving", "query": "word7 word3 token", "budget": 800}),
    ("context.search", {"cache": "moving", "query": "word7 word3 token", "format": "json", "limit": 2}),
    ("context.search", {"query": "word7 word3 token", "budget": 800}),
    ("context.search", {"query": ""}),
    ("context.resolve", {"cache": "docs", "query": "größe 日本語 😀", "budget": 4000}),
    ("context.resolve", {"cache": "broken", "query": "token", "budget": 10}),
    ("context.inspect_cache", {"cache": "moving"}),
    ("context.inspect_cache", {"cache": "missing"}),
    ("context.list_caches", {}),
    ("list_contexts", {}),
    ("check_freshness", {"scope": "code"}),
    ("query_context", {"scope": "code"}),
    ("query_context", {"scope": "code", "filter": ["decisions"]}),
    ("spec-status", {"specName": "sign-in"}),
    ("spec-status", {"specName": "nothing"}),
    ("spec-workflow-guide", {}),
    ("get-implementer-guide", {}),
    ("get-reviewer-guide", {}),
)
_TIMES = (1_700_000_000, 1_700_000_500)


class Flip(NamedTuple):
    """A file with two states; each has a time of its own, so that a mixture of both would show."""

    name: str
    states: tuple[str, str]


FLIPS = (
    Flip(
        ".spec-context/specs/sign-in/tasks.md",
        (SPECS["specs/sign-in/tasks.md"], "# Tasks\n\n- [x] 1. Issue tokens\n- [x] 2. Check them\n"),
    ),
    Flip(".spec-context/steering/tech.md", (SPECS["steering/tech.md"], "# Tech\n\n- Python, and nothing else\n")),
    Flip("code/gate.py", (CODE, "def check(token, hour): ...\n")),
)


class World:
    """The project: `put` brings one of its parts into one of its two states, atomically."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.caches = lay_out(project)
        for state in (0, 1):
            sources = project / f"corpus-{state}"
            sources.mkdir()
            for number in range(20 + 10 * state):
                words = " ".join(f"word{(number * factor + state) % 17}" for factor in range(1, 60))
                (sources / f"page-{number}.md").write_text(
                    f"# Page {number}\n\nA token lasts {number} hours. {words}\n"
                )
        self.parts = 1 + len(FLIPS)
        self._states = [0] * self.parts
        for part in range(self.parts):
            self.put(part, 0)
        self.calls = [call for call in CALLS if call[0] in {operation.tool for operation in tools()}]

    def put(self, part: int, state: int) -> None:
        """Flip one part: the cache, or one of the files."""
        self._states[part] = state
        if part == 0:
            build_cache(self.project / f"corpus-{state}", self.caches / "moving", force=True)
            return
        flip = FLIPS[part - 1]
        path, beside = self.project / flip.name, self.caches.parent / "beside"
        beside.write_text(flip.states[state])
        os.utime(beside, (_TIMES[state], _TIMES[state]))
        beside.replace(path)

    def truths(self) -> list[set[str]]:
        """For each call every text it may be answered with, whatever states the parts are in."""
        found: list[set[str]] = [set() for _ in self.calls]
        for states in itertools.product((0, 1), repeat=self.parts):
            for part, state in enumerate(states):
                if state != self._states[part]:
                    self.put(part, state)
            for texts, (tool, arguments) in zip(found, self.calls, strict=True):
                workspace = Workspace(str(self.project), cache_root=str(self.caches), door="tool")
                texts.add(comparable(answer(find_tool(tool), arguments, workspace).text))
        return found


def comparable(text: str) -> str:
    """An answer without the time of a spec's folder: replacing a file in it sets that to now."""
    return re.sub(r'"lastModified":"[^"]*","phases"', '"phases"', text)
