"""Build a cache from a folder of Markdown: all of it, or nothing."""

from __future__ import annotations

import os

from holdfast.caches.index_format.cache_digest import is_time
from holdfast.caches.manifest import MAX_MANIFEST_BYTES, Entry, encode_index, encode_manifest, make_manifest
from holdfast.caches.on_disk.directory import CACHE_NAMES, DOCUMENTS, INDEX, MANIFEST
from holdfast.caches.on_disk.indexing import begin_index, write_index
from holdfast.caches.on_disk.sharing import write_documents
from holdfast.caches.on_disk.tokenizing import choose_tokenizer
from holdfast.caches.on_disk.workers import Workers, default_workers
from holdfast.caches.search.receipts import BYTES
from holdfast.caches.section_index.section_records import Summary
from holdfast.caches.sources import in_id_order, is_document_name
from holdfast.core.atomic_write import StagedDirectory, write_new
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.errors import CacheInvalid, IoError, UsageError
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Progress = Callable[[int, int], None]


# Below this many documents a worker's start costs more than its help is worth.
_WORTH_A_WORKER = 500


class BuildReport(NamedTuple):
    """What a build made: its version, how many documents, and how many bytes they hold."""

    cache_version: str
    document_count: int
    total_bytes: int


def build_cache(
    sources: str | os.PathLike[str],
    cache: str | os.PathLike[str],
    *,
    created_at: str,
    force: bool = False,
    progress: Progress | None = None,
    workers: int | None = None,
    tokenizer: str | None = None,
    sections: bool = True,
) -> BuildReport:
    """Compile the Markdown below `sources` into a cache at `cache`, atomically and durably.

    `created_at` is the time the manifest carries, RFC 3339 in UTC. With `force` a cache that stands at the target is
    replaced in one step, once the new one is complete; anything else there is left alone and refused. `workers` is how
    many processes share the work, by default one a core; the bytes written do not depend on it. `tokenizer` says how
    the tokens of sections are counted, by default as well as can be done here. Without `sections` the cache has
    an index for `resolve` alone, which is there to be measured: `verify` misses the other.
    """
    sources, cache = os.path.realpath(os.fspath(sources)), os.path.abspath(os.fspath(cache))
    if not is_time(created_at.encode()):
        raise UsageError(f"created_at '{created_at}' is no time: write it as 2026-01-02T03:04:05Z")
    _check_target(sources, cache, force=force)
    counted_by = choose_tokenizer(tokenizer) if sections else BYTES
    try:
        # Workers are started while we look for the sources, and are gone before what they write into is.
        with Workers() as processes:
            names = _names(sources, processes, workers)
            with StagedDirectory(cache) as staged, processes:
                written = write_documents(sources, staged.path, names, (counted_by, sections), processes, progress)
                compiling = begin_index(staged.path, processes, written, sections)  # the workers do, while we list
                entries = [Entry(item.id, item.version, f"{DOCUMENTS}/{item.name}") for item in written.documents]
                manifest = make_manifest(entries, created_at)
                data, index = encode_manifest(manifest), encode_index(entries)
                if len(data) > MAX_MANIFEST_BYTES:
                    raise CacheInvalid(f"{len(entries)} documents are too many for one cache: split the sources")
                write_new(os.path.join(staged.path, MANIFEST), data)
                write_new(os.path.join(staged.path, INDEX), index)
                # Without sections the documents answer a search, and they count their bytes.
                summary = Summary(manifest.cache_version, counted_by)
                write_index(staged.path, compiling, entries, written, summary, data, index)
                staged.publish(replace=force)
    except FileExistsError:
        raise _target_exists(cache) from None
    except OSError as error:
        raise IoError(f"'{printable(cache)}' cannot be written: {error.strerror}") from None
    if progress is not None:
        progress(len(names), len(names))
    return BuildReport(manifest.cache_version, len(entries), sum([item.size for item in written.documents]))


def _target_exists(cache: str) -> IoError:
    return IoError(f"'{printable(cache)}' already exists: choose another --cache, or --force to replace it")


def _check_target(sources: str, cache: str, *, force: bool) -> None:
    """Refuse, before anything is read or written, a target that could not or should not be written."""
    if lies_inside(os.path.realpath(cache), sources):
        raise UsageError(f"--cache '{printable(cache)}' lies inside --sources: choose a place outside")
    if not os.path.lexists(cache):
        return
    if not force:
        raise _target_exists(cache)
    if os.path.islink(cache) or not os.path.isdir(cache):
        raise IoError(f"'{printable(cache)}' is not a cache and is left alone: remove it yourself to build there")
    try:
        others = sorted(set(os.listdir(cache)) - CACHE_NAMES)
    except OSError as error:
        raise IoError(f"'{printable(cache)}' cannot be read: {error.strerror}") from None
    if others:
        raise IoError(
            f"'{printable(cache)}' holds '{printable(others[0])}', which is no part of a cache, and is left alone"
        )


def _names(sources: str, processes: Workers, workers: int | None) -> list[str]:
    """The documents below the sources, in id order; if not told how many, the more are found the more workers start."""
    cores = default_workers()
    found = []
    processes.start(workers or 0)
    for path in _source_files(sources):
        found.append(path)
        if workers is None and len(found) % _WORTH_A_WORKER == 0:
            processes.start(min(cores, len(found) // _WORTH_A_WORKER))
    return [source for _, source in in_id_order(found)]


def _source_files(sources: str) -> Iterator[bytes]:
    """The paths of all documents below the sources, relative to them, as bytes."""
    root = os.fsencode(sources)
    waiting = [b""]
    while waiting:
        directory = waiting.pop()
        try:
            with os.scandir(os.path.join(root, directory) if directory else root) as entries:
                for entry in entries:
                    relative = os.path.join(directory, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(relative)
                    elif is_document_name(entry.name) and _is_document(entry, sources, relative):
                        yield relative
        except OSError as error:
            shown = printable(os.path.join(root, directory) if directory else root)
            raise IoError(f"sources '{shown}' cannot be read: {error.strerror}") from None


def _is_document(entry: os.DirEntry[bytes], sources: str, relative: bytes) -> bool:
    """Whether a `*.md` entry is a file to read; a link that leads outside or nowhere ends the build."""
    if entry.is_symlink():
        if not lies_inside(os.fsdecode(os.path.realpath(entry.path)), sources):
            raise CacheInvalid(f"'{printable(relative)}' is a link that leads outside the sources")
        if entry.is_dir():
            return False
        if not entry.is_file():
            raise CacheInvalid(f"'{printable(relative)}' is a link that leads to no file")
        return True
    if not entry.is_file(follow_symlinks=False):
        raise CacheInvalid(f"'{printable(relative)}' is not a regular file")
    return True
