"""What git says has changed, and how it merges."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.core.errors import UsageError
from holdfast.core.git_command import git, git_unusable

if TYPE_CHECKING:
    from holdfast.contexts.on_disk.project import Project


def places_changed_since(project: Project, ref: str, *, staged: bool = False) -> set[str]:
    """The directories, as paths from the root, that hold a file which differs from a commit or is new to git."""
    if ref.startswith("-") or not ref:
        raise UsageError(f"'{ref}' is no commit")
    if ref == "HEAD" and not _has_commits(project.root):
        ref = git(project.root, "hash-object", "-t", "tree", "--stdin").decode().strip()  # the tree of nothing
    elif not _is_commit(project.root, ref):
        raise UsageError(_unknown(project.root, ref))
    what = ("--cached",) if staged else ()
    changed = git(project.root, "diff", *what, "--name-only", "--no-renames", "--relative", "-z", ref, "--")
    if project.counts_untracked and not staged:
        changed += git(project.root, "ls-files", "--others", "--exclude-standard", "-z")
    paths = [path.decode("utf-8", "surrogateescape") for path in changed.split(b"\0") if path]
    return {path.rpartition("/")[0] for path in paths}


def _unknown(root: str, ref: str) -> str:
    """Why a commit cannot be compared with, and what to do."""
    if git(root, "rev-parse", "--is-shallow-repository").strip() == b"true":
        return (
            f"'{ref}' is not in this shallow clone: fetch the history with `git fetch --unshallow`, "
            "or in a workflow check out with `fetch-depth: 0`"
        )
    return f"git knows no commit '{ref}'"


def _has_commits(root: str) -> bool:
    return _is_commit(root, "HEAD")


def _is_commit(root: str, ref: str) -> bool:
    try:
        git(root, "rev-parse", "--quiet", "--verify", f"{ref}^{{object}}")
    except UsageError as error:
        if error.note:
            raise
        return False
    return True


def git_path(root: str, name: str) -> str:
    """Where git keeps something of a repository, worktrees and settings considered; an absolute path."""
    return os.path.join(root, os.fsdecode(git(root, "rev-parse", "--git-path", name).rstrip(b"\n")))


def git_merge_file(base: str, ours: str, theirs: str) -> tuple[bytes, bool]:
    """Three files merged line by line as git merges any text, and whether markers are left in it."""
    import subprocess

    names = ["-L", "ours", "-L", "base", "-L", "theirs"]
    try:
        done = subprocess.run(  # noqa: S603  # no shell; the paths are made absolute, so none is an option
            ["git", "merge-file", "-p", *names, *map(os.path.abspath, (ours, base, theirs))],  # noqa: S607  # as above
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise git_unusable(f"git cannot be started: {error.strerror}") from None
    if done.returncode > 127:
        raise UsageError("git refused to merge the files")
    return done.stdout, done.returncode > 0
