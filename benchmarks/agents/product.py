"""Holdfast through its MCP server on standard input and output, as a client runs it in a project without a set-up."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from benchmarks.agents.mcp_client import McpClient
from benchmarks.agents.server_policy import ServerPolicy
from benchmarks.agents.tasks import BREAKS, CODE, DOCUMENTATION, NEXT_TASK, USES
from benchmarks.agents.words import is_name, names, paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.agents.runs import Call, Project
    from benchmarks.agents.tasks import Task

_RUN = "import sys; from holdfast.cli import run; sys.exit(run())"
_POINTER = re.compile(r"(?:^(\S.*?) |^ |; )L(\d+(?:\.\d+)?) ")
_CITATION = re.compile(r"^(?:\[\d+\] )?(\S+@[0-9a-f]{12})(?: · |$)", re.MULTILINE)
_ENTRY = re.compile(r"^\[\d+\] ([^\s#]*)(#L\d+)(-L\d+@[0-9a-f]{12})")
_UNREAD = re.compile(r"\n\[not read, the budget is spent: \S+(?: and (\d+) more)?\]")
_PLACE = re.compile(r"^(\S+#L\d+)-L\d+ ", re.MULTILINE)
_FILE = re.compile(r"^\[\d+\] ([^\s#]+)#", re.MULTILINE)
_FILES = 3  # files found that are asked about
_TOGETHER = 3  # pointers read at once
_LARGE = 4000
_ROUNDS = 4  # of documentation, as long as tokens are left
_PAGES, _OF_A_PAGE = 4, 2000  # best pages that are asked alone, and for how many tokens


class Holdfast(ServerPolicy):
    """`context.search` in the question's words, then what it names without its text in its order, three at a time, then
    both once more with 4,000 tokens, without what was given before. Of documentation the first three pointers are read
    and the same is asked of each of the four pages that came first (`under`), and all that again until the tokens are
    spent.

    A name of code is looked up by `context.symbol` (and what it defines read) and a path by `project_impact`, the next
    task of a spec by `list-specs`; the search follows. Where a question about what breaks names no path, the first
    files that the search cites are asked about."""

    name = "Holdfast"

    def open(self, project: Project) -> None:
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.home)}
        self.client = McpClient([sys.executable, "-c", _RUN, "serve"], project.folder, environment)
        self._tools = {tool["name"]: tool["inputSchema"].get("properties", {}) for tool in self.client.tools}

    def calls(self, task: Task, question: str) -> Iterator[Call]:
        if task.kind == NEXT_TASK:
            about = {"about": question} if "about" in self._tools["list-specs"] else {}
            yield self.call("list-specs", **about)
        if task.kind == USES and "context.symbol" in self._tools:
            yield self.call("context.symbol", name=names(question)[-1])
        if task.kind == CODE and {"context.symbol", "in"} <= {*self._tools, *self._tools["context.search"]}:
            yield from self._definitions(question)
        if task.kind == BREAKS and "project_impact" in self._tools:
            for path in paths(question):
                yield self.call("project_impact", paths=[path])
        part = {"in": "docs" if task.kind == DOCUMENTATION else "code"} if "in" in self._tools["context.search"] else {}
        if task.kind == DOCUMENTATION:
            yield from self._pages(question, part)
            return
        held: list[str] = []
        for more in ({}, {"budget": _LARGE}):
            found = self.call("context.search", query=question, **part, **more, **({"known": held} if held else {}))
            yield found
            if task.kind == BREAKS and "project_impact" in self._tools and not more and not paths(question):
                for path in list(dict.fromkeys(_FILE.findall(found.answer)))[:_FILES]:
                    yield self.call("project_impact", paths=[path])
            entries, places = entries_of(found.answer)
            held += entries
            places += pointers(found.answer)
            while places:
                read = self.call("context.read", places=places[:_TOGETHER])
                yield read
                unread = _UNREAD.search(read.answer)
                left = 1 + int(unread[1] or 0) if unread else 0
                del places[: max(len(places[:_TOGETHER]) - left, 1)]

    def _pages(self, question: str, part: dict[str, str]) -> Iterator[Call]:
        """The whole documentation, then its pages, best first; never what was given before."""
        held: list[str] = []
        met: dict[str, bool] = {}  # page -> whether it was asked alone
        for number in range(_ROUNDS):
            more = {"budget": _LARGE} if number else {}
            found = self.call("context.search", query=question, **part, **more, **({"known": held} if held else {}))
            yield found
            given, places = _CITATION.findall(found.answer), pointers(found.answer)
            for place in (*given, *places):
                met.setdefault(place.rpartition("#L")[0], False)
            held += given
            if places:
                read = self.call("context.read", places=places[:_TOGETHER])
                yield read
                held += _CITATION.findall(read.answer)
            for page in [page for page, is_asked in met.items() if not is_asked][:_PAGES]:
                met[page] = True
                found = self.call("context.search", query=question, **part, under=page, budget=_OF_A_PAGE, known=held)
                yield found
                held += _CITATION.findall(found.answer)

    def _definitions(self, question: str) -> Iterator[Call]:
        """What the names in a question define, looked up one by one and read."""
        for name in [word for word in names(question) if is_name(word)][:2]:
            found = self.call("context.symbol", name=name)
            yield found
            places = _PLACE.findall(found.answer)[:_TOGETHER]
            if places:
                yield self.call("context.read", places=places)


def entries_of(answer: str) -> tuple[list[str], list[str]]:
    """The citations of the entries of an answer, and the places of those that are a line without text."""
    lines = answer.partition("\nMore, by context.read:\n")[0].splitlines()
    citations, places, page = [], [], ""
    for at, line in enumerate(lines, 1):
        if found := _ENTRY.match(line):
            page = found[1] or page
            citations.append(f"{page}{found[2]}{found[3]}")
            below = [each for each in lines[at : at + 3] if not each.startswith(("(tests: ", "(also: "))]
            if not below or _ENTRY.match(below[0]):
                places.append(page + found[2])
    return citations, places


def pointers(answer: str) -> list[str]:
    """The places that an answer points to at its end, in its order, as `context.read` takes them."""
    _, _, tail = answer.partition("\nMore, by context.read:\n")
    places, page = [], ""
    for line in tail.splitlines():
        for named, number in _POINTER.findall(line):
            page = named or page
            places.append(f"{page}#L{number}")
    return places
