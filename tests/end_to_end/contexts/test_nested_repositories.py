"""Git fetches nothing for a question, and a repository that lies in a clone has no say: its settings name programs."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.doors import run_context
from support.projects import git

Run = Callable[..., Any]
CONFLICT = "<<<<<<< ours\nversion: 1\n=======\nversion: 1\nsummary: x\n>>>>>>> theirs\n"


def fetching(mark: Path) -> str:
    """Settings by which git starts a program for each object that it lacks."""
    return (
        "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = .\n"
        "[extensions]\n\tpartialClone = origin\n"
        f'[remote "origin"]\n\tpromisor = true\n\turl = ext::sh -c touch% {mark}\n'
        '[protocol "ext"]\n\tallow = always\n'
    )


def index_of(path: bytes) -> bytes:
    """An index with a conflict of a file whose objects nobody has."""
    entries = b""
    for stage in (1, 2, 3):
        entry = struct.pack(">10I", *[0] * 6, 0o100644, 0, 0, 5) + b"\xaa" * 20
        entry += struct.pack(">H", stage << 12 | len(path)) + path
        entries += entry + bytes(8 - len(entry) % 8)
    data = b"DIRC" + struct.pack(">2I", 2, 3) + entries
    return data + hashlib.sha1(data, usedforsecurity=False).digest()


def plant(folder: Path, settings: str) -> None:
    """A bare repository that holds a directory whose context is in conflict."""
    (folder / "code").mkdir(parents=True)
    for name in ("objects", "refs"):
        (folder / name / "x").mkdir(parents=True)
        (folder / name / "x" / "kept").touch()
    (folder / "config").write_text(settings)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "index").write_bytes(index_of(b"code/.context.yaml"))
    (folder / "code/.context.yaml").write_text(CONFLICT)
    (folder / "code/more.py").write_text('"""Much of it."""\n' + "\n\ndef go(a: int) -> int:\n    return a\n" * 450)


def test_a_bare_repository_that_a_clone_brings_has_git_run_nothing(project: Path, tmp_path: Path) -> None:
    mark, clone = tmp_path / "EXECUTED", tmp_path / "clone"
    plant(project / "part" / "bare", fetching(mark))
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-fA")
    git(project, "commit", "-qm", "all of it")
    git(tmp_path, "clone", "-q", str(project), str(clone))
    for words in ["status --check", "status --since HEAD", "doctor", "init", "regen", "regen part/bare/code"]:
        ran = run_context(*words.split(), cwd=clone)
        assert ran.returncode in (0, 5, 8), (words, ran.stderr)
        assert not mark.exists(), words


def test_a_gate_in_a_partial_clone_says_what_is_missing_and_fetches_nothing(
    project: Path, context: Run, tmp_path: Path
) -> None:
    mark = tmp_path / "EXECUTED"
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    commit = git(project, "rev-parse", "HEAD").strip()
    tree = git(project, "rev-parse", "HEAD^{tree}").strip()
    git(project, "commit", "-qm", "second", "--allow-empty")
    (project / ".git/config").write_text(fetching(mark).replace("\tworktree = .\n", ""))
    (project / ".git/objects" / tree[:2] / tree[2:]).unlink()
    context("status", "--since", commit, exit_code=1)
    assert not mark.exists()
