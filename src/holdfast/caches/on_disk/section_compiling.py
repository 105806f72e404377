"""Write the section index of a cache that is being built."""

from __future__ import annotations

import os
from array import array
from contextlib import ExitStack

from holdfast.caches.index.compiling import merged, read_run
from holdfast.caches.index.dictionary import DictionaryPages
from holdfast.caches.on_disk.compiling import IndexFile, Spilling
from holdfast.caches.on_disk.section_index import COLUMNS, DICTIONARY, KIND, OFFSETS, POSTINGS, RECORDS, SUMMARY
from holdfast.caches.on_disk.tokenizing import counter
from holdfast.caches.search.compiling import (
    BODY,
    HEADINGS,
    PATH,
    TITLE,
    DocumentSections,
    FieldAccumulator,
    Weights,
    compile_impacts,
)
from holdfast.caches.search.fields import read_fields
from holdfast.caches.search.records import (
    SectionColumns,
    Summary,
    encode_columns,
    encode_section,
    encode_summary,
    seal_section,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.document import Document
    from holdfast.caches.on_disk.tokenizing import CountTokens

_BUFFER = 1 << 18


class SectionSpilling(Spilling):
    """Sections counted in one process of several, spilled like the words of documents."""

    def __init__(self, directory: str, name: str, limit: int, tokenizer: str, worker: int = 0, workers: int = 1) -> None:
        super().__init__(directory, name, limit)
        self._accumulator: FieldAccumulator = FieldAccumulator()
        self._tokenizer = tokenizer
        self._count_tokens: CountTokens | None = None
        # Numbers no other process gives: each has its own residue.
        self._next, self._step = worker, workers

    def add_document(self, place: int, document: Document) -> DocumentSections:
        """Count the fields of a document; what the index needs to know of it beside that."""
        if self._count_tokens is None:
            self._count_tokens = counter(self._tokenizer)
        read = read_fields(document.source, document.content)
        provisional = self._next
        add = self._accumulator.add_field
        for headings, body in zip(read.headings, read.bodies, strict=True):
            add(HEADINGS, self._next, headings)
            add(BODY, self._next, body)
            self._next += self._step
        if read.sections:
            add(TITLE, place, read.title)
            add(PATH, place, read.path)
        if self._accumulator.weight > self._limit:
            self.spill()
        records = [encode_section(section) for section in read.sections]
        count = self._count_tokens
        return DocumentSections(
            *(provisional, self._step, len(read.title), len(read.path)),
            [count(document.content[section.start : section.end]) for section in read.sections],
            [len(words) for words in read.headings],
            [len(words) for words in read.bodies],
            b"".join(records),
            [len(record) for record in records],
        )


def write_sections(
    path: str,
    documents: Sequence[DocumentSections],
    runs: Sequence[str],
    summary: Summary,
    manifest: bytes,
    index: bytes,
) -> None:
    """Write the index that `search` uses, of documents in id order and sorted runs of their terms."""
    weights = Weights(documents)
    pages = DictionaryPages()
    with ExitStack() as stack:
        opened = [stack.enter_context(open(run, "rb", buffering=_BUFFER)) for run in runs]
        target = IndexFile(stack.enter_context(open(path, "xb", buffering=_BUFFER)), 6)
        terms = merged([read_run(run) for run in opened])
        target.add(POSTINGS, compile_impacts(terms, weights, pages))
        target.add(DICTIONARY, pages.finish())
        tokens = [size for document in documents for size in document.tokens]
        target.add(COLUMNS, [encode_columns(SectionColumns(tokens, weights.firsts))], checked=True)
        target.add(OFFSETS, [_offsets(documents)])
        target.add(RECORDS, _records(documents))
        target.add(SUMMARY, [encode_summary(summary)], checked=True)
        target.seal(KIND, manifest, index)
    for run in runs:
        os.unlink(run)


def _records(documents: Sequence[DocumentSections]) -> Iterator[bytes]:
    number = 0
    for document in documents:
        at = 0
        for size in document.sizes:
            yield seal_section(number, document.records[at : at + size])
            at += size
            number += 1


def _offsets(documents: Sequence[DocumentSections]) -> bytes:
    offsets = array("Q", [0])
    offset = 0
    for document in documents:
        for size in document.sizes:
            offset += size + 4
            offsets.append(offset)
    return offsets.tobytes()
