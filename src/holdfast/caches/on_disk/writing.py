"""Build a cache from a folder of Markdown: all of it, or nothing."""

from __future__ import annotations

import os

from holdfast.caches.build.publish import cache_contents, check_target, target_exists
from holdfast.caches.build.source_files import find_sources
from holdfast.caches.index_format.cache_digest import is_time
from holdfast.caches.manifest import MAX_MANIFEST_BYTES, Entry, encode_index, encode_manifest, is_crowded, make_manifest
from holdfast.caches.on_disk.directory import DOCUMENTS, INDEX, MANIFEST
from holdfast.caches.on_disk.indexing import begin_index, write_index
from holdfast.caches.on_disk.sharing import write_documents
from holdfast.caches.on_disk.tokenizing import choose_tokenizer
from holdfast.caches.on_disk.workers import Workers, default_workers
from holdfast.caches.search.receipts import BYTES
from holdfast.caches.section_index.section_records import Summary
from holdfast.core.atomic_write import StagedDirectory, write_new
from holdfast.core.confined_paths import printable
from holdfast.core.errors import BuildFailed, IoError, UsageError
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.caches.build.source_files import SourceFiles

    Progress = Callable[[int, int], None]


# Below this many documents a worker's start costs more than its help is worth.
_WORTH_A_WORKER = 500
# So many of what was skipped are named.
_TOLD = 20


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
    tell: Callable[[str], None] | None = None,
) -> BuildReport:
    """Compile the Markdown below `sources` into a cache at `cache`, atomically and durably.

    `created_at` is the time the manifest carries, RFC 3339 in UTC. With `force` a cache that stands at the target is
    replaced in one step, once the new one is complete; anything else there is left alone and refused, and what was put
    there meanwhile is kept beside it. `tell` is given what a person should know of a build that succeeded: what was
    skipped, and what was kept. `workers` is how
    many processes share the work, by default one a core; the bytes written do not depend on it. `tokenizer` says how
    the tokens of sections are counted, by default as well as can be done here. Without `sections` the cache has
    an index for `resolve` alone, which is there to be measured: `verify` misses the other.
    """
    sources, cache = os.path.realpath(os.fspath(sources)), os.path.abspath(os.fspath(cache))
    if not is_time(created_at.encode()):
        raise UsageError(f"created_at '{created_at}' is no time: write it as 2026-01-02T03:04:05Z")
    check_target(sources, cache, force=force)
    counted_by = choose_tokenizer(tokenizer) if sections else BYTES
    try:
        # Workers are started while we look for the sources, and are gone before what they write into is.
        with Workers() as processes:
            names, skipped = _names(sources, processes, workers)
            with StagedDirectory(cache, cache_contents) as staged, processes:
                written = write_documents(sources, staged.path, names, (counted_by, sections), processes, progress)
                compiling = begin_index(staged.path, processes, written, sections)  # the workers do, while we list
                entries = [Entry(item.id, item.version, f"{DOCUMENTS}/{item.name}") for item in written.documents]
                manifest = make_manifest(entries, created_at)
                data, index = encode_manifest(manifest), encode_index(entries)
                if len(data) > MAX_MANIFEST_BYTES or is_crowded(data) or is_crowded(index):
                    raise BuildFailed(f"{len(entries)} documents are too many for one cache: split the sources")
                write_new(os.path.join(staged.path, MANIFEST), data)
                write_new(os.path.join(staged.path, INDEX), index)
                # Without sections the documents answer a search, and they count their bytes.
                summary = Summary(manifest.cache_version, counted_by)
                write_index(staged.path, compiling, entries, written, summary, data, index)
                staged.publish(replace=force)
    except FileExistsError:
        raise target_exists(cache) from None
    except OSError as error:
        raise IoError(f"'{printable(cache)}' cannot be written: {error.strerror}") from None
    if progress is not None:
        progress(len(names), len(names))
    if tell is not None:
        for note in _notes(cache, skipped, staged.kept):
            tell(note)
    return BuildReport(manifest.cache_version, len(entries), sum([item.size for item in written.documents]))


def _names(sources: str, processes: Workers, workers: int | None) -> SourceFiles:
    """The documents below the sources; if not told how many, the more are found the more workers start."""
    cores = default_workers()
    processes.start(workers or 0)

    def found(count: int) -> None:
        if workers is None and count % _WORTH_A_WORKER == 0:
            processes.start(min(cores, count // _WORTH_A_WORKER))

    return find_sources(sources, found)


def _notes(cache: str, skipped: list[str], kept: list[str]) -> Iterator[str]:
    if skipped:
        more = f", and {len(skipped) - _TOLD} more" if len(skipped) > _TOLD else ""
        yield f"skipped: {', '.join(skipped[:_TOLD])}{more}"
    for path in kept:
        yield f"'{printable(cache)}' held more than a cache when it was replaced: kept as '{printable(path)}'"
