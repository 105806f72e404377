"""Readers under a writer: every answer is one of the two complete ones, byte for byte, and none is an error.

Eight readers, half of them commands in processes of their own, half servers, ask the same questions over and over,
while a writer puts one of two states in place, then the other. Another world to disturb, or another question about one,
is one more line in WORLDS; a question whose tool does not exist here is left out, and the figures say so.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from campaign import CREATED_AT, Campaign, arguments, command_line, environment, scratch, start_context, write_sources

from holdfast.caches.build.build import build_cache
from holdfast.caches.build.build_order import BuildOrder
from holdfast.catalog import CATALOG
from holdfast.core.atomic_write import write_file
from holdfast.operation import answer
from holdfast.workspace import Workspace
from support.doors import StdioServer

READERS = 8
TOOLS = {operation.tool for operation in CATALOG}
COMMANDS = {operation.command: operation for operation in CATALOG}


class Question(NamedTuple):
    """A tool and its arguments; or, without a tool, the words of a command, CACHE standing for the cache's path."""

    tool: str
    arguments: dict[str, Any]
    command: tuple[str, ...] = ()


class World(NamedTuple):
    """A folder that a writer switches between two states; `same` takes out of an answer what is not of either."""

    name: str
    prepare: Callable[[Path], None]
    switch: Callable[[Path, int], None]
    questions: tuple[Question, ...]
    same: Callable[[str], str] = str


def _two_corpora(folder: Path) -> None:
    for state, words in enumerate(("deploy release rollback guide", "deploy schema migration index")):
        write_sources(folder / f"sources-{state}", words, 40 + 25 * state)


def _rebuild(folder: Path, state: int) -> None:
    build_cache(folder / f"sources-{state}", folder / "cache", BuildOrder(CREATED_AT, force=True))


def _a_spec(folder: Path) -> None:
    spec = folder / ".spec-context" / "specs" / "login"
    spec.mkdir(parents=True)
    for name in ("requirements", "design"):
        (spec / f"{name}.md").write_text(f"# {name}\n")
        os.utime(spec / f"{name}.md", (10**9, 10**9))


def _edit_tasks(folder: Path, state: int) -> None:
    """Whole files, as editors save them, each with the time of its own state."""
    file = folder / ".spec-context" / "specs" / "login" / "tasks.md"
    beside = folder / "tasks.md"
    beside.write_text("".join(f"- [{'x' if number <= state else ' '}] {number}. Do it\n" for number in range(1, 900)))
    os.utime(beside, (10**9 + state, 10**9 + state))
    os.replace(beside, file)


def _edit_steering(folder: Path, state: int) -> None:
    parent = folder / ".spec-context" / "steering"
    parent.mkdir(parents=True, exist_ok=True)
    write_file(str(parent / "tech.md"), f"# Tech\n\nRules {state}\n".encode() * 2000)


def _a_context(folder: Path) -> None:
    (folder / "README.md").write_text("# Work\n\nDoes the work of two states.\n")
    (folder / "work.py").write_text("def work():\n    return 1\n" * 500)
    answer(COMMANDS["init",], {"all": True, "full": True}, Workspace(str(folder), clock=lambda: 1.8e9))


def _edit_context(folder: Path, state: int) -> None:
    file = folder / ".context.yaml"
    text = re.sub(r"(?m)^summary: .*$", f"summary: State {state} of two.", file.read_text(encoding="utf-8"))
    write_file(str(file), text.encode())


def _without_folder_time(text: str) -> str:
    """Any edit inside a folder changes the folder's own time."""
    return re.sub(r'"lastModified":"[^"]*","phases"', '"phases"', text)


WORLDS = (
    World(
        "caches",
        _two_corpora,
        _rebuild,
        (
            Question("context.resolve", {"cache": "cache", "query": "deploy guide", "budget": 400}),
            Question("context.resolve", {"cache": "cache", "query": "schema rollback index", "budget": 10**6}),
            Question("context.search", {"cache": "cache", "query": "deploy guide", "budget": 400}),
            Question("context.search", {"cache": "cache", "query": "deploy guide", "format": "json", "explain": True}),
            Question("context.inspect_cache", {"cache": "cache"}),
            Question("context.list_caches", {}),
            Question("", {}, ("verify", "--cache", "CACHE")),
        ),
    ),
    World("specs", _a_spec, _edit_tasks, (Question("spec-status", {"specName": "login"}),), _without_folder_time),
    World(
        "contexts",
        _a_context,
        _edit_context,
        (
            Question("query_context", {"scope": "."}),
            Question("check_freshness", {"scope": "."}),
            Question("list_contexts", {}),
        ),
    ),
    World("steering", _a_spec, _edit_steering, (Question("get-implementer-guide", {}),)),
)


