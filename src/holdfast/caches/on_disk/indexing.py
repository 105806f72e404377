"""Write `index/` of a cache that is being built."""

from __future__ import annotations

import os
import sys

from holdfast.caches.index.documents import make_columns
from holdfast.caches.on_disk.compiled import WORDS_FILE
from holdfast.caches.on_disk.compiling import write_words
from holdfast.caches.on_disk.directory import COMPILED, SECTIONS_FILE
from holdfast.caches.on_disk.section_compiling import write_sections
from holdfast.caches.on_disk.sharing import compiled_parts
from holdfast.caches.search.compiling import DocumentSections, weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.manifest import Entry
    from holdfast.caches.on_disk.sharing import Shared
    from holdfast.caches.on_disk.workers import Workers
    from holdfast.caches.search.records import Summary


def write_index(
    cache: str,
    workers: Workers,
    entries: Sequence[Entry],
    written: Shared,
    summary: Summary,
    with_sections: bool,
    manifest: bytes,
    index: bytes,
) -> None:
    """Write the index files from what was counted while the documents were written; the runs are removed."""
    if sys.byteorder == "little":  # the index is optional, and its numbers are read in place
        os.mkdir(os.path.join(cache, COMPILED))
        documents, runs = written
        columns = make_columns([item.words for item in documents], [item.tokens for item in documents])
        sections = [DocumentSections(*item.sections) for item in documents]
        weights = weigh(sections, runs.body_lengths) if with_sections else None
        parts = compiled_parts(cache, runs, columns.numbers, weights, workers)
        path = os.path.join(cache, WORDS_FILE)
        write_words(path, entries, documents, columns, next(parts), summary, manifest, index)
        if weights is not None:
            path = os.path.join(cache, SECTIONS_FILE)
            write_sections(path, sections, weights[1], next(parts), summary, manifest, index)
    for run in (*written.runs.words, *[run for _, run in written.runs.fields]):
        os.unlink(run.file)
