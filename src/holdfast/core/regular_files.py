"""Reading a file that must be a regular one: a FIFO, device or directory is never waited on."""

from __future__ import annotations

import os
import stat
from errno import EIO, EISDIR, ELOOP, ENOTDIR, ENXIO

from holdfast.core import posix_calls

_FLAGS = os.O_RDONLY | posix_calls.O_CLOEXEC | posix_calls.O_NONBLOCK
# A link; a socket or a device without a driver; a directory where a file belongs, or the other way round.
_NOT_REGULAR_ERRORS = frozenset({ELOOP, ENXIO, EISDIR, ENOTDIR})


class NotRegular(OSError):
    """The path is a directory, link, FIFO, socket or device."""


class TooLarge(OSError):
    """The file is larger than the caller is willing to hold."""


def open_regular(path: str, *, dir_fd: int | None = None) -> int:
    """A descriptor to read a regular file by; its last component is not followed if it is a link.

    Raises FileNotFoundError, NotRegular or another OSError.
    """
    return _open(path, dir_fd)[0]


def _open(path: str, dir_fd: int | None, links: int = posix_calls.O_NOFOLLOW) -> tuple[int, int]:
    """A descriptor of a regular file, and its size."""
    try:
        descriptor = posix_calls.open(path, _FLAGS | links, dir_fd=dir_fd)
    except OSError as error:
        if error.errno in _NOT_REGULAR_ERRORS:
            raise NotRegular(error.errno, "not a regular file", path) from None
        raise
    try:
        status = posix_calls.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular(0, "not a regular file", path)
    except BaseException as error:
        close_quietly(descriptor)
        raise _failure(error) if isinstance(error, PermissionError) else error from None
    return descriptor, status.st_size


def _failure(error: PermissionError) -> OSError:
    """A refusal after a file was opened: the file system fails, and the file is not closed to this user."""
    return OSError(EIO, error.strerror)


def close_quietly(descriptor: int) -> None:
    """Close a descriptor that nothing more is expected of: what was read is read, what was flushed is flushed."""
    try:
        posix_calls.close(descriptor)
    except OSError:
        pass  # it is closed all the same


def read_regular(
    path: str, *, dir_fd: int | None = None, limit: int | None = None, follows_links: bool = False
) -> bytes:
    """All bytes of a regular file; its last component is not followed if it is a link, unless that is asked for.

    Raises FileNotFoundError, NotRegular, TooLarge or another OSError.
    """
    descriptor, size = _open(path, dir_fd, 0 if follows_links else posix_calls.O_NOFOLLOW)
    try:
        if limit is not None and size > limit:
            raise TooLarge(0, f"larger than {limit} bytes", path)
        return _read_all(descriptor, size, path, limit)
    except PermissionError as error:
        raise _failure(error) from None
    finally:
        close_quietly(descriptor)


def _read_all(descriptor: int, size: int, path: str, limit: int | None) -> bytes:
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data  # the size held and the end was reached: the usual case, in one call
    chunks = [data]
    total = len(data)
    while chunk := os.read(descriptor, 1 << 20):
        chunks.append(chunk)
        total += len(chunk)
        if limit is not None and total > limit:
            raise TooLarge(0, f"larger than {limit} bytes", path)
    return b"".join(chunks)
