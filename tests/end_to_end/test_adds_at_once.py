"""Several `context add` in one project at the same time: each cache in the root is declared and locked, or gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from holdfast.caches.project_answers import add
from holdfast.core.errors import UsageError
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for number in range(4):
        folder = tmp_path / f"docs{number}"
        folder.mkdir()
        for page in range(20):
            (folder / f"{number}-{page}.md").write_text(f"# Page {page}\n\nAbout {number}.\n", "utf-8")
    return tmp_path


def editor(project: Path, text: str) -> Callable[[str, int, int], None]:
    """A person who edits `context.toml` while a cache is built."""

    def edit(_phase: str, _done: int, _total: int) -> None:
        (project / "context.toml").write_text(text, "utf-8")

    return edit


def test_a_cache_whose_declaration_is_not_written_is_removed_with_what_is_beside_it(project: Path) -> None:
    text = "# edited during the build\n"
    workspace = Workspace(str(project), phases=editor(project, text))

    with pytest.raises(UsageError, match="was changed meanwhile"):
        add(workspace, {"name": "one", "paths": [str(project / "docs0")]})

    assert os.listdir(project / ".context" / "caches") == [".gitignore"]
    assert (project / "context.toml").read_text("utf-8") == text


def test_a_cache_that_was_there_before_stays_when_its_declaration_is_not_written(project: Path) -> None:
    add(Workspace(str(project)), {"name": "one", "paths": [str(project / "docs0")]})
    before = sorted(os.listdir(project / ".context" / "caches"))
    workspace = Workspace(str(project), phases=editor(project, "# edited\n"))

    with pytest.raises(UsageError, match="was changed meanwhile"):
        add(workspace, {"name": "one", "paths": [str(project / "docs1")]})

    assert sorted(os.listdir(project / ".context" / "caches")) == before


def test_four_adds_at_once_leave_only_caches_that_are_declared_and_locked(project: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "holdfast", "add", f"c{number}", f"docs{number}"],
            cwd=project,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for number in range(4)
    ]
    added = []
    for number, process in enumerate(running):
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0 or b"was changed meanwhile" in said, said
        added += [f"c{number}"] if process.returncode == 0 else []

    declared = tomllib.loads((project / "context.toml").read_text("utf-8"))
    locked = json.loads((project / "context.lock").read_text("utf-8"))
    there = [name for name in os.listdir(project / ".context" / "caches") if not name.startswith(".")]
    assert added
    assert (sorted(declared["caches"]), sorted(locked["caches"]), sorted(there)) == (added, added, added)