def ask_in_process(folder: Path, question: Question) -> str:
    """The answer with nobody else around."""
    workspace = Workspace(str(folder), cache_root=str(folder), door="tool" if question.tool else "command")
    if question.tool:
        operation = next(one for one in CATALOG if one.tool == question.tool)
        return answer(operation, question.arguments, workspace).text
    return answer(COMMANDS[question.command[:1]], {"cache": str(folder / "cache")}, workspace).text


def ask_command(folder: Path, question: Question) -> str:
    """The answer of a process of its own; what it complained of when it failed."""
    if question.tool:
        words = ["call", question.tool, json.dumps(question.arguments), "--cache-root", str(folder)]
    else:
        words = [str(folder / "cache") if word == "CACHE" else word for word in question.command]
    process = start_context(*words, cwd=folder)
    stdout, stderr = process.communicate(timeout=120)
    return (
        stdout.decode() if not stderr else f"exit {process.returncode}: {stderr.decode()[-300:]}{stdout.decode()[:200]}"
    )


class Disturbed:
    """One world while it is being switched: readers compare, the writer goes on until they are done."""

    def __init__(self, campaign: Campaign, world: World, folder: Path, *, sabotage: bool) -> None:
        self.campaign = campaign
        self.world = world
        self.folder = folder
        self.questions = [one for one in world.questions if not one.tool or one.tool in TOOLS]
        missing = [one.tool for one in world.questions if one.tool and one.tool not in TOOLS]
        campaign.counts.update({f"questions left out, there is no {tool} here": 1 for tool in missing})
        world.prepare(folder)
        self.expected: list[set[str]] = [set() for _ in self.questions]
        for state in (0, 1):
            world.switch(folder, state)
            for known, question in zip(self.expected, self.questions, strict=True):
                known.add(world.same(ask_in_process(folder, question)))
        if sabotage:
            for known in self.expected:
                known.pop()
        self.seen: list[set[str]] = [set() for _ in self.questions]
        self.over = threading.Event()
        self.lock = threading.Lock()

    def check(self, number: int, text: str, door: str) -> None:
        """Compare one answer."""
        text = self.world.same(text)
        with self.lock:
            self.campaign.counts[f"answers about {self.world.name} by {door}"] += 1
            self.seen[number].add(text)
            if text not in self.expected[number] and len(self.campaign.findings) < 100:
                question = self.questions[number]
                self.campaign.find(f"{question.tool or question.command[0]} by {door}: {text[:300]!r}")

    def read(self, reader: int) -> None:
        """One reader, until the end."""
        try:
            if reader % 2:
                asked = [number for number, one in enumerate(self.questions) if one.tool]
                with StdioServer(self.folder, env=environment()) as server:
                    while not self.over.is_set():
                        for number in asked:
                            question = self.questions[number]
                            self.check(number, server.call(question.tool, question.arguments).text, "server")
            else:
                number = reader
                while not self.over.is_set():
                    number = (number + 1) % len(self.questions)
                    self.check(number, ask_command(self.folder, self.questions[number]), "command")
        except BaseException as error:
            self.campaign.find(f"a reader of {self.world.name} ended: {type(error).__name__}: {error}")

    def run(self, seconds: float) -> None:
        """All readers and the writer, for so long."""
        readers = [threading.Thread(target=self.read, args=(reader,)) for reader in range(READERS)]
        for reader in readers:
            reader.start()
        ends = time.monotonic() + seconds
        state = 0
        while time.monotonic() < ends:
            self.world.switch(self.folder, state)
            state = 1 - state
            self.campaign.counts[f"times {self.world.name} were switched"] += 1
        self.over.set()
        for reader in readers:
            reader.join()
        both = sum(len(seen & known) == len(known) for seen, known in zip(self.seen, self.expected, strict=True))
        self.campaign.counts[f"of {len(self.questions)} questions about {self.world.name}, every answer seen"] = both


def main() -> int:
    parser = arguments(__doc__, "seconds", 60, "seconds for each world")
    parser.add_argument("--only", help="one world", choices=[world.name for world in WORLDS])
    given = parser.parse_args()
    campaign = Campaign("readers", given.seed, command_line(given.seconds))
    for world in WORLDS:
        if given.only in (None, world.name) and any(not one.tool or one.tool in TOOLS for one in world.questions):
            with scratch(in_memory=True) as folder:
                Disturbed(campaign, world, folder, sabotage=given.sabotage).run(given.seconds)
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
