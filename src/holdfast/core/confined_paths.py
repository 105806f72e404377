"""A name under a root, or nothing: the one place that decides whether a path stays inside.

`confined` says where a name leads now, which may be another place a moment later. What is then opened is opened by
`open_beneath`, which follows no link, so that a link swapped in meanwhile is met as one and leads nowhere.
"""

from __future__ import annotations

import os
from errno import ENOENT

from holdfast.core.file_identity import directory_identity
from holdfast.core.unicode_text import is_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.core.file_identity import Identity

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Enough to pass through a directory, where it may be searched and not listed.
_PASSAGE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


def lies_inside(path: str, root: str) -> bool:
    """Whether a real path is the real root or below it."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def confined(root: str, name: str) -> str | None:
    """The real path of `name` below `root`, or None when it leads elsewhere.

    A relative name may not climb, an absolute one must already lie inside, and neither may leave through a link.
    The path need not exist.
    """
    if not name or "\0" in name or "\\" in name or not is_unicode(name):
        return None
    if ".." in name.split("/"):
        return None
    real_root = os.path.realpath(root)
    path = os.path.realpath(os.path.join(real_root, name))
    if path == real_root or not lies_inside(path, real_root):
        return None
    return path


def open_beneath(root: str, place: str) -> int:
    """A descriptor of the directory at a path from `root`, no component of which is a link; OSError for anything else.

    How the root itself is reached is not looked at. What is in the directory can be opened by the descriptor; it need
    not be one that may be listed.
    """
    names = place.split("/") if place else []
    if ".." in names:
        raise FileNotFoundError(ENOENT, "a path from a root cannot climb", place)
    descriptor = os.open(root, _PASSAGE)
    for name in names:
        above = descriptor
        try:
            descriptor = os.open(name, _PASSAGE | os.O_NOFOLLOW, dir_fd=above)
        finally:
            os.close(above)
    return descriptor


def open_directory(path: str) -> int:
    """A descriptor to list a directory by, links followed; OSError for anything else."""
    return os.open(path, _DIRECTORY)


def open_below(directory: int, name: str) -> int:
    """A descriptor of a directory in an open one; OSError when the name is that of a link or of anything else."""
    return os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)


def open_again(path: str, directory: Identity) -> int:
    """A descriptor of a directory that was open before; OSError when the path leads to another one by now."""
    descriptor = open_directory(path)
    if directory_identity(os.fstat(descriptor)) != directory:
        os.close(descriptor)
        raise FileNotFoundError(ENOENT, "another directory stands there", path)
    return descriptor


def status_inside(path: str, roots: Sequence[str]) -> os.stat_result:
    """`stat`, links followed, of what really lies inside one of the roots; FileNotFoundError for anything else.

    The file is pinned by a descriptor before its place is looked up, so a link swapped in meanwhile tells nothing.
    """
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not is_inside(descriptor, roots):
            raise FileNotFoundError(ENOENT, "nothing inside the roots", path)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def is_inside(descriptor: int, roots: Sequence[str]) -> bool:
    """Whether an open file really lies inside one of the roots, whatever path led to it."""
    place = os.readlink(f"/proc/self/fd/{descriptor}")
    return any(lies_inside(place, root) for root in roots)


def printable(path: str | bytes) -> str:
    """A path as text for people; bytes that are not UTF-8 appear as U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")
