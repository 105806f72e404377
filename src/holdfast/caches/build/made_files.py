"""The files of a cache as they were built: what to remember of them, and which of them is damaged since."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import file_digest
from stat import S_ISDIR

from holdfast.caches.build.source_state import KnownFiles, file_digests
from holdfast.caches.cache_format import MAX_MANIFEST_BYTES
from holdfast.caches.index_format import manifest_digest
from holdfast.caches.on_disk.cache_directory import MANIFEST
from holdfast.core.own_folder import OwnFolder
from holdfast.core.regular_files import open_regular, read_regular


def made_files(cache: str, before: KnownFiles | None = None) -> KnownFiles:
    """What to remember of a cache that was just built or proven; `before` is what was remembered of an earlier one,
    whose files may have been linked into it."""
    paths = sorted(_files_below(cache, ""))
    return file_digests(before or {}, paths, [None] * len(paths), folder=cache, digest=_digest, linked=True)[1]


def find_damage(cache: str, made: KnownFiles) -> tuple[str, KnownFiles]:
    """The first file of a cache that is not as it was built, empty where all are; and what to remember of them.

    A file is read where its stamps differ from the remembered ones. Files that were not built are not looked at:
    no answer comes from them. When a cache was made does not count.
    """
    paths = list(made)
    for folder in sorted({path.rpartition("/")[0] for path in paths}):
        if not _is_folder(os.path.join(cache, folder)):
            return folder or MANIFEST, made
    found, now = file_digests(made, paths, [None] * len(paths), folder=cache, digest=_digest)
    damaged = (path for (path, (_, digest)), held in zip(made.items(), found, strict=True) if held != digest)
    return next(damaged, ""), now


def make_replaceable(cache: str, made: KnownFiles) -> None:
    """Remove a damaged cache whose own listing does not say any more that it is one, where it holds nothing but files
    of the names that were built: a build replaces only what is a cache by its listing."""
    from holdfast.caches.build.publish import cache_contents  # nothing is damaged, mostly

    if not _is_folder(cache) or cache_contents(cache) is not None:
        return
    if made.keys() >= set(_files_below(cache, "")):
        parent, name = os.path.split(cache)
        with OwnFolder.at(parent, "", lambda found: found == name) as folder:
            folder.remove(name)


def _is_folder(path: str) -> bool:
    try:
        return S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _files_below(folder: str, place: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(entry.path, f"{place}{entry.name}/")
            else:
                yield f"{place}{entry.name}"


def _digest(path: str) -> str:
    """The sha256 of a file of a cache, in hex: of a manifest without its time, empty where it has none."""
    if os.path.basename(path) == MANIFEST:
        data = read_regular(path, limit=MAX_MANIFEST_BYTES)
        return (manifest_digest([data]) or b"").hex()
    with open(open_regular(path), "rb") as file:
        return file_digest(file, "sha256").hexdigest()
