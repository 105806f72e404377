"""What the pages show: every answer is an operation's of the catalog, asked as a person at a terminal would ask.

What took long to find is remembered ten times as long, so that a page that renews itself keeps no machine busy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from threading import Lock, Thread
from time import monotonic
from typing import Any, NamedTuple

from holdfast.catalog import CATALOG
from holdfast.core.confined_paths import printable
from holdfast.operation import Operation, answer
from holdfast.specs.operations import BOARD
from holdfast.workspace import Workspace

# Tokens of the list of directories.
_LISTING = 60_000
# Answers remembered.
_MOST_KEPT = 50
# How many times as long as it took an answer is remembered, and seconds that none outlives.
_TIMES, _LONGEST = 10, 60.0


# What an audit says of a directory that nobody made yet.
_NUMBERS = ("calls", "ahead", "receipts", "replayed", "same", "changed", "cache_gone", "altered", "passed_over")
_NOTHING_KEPT = {**dict.fromkeys(_NUMBERS, 0), "clients": (), "listed": (), "differing": ()}


class Found(NamedTuple):
    """An operation's answer, or what was wrong, as words for the person who looks."""

    value: Any
    problem: str = ""


class ProjectLook:
    """One project as operations tell of it. Threads may share one."""

    def __init__(self, workspace: Workspace, receipts: str | None = None) -> None:
        self._workspace = workspace
        self.receipts_directory = receipts or os.path.join(workspace.project, ".context", "receipts")
        self._has_receipts_argument = receipts is not None
        self._kept: dict[str, tuple[float, Found | None]] = {}
        self._lock = Lock()
        self._is_adding = False

    @property
    def name(self) -> str:
        """What the project is called: the last name of its path."""
        return os.path.basename(os.path.abspath(self._workspace.project)) or "/"

    @property
    def shown_receipts(self) -> str:
        """Where receipts are looked for, in printable form."""
        return printable(self.receipts_directory)

    def ask(self, command: str, arguments: Mapping[str, object] | None = None) -> Found:
        """The answer of an operation, by the words of its command."""
        words = tuple(command.split(" "))
        operation = next((each for each in CATALOG if each.command == words), None)
        if operation is None:
            return Found(None, f"this release has no 'context {command}'")
        return self._answered(operation, arguments)

    def _answered(self, operation: Operation, arguments: Mapping[str, object] | None = None) -> Found:
        reply = answer(operation, arguments or {}, self._workspace)
        if reply.error is not None:
            return Found(None, reply.error.reason or reply.error.headline)
        value: Any = reply.value
        if reply.is_error and isinstance(value, dict):
            message = value.get("error") or value.get("message")
            return Found(None, str(message.get("message") if isinstance(message, dict) else message))
        return Found(value)

    def _remembered(self, name: str, find: Callable[[], Found]) -> Found:
        now = monotonic()
        with self._lock:
            until, value = self._kept.get(name, (0.0, None))
        if value is not None and now < until:
            return value
        value = find()
        took = monotonic() - now
        with self._lock:
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[name] = (now + took + min(_TIMES * took, _LONGEST), value)
        return value

    def caches(self) -> list[tuple[str, Found]]:
        """Every cache below the cache root that has a manifest, with what `context inspect` says of it."""
        listed = self.ask("list").value
        names = [cache["path"] for cache in listed["caches"] if cache["has_manifest"]] if listed else []
        return [(name, self.ask("inspect", {"cache": self._path(name)})) for name in names]

    def _path(self, name: str) -> str:
        """Where a cache that was listed is: a name alone could mean another folder to a command."""
        return os.path.join(self._workspace.cache_root, name)

    def about(self) -> dict[str, str]:
        """What `context.toml` says that each cache is about."""
        found = self.ask("search", {"query": ""}).value
        return {cache["name"]: cache["about"] for cache in found["caches"]} if found and "caches" in found else {}

    def sync_state(self) -> Found:
        """Whether the caches are in step with their sources."""
        return self._remembered("sync", lambda: self.ask("sync", {"check": True}))

    def search(self, query: str, cache: str, budget: int | None) -> Found:
        """An answer, with what became of the sections that match best."""
        asked: dict[str, object] = {"query": query, "considered": 200, "format": "json"}
        if budget is not None:
            asked["budget"] = budget
        if cache:
            if cache not in [name for name, _ in self.caches()]:
                return Found(None, f"there is no cache '{cache}'")
            asked["cache"] = self._path(cache)
        return self.ask("search", asked)

    def tree(self, states: list[str] | None = None) -> Found:
        """The directories, and whether what is said of each is fresh."""
        asked: dict[str, object] = {"budget": _LISTING, **({"states": states} if states else {})}
        return self._remembered(f"tree {states}", lambda: self.ask("status", asked))

    def directory(self, scope: str) -> Found:
        """What one directory's context says."""
        return self.ask("show", {"scope": scope})

    def board(self) -> Found:
        """Every spec."""
        return self._data("board", lambda: self._answered(BOARD))

    def approvals(self) -> Found:
        """Which documents are approved as they are, and why the others are not."""
        return self._data("approvals", lambda: self.ask("spec approve", {"check": True}))

    def findings(self) -> Found:
        """What is wrong with specs."""
        return self._data("findings", lambda: self.ask("spec check"))

    def _data(self, name: str, find: Callable[[], Found]) -> Found:
        found = self._remembered(name, find)
        return Found(found.value["data"]) if found.value else found

    def savings(self) -> Found:
        """The answer of `savings`: tokens of answers, and of the sources behind them."""
        asked = {"receipts": self.receipts_directory} if self._has_receipts_argument else {}
        return self._remembered("savings", lambda: self.ask("savings", asked))

    def savings_soon(self) -> Found | None:
        """What is known of the savings; None where they are being added up, which may take long, for the next time."""
        with self._lock:
            until, known = self._kept.get("savings", (0.0, None))
            is_due = monotonic() >= until and not self._is_adding
            self._is_adding = self._is_adding or is_due
        if is_due:
            Thread(target=self._add_up, daemon=True).start()
        return known

    def _add_up(self) -> None:
        try:
            self.savings()
        finally:
            self._is_adding = False

    def audit(self, given: Mapping[str, str], most: int) -> Found:
        """The kept calls that match: the `most` latest after those to skip, each run again."""
        if not os.path.lexists(self.receipts_directory):
            return Found(_NOTHING_KEPT)
        asked: dict[str, object] = {
            "receipts": self.receipts_directory,
            **{name: given[name] for name in ("client", "query", "since") if given.get(name)},
            "limit": most,
            "listed_only": True,
            "skip": int(given.get("skip", "0")),
        }
        return self._remembered(f"audit {asked}", lambda: self.ask("replay", asked))

    def receipt(self, digest: str) -> Found:
        """One receipt run again, with the answer of now and what became of the sections that match best."""
        path = os.path.join(self.receipts_directory, f"{digest}.json")
        return self.ask("replay", {"receipt": path, "considered": 200})
