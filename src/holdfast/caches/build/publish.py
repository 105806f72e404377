"""The outside of a cache: its `manifest.json` and `index.json`, where it may be put, and what of an old one may go.

Nothing is removed that is not a cache by its own manifest.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from time import time_ns

from holdfast.caches.cache_format import (
    MAX_MANIFEST_BYTES,
    Entry,
    Manifest,
    is_crowded,
    make_manifest,
    parse_manifest,
)
from holdfast.caches.index_format import manifest_digest
from holdfast.caches.listing_text import encode_index, encode_manifest
from holdfast.caches.on_disk.cache_directory import (
    CACHE_NAMES,
    COMPILED,
    DOCUMENTS,
    INDEX,
    LIST_FILE,
    MANIFEST,
    OLD_INDEX_FILES,
    OWN_FOLDER,
    SHARDS,
)
from holdfast.caches.origin_metadata import origins_digest
from holdfast.caches.segments.segment_list import is_segment_name
from holdfast.core.atomic_write import write_new
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.errors import BuildFailed, CacheInvalid, IoError, UsageError
from holdfast.core.file_identity import Identity, identity, is_settled
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import NotRegular, TooLarge, read_regular

_ATTEMPTS = 8
# What was last seen in a folder of documents, by stamps that another name in it would change: who replaces a cache
# looks into it before and after.
_seen: dict[Identity, list[str]] = {}


class Listing(NamedTuple):
    """What a cache says it holds, and what an index keeps of the two files that say so."""

    cache_version: str
    manifest_digest: bytes
    index_digest: bytes


def write_listing(staged: str, entries: list[Entry], origins: Sequence[str], created_at: str) -> Listing:
    """Write `manifest.json` and `index.json` of documents in id order, given the digests of their metadata."""
    of_all = origins_digest(zip([entry.id for entry in entries], origins, strict=True))
    manifest = make_manifest(entries, created_at, of_all)
    data = encode_manifest(manifest)
    of_manifest = manifest_digest([data])
    if of_manifest is None:
        raise ValueError("created_at is no time")
    if len(data) > MAX_MANIFEST_BYTES or is_crowded(data):
        raise BuildFailed(f"{manifest.document_count} documents are too many for one cache: split the sources")
    write_new(os.path.join(staged, MANIFEST), data)
    index = encode_index(entries)
    write_new(os.path.join(staged, INDEX), index)
    return Listing(manifest.cache_version, of_manifest, sha256(index).digest())


@lru_cache(maxsize=1)
def known_manifest(data: bytes) -> Manifest:
    """A manifest by its bytes: what replaces a cache asks for that of the old one several times. Nobody changes it."""
    return parse_manifest(data)


def is_index_file(file: str) -> bool:
    """Whether a path in a cache is that of a file of an index, of this release or of an earlier one."""
    folder, _, name = file.partition("/")
    return file in (LIST_FILE, *OLD_INDEX_FILES) or (folder == COMPILED and is_segment_name(name))


class _Foreign(Exception):
    """A directory that is not a cache, or not only one; says why."""


def check_target(sources: str, cache: str, *, force: bool) -> None:
    """Refuse, before anything is read or written, a target that could not or should not be written."""
    if _is_below(cache, sources) and not hidden_part(sources, cache):
        raise UsageError(f"--cache '{printable(cache)}' lies inside --sources: choose a place outside")
    if _is_below(sources, cache):
        raise UsageError(f"--sources '{printable(sources)}' lies inside --cache: choose another place for the cache")
    check_replaceable(cache, force=force)


def check_replaceable(cache: str, *, force: bool) -> None:
    """Refuse a target where something stands that may not be replaced."""
    if not os.path.lexists(cache):
        return
    if not force:
        raise target_exists(cache)
    for attempt in range(_ATTEMPTS, 0, -1):
        before = _directory_there(cache)
        try:
            _contents(cache)
        except (_Foreign, OSError) as error:
            if attempt > 1 and before != _directory_there(cache):
                continue  # another writer replaced it while it was looked at
            if isinstance(error, _Foreign):
                raise IoError(f"'{printable(cache)}' {error}") from None
            raise IoError(f"'{printable(cache)}' cannot be read: {error.strerror}") from None
        return


def _directory_there(path: str) -> Identity | None:
    try:
        return identity(os.lstat(path))
    except OSError:
        return None


def hidden_part(sources: str, cache: str) -> str:
    """`.context` where a cache is put below the one of its own sources, which is no part of them then; else empty."""
    above = os.path.join(sources, OWN_FOLDER)
    return OWN_FOLDER if lies_inside(os.path.realpath(cache), above) and not os.path.islink(above) else ""


def target_exists(cache: str) -> IoError:
    """Something stands at the target, and nobody said that it may be replaced."""
    return IoError(f"'{printable(cache)}' already exists: choose another --cache, or --force to replace it")


def cache_contents(path: str) -> list[str] | None:
    """What a cache holds that may be removed, in the order to remove it in, the manifest last.

    None when anything else is there.
    """
    try:
        return _contents(path)
    except FileNotFoundError:
        return []
    except _Foreign:
        return None


def _contents(path: str) -> list[str]:
    try:
        status = os.lstat(path)  # where the system will not say what stands there, it is not taken for something else
    except (FileNotFoundError, NotADirectoryError):
        return []
    if not stat.S_ISDIR(status.st_mode):
        raise _Foreign("is not a cache and is left alone: remove it yourself to build there")
    names = set(os.listdir(path))
    if SHARDS in names:
        return _contents_of_parts(path, names)
    for other in sorted(names - CACHE_NAMES):
        raise _no_part(other)
    folders = {folder: _folder(path, folder) for folder in (DOCUMENTS, COMPILED) if folder in names}
    if names == set(folders) and not any(folders.values()):
        return [f"{folder}/" for folder in folders]  # nothing, or what is left of a cache that was being removed
    if MANIFEST not in names:
        raise _Foreign("is not a cache, having no manifest.json, and is left alone")
    known = _listed(path)
    for folder, files in folders.items():
        unknown = set(files) - known if folder == DOCUMENTS else {file for file in files if not is_index_file(file)}
        if unknown:
            raise _no_part(min(unknown))
    contents = [name for folder, files in folders.items() for name in (*files, f"{folder}/")]
    return [*contents, *[name for name in (INDEX, MANIFEST) if name in names]]


def _contents_of_parts(path: str, names: set[str]) -> list[str]:
    """What a cache holds that an earlier release built in shards, the list of its parts last."""
    parts = sorted(names - {SHARDS})
    for other in [name for name in parts if not name.startswith("part-") or name[5:].strip("0123456789")]:
        raise _no_part(other)
    contents: list[str] = []
    for part in parts:
        contents += [*[f"{part}/{name}" for name in _contents(os.path.join(path, part))], f"{part}/"]
    return [*contents, SHARDS]


def _folder(path: str, folder: str) -> list[str]:
    """The files of a directory of a cache, by their paths in it."""
    started = time_ns()
    status = os.lstat(os.path.join(path, folder))
    if not stat.S_ISDIR(status.st_mode):
        raise _no_part(folder)
    seen = identity(status)
    if (known := _seen.get(seen)) is not None:
        return known
    with os.scandir(os.path.join(path, folder)) as entries:
        listed = list(entries)
        for entry in listed:
            if not entry.is_file(follow_symlinks=False):
                raise _no_part(f"{folder}/{entry.name}")
        files = [f"{folder}/{entry.name}" for entry in listed]
    files.sort()
    if folder == DOCUMENTS and is_settled(seen, started):
        _seen.clear()
        _seen[seen] = files
    return files


def _listed(path: str) -> frozenset[str]:
    """The document files that the manifest of a cache lists. FileNotFoundError where it went since it was seen: then
    another writer removes the cache, and it goes last."""
    try:
        manifest = known_manifest(read_regular(os.path.join(path, MANIFEST), limit=MAX_MANIFEST_BYTES))
    except (CacheInvalid, NotRegular, TooLarge):
        raise _Foreign("is not a cache by its manifest.json, and is left alone: remove it yourself") from None
    return frozenset([entry.file for entry in manifest.entries])


def _no_part(name: str) -> _Foreign:
    return _Foreign(f"holds '{printable(name)}', which is no part of a cache, and is left alone")


def _is_below(path: str, directory: str) -> bool:
    """Whether a path is a directory or leads below it, whatever links, mounts or spellings are on the way."""
    try:
        wanted = os.stat(directory)
    except OSError:
        return False  # there is no such directory, so nothing is below it
    place = os.path.realpath(path)
    while True:
        try:
            if os.path.samestat(os.stat(place), wanted):
                return True
        except OSError:
            pass  # not made yet
        above = os.path.dirname(place)
        if above == place:
            return False
        place = above
