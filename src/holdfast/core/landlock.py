"""The kernel as a fence: after `restrict_to`, this process opens nothing outside a few directories, and writes nothing.

Landlock (Linux 5.13 and newer) lets a process give up rights for good, for itself and all threads it starts later. It
decides when a file is opened, by where the file really is: a link swapped in a moment earlier leads nowhere. It does
not decide about `stat`, so names that come from outside are still checked one by one (confined_paths.py).
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION_QUERY = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38
_READ_FILE, _READ_DIRECTORY = 1 << 2, 1 << 3
# All rights of the first version: executing, writing, reading, listing, removing and making files of every kind.
_ALL = (1 << 13) - 1


class LandlockUnavailable(OSError):
    """This kernel has no Landlock, or it is switched off."""


def restrict_to(places: Iterable[str]) -> None:
    """From now on only these files, and what lies in these directories, can be opened, for reading.

    Call it before starting threads: it holds for this one and those it starts.
    """
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def call(*arguments: object) -> int:
        result: int = libc.syscall(*arguments)
        if result < 0:
            number = ctypes.get_errno()
            raise LandlockUnavailable(number, f"the kernel refuses: {os.strerror(number)}")
        return result

    if not hasattr(libc, "syscall"):
        raise LandlockUnavailable(0, "this system has no Landlock")
    call(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_QUERY)
    handled = ctypes.c_uint64(_ALL)
    ruleset = call(_CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(8), 0)
    try:
        for place in places:
            _allow(call, ruleset, place)
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            raise LandlockUnavailable(0, "the kernel refuses to fix privileges")
        call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(call: Callable[..., int], ruleset: int, place: str) -> None:
    """Add the right to read a file, or everything below a directory; what does not exist needs none."""
    import ctypes

    class Beneath(ctypes.Structure):
        _pack_ = 1
        _layout_ = "ms"
        _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))

    try:
        parent = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        is_directory = stat.S_ISDIR(os.fstat(parent).st_mode)
        rule = Beneath(_READ_FILE | _READ_DIRECTORY if is_directory else _READ_FILE, parent)
        call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(parent)
