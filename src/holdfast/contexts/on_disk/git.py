"""What git says has changed. The only place that starts another program."""

from __future__ import annotations

from holdfast.contexts.on_disk.project import Project
from holdfast.core.errors import UsageError


def places_changed_since(project: Project, ref: str) -> set[str]:
    """The directories, as paths from the root, that hold a file which differs from a commit or is new to git."""
    if ref.startswith("-") or not ref:
        raise UsageError(f"'{ref}' is no commit")
    if ref == "HEAD" and not _has_commits(project.root):
        ref = _git(project.root, "hash-object", "-t", "tree", "--stdin").decode().strip()  # the tree of nothing
    changed = _git(project.root, "diff", "--name-only", "--no-renames", "--relative", "-z", ref, "--")
    unknown = _git(project.root, "ls-files", "--others", "--exclude-standard", "-z")
    paths = [path.decode("utf-8", "surrogateescape") for path in (changed + unknown).split(b"\0") if path]
    return {path.rpartition("/")[0] for path in paths}


def _has_commits(root: str) -> bool:
    try:
        _git(root, "rev-parse", "--quiet", "--verify", "HEAD")
    except UsageError:
        return False
    return True


def _git(root: str, *words: str) -> bytes:
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603  # no shell, and the one argument from outside cannot be an option
            ["git", "--no-optional-locks", "-C", root, *words],  # noqa: S607  # the git the person uses
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise UsageError("git is not installed; without it --since cannot be used") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it does not say why"]
        raise UsageError(f"git refused: {lines[0]}")
    return done.stdout
