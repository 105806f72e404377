"""Trace a request and print how many calls, files and changes of file a reader has to follow.

    .venv/bin/python scripts/walk.py                 the table: a call, a build and the rest
    .venv/bin/python scripts/walk.py resolve --path  the walk itself, a line each time another file is entered

Modules are loaded first, so a walk shows the work and not the imports. Comprehensions and lambdas count as part of the
function they stand in. A change is a call whose callee stands in another file of this package.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import holdfast
from holdfast.catalog import find_tool
from holdfast.cli import main
from holdfast.operation import answer
from holdfast.workspace import Workspace

PACKAGE = os.path.dirname(os.path.abspath(holdfast.__file__)) + os.sep
INSIDE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")

Request = Callable[[], object]


class Walk:
    """What was called while a request ran, as far as it stands in this package."""

    def __init__(self) -> None:
        self.calls = self.changes = self.deepest = 0
        self.functions: set[tuple[str, str]] = set()
        self.path: list[tuple[int, str, str]] = []

    def run(self, request: Request) -> None:
        """Carry out the request and take down every call."""
        sys.setprofile(self._event)
        try:
            request()
        finally:
            sys.setprofile(None)

    @property
    def files(self) -> set[str]:
        return {file for file, _ in self.functions}

    def _event(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call" or not _counts(frame):
            return
        file, function = _file(frame), frame.f_code.co_qualname
        caller, depth = _callers(frame)
        self.calls += 1
        self.functions.add((file, function))
        self.deepest = max(self.deepest, depth)
        if caller is not None and _file(caller) != file:
            self.changes += 1
            self.path.append((depth, file, function))


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename.removeprefix(PACKAGE)


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(PACKAGE)


def _counts(frame: FrameType) -> bool:
    return _is_ours(frame) and frame.f_code.co_name not in INSIDE


def _callers(frame: FrameType) -> tuple[FrameType | None, int]:
    """The nearest caller of this package, and how many there are up the stack, this one included."""
    nearest, depth, above = None, 1, frame.f_back
    while above is not None:
        if _counts(above):
            nearest = nearest or above
            depth += 1
        above = above.f_back
    return nearest, depth


def requests(folder: Path) -> dict[str, Request]:
    """The requests worth following, ready to be asked twice: small, real, and in one process."""
    docs, project, synced = folder / "docs", folder / "project", folder / "synced"
    for path, text in {
        docs / "deploy.md": "# Deploy\n\nRoll out the deploy, then watch.\n",
        docs / "rollback.md": "# Roll back\n\nUndo a deploy by name.\n",
        project / "src" / "app.py": '"""The app."""\n\n\ndef start() -> None:\n    """Start it."""\n',
        project / "lib" / "tool.py": "def tool() -> int:\n    return 1\n",
        project / ".context.config.yaml": "min_tokens: 0\n",
        synced / "context.toml": '[caches.docs]\nsources = ["docs"]\n',
        **{synced / f"docs/page{number}.md": f"# Page {number}\n\nDeploy it.\n" for number in range(10)},
        **{project / f".spec-context/steering/{n}.md": f"# {n}\n\nText.\n" for n in STEERING},
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    caches = folder / "caches"
    quiet("build", "--sources", str(docs), "--cache", str(caches / "docs"))
    time.sleep(0.1)  # a cache that was written just now is not kept open, and the walk is that of a warm server
    server = Workspace(str(project), cache_root=str(caches), door="tool")

    def call(tool: str, **arguments: object) -> Request:
        return lambda: answer(find_tool(tool), arguments, server)

    def sync_after_an_edit() -> None:
        page = synced / "docs" / "page3.md"
        page.write_text(f"{page.read_text()}\nA line more.\n")
        os.chdir(synced)
        quiet("sync")

    return {
        "resolve": call("context.resolve", cache="docs", query="deploy", budget=4000),
        "search": call("context.search", cache="docs", query="deploy", budget=4000),
        "guide": call("get-implementer-guide"),
        "init": lambda: quiet("init", "--path", str(project), "--no-agents"),
        "build": lambda: quiet("build", "--sources", str(docs), "--cache", str(folder / "built"), "--force"),
        "sync": sync_after_an_edit,
    }


STEERING = ("product", "tech", "structure", "principles")


def quiet(*words: str) -> None:
    """Carry out a command line; its answer goes nowhere."""
    output = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        if main(words, os.environ) != 0:
            raise SystemExit(f"'context {' '.join(words)}' failed")
    finally:
        os.dup2(output, 1)
        os.close(output)
        os.close(nowhere)


def walks(folder: Path) -> dict[str, Walk]:
    """Every request carried out once to load what it needs, then once more and followed."""
    found = {}
    asked = requests(folder)
    time.sleep(0.2)  # a cache younger than the clock's grain is not kept open, and would be followed as a cold one
    for name, request in asked.items():
        request()
        found[name] = Walk()
        found[name].run(request)
    return found


def run(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = walks(Path(folder))
    shown = [word for word in arguments if not word.startswith("-")] or list(found)
    if "--json" in arguments:
        counts = {n: [found[n].calls, len(found[n].files), found[n].changes, found[n].deepest] for n in shown}
        print(json.dumps(counts))
        return
    print(f"{'request':10} {'calls':>6} {'functions':>10} {'files':>6} {'changes':>8} {'depth':>6}")
    for name in shown:
        walk = found[name]
        counts_of = (walk.calls, len(walk.functions), len(walk.files), walk.changes, walk.deepest)
        print(f"{name:10} {counts_of[0]:6} {counts_of[1]:10} {counts_of[2]:6} {counts_of[3]:8} {counts_of[4]:6}")
        if "--path" in arguments:
            for depth, file, function in walk.path:
                print(f"  {'  ' * depth}{file}  {function}")


if __name__ == "__main__":
    run(sys.argv[1:])
