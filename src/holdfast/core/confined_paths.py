"""A name under a root, or nothing: the one place that decides whether a path stays inside."""

from __future__ import annotations

import os
from errno import ENOENT

from holdfast.core.unicode_text import is_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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
