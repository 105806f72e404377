"""Where the disk fails, `init` exits with 6 and names the file, and no context is written without what it needs."""

from __future__ import annotations

import os
from errno import EACCES, EIO, ENOSPC
from pathlib import Path
from typing import Any

import pytest

from holdfast.catalog import CATALOG
from holdfast.core import atomic_write
from holdfast.operation import Reply, answer
from holdfast.workspace import Workspace

READ = ".gitignore", "AGENTS.md", "CLAUDE.md", "src/shop/db/store.py", "src/shop/db", "web/.context.yaml", "agents.md"


def run(root: Path, command: str, **arguments: Any) -> Reply:
    (operation,) = [one for one in CATALOG if one.command == (command,)]
    return answer(operation, arguments, Workspace(str(root), clock=lambda: 1.8e9))


def texts(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


class Disk:
    """A disk on which one name cannot be opened to read, or no file can be renamed to it."""

    def __init__(self, patch: pytest.MonkeyPatch, name: str, error: int, *, to_read: bool = True) -> None:
        self.name, self.error = name, error
        self._open, self._replace = os.open, os.replace
        if to_read:
            patch.setattr(os, "open", self.open)
        else:
            patch.setattr(os, "replace", self.replace)

    def open(self, path: Any, flags: int, *given: Any, dir_fd: int | None = None) -> int:
        above = os.readlink(f"/proc/self/fd/{dir_fd}") if dir_fd is not None else ""
        if not flags & (os.O_WRONLY | os.O_RDWR) and os.path.join(above, os.fsdecode(path)).endswith("/" + self.name):
            raise OSError(self.error, os.strerror(self.error))
        return self._open(path, flags, *given, dir_fd=dir_fd)

    def replace(self, source: str, target: str) -> None:
        if target.endswith("/" + self.name):
            raise OSError(self.error, os.strerror(self.error))
        self._replace(source, target)


@pytest.fixture
def made(project: Path) -> Path:
    """The project with its contexts, and a change in two directories since."""
    (project / "CLAUDE.md").write_text("# Ours\n")
    assert run(project, "init", full=True).exit_code == 0
    for name in ("web/index.ts", "src/shop/db/store.py"):
        (project / name).write_text((project / name).read_text() + "\n")
    return project


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the name behind a descriptor is asked of /proc")
@pytest.mark.parametrize("name", READ)
def test_a_file_that_the_disk_does_not_give_is_named_and_nothing_is_written(
    made: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = texts(made)
    with monkeypatch.context() as patch:
        Disk(patch, name, EIO)
        reply = run(made, "init", full=True)
    assert reply.error is not None
    assert (reply.exit_code, reply.error.code) == (6, "io_error")
    assert f"{name}' " in reply.error.reason
    assert "cannot be read" in reply.error.reason
    assert texts(made) == before
    assert run(made, "init", full=True).exit_code == 0


@pytest.mark.parametrize("error", [EIO, ENOSPC])
@pytest.mark.parametrize("name", ["AGENTS.md", "web/.context.yaml"])
def test_a_file_that_cannot_be_written_is_named_and_the_exit_code_is_6(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: int
) -> None:
    with monkeypatch.context() as patch:
        Disk(patch, name, error, to_read=False)
        reply = run(project, "init", full=True)
    said = reply.error.reason if reply.error is not None else reply.text
    assert (reply.exit_code, f"'{name}' cannot be" in said, os.strerror(error) in said) == (6, True, True)
    assert not (project / name).exists()
    assert run(project, "init", full=True).exit_code == 0


def test_where_no_flush_succeeds_each_context_is_named_and_none_takes_its_place(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(files: list[int]) -> list[OSError]:
        return [OSError(EIO, os.strerror(EIO)) for _ in files]

    before = texts(made)
    with monkeypatch.context() as patch:
        patch.setattr(atomic_write, "_flushed", failing)
        reply = run(made, "init", full=True)
    assert reply.exit_code == 6
    for name in ("web/.context.yaml", "src/shop/db/.context.yaml"):
        assert f"'{name}' cannot be written: {os.strerror(EIO)}" in reply.text
    assert texts(made) == before


def test_a_file_that_is_closed_to_this_user_still_holds_up_no_other(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        Disk(patch, "src/shop/db/store.py", EACCES)
        assert run(made, "init", full=True).exit_code == 0
