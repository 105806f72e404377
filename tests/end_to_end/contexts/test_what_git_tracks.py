"""In a repository only tracked files count, as git would check them in: a hook, a colleague and CI agree."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from support.doors import run_context
from support.projects import git, snapshot, states

Run = Callable[..., Any]


@pytest.fixture
def committed(project: Path, context: Run) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    context("init", "--full")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    return project


def not_fresh(listing: Any) -> dict[str, str]:
    return {scope: state for scope, state in states(listing).items() if state != "fresh"}


def test_a_file_that_is_not_tracked_does_not_count_unless_asked_for(committed: Path, context: Run) -> None:
    (committed / "web" / "scratch.ts").write_text("x")
    (committed / "notes").mkdir()
    (committed / "notes" / "big.py").write_text("x = 1\n" * 5000)

    assert (not_fresh(context("status")), not_fresh(context("status", "--untracked"))) == (
        {},
        {"web": "stale", "notes": "missing"},
    )
    assert context("check", "web", "--untracked")["state"] == "stale"
    git(committed, "add", "-A")
    assert not_fresh(context("status")) == {"web": "stale", "notes": "missing"}


def test_what_is_made_with_scratch_files_about_is_fresh_in_a_clone(
    tmp_path: Path, committed: Path, context: Run
) -> None:
    (committed / "web" / "scratch.ts").write_text("x")
    (committed / "web" / "index.ts").write_text("export const changed = 1;\n" * 900)
    context("regen")
    git(committed, "commit", "-qam", "second")
    git(tmp_path, "clone", "-q", str(committed), "clone")

    assert not_fresh(context("status", cwd=tmp_path / "clone")) == {}
    assert "scratch" not in (committed / "web" / ".context.yaml").read_text()


def test_files_that_init_writes_count_before_they_are_added(project: Path, context: Run) -> None:
    git(project, "init", "-q")
    git(project, "add", "-A")
    context("init", "--full")
    context("config", "ignore", "*.tmp")

    assert not_fresh(context("status")) == {}
    git(project, "add", "-A")
    assert not_fresh(context("status")) == {}


def test_a_file_that_git_tracks_counts_whatever_is_ignored_since(committed: Path, context: Run) -> None:
    (committed / ".gitignore").write_text("*.log\n/dist/\nweb/\n")
    git(committed, "add", "-A")
    context("regen")

    assert states(context("status"))["web"] == "fresh"


def test_where_git_tracks_nothing_yet_every_file_counts(project: Path, context: Run) -> None:
    git(project, "init", "-q")
    assert set(states(context("status"))) >= {".", "src/shop", "web"}


@pytest.mark.parametrize("kind", ["submodule", "worktree", "nested"])
def test_a_folder_with_a_git_of_its_own_is_another_project(
    tmp_path: Path, project: Path, context: Run, kind: str
) -> None:
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    inner = project / "inner"
    if kind == "submodule":
        git(tmp_path, "clone", "-q", str(project), "other")
        git(
            project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "other"), "inner"
        )
    elif kind == "worktree":
        git(project, "worktree", "add", "-q", str(inner), "-b", "side")
    else:
        git(tmp_path, "clone", "-q", str(project), str(inner))
    before = snapshot(inner)
    context("init", "--full")
    listed = [set(states(context("status", *words))) for words in ((), ("--untracked",))]

    assert snapshot(inner) == before
    assert [{scope for scope in scopes if scope.startswith("inner")} for scopes in listed] == [set(), set()]
    own = states(context("status", cwd=inner))
    assert set(own) >= {".", "src/shop", "web"}


def test_a_worktree_has_an_index_of_its_own(tmp_path: Path, committed: Path, context: Run) -> None:
    git(committed, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    (tmp_path / "side" / "web" / "scratch.ts").write_text("x")
    (tmp_path / "side" / "src" / "shop" / "new.py").write_text("x")
    git(tmp_path / "side", "add", "src/shop/new.py")

    assert not_fresh(context("status", cwd=tmp_path / "side")) == {"src/shop": "stale"}
    assert not_fresh(context("status")) == {}


@pytest.mark.parametrize("words", [("status",), ("init",), ("regen",), ("doctor",)])
def test_a_bare_repository_is_told_as_such_and_left_alone(tmp_path: Path, context: Run, words: tuple[str, ...]) -> None:
    code = 8 if words == ("doctor",) else 6  # it goes on, and the other areas are looked at
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    before = snapshot(tmp_path / "bare.git")
    done = run_context(*words, cwd=tmp_path / "bare.git")

    assert (done.returncode, b"Traceback" in done.stderr, snapshot(tmp_path / "bare.git")) == (code, False, before)
    assert b"Failed to scan" in done.stdout or b"not a working tree" in done.stderr + done.stdout


@pytest.mark.parametrize("setting", ["attributes", "autocrlf"])
def test_a_checkout_with_other_line_ends_is_fresh_and_can_be_renewed(
    tmp_path: Path, committed: Path, context: Run, setting: str
) -> None:
    if setting == "attributes":
        (committed / ".gitattributes").write_text("* text=auto eol=crlf\n")
        git(committed, "add", "-A")
        context("regen")
        git(committed, "add", "-A")
        git(committed, "commit", "-qm", "attributes")
    options = ["-c", "core.autocrlf=true"] if setting == "autocrlf" else []
    git(tmp_path, "clone", "-q", *options, str(committed), "windows")
    windows = tmp_path / "windows"

    assert b"\r\n" in (windows / "web" / "index.ts").read_bytes()
    assert not_fresh(context("status", cwd=windows)) == {}
    # A change made there is the same change as one made here.
    for root, end in ((committed, b"\n"), (windows, b"\r\n")):
        file = root / "web" / "index.ts"
        file.write_bytes(file.read_bytes() + b"export const more = 1;" + end)
        context("regen", cwd=root)
    found = [context("check", "web", cwd=root)["fingerprint"]["stored"] for root in (committed, windows)]
    assert found[0] == found[1]


def test_a_file_that_lfs_keeps_counts_by_its_pointer(tmp_path: Path, committed: Path, context: Run) -> None:
    content = b"large" * 1000
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%b\nsize %d\n" % (
        sha256(content).hexdigest().encode(),
        len(content),
    )
    (committed / ".gitattributes").write_text("*.png filter=lfs diff=lfs merge=lfs -text\n")
    (committed / "web" / "logo.png").write_bytes(pointer)
    git(committed, "add", "-A")
    context("regen")
    git(committed, "add", "-A")
    git(committed, "commit", "-qm", "lfs")
    (committed / "web" / "logo.png").write_bytes(content)  # as `git lfs pull` would

    assert not_fresh(context("status")) == {}
    (committed / "web" / "logo.png").write_bytes(content + b"more")
    assert not_fresh(context("status")) == {"web": "stale"}


def test_without_git_installed_the_index_is_read_all_the_same(committed: Path, context: Run) -> None:
    (committed / "web" / "scratch.ts").write_text("x")
    nothing = {"PATH": str(committed / "nowhere")}

    assert not_fresh(context("status", env=nothing)) == {}
    said = run_context("status", "--since", "HEAD", cwd=committed, env=nothing)
    assert (said.returncode, said.stderr.splitlines()[1]) == (1, b"reason: git is not installed, and this needs it")


def test_an_index_that_is_locked_or_split_is_read_all_the_same(committed: Path, context: Run) -> None:
    (committed / ".git" / "index.lock").write_bytes(b"")
    assert not_fresh(context("status")) == {}
    (committed / ".git" / "index.lock").unlink()
    git(committed, "update-index", "--split-index")
    (committed / "web" / "scratch.ts").write_text("x")
    assert not_fresh(context("status")) == {}


def test_an_index_that_is_damaged_is_told_and_every_file_counts(committed: Path, context: Run) -> None:
    (committed / ".git" / "index").write_bytes(b"DIRC damaged")
    (committed / "web" / "scratch.ts").write_text("x")
    done = run_context("status", cwd=committed)

    assert b"git's index cannot be read" in done.stderr
    assert not_fresh(context("status")) == {"web": "stale"}
    assert any(
        check["check"] == "git" and check["level"] == "problem" for check in context("doctor", exit_code=8)["checks"]
    )


def test_a_hook_is_told_by_git_which_index_counts(committed: Path, context: Run) -> None:
    other = committed / ".git" / "other-index"
    shutil.copy(committed / ".git" / "index", other)
    (committed / "web" / "new.ts").write_text("x")
    environment = {"GIT_INDEX_FILE": str(other)}
    os.environ.pop("GIT_INDEX_FILE", None)
    git(committed, "add", "web/new.ts")

    assert not_fresh(context("status")) == {"web": "stale"}
    assert not_fresh(context("status", env=environment)) == {}
