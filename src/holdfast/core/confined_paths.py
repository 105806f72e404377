"""A name under a root, or nothing: the one place that decides whether a path stays inside."""

from __future__ import annotations

import os

from holdfast.core.unicode_text import is_unicode


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


def printable(path: str | bytes) -> str:
    """A path as text for people; bytes that are not UTF-8 appear as U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")
