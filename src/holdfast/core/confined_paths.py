"""A name under a root, or nothing: the one place that decides whether a path stays inside.

Where a name leads now may be another place a moment later. So what is opened is opened from the root down without
following a link, and only where that meets one are the links followed and the opening begun again: one that is swapped
in meanwhile leads nowhere (docs/decisions/0009-confinement.md).
"""

from __future__ import annotations

import os
from errno import ELOOP, ENOENT, ENOTDIR

from holdfast.core import posix_calls
from holdfast.core.regular_files import close_quietly, read_regular
from holdfast.core.unicode_text import is_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from holdfast.core.file_identity import Identity

    Result = TypeVar("Result")

# Enough to pass through a directory, where it may be searched and not listed.
_PASSAGE = getattr(os, "O_PATH", os.O_RDONLY) | posix_calls.DIRECTORY
# What the system says when nothing of that name can be there, or a link that is not followed.
_ABSENCES = frozenset({ENOENT, ENOTDIR, ELOOP})
# Links that change faster than they can be followed lead nowhere.
_ATTEMPTS = 8


class PathBeneath(str):
    """The path of a directory below a root. `open_directory` opens it only there, wherever its links lead by then."""

    __slots__ = ("place", "root")

    root: str
    place: str  # the path from the root


def beneath(root: str, name: str) -> PathBeneath | None:
    """The path of a name below a root, or None when the name itself says that it leads elsewhere.

    A relative name may not climb, an absolute one must already lie inside. The path need not exist.
    """
    if "\\" in name or "\0" in name or not (name.isascii() or is_unicode(name)):
        return None
    place = plain_place(name)
    if place is None and ".." not in name.split("/"):
        place = real_place(root, name)
    if not place:
        return None
    path = PathBeneath(os.path.join(root, place))
    path.root, path.place = root, place
    return path


def plain_place(name: str) -> str | None:
    """The path from a root that a name says, where it needs no file system to tell: no climbing, no root, no NUL."""
    names = name.split("/")
    if not names[0] or ".." in names or "\0" in name:
        return None
    return "/".join([part for part in names if part not in ("", ".")])


def reach(place: str | None, resolve: Callable[[], str], find: Callable[[str], Result]) -> Result:
    """What `find` gives for a path from a root, links followed as `resolve` does it.

    `find` raises OSError when part of the path is a link or is absent: `resolve` then follows the links, and `find`
    gets the resolved path. Raises what either raises.
    """
    for _ in range(_ATTEMPTS):
        try:
            if place is not None:
                return find(place)
        except OSError as error:
            if error.errno not in _ABSENCES:
                raise
        tried, place = place, resolve()
        if place == tried:
            break
    raise FileNotFoundError(ENOENT, "nothing there", place)


def lies_inside(path: str, root: str) -> bool:
    """Whether a real path is the real root or below it."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def link_out(root: str, path: str) -> str:
    """The first component of a path spelled below a root that is a link and leads out of it; empty where none does.

    A path that is spelled outside leads where its spelling says: for that it is empty as well. It need not exist.
    """
    top, spelled = os.path.abspath(root), os.path.abspath(path)
    if not lies_inside(spelled, top):
        top = os.path.realpath(root)
        if not lies_inside(spelled, top):
            return ""
    place = top
    for name in spelled[len(top) :].split("/"):
        place = os.path.join(place, name) if name else place
        if name and os.path.islink(place) and not lies_inside(os.path.realpath(place), os.path.realpath(top)):
            return place
    return ""


def real_place(root: str, name: str) -> str | None:
    """Where a path leads from a root, as a path from there without links, empty for the root; None when it leaves it.

    It need not exist. An absolute path may lie inside too.
    """
    real_root = os.path.realpath(root)
    path = os.path.realpath(os.path.join(real_root, name))
    return path[len(real_root) :].lstrip("/") if lies_inside(path, real_root) else None


def open_beneath(root: str, place: str, *, listed: bool = False) -> int:
    """A descriptor of the directory at a path from `root` without links; OSError for anything else.

    How the root itself is reached is not looked at. What is in the directory can be opened by the descriptor; it can be
    `listed` by it where that was asked for, and then must be one that may be.
    """
    names = place.split("/") if place else []
    if ".." in names:
        raise FileNotFoundError(ENOENT, "a path from a root cannot climb", place)
    if not names:
        return posix_calls.open(root, posix_calls.DIRECTORY if listed else _PASSAGE)
    left = len(names) - 1
    # Of a path with several components only the last one is not followed, and that is the first below the root.
    descriptor = open_below(None, f"{root}/{names[0]}", listed=listed and not left)
    for name in names[1:]:
        left -= 1
        above = descriptor
        try:
            descriptor = open_below(above, name, listed=listed and not left)
        finally:
            close_quietly(above)
    return descriptor


def read_confined(root: str, path: str, limit: int) -> bytes:
    """The bytes of a regular file at a path from `root` without links; TooLarge, or another OSError for the rest."""
    place, _, name = path.rpartition("/")
    directory = open_beneath(root, place)
    try:
        return read_regular(name, dir_fd=directory, limit=limit)
    finally:
        close_quietly(directory)


def open_inside(root: str, place: str, *, listed: bool = False) -> int:
    """The same with links followed that stay inside."""

    def resolve() -> str:
        inside = real_place(root, place)
        if not inside:
            raise FileNotFoundError(ENOENT, "nothing below the root", place)
        return inside

    return reach(place, resolve, lambda now: open_beneath(root, now, listed=listed))


def open_directory(path: str) -> int:
    """A descriptor to list a directory by, links followed; OSError for anything else."""
    if isinstance(path, PathBeneath):
        return open_inside(path.root, path.place, listed=True)
    return posix_calls.open(path, posix_calls.DIRECTORY)


def open_below(directory: int | None, name: str, *, listed: bool = True) -> int:
    """A descriptor of a directory in an open one; OSError when the name is that of a link or of anything else."""
    return posix_calls.open(
        name, (posix_calls.DIRECTORY if listed else _PASSAGE) | posix_calls.O_NOFOLLOW, dir_fd=directory
    )


def open_again(path: str, directory: Identity) -> int:
    """A descriptor of a directory that was open before; OSError when the path leads to another one by now."""
    from holdfast.core.file_identity import directory_identity

    descriptor = open_directory(path)
    try:
        if directory_identity(posix_calls.fstat(descriptor)) != directory:
            raise FileNotFoundError(ENOENT, "another directory is there now", path)
    except BaseException:
        close_quietly(descriptor)
        raise
    return descriptor


def status_inside(path: str, roots: Sequence[str], *, dir_fd: int | None = None) -> os.stat_result:
    """`stat`, links followed, of what really lies inside one of the roots; FileNotFoundError for anything else.

    The file is pinned by a descriptor before its place is looked up, so a link swapped in meanwhile tells nothing.
    """
    descriptor = posix_calls.open(path, os.O_PATH | posix_calls.O_CLOEXEC, dir_fd=dir_fd)
    try:
        if not is_inside(descriptor, roots):
            raise FileNotFoundError(ENOENT, "nothing inside the roots", path)
        return posix_calls.fstat(descriptor)
    finally:
        close_quietly(descriptor)


def is_inside(descriptor: int, roots: Sequence[str]) -> bool:
    """Whether an open file really lies inside one of the roots, whatever path led to it."""
    place = os.readlink(f"/proc/self/fd/{descriptor}")
    return any(lies_inside(place, root) for root in roots)


def printable(path: str | bytes) -> str:
    """A path as text for people; bytes that are not UTF-8 appear as U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")
