"""What is staged is judged and mended by itself: `git add -p`, hooks, and an index that someone else is at work on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.doors import run_context
from support.projects import git, snapshot, states

Run = Callable[..., Any]


@pytest.fixture
def committed(project: Path, context: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    context("init", "--full")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    return project


def half_staged(root: Path) -> str:
    """A file of which one change is staged and another is not, as after `git add -p`; its text."""
    file = root / "web" / "index.ts"
    text = file.read_text()
    file.write_text("// staged\n" + text)
    git(root, "add", "web/index.ts")
    file.write_text("// staged\n" + text + "// not staged\n")
    return file.read_text()


@pytest.mark.parametrize("command", ["regen", "regen --hash-only"])
def test_what_git_add_p_staged_can_be_made_fresh(tmp_path: Path, committed: Path, context: Run, command: str) -> None:
    working = half_staged(committed)
    failing = run_context("status", "--check", "--staged", "--since", "HEAD", cwd=committed)
    assert (failing.returncode, failing.stdout.decode().splitlines()) == (
        8,
        ["1 of 1 contexts are not up to date: 1 stale.", "  stale     web", "Run: context regen --staged"],
    )
    made = context(*command.split(), "--staged")
    assert [(one["scope"], one["action"]) for one in made["contexts"]] == [("web", "renewed")]
    assert run_context("status", "--check", "--staged", cwd=committed).returncode == 0
    assert (committed / "web" / "index.ts").read_text() == working
    git(committed, "commit", "-qm", "half")
    git(tmp_path, "clone", "-q", str(committed), "clone")
    assert set(states(context("status", cwd=tmp_path / "clone")).values()) == {"fresh"}
    assert git(committed, "diff", "--name-only") == "web/index.ts\n"


def test_a_context_someone_is_editing_is_mended_in_the_index_alone(committed: Path, context: Run) -> None:
    half_staged(committed)
    file = committed / "web" / ".context.yaml"
    file.write_text(file.read_text() + "# being written\n")
    before = file.read_text()
    context("regen", "--hash-only", "--staged")

    assert file.read_text() == before
    assert "being written" not in git(committed, "show", ":web/.context.yaml")
    assert run_context("status", "--check", "--staged", cwd=committed).returncode == 0


def test_a_new_directory_that_is_staged_gets_its_context_staged_where_it_is_named(
    committed: Path, context: Run
) -> None:
    (committed / "new").mkdir()
    (committed / "new" / "a.py").write_text("x = 1\n" * 4000)
    git(committed, "add", "new")
    context("regen", "--staged")
    assert not (committed / "new" / ".context.yaml").exists()
    context("regen", "new", "--staged")

    assert "new/.context.yaml\n" in git(committed, "diff", "--cached", "--name-only")
    assert (committed / "new" / ".context.yaml").exists()
    assert run_context("status", "--check", "--staged", cwd=committed).returncode == 0


def test_a_locked_index_is_told_and_nothing_is_changed(committed: Path) -> None:
    half_staged(committed)
    (committed / ".git" / "index.lock").write_bytes(b"")
    before = snapshot(committed)
    done = run_context("regen", "--staged", cwd=committed)

    assert (done.returncode, snapshot(committed)) == (1, before)
    assert b"index is locked" in done.stderr


def test_without_a_repository_nothing_is_staged(project: Path) -> None:
    done = run_context("status", "--staged", cwd=project)
    assert (done.returncode, b"there is no git repository here" in done.stderr) == (1, True)


def test_with_the_hooks_a_commit_is_fresh_by_itself_and_a_merge_tells_what_to_run(
    committed: Path, context: Run
) -> None:
    assert [step["action"] for step in context("setup", "git")["steps"]] == ["written"] * 6
    git(committed, "add", "-A")
    git(committed, "commit", "-qm", "attributes")
    for branch, source in (("theirs", "src/shop/db/store.py"), ("ours", "src/shop/db/more.py")):
        git(committed, "checkout", "-q", "-b", branch, "main")
        file = committed / source
        file.write_text((file.read_text() if file.exists() else "") + f"\n# {branch}\n")
        git(committed, "add", source)
        git(committed, "commit", "-qm", branch)
        assert run_context("status", "--check", cwd=committed).returncode == 0, branch
    merge = ["git", "-c", "user.name=Test", "-c", "user.email=t@example.com", "merge", "-q", "--no-edit", "theirs"]
    done = subprocess.run(merge, cwd=committed, capture_output=True, check=True)

    assert git(committed, "status", "--porcelain") == ""
    assert b"  stale     src/shop/db\nRun: context regen, then `git add` what it renewed\n" in done.stdout + done.stderr
    context("regen")
    git(committed, "commit", "-qam", "renewed")
    assert run_context("status", "--check", cwd=committed).returncode == 0


def test_a_hook_of_others_is_left_alone_and_told(committed: Path, context: Run) -> None:
    hook = committed / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    steps = {step["what"]: step for step in context("setup", "git")["steps"]}

    assert hook.read_text() == "#!/bin/sh\nexit 0\n"
    assert steps["hooks/pre-commit"]["action"] == "left alone"
    assert "context regen --staged" in steps["hooks/pre-commit"]["detail"]
    assert steps["hooks/pre-commit"]["found"] == "#!/bin/sh\nexit 0\n"


def test_a_hook_that_was_changed_since_it_was_written_is_left_alone(committed: Path, context: Run) -> None:
    context("setup", "git")
    hook = committed / ".git" / "hooks" / "pre-commit"
    hook.write_text(hook.read_text() + "make lint\n")
    changed = hook.read_text()
    steps = {step["what"]: step for step in context("setup", "git")["steps"]}

    assert (steps["hooks/pre-commit"]["action"], steps["hooks/pre-commit"]["found"]) == ("left alone", changed)
    assert hook.read_text() == changed


def test_an_unfinished_merge_is_called_that(committed: Path) -> None:
    for branch in ("left", "right"):
        git(committed, "checkout", "-q", "-b", branch, "main")
        (committed / "web" / "index.ts").write_text(branch)
        git(committed, "commit", "-qam", branch)
    with pytest.raises(subprocess.CalledProcessError):
        git(committed, "merge", "-q", "left")
    done = run_context("status", "--staged", cwd=committed)

    assert (done.returncode, b"merge conflict: 1 files are not merged (web/index.ts)" in done.stderr) == (1, True)
