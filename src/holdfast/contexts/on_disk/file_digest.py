"""The hash of a file, read in the gross."""

from __future__ import annotations

import os

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_CHUNK = 1 << 20


def digest_file(path: bytes | str, expected: int, *, dir_fd: int | None = None) -> tuple[str, int]:
    """The hex sha256 of a file and its size; `expected` is the size it is thought to have. Raises OSError."""
    from hashlib import sha256

    descriptor = os.open(path, _READ, dir_fd=dir_fd)
    try:
        data = os.read(descriptor, min(expected + 1, _CHUNK))
        digest = sha256(data)
        size = len(data)
        if size != expected:
            while data := os.read(descriptor, _CHUNK):
                digest.update(data)
                size += len(data)
        return digest.hexdigest(), size
    finally:
        os.close(descriptor)
