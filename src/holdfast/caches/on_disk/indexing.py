"""Write `index/` of a cache that is being built."""

from __future__ import annotations

import os
import sys

from holdfast.caches.on_disk.compiled import WORDS_FILE
from holdfast.caches.on_disk.compiling import write_words
from holdfast.caches.on_disk.directory import COMPILED, SECTIONS_FILE
from holdfast.caches.on_disk.section_compiling import write_sections
from holdfast.caches.on_disk.sharing import compiled_parts
from holdfast.caches.section_index.section_compiler import DocumentSections, weigh
from holdfast.caches.word_index.document_columns import make_columns
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.manifest import Entry
    from holdfast.caches.on_disk.parts import Part, Weighed
    from holdfast.caches.on_disk.sharing import Shared
    from holdfast.caches.on_disk.workers import Workers
    from holdfast.caches.section_index.section_records import Summary
    from holdfast.caches.word_index.document_columns import Columns


class Compiling(NamedTuple):
    """An index that is being compiled: what is known of its documents and sections, and the parts that come of it."""

    columns: Columns
    sections: list[DocumentSections]
    weights: Weighed | None
    parts: Iterator[list[Part]]


def begin_index(cache: str, workers: Workers, written: Shared, with_sections: bool) -> Compiling | None:
    """Have the index compiled from what was counted while the documents were written; None where there is none."""
    if sys.byteorder != "little":  # the index is optional, and its numbers are read in place
        return None
    documents, runs = written
    columns = make_columns([item.words for item in documents], [item.tokens for item in documents])
    sections = [DocumentSections(*item.sections) for item in documents]
    weights = weigh(sections, runs.body_lengths) if with_sections else None
    return Compiling(columns, sections, weights, compiled_parts(cache, runs, columns.numbers, weights, workers))


def write_index(
    cache: str,
    compiling: Compiling | None,
    entries: Sequence[Entry],
    written: Shared,
    summary: Summary,
    manifest: bytes,
    index: bytes,
) -> None:
    """Write the index files; the runs are removed."""
    documents, runs = written
    if compiling is not None:
        os.mkdir(os.path.join(cache, COMPILED))
        columns, sections, weights, parts = compiling
        path = os.path.join(cache, WORDS_FILE)
        write_words(path, entries, documents, columns, next(parts), summary, manifest, index)
        if weights is not None:
            path = os.path.join(cache, SECTIONS_FILE)
            write_sections(path, sections, weights[1], next(parts), summary, manifest, index)
    for run in (*runs.words, *[run for _, run in runs.fields]):
        os.unlink(run.file)
