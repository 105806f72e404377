"""Give a cache that another builder wrote its index, and leave everything else of it as it is."""

from __future__ import annotations

import os
from functools import partial

from holdfast.caches.build.build import INDEXING, READING, lengths_with_links, tell_nobody
from holdfast.caches.build.document_files import DocumentsJob
from holdfast.caches.build.engines import LocalEngine
from holdfast.caches.build.index_files import cache_columns, index_owner, write_index
from holdfast.caches.build.index_ranges import block_count
from holdfast.caches.build.publish import INDEX_FILES
from holdfast.caches.build.source_files import worth_a_worker
from holdfast.caches.build.token_counts import SPILL_BYTES, RunSettings
from holdfast.caches.cache_format import MAX_MANIFEST_BYTES
from holdfast.caches.index_format import Summary
from holdfast.caches.on_disk.cache_directory import COMPILED, INDEX, MANIFEST, CacheDirectory
from holdfast.caches.on_disk.manifest_reader import checked_manifest
from holdfast.caches.tokenizers import choose_tokenizer
from holdfast.core.atomic_write import StagedDirectory
from holdfast.core.confined_paths import printable
from holdfast.core.errors import IoError
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.build.build import PhaseProgress


class IndexReport(NamedTuple):
    """A cache that has an index now."""

    cache_version: str
    document_count: int
    tokenizer: str


def index_cache(cache: str, *, tokenizer: str | None = None, progress: PhaseProgress | None = None) -> IndexReport:
    """Write the index of a cache, atomically; its manifest, listing and documents are not touched.

    CacheInvalid where the cache does not hold together: an index of it would be of no use.
    """
    cache = os.path.realpath(cache)
    counted_by = choose_tokenizer(tokenizer)
    show = progress or tell_nobody
    with CacheDirectory(cache) as directory:
        manifest = checked_manifest(directory)
        manifest_json = directory.read(MANIFEST, limit=MAX_MANIFEST_BYTES)
        index_json = directory.read(INDEX, limit=MAX_MANIFEST_BYTES)
    entries = manifest.entries
    try:
        # The workers are gone before the directory they write into is.
        with StagedDirectory(f"{cache}.{COMPILED}") as work, LocalEngine() as engine:
            engine.grow(worth_a_worker(len(entries)))
            settings = RunSettings(counted_by, SPILL_BYTES)
            written = engine.write_documents(DocumentsJob(cache, work.path, entries, settings), partial(show, READING))
            columns = cache_columns(written.documents.columns())
            lengths, kept = lengths_with_links(work.path, written, columns.documents, settings)
            show(INDEXING, 0, block_count(written.runs))
            owner = index_owner(Summary(manifest.cache_version, counted_by), manifest_json, index_json)
            count, parts = engine.compile_index(work.path, written.runs, columns.words.numbers, lengths)
            write_index(work.path, owner, entries, written, columns, parts, count, kept, lambda _: None)
            with StagedDirectory(os.path.join(cache, COMPILED), _index_contents) as staged:
                for name in os.listdir(os.path.join(work.path, COMPILED)):
                    os.rename(os.path.join(work.path, COMPILED, name), os.path.join(staged.path, name))
                staged.publish(replace=True)
    except OSError as error:
        raise IoError(f"'{printable(cache)}' cannot be written: {error.strerror}") from None
    return IndexReport(manifest.cache_version, len(entries), counted_by)


def _index_contents(path: str) -> list[str] | None:
    """What an old index holds, to be removed; None where it holds anything else."""
    names = sorted(os.listdir(path))
    known = {os.path.basename(file) for file in INDEX_FILES}
    return names if known.issuperset(names) else None
