"""What is still being written: hidden names beside the target, locked by the maker, and the calls that put it in place.

A file or directory in the making is called `.NAME.holdfast-XXXX`. The lock dies with the process, so the next writer
can tell an abandoned one from one still being written, and removes only the former. Between making one and locking it
another writer may take it for abandoned: then it is gone once the lock is had, and is made again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from holdfast.core import posix_calls
from holdfast.core.errors import IoError
from holdfast.core.regular_files import close_quietly

_MARK = ".holdfast-"
# What was replaced, or is about to be: looked into before anything of it is removed.
ASIDE = "-old"
_HEX_DIGITS = frozenset("0123456789abcdef")
_RETRIES = 8


def is_staging_name(name: str) -> bool:
    """Whether a name is that of something in the making (or abandoned there)."""
    return name.startswith(".") and _MARK in name


def leave(_path: str) -> None:
    """What a writer of files does with a directory that was replaced: that is none of its business."""


def make_beside(
    target: str,
    make: Callable[[str], int],
    dispose: Callable[[str], None] = leave,
    announce: Callable[[str], None] = leave,
) -> tuple[str, int]:
    """Make something new beside `target` and lock it: its path, and the descriptor that `make` gave and holds the lock.

    What dead writers of the same target left is removed first. `announce` gets the path before anything is there: a
    caller that keeps it can remove what an interrupt left at any later moment.
    """
    parent, name = os.path.split(target)
    remove_abandoned(target, dispose)
    while True:
        path = os.path.join(parent, f".{name}{_MARK}{os.urandom(6).hex()}")
        announce(path)
        descriptor = make(path)
        try:
            _lock(descriptor)
            if _leads_to(path, descriptor):
                return path, descriptor
        except BaseException:
            close_quietly(descriptor)
            remove(path)
            raise
        close_quietly(descriptor)


def remove_abandoned(target: str, dispose: Callable[[str], None] = leave) -> None:
    """Remove what dead writers of a target left beside it.

    A former target is left to `dispose`, and only once there is a target again: until then it is the only copy.
    """
    parent, name = os.path.split(target)
    prefix = f".{name}{_MARK}"
    with os.scandir(parent) as entries:
        candidates = [entry.path for entry in entries if _is_ours(entry.name, prefix)]
    for path in candidates:
        is_replaced = path.endswith(ASIDE)
        if is_replaced and not os.path.lexists(target):
            continue
        try:
            descriptor = posix_calls.open(path, os.O_RDONLY | posix_calls.UNFOLLOWED)
        except OSError:
            continue
        try:
            posix_calls.flock(descriptor, posix_calls.LOCK_EX | posix_calls.LOCK_NB)
            if is_replaced:
                dispose(path)
            else:
                remove(path)
        except OSError:
            pass  # its maker is alive
        finally:
            close_quietly(descriptor)


def make_directory(path: str) -> int:
    """Create a directory; a descriptor of it."""
    while True:
        os.mkdir(path)
        try:
            return posix_calls.open(path, posix_calls.DIRECTORY)
        except FileNotFoundError:
            continue  # another writer took it for abandoned
        except BaseException:
            remove(path)
            raise


def remove_beside(target: str, path: str) -> None:
    """Remove a tree beside a target. It is renamed first, in one step, so that no other process can open it.

    Raises OSError where it cannot be moved.
    """
    place, lock = make_beside(target, make_directory)
    try:
        os.rename(path, os.path.join(place, "gone"))
    finally:
        remove(place)
        close_quietly(lock)


def remove(path: str) -> None:
    """Remove a file or a directory with all it holds; what cannot be removed is left for the next writer."""
    from shutil import rmtree

    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            return
    except OSError:
        return
    # A process that has not yet noticed its parent's end may still be adding to it.
    for _ in range(_RETRIES):
        try:
            rmtree(path, ignore_errors=True)
        except OSError:
            pass  # a close that fails is not among the errors it ignores
        if not os.path.lexists(path):
            return


def _is_ours(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and _HEX_DIGITS.issuperset(name[len(prefix) :].removesuffix(ASIDE))


def _lock(descriptor: int) -> None:
    try:
        posix_calls.flock(descriptor, posix_calls.LOCK_EX)
    except OSError:
        pass  # no locks here (some network file systems): then nothing can be taken for abandoned either


def _leads_to(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), posix_calls.fstat(descriptor))
    except FileNotFoundError:
        return False


def check_room(place: str | int, size: int, files: int) -> None:
    """IoError where the file system of a path or a descriptor has no room for `size` bytes in this number of files."""
    if not hasattr(os, "statvfs"):
        return
    found = os.statvfs(place)
    size += files * found.f_frsize  # the last block of each
    free = found.f_bavail * found.f_frsize
    if size > free:
        raise IoError(f"{size:,} bytes are needed and {free:,} are free: make room and run this again")
    if found.f_files and files > found.f_favail:  # some file systems have no such number
        raise IoError(
            f"{files:,} files are needed and there is room for {found.f_favail:,}: make room and run this again"
        )
