"""System calls that `os` does not have: flush a whole file system, rename without overwriting, exchange two names."""

from __future__ import annotations

import os
from errno import EINVAL, ENOSYS, ENOTSUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes

_UNSUPPORTED = frozenset({ENOSYS, EINVAL, ENOTSUP})


def flush_file_system(path: str) -> bool:
    """One flush of everything on the file system that holds `path`; False where there is no such call."""
    libc = _libc()
    if not hasattr(libc, "syncfs"):
        return False
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if libc.syncfs(descriptor) != 0:
            _raise_errno(path)
    finally:
        os.close(descriptor)
    return True


def special_rename(source: str, target: str, *, swap: bool) -> bool:
    """rename that fails on an existing target, or exchanges the two; False where the system has no such call."""
    import ctypes
    import sys

    libc = _libc()
    if sys.platform == "darwin":
        call = getattr(libc, "renamex_np", None)
        arguments: tuple[object, ...] = (os.fsencode(source), os.fsencode(target), ctypes.c_uint(2 if swap else 4))
    else:
        call = getattr(libc, "renameat2", None)
        here = ctypes.c_int(-100)  # AT_FDCWD
        flags = ctypes.c_uint(2 if swap else 1)  # RENAME_EXCHANGE, RENAME_NOREPLACE
        arguments = (here, os.fsencode(source), here, os.fsencode(target), flags)
    if call is None:
        return False
    if call(*arguments) == 0:
        return True
    if ctypes.get_errno() in _UNSUPPORTED:
        return False
    _raise_errno(target)
    return False


def _libc() -> ctypes.CDLL:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _raise_errno(path: str) -> None:
    import ctypes

    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), path)
