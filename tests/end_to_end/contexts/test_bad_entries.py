"""One bad entry never spoils the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from holdfast.catalog import find_tool
from holdfast.contexts.on_disk import project as project_module
from holdfast.core.confined_paths import open_below
from holdfast.operation import answer
from holdfast.workspace import Workspace
from support.projects import states

SOURCE = "x = 1\n" * 4000
GOOD = "version: 1\nlast_updated: x\nfingerprint: '00000000'\nscope: {}\nsummary: Good.\nmaintenance: m\n"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{here}: &{here} [{', '.join([f'*{before}'] * 9)}]\n" for before, here in pairwise("abcdefghijkl")
)
# The promise is 100 ms; processor time is compared so that a busy machine does not matter.
BUDGET = 0.1


def ask(root: Path, tool: str, **arguments: Any) -> tuple[Any, float]:
    """The answer and the processor time it took."""
    from time import process_time

    workspace = Workspace(str(root), door="tool")
    started = process_time()
    reply = answer(find_tool(tool), arguments, workspace)
    return json.loads(reply.text), process_time() - started


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Three directories with contexts, the middle one to be spoiled."""
    for name in ("a", "bad", "z"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.py").write_text(SOURCE)
        (tmp_path / name / ".context.yaml").write_text(GOOD.format(name))
    ask(tmp_path, "query_context", scope="a")  # what is imported on first use is not what is measured
    return tmp_path


def _without(bad: Path) -> Path:
    (bad / ".context.yaml").unlink()
    return bad / ".context.yaml"


SPOILED: dict[str, Callable[[Path], object]] = {
    "24 megabytes": lambda bad: (bad / ".context.yaml").write_bytes(b"a: " + b"x" * (24 << 20)),
    "an alias bomb": lambda bad: (bad / ".context.yaml").write_text(BOMB),
    "flow nested 10,000 deep": lambda bad: (bad / ".context.yaml").write_text("a: " + "[" * 10_000),
    "blocks nested 1,400 deep": lambda bad: (bad / ".context.yaml").write_text(
        "".join(" " * at + "a:\n" for at in range(1_400))
    ),
    "dashes nested 10,000 deep": lambda bad: (bad / ".context.yaml").write_text("- " * 10_000),
    "a FIFO": lambda bad: os.mkfifo(_without(bad)),
    "a link to itself": lambda bad: os.symlink(".context.yaml", _without(bad)),
    "a directory": lambda bad: os.mkdir(_without(bad)),
    "bytes that are not UTF-8": lambda bad: (bad / ".context.yaml").write_bytes(b"\xff\xfe"),
    "nothing": lambda bad: (bad / ".context.yaml").write_bytes(b""),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_context_that_cannot_be_used_is_told_quickly_and_the_others_are_listed(tree: Path, how: str) -> None:
    SPOILED[how](tree / "bad")
    listing, listing_time = ask(tree, "list_contexts")
    queried, query_time = ask(tree, "query_context", scope="bad")
    checked, check_time = ask(tree, "check_freshness", scope="bad")
    error = 'Invalid or corrupt .context.yaml at scope "bad"'
    if how == "a directory":
        listing["entries"] = [entry for entry in listing["entries"] if entry["scope"] != "bad/.context.yaml"]
    assert (states(listing), queried, checked) == (
        {".": "missing", "a": "stale", "bad": "missing", "z": "stale"},
        {"found": False, "scope": "bad", "error": error},
        {"scope": "bad", "state": "missing", "error": error},
    )
    assert max(listing_time, query_time, check_time) < BUDGET


def test_another_version_is_told_quickly_and_the_others_are_listed(tree: Path) -> None:
    (tree / "bad" / ".context.yaml").write_text("version: 2\n")
    listing, spent = ask(tree, "list_contexts")
    assert (states(listing)["bad"], listing["tracked"], spent < BUDGET) == ("missing", 2, True)


def test_files_that_are_not_regular_do_not_count(tree: Path) -> None:
    before, _ = ask(tree, "check_freshness", scope="bad")
    os.mkfifo(tree / "bad" / "pipe.py")
    (tree / "bad" / "loop").symlink_to("loop")
    (tree / "bad" / "up").symlink_to("..")
    (tree / "bad" / "link.py").symlink_to("m.py")
    after, spent = ask(tree, "check_freshness", scope="bad")
    assert (after, spent < BUDGET) == (before, True)


def test_a_name_that_is_not_utf_8_counts_by_its_bytes_and_is_listed(tree: Path) -> None:
    odd = os.fsencode(tree / "bad") + b"/\xff.py"
    before, _ = ask(tree, "check_freshness", scope="bad")
    with open(odd, "w") as file:
        file.write(SOURCE)
    folder = os.fsencode(tree) + b"/\xfe"
    os.mkdir(folder)
    with open(folder + b"/m.py", "w") as file:
        file.write(SOURCE)
    after, _ = ask(tree, "check_freshness", scope="bad")
    listing, spent = ask(tree, "list_contexts")
    assert after["fingerprint"]["computed"] != before["fingerprint"]["computed"]
    assert (states(listing)["\ufffd"], spent < BUDGET) == ("missing", True)


@pytest.mark.parametrize("moment", ["before it is opened", "once it is open"])
def test_a_directory_that_vanishes_while_it_is_looked_for_is_missing(
    moment: str, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only way to lose this race on purpose is to remove the directory between its parent's look and its own."""
    import shutil

    def lose(directory: int, name: str) -> int:
        if name == "bad" and moment == "before it is opened":
            shutil.rmtree(tree / name)
        opened = open_below(directory, name)
        if name == "bad" and moment == "once it is open":
            shutil.rmtree(tree / name)
        return opened

    monkeypatch.setattr(project_module, "open_below", lose)
    listing, _ = ask(tree, "list_contexts")
    assert states(listing) == {".": "missing", "a": "stale", "bad": "missing", "z": "stale"}


UNREADABLE = """
import json, os, sys
from holdfast.catalog import find_tool
from holdfast.operation import answer
from holdfast.workspace import Workspace
calls = (("list_contexts", {}), ("check_freshness", {"scope": "z"}), ("query_context", {"scope": "bad"}))
# Root may read everything, so it becomes another, who may not be able to load modules: the first time loads them all.
for user in (0, 65534) if os.getuid() == 0 else (os.getuid(),):
    os.setuid(user)
    workspace = Workspace(sys.argv[1], door="tool")
    answers = [answer(find_tool(tool), arguments, workspace).text for tool, arguments in calls]
print("".join(answers), end="")
"""


def test_what_may_not_be_read_is_missing_or_counts_by_name_and_size(tree: Path) -> None:
    (tree / "z" / "secret.py").write_text("hidden\n")
    (tree / "z" / "secret.py").chmod(0)
    (tree / "bad").chmod(0)
    for parent in (tree, *tree.parents):
        if "pytest" in str(parent):
            parent.chmod(0o755)
    try:
        done = subprocess.run([sys.executable, "-c", UNREADABLE, str(tree)], capture_output=True, check=True)
    finally:
        (tree / "bad").chmod(0o755)
    listing, checked, queried = (json.loads(line) for line in done.stdout.splitlines())
    assert states(listing) == {".": "missing", "a": "stale", "bad": "missing", "z": "stale"}
    assert (checked["state"], queried["found"]) == ("stale", False)
