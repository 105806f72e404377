"""The files of a cache on disk, as they are shared: their paths, their sums, and the signature beside the cache."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import file_digest

from holdfast.caches.build.publish import cache_contents
from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheInvalid, CacheMissing, IoError
from holdfast.core.regular_files import read_regular

_SUFFIX = ".minisig"


def files_of(cache: str) -> list[str]:
    """The paths of all files of a cache, inside it and by name; CacheMissing or CacheInvalid where there is none."""
    try:
        contents = cache_contents(cache)
    except OSError as error:
        raise IoError(f"'{printable(cache)}' cannot be read: {error.strerror}") from None
    if contents is None:
        raise CacheInvalid(f"'{printable(cache)}' is no cache, or holds what is no part of one: see 'context verify'")
    files = sorted([name for name in contents if not name.endswith("/")])
    if not files:
        raise CacheMissing(f"there is no cache at '{printable(cache)}'")
    return files


def sums_of(cache: str, files: Sequence[str]) -> bytes:
    """The SHA-256 of every file, as `sha256sum` writes and checks it: what a signature is made over."""
    return b"".join([f"{_sum(os.path.join(cache, file))}  {file}\n".encode() for file in sorted(files)])


def _sum(path: str) -> str:
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def signature_path(cache: str) -> str:
    """Where the signature of a cache lies: beside it."""
    return os.path.abspath(cache) + _SUFFIX


def read_signature(cache: str, most: int) -> bytes | None:
    """The signature beside a cache; None where it has none."""
    try:
        return read_regular(signature_path(cache), limit=most)
    except FileNotFoundError:
        return None


def put_signature(cache: str, signature: bytes) -> None:
    """Write the signature beside a cache that was put in place; where it has none, that of the one before goes."""
    if signature:
        write_file(signature_path(cache), signature)
    elif os.path.lexists(signature_path(cache)):
        os.unlink(signature_path(cache))
