"""What only POSIX has, in one place, and what takes its part on a system that lacks it.

Where the system has descriptors of directories, every name here is the function of `os`. Elsewhere a directory is held
by its path, under a number of its own, and docs/reliability.md states what is then no longer guaranteed.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from errno import EINVAL, EISDIR, ELOOP, ENOSYS, ENOTDIR, ENOTSUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HAS_DIRECTORIES = hasattr(os, "O_DIRECTORY") and os.open in os.supports_dir_fd and os.scandir in os.supports_fd
# Where files are opened as text unless something else is said, this says it.
O_CLOEXEC: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
O_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
# A flag that the system lacks is a bit that it does not use, which `open` takes out again.
O_DIRECTORY: int = getattr(os, "O_DIRECTORY", 1 << 40)
O_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 1 << 41)
_OURS = 1 << 40 | 1 << 41
_UNSUPPORTED = frozenset({ENOSYS, EINVAL, ENOTSUP})
# To list a directory by its descriptor, and to open what is neither a link nor waits for a writer.
DIRECTORY = os.O_RDONLY | O_DIRECTORY | O_CLOEXEC
UNFOLLOWED = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
LOCK_EX, LOCK_NB = 2, 4  # as `fcntl` has them


class _Paths:
    """Functions of `os` for a system without descriptors of directories. They raise what those raise."""

    def __init__(self) -> None:
        self._held: dict[int, str] = {}
        self._last = 1 << 24  # beyond the descriptors of any process
        self._reading = allocate_lock()

    def path(self, name: str | bytes, directory: int | None) -> str:
        name = os.fsdecode(name)
        return name if directory is None else os.path.join(self._held[directory], name)

    def open(self, path: str | bytes, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        path = self.path(path, dir_fd)
        if flags & O_NOFOLLOW and os.path.islink(path):
            raise OSError(ELOOP, "a symbolic link", path)
        if os.path.isdir(path):
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                raise IsADirectoryError(EISDIR, "a directory", path)
            self._last += 1
            self._held[self._last] = os.path.abspath(path)
            return self._last
        if flags & O_DIRECTORY and os.path.lexists(path):
            raise NotADirectoryError(ENOTDIR, "not a directory", path)
        return os.open(path, flags & ~_OURS, mode)

    def close(self, descriptor: int) -> None:
        if self._held.pop(descriptor, None) is None:
            os.close(descriptor)

    def fsync(self, descriptor: int) -> None:
        if descriptor not in self._held:  # elsewhere a directory cannot be flushed
            os.fsync(descriptor)

    def fstat(self, descriptor: int) -> os.stat_result:
        return os.stat(self._held[descriptor]) if descriptor in self._held else os.fstat(descriptor)

    def stat(self, path: str | bytes, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> os.stat_result:
        return os.stat(self.path(path, dir_fd), follow_symlinks=follow_symlinks)

    def scandir(self, directory: int) -> Iterator[os.DirEntry[str]]:
        return os.scandir(self._held[directory])

    def listdir(self, directory: int) -> list[str]:
        return os.listdir(self._held[directory])

    def mkdir(self, path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        os.mkdir(self.path(path, dir_fd), mode)

    def rmdir(self, path: str, *, dir_fd: int | None = None) -> None:
        os.rmdir(self.path(path, dir_fd))

    def unlink(self, path: str, *, dir_fd: int | None = None) -> None:
        os.unlink(self.path(path, dir_fd))

    def utime(self, path: str, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> None:
        if follow_symlinks or not os.path.islink(self.path(path, dir_fd)):
            os.utime(self.path(path, dir_fd))

    def rename(self, old: str, new: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        os.replace(self.path(old, src_dir_fd), self.path(new, dst_dir_fd))

    def link(
        self, old: str, new: str, *, src_dir_fd: int | None, dst_dir_fd: int | None, follow_symlinks: bool = True
    ) -> None:
        if not follow_symlinks and os.path.islink(self.path(old, src_dir_fd)):
            raise OSError(ELOOP, "a symbolic link", old)
        os.link(self.path(old, src_dir_fd), self.path(new, dst_dir_fd))

    def geteuid(self) -> int:
        return 0  # the owner of every file

    def fchmod(self, _descriptor: int, _mode: int) -> None:
        pass  # permissions are those of the folder

    def pread(self, descriptor: int, length: int, offset: int) -> bytes:
        with self._reading:
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.read(descriptor, length)


if TYPE_CHECKING:
    open = os.open  # noqa: A001  # the names are those of `os`
    close, fchmod, fstat, fsync, geteuid, pread = os.close, os.fchmod, os.fstat, os.fsync, os.geteuid, os.pread
    link, listdir, mkdir, rename, rmdir = os.link, os.listdir, os.mkdir, os.rename, os.rmdir
    scandir, stat, unlink, utime = os.scandir, os.stat, os.unlink, os.utime


_calls = os if HAS_DIRECTORIES else _Paths()


def __getattr__(name: str) -> object:
    return getattr(_calls, name)  # looked up at each call, as `os.open` is


def remove_tree(name: str, directory: int) -> None:
    """Remove a directory in an open one, with all it holds. Raises OSError."""
    from shutil import rmtree

    if isinstance(_calls, _Paths):
        rmtree(_calls.path(name, directory))
    else:
        rmtree(name, dir_fd=directory)


def flock(descriptor: int, operation: int) -> None:
    """As `fcntl.flock`; on a system without it waiting for a lock keeps nobody out, and trying to have one fails."""
    try:
        import fcntl
    except ImportError:
        if operation & LOCK_NB:
            raise OSError(ENOTSUP, "this system has no such locks") from None
    else:
        fcntl.flock(descriptor, operation)


def most_open_files() -> int | None:
    """How many files this process may have open; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def special_rename(source: str, target: str, *, swap: bool) -> bool:
    """rename that fails on an existing target, or exchanges the two; False where the system has no such call."""
    import ctypes
    import sys

    if os.name != "posix":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
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
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), target)
