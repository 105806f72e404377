"""Say what a cache is without reading its documents, which caches there are, and which of them is meant."""

from __future__ import annotations

import os
import stat

from holdfast.caches.cache_format import Manifest
from holdfast.caches.on_disk.cache_directory import (
    COMPILED,
    MANIFEST,
    CacheDirectory,
    check_listings,
    is_refusal,
    look_into,
    read_manifest,
)
from holdfast.caches.tokenizers import USUAL
from holdfast.core import posix_calls
from holdfast.core.confined_paths import open_below, open_directory, printable
from holdfast.core.errors import CacheInvalid, CacheMissing, IoError
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import is_unicode

# Attempts to look at a cache that is replaced again and again meanwhile.
_ATTEMPTS = 16


class CacheSummary(NamedTuple):
    """What a cache says of itself, and whether its manifest and index hold together and no document is missing."""

    cache_version: str
    document_count: int
    total_bytes: int
    valid: bool


def inspect_cache(path: str | os.PathLike[str]) -> CacheSummary:
    """Describe a cache without reading its documents; an unreadable manifest is an answer, not an error.

    `valid` says that manifest and index hold together and that each document has a file; not what the files hold.
    """
    return look_into(os.fspath(path), _inspect, lambda summary: summary.valid)


def _inspect(directory: CacheDirectory) -> CacheSummary:
    try:
        manifest = read_manifest(directory)
    except CacheInvalid:
        return CacheSummary("", 0, 0, valid=False)
    total = directory.bytes_directly_inside()
    try:
        check_listings(directory, manifest)
        _check_presence(directory, manifest)
    except CacheInvalid:
        return CacheSummary(manifest.cache_version, manifest.document_count, total, valid=False)
    return CacheSummary(manifest.cache_version, manifest.document_count, total, valid=True)


def _check_presence(directory: CacheDirectory, manifest: Manifest) -> None:
    """CacheInvalid where a document has no file; what is in the files is not looked at."""
    listed = {entry.file for entry in manifest.entries}
    for folder in {file.rpartition("/")[0] for file in listed}:
        listed.difference_update([f"{folder}/{name}" if folder else name for name in directory.names(folder)])
    if listed:
        raise CacheInvalid(f"'{printable(min(listed))}' is missing")


class ListedCache(NamedTuple):
    """A directory below the cache root; `path` can be passed on as a cache's name."""

    path: str
    has_manifest: bool


def list_caches(root: str | os.PathLike[str]) -> list[ListedCache]:
    """The directories directly below a root, sorted; links and directories still being built are left out."""
    from holdfast.core.staging import is_staging_name  # the writers' module: no other reading needs it

    shown = printable(os.fspath(root))
    found = []
    try:
        directory = open_directory(os.fspath(root))
        try:
            with posix_calls.scandir(directory) as entries:
                for entry in entries:
                    name = printable(entry.name)
                    if entry.is_dir(follow_symlinks=False) and not is_staging_name(name):
                        found.append((name.encode(), entry.name, _has_manifest(directory, entry.name)))
        finally:
            posix_calls.close(directory)
    except OSError as error:
        if is_refusal(error):
            raise IoError(f"'{shown}' cannot be listed: {error.strerror}") from None
        raise CacheMissing(f"there is no directory '{shown}'") from None
    except ValueError:
        raise CacheMissing("a path cannot hold a NUL character") from None
    return [ListedCache(name.decode(), has_manifest) for name, _, has_manifest in sorted(found)]


def _has_manifest(root: int, name: str) -> bool:
    """Whether a directory holds a manifest; one that was replaced while it was looked into is looked into again."""
    for _ in range(_ATTEMPTS):
        try:
            directory = open_below(root, name, listed=False)
        except OSError:
            return False
        try:
            return _holds(directory, MANIFEST)
        except OSError:
            if not _was_replaced(root, name, directory):
                return False
        finally:
            posix_calls.close(directory)
    return False


def _holds(directory: int, name: str) -> bool:
    """Whether a regular file of that name is there; OSError where nothing is."""
    return stat.S_ISREG(posix_calls.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)


def _was_replaced(root: int, name: str, directory: int) -> bool:
    """Whether another directory has the name by now."""
    try:
        return not os.path.samestat(
            posix_calls.stat(name, dir_fd=root, follow_symlinks=False), posix_calls.fstat(directory)
        )
    except OSError:
        return False


def cache_of_version(root: str, version: str, tokenizer: str) -> str:
    """The path of the cache below a root that has this version and whose tokens were counted by this tokenizer.

    One whose index is too damaged to say how is taken when there is no other: it says what is wrong when it is asked.
    """
    found: dict[str | None, str] = {}
    for listed in list_caches(root):
        path = os.path.join(root, listed.path)
        if listed.has_manifest and is_unicode(listed.path) and inspect_cache(path).cache_version == version:
            found.setdefault(look_into(path, _tokenizer, lambda _: True), path)
    for counted_by in (tokenizer, None):
        if counted_by in found:
            return found[counted_by]
    wanted = f"recorded version counted by '{tokenizer}'" if found else "recorded version"
    raise CacheMissing(f"no cache of the {wanted} below '{printable(root)}': name one with --cache")


def _tokenizer(directory: CacheDirectory) -> str | None:
    """How a cache's tokens were counted; None where it does not say, or not undamaged."""
    from holdfast.caches.on_disk.counted_by import recorded_tokenizer

    return recorded_tokenizer(directory) if directory.has(COMPILED) else USUAL


def cache_name(path: str) -> str:
    """What a cache is called: the last name of its path."""
    return printable(os.path.basename(os.path.abspath(path)))
