"""A context is stale when, and only when, a file of its directory changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.projects import git, states

ALL_FRESH = dict.fromkeys([".", "src", "src/shop", "src/shop/db", "web"], "fresh")


@pytest.fixture
def committed(project: Path, context: Callable[..., Any]) -> Path:
    """The project with contexts, committed."""
    git(project, "init", "-q", "-b", "main")
    context("init", "--full")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    return project


def test_every_directory_is_fresh_after_init_the_root_included(project: Path, context: Callable[..., Any]) -> None:
    context("init", "--full")
    assert states(context("status", "--check", "--format", "json")) == ALL_FRESH


def test_a_clone_is_fresh(committed: Path, context: Callable[..., Any], tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(committed), "elsewhere")
    assert states(context("status", "--check", "--format", "json", cwd=tmp_path / "elsewhere")) == ALL_FRESH


def test_a_copy_is_fresh(committed: Path, context: Callable[..., Any], tmp_path: Path) -> None:
    shutil.copytree(committed, tmp_path / "copy", copy_function=shutil.copyfile)
    assert states(context("status", "--check", "--format", "json", cwd=tmp_path / "copy")) == ALL_FRESH


def test_checking_out_another_branch_and_back_leaves_all_fresh(committed: Path, context: Callable[..., Any]) -> None:
    git(committed, "checkout", "-qb", "other")
    (committed / "web" / "index.ts").write_text("export const other = 1;\n")
    git(committed, "commit", "-qam", "other")
    git(committed, "checkout", "-q", "main")
    assert states(context("status", "--check", "--format", "json")) == ALL_FRESH


def test_touching_every_file_leaves_all_fresh(committed: Path, context: Callable[..., Any]) -> None:
    for path in committed.rglob("*"):
        if ".git" not in path.parts:
            os.utime(path, ns=(1_234_567_890_123_456_789,) * 2)
    assert states(context("status", "--check", "--format", "json")) == ALL_FRESH


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles", "UTC"])
def test_another_time_zone_leaves_all_fresh(committed: Path, context: Callable[..., Any], zone: str) -> None:
    assert states(context("status", "--check", "--format", "json", env={"TZ": zone, "LC_ALL": "C"})) == ALL_FRESH


def test_a_file_that_git_ignores_changes_nothing(committed: Path, context: Callable[..., Any]) -> None:
    (committed / "src" / "shop" / "db" / "notes.log").write_text("other\n")
    (committed / "src" / "shop" / "new.log").write_text("new\n")
    (committed / "dist").mkdir()
    (committed / "dist" / "big.py").write_text("x = 1\n" * 9000)
    (committed / ".git" / "info" / "exclude").write_text("private.txt\n")
    (committed / "web" / "private.txt").write_text("mine\n")
    assert states(context("status", "--check", "--format", "json")) == ALL_FRESH


def _change(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"a", b"b", 1))


CHANGES: dict[str, Callable[[Path], object]] = {
    "a byte is changed": lambda web: _change(web / "index.ts"),
    "a file is added": lambda web: (web / "new.ts").write_text(""),
    "a file that is no source is added": lambda web: (web / "new.bin").write_text("x"),
    "a file is removed": lambda web: (web / "logo.png").unlink(),
    "a file is renamed": lambda web: (web / "logo.png").rename(web / "mark.png"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_in_its_directory_and_no_other(
    committed: Path, context: Callable[..., Any], change: str
) -> None:
    before = (committed / "web" / "index.ts").stat()
    CHANGES[change](committed / "web")
    git(committed, "add", "-A")
    if (committed / "web" / "index.ts").exists():
        os.utime(committed / "web" / "index.ts", ns=(before.st_atime_ns, before.st_mtime_ns))  # the content decides
    assert states(context("status", "--check", "--format", "json", exit_code=8)) == {**ALL_FRESH, "web": "stale"}


def test_a_context_that_is_edited_does_not_make_its_directory_stale(
    committed: Path, context: Callable[..., Any]
) -> None:
    file = committed / "web" / ".context.yaml"
    file.write_text(file.read_text() + "# mine\n")
    assert states(context("status", "--check", "--format", "json")) == ALL_FRESH


def test_changing_settings_and_patterns_leaves_what_was_fresh_fresh(
    committed: Path, context: Callable[..., Any]
) -> None:
    _change(committed / "web" / "index.ts")
    context("config", "ignore", "*.png")
    context("config", "max_depth", "9")
    assert states(context("status")) == {**ALL_FRESH, "web": "stale"}


def test_since_looks_only_at_directories_that_differ_from_a_commit(
    committed: Path, context: Callable[..., Any]
) -> None:
    assert context("status", "--check", "--format", "json", "--since", "HEAD")["entries"] == []
    _change(committed / "web" / "index.ts")
    (committed / "src" / "shop" / "new.py").write_text("x = 1\n")
    git(committed, "add", "src/shop/new.py")
    found = context("status", "--check", "--format", "json", "--since", "HEAD", exit_code=8)
    assert (states(found), found["total_directories"]) == ({"src/shop": "stale", "web": "stale"}, 5)


def test_before_the_first_commit_everything_differs_from_head(project: Path, context: Callable[..., Any]) -> None:
    git(project, "init", "-q")
    assert set(states(context("status", "--since", "HEAD"))) == {".", "src", "src/shop", "src/shop/db", "web"}
    git(project, "add", "-A")
    assert set(states(context("status", "--since", "HEAD"))) == {".", "src", "src/shop", "src/shop/db", "web"}


@pytest.mark.parametrize("ref", ["no-such-ref", "--output=x", ""])
def test_a_commit_that_does_not_exist_is_a_usage_error(committed: Path, context: Callable[..., Any], ref: str) -> None:
    assert context("status", f"--since={ref}", exit_code=1).startswith("error: Usage error\nreason: ")
    assert not (committed / "x").exists()


def test_a_project_inside_a_repository_obeys_the_ignore_files_above_it(
    committed: Path, context: Callable[..., Any]
) -> None:
    (committed / "web" / "noise.log").write_text("x")
    assert context("check", ".", "--path", "web")["state"] == "fresh"
