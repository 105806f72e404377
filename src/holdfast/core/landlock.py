"""The kernel as a fence: after `restrict_to`, this process opens nothing outside a few directories and writes nothing
but files in directories named for that.

Landlock (Linux 5.13 and newer) lets a process give up rights for good, for itself and all threads it starts later. It
decides when a file is opened, by where the file really is: a link swapped in a moment earlier leads nowhere. Each
version of its interface (ABI) knows more rights, and all that the running kernel knows are given up. None of them
covers `stat`, so names that come from outside are still checked one by one (confined_paths.py), nor `chmod`, `chown`,
`utime` and extended attributes. docs/decisions/0009-confinement.md has the whole list.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Callable, Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION_QUERY = 1
_PATH_BENEATH, _NET_PORT = 1, 2
_NO_NEW_PRIVILEGES = 38
_WRITE_FILE, _READ_FILE, _READ_DIRECTORY, _REMOVE_FILE, _MAKE_FILE = 1 << 1, 1 << 2, 1 << 3, 1 << 5, 1 << 8
_CONNECT = 1 << 1  # by TCP
# What can be given up, by the ABI that brought it: rights to files, rights to the network, and what lies beyond the
# processes that gave up the same. The kernel's structure has these three members, and an older one only the first.
_FILE_RIGHTS = {
    1: (1 << 13) - 1,  # executing, writing, reading, listing, removing and making files of every kind
    2: 1 << 13,  # linking or moving a file from one directory to another
    3: 1 << 14,  # truncating
    5: 1 << 15,  # controlling a device
    9: 1 << 16,  # connecting to a socket that has a path
}
_NETWORK_RIGHTS = {
    4: 1 << 0 | _CONNECT,  # TCP: binding, connecting
    10: 1 << 2 | 1 << 3,  # UDP: binding, sending
}
_SCOPES = {
    6: 1 << 0 | 1 << 1,  # connecting to an abstract socket, sending a signal
}
_MEMBERS = (_FILE_RIGHTS, _NETWORK_RIGHTS, _SCOPES)


class LandlockUnavailable(OSError):
    """This kernel has no Landlock, or it is switched off."""


def rights_of(abi: int) -> tuple[int, ...]:
    """Everything that can be given up with an ABI, as the members of the kernel's `landlock_ruleset_attr`."""
    known = [member for member in _MEMBERS if abi >= min(member)]
    return tuple([sum([right for since, right in member.items() if since <= abi]) for member in known])


def kernel_abi() -> int:
    """The newest ABI of Landlock that this kernel knows, from 1; LandlockUnavailable when it has none."""
    return _caller()(_CREATE_RULESET, None, 0, _VERSION_QUERY)


def restrict_to(
    places: Iterable[str], *, written: Iterable[str] = (), connected: Iterable[int] = (), abi: int | None = None
) -> None:
    """From now on only these files, and what lies in these directories, can be opened, for reading.

    In directories that are `written`, regular files can be made, written, renamed and removed, and be listed but not
    read; one that is not there, or is a link, gives no right. Every other right that Landlock knows is given up: to
    write, truncate, make, move or remove files, to execute, to use the network, and to signal or connect to a process
    that was not started by this one; but TCP connections to ports that are `connected` are allowed, to any host. Call
    it before starting threads: it holds for this one and those it starts. `abi` is that of an older kernel, for tests.
    """
    call = _caller()
    rights = rights_of(kernel_abi() if abi is None else abi)
    attributes = (ctypes.c_uint64 * len(rights))(*rights)
    ruleset = call(_CREATE_RULESET, ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    try:
        for place in places:
            _allow(call, ruleset, place)
        for place in written:
            _allow_written(call, ruleset, place)
        for port in connected if len(rights) > 1 else ():  # a kernel that refuses no connection needs no rule
            allowed = (ctypes.c_uint64 * 2)(_CONNECT, port)  # the kernel's `landlock_net_port_attr`
            call(_ADD_RULE, ruleset, _NET_PORT, ctypes.byref(allowed), 0)
        if ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            raise LandlockUnavailable(0, "the kernel refuses to fix privileges")
        _load_unwinder()
        call(_RESTRICT_SELF, ruleset, 0, 0)
    finally:
        os.close(ruleset)


def _load_unwinder() -> None:
    """Load what glibc ends threads with: it looks for that only then, and could not read it any more."""
    try:
        ctypes.CDLL("libgcc_s.so.1")
    except OSError:
        pass  # another C library, which needs none


def _caller() -> Callable[..., int]:
    """`syscall`, with errors raised; LandlockUnavailable where there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "syscall"):
        raise LandlockUnavailable(0, "this system has no Landlock")

    def call(number: int, *arguments: object) -> int:
        # `syscall` reads whole registers: a number passed as an int would leave their upper halves to chance.
        wide = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
        result: int = libc.syscall(ctypes.c_long(number), *wide)
        if result < 0:
            failure = ctypes.get_errno()
            raise LandlockUnavailable(failure, f"the kernel refuses: {os.strerror(failure)}")
        return result

    return call


def _allow(call: Callable[..., int], ruleset: int, place: str) -> None:
    """Add the right to read a file, or everything below a directory; what does not exist needs none."""
    try:
        parent = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return
    is_directory = stat.S_ISDIR(os.fstat(parent).st_mode)
    _add_rule(call, ruleset, parent, _READ_FILE | _READ_DIRECTORY if is_directory else _READ_FILE)


def _allow_written(call: Callable[..., int], ruleset: int, place: str) -> None:
    """Add the rights to list a directory and to write regular files below it; nothing where there is none."""
    try:
        parent = os.open(place, os.O_PATH | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    _add_rule(call, ruleset, parent, _READ_DIRECTORY | _WRITE_FILE | _MAKE_FILE | _REMOVE_FILE)


def _add_rule(call: Callable[..., int], ruleset: int, parent: int, allowed: int) -> None:
    """Add rights below an open directory or file, and close it."""

    class Beneath(ctypes.Structure):
        _pack_ = 1
        _layout_ = "ms"
        _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))

    try:
        call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(Beneath(allowed, parent)), 0)
    finally:
        os.close(parent)
