"""Which names below a folder a command creates, opens for writing or removes, found by looking at its system calls."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
# Where the names are in the arguments of an event, and where their directory descriptors, if any.
_EVENTS = {
    "os.mkdir": ((0, 2),),
    "os.rmdir": ((0, 1),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((0, 2), (1, 3)),
    "os.symlink": ((1, 2),),
    "os.chmod": ((0, 2),),
    "os.utime": ((0, 3),),
    "os.truncate": ((0, None),),
}


class _Look:
    """One look at a time; an audit hook stays for good, so there is one for the whole process."""

    def __init__(self) -> None:
        self.root = ""
        self.names: set[str] = set()
        self.directory: int | None = None
        self.is_hooked = False

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.root:
            return
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, (str, bytes)) and flags & _WRITES:
                self._add(path, self.directory)
        for place, folder in _EVENTS.get(event, ()):
            self._add(arguments[place], None if folder is None else arguments[folder])

    def _add(self, path: Any, directory: int | None) -> None:
        if isinstance(path, int):
            return
        root, self.root = self.root, ""  # what is done here is not looked at
        try:
            text = os.fsdecode(path)
            if directory is not None and directory >= 0:
                text = os.path.join(os.readlink(f"/proc/self/fd/{directory}"), text)
            above, name = os.path.split(os.path.abspath(text))
            place = os.path.relpath(os.path.join(os.path.realpath(above), name), root)
            if place != "." and not place.startswith("../"):
                self.names.add(place)
        finally:
            self.root = root


_LOOK = _Look()


@contextmanager
def touched_names(root: Path) -> Iterator[set[str]]:
    """The names from `root` that the block creates, opens for writing, changes or removes; whole once it has ended.

    What is put in place by a call that Python does not report is found by comparing the folder before and after.
    """
    if not _LOOK.is_hooked:
        sys.addaudithook(_LOOK.hear)
        _LOOK.is_hooked = True
    real, before = os.open, _listed(root)

    def heard(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        _LOOK.directory = dir_fd  # which the event of an `open` does not carry
        try:
            return real(path, flags, mode, dir_fd=dir_fd)
        finally:
            _LOOK.directory = None

    os.open = heard
    _LOOK.root, _LOOK.names = os.path.realpath(root), set()
    try:
        yield _LOOK.names
    finally:
        _LOOK.root = ""
        os.open = real
        after = _listed(root)
        _LOOK.names |= {name for name in {*before, *after} if before.get(name) != after.get(name)}


def _listed(root: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            is_folder = os.path.isdir(path)
            found[os.path.relpath(path, root)] = (status.st_ino, 0 if is_folder else status.st_mtime_ns)
    return found
