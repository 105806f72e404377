"""What git says has changed, and how it merges."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.contexts.on_disk.project import Project
from holdfast.core.errors import UsageError
from holdfast.core.git_command import git, git_unusable

# What makes a filter do nothing: to compare contents, no program that a repository names is run.
_NO_FILTER = ("clean=", "process=", "required=false")


def places_changed_since(project: Project, ref: str, *, staged: bool = False) -> set[str]:
    """The directories, as paths from the root, that hold a file which differs from a commit or is new to git."""
    ref = _commit(project.root, ref)
    what = ("--cached",) if staged else ()
    changed = git(project.root, "diff", *what, "--name-only", "--no-renames", "--relative", "-z", ref, "--")
    if project.counts_untracked and not staged:
        changed += git(project.root, "ls-files", "--others", "--exclude-standard", "-z")
    paths = [path.decode("utf-8", "surrogateescape") for path in changed.split(b"\0") if path]
    return {path.rpartition("/")[0] for path in paths}


def _commit(root: str, ref: str) -> str:
    """What a commit is compared by; UsageError where git does not know it."""
    if ref.startswith("-") or not ref or "\0" in ref:
        raise UsageError(f"'{ref}' is no commit")
    if ref == "HEAD" and not _is_commit(root, "HEAD"):
        return git(root, "hash-object", "-t", "tree", "--stdin").decode().strip()  # the tree of nothing
    if not _is_commit(root, ref):
        raise UsageError(_unknown(root, ref))
    return ref


class ChangedFile(NamedTuple):
    """A regular file that differs from a commit; the ids of its contents, empty where there is none or git has none."""

    path: str
    before: str
    now: str
    is_gone: bool


def files_changed_since(project: Project, ref: str, *, staged: bool = False) -> list[ChangedFile]:
    """The files that differ from where this branch left a commit, by path. No filter of git's settings is run."""
    root = project.root
    base = _commit(root, ref)
    try:
        base = git(root, "merge-base", base, "HEAD").decode().strip()
    except UsageError:
        pass  # they have nothing in common, or there is no commit yet
    off = [word for name in _filters(root) for part in _NO_FILTER for word in ("-c", f"{name}.{part}")]
    what = ("--cached",) if staged else ()
    options = ("--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules", "--relative", "-z")
    words = git(root, *off, "diff", *what, *options, base, "--").split(b"\0")
    found = []
    for head, path in zip(words[::2], words[1::2], strict=False):
        old_mode, mode, before, now, status = head.decode().removeprefix(":").split(" ")
        if not {old_mode, mode} - {"100644", "100755", "000000"}:
            ids = ["" if set(one) == {"0"} else one for one in (before, now)]
            found.append(ChangedFile(os.fsdecode(path), ids[0], ids[1], is_gone=status == "D"))
    return sorted(found)


def _filters(root: str) -> list[str]:
    """The filters that git's settings declare, as keys of these settings."""
    try:
        keys = git(root, "config", "--null", "--name-only", "--get-regexp", r"^filter\.").split(b"\0")
    except UsageError:
        return []  # there are none
    names = sorted({os.fsdecode(key.rpartition(b".")[0]) for key in keys if key})
    if any("=" in name for name in names):
        raise git_unusable("git's settings have a filter with `=` in its name, which cannot be turned off")
    return names


def read_objects(root: str, ids: Sequence[str]) -> list[bytes | None]:
    """The contents that git keeps under some ids, None for one that is not in this clone."""
    objects = git(root, "cat-file", "--batch", given="".join([f"{one}\n" for one in ids]).encode())
    found: list[bytes | None] = []
    at = 0
    for _ in ids:
        end = objects.index(b"\n", at)
        words = objects[at:end].split(b" ")
        at = end + 1
        if len(words) != 3:
            found.append(None)
            continue
        found.append(objects[at : at + int(words[2])])
        at += int(words[2]) + 1
    return found


def _unknown(root: str, ref: str) -> str:
    """Why a commit cannot be compared with, and what to do."""
    if git(root, "rev-parse", "--is-shallow-repository").strip() == b"true":
        return (
            f"'{ref}' is not in this shallow clone: fetch the history with `git fetch --unshallow`, "
            "or in a workflow check out with `fetch-depth: 0`"
        )
    return f"git knows no commit '{ref}'"


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
