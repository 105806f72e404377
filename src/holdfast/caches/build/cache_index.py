"""Give a cache that another builder wrote its index, and leave everything else of it as it is."""

from __future__ import annotations

import os
from functools import partial
from hashlib import sha256

from holdfast.caches.build.build_order import INDEXING, READING, PhaseProgress, no_progress
from holdfast.caches.build.document_files import DocumentsJob, write_documents
from holdfast.caches.build.publish import Listing, is_index_file
from holdfast.caches.build.segment_files import IndexOrder, write_list, write_segments
from holdfast.caches.build.source_files import worth_a_worker
from holdfast.caches.cache_format import MAX_MANIFEST_BYTES
from holdfast.caches.index_format import manifest_digest
from holdfast.caches.on_disk.cache_directory import COMPILED, INDEX, MANIFEST, CacheDirectory, checked_manifest
from holdfast.caches.search.link_texts import incoming
from holdfast.caches.tokenizers import choose_tokenizer
from holdfast.core.atomic_write import StagedDirectory
from holdfast.core.confined_paths import printable
from holdfast.core.errors import IoError
from holdfast.core.record import NamedTuple
from holdfast.core.worker_pool import WorkerPool


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
    show = progress or no_progress
    with CacheDirectory(cache) as directory:
        manifest = checked_manifest(directory)
        data = directory.read(MANIFEST, limit=MAX_MANIFEST_BYTES)
        of_index = sha256(directory.read(INDEX, limit=MAX_MANIFEST_BYTES)).digest()
    of_manifest = manifest_digest([data])
    if of_manifest is None:
        raise ValueError("created_at is no time")
    entries = manifest.entries
    try:
        # The workers are gone before the directory they write into is.
        with StagedDirectory(f"{cache}.{COMPILED}") as work, WorkerPool() as pool:
            pool.grow(worth_a_worker(len(entries)))
            read = write_documents(pool, DocumentsJob(cache, "", entries), partial(show, READING))
            texts = incoming([entry.id for entry in entries], [each.page for each in read])
            order = IndexOrder(cache, work.path, counted_by, entries, texts)
            segments = write_segments(pool, order, partial(show, INDEXING))
            write_list(work.path, segments, counted_by, Listing(manifest.cache_version, of_manifest, of_index))
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
    return names if all(is_index_file(f"{COMPILED}/{name}") for name in names) else None
