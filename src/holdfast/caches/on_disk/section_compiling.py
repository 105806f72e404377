"""Write the section index of a cache that is being built."""

from __future__ import annotations

from array import array
from contextlib import ExitStack

from holdfast.caches.index.compiling import merged, read_run
from holdfast.caches.index.dictionary import DictionaryPages
from holdfast.caches.on_disk.compiling import IndexFile, Spilling
from holdfast.caches.on_disk.index_reader import DICTIONARY, OFFSETS, POSTINGS, RECORDS
from holdfast.caches.on_disk.section_index import COLUMNS, KIND
from holdfast.caches.on_disk.tokenizing import counter
from holdfast.caches.search.compiling import (
    BODY,
    HEADINGS,
    PATH,
    TITLE,
    DocumentSections,
    Weights,
    compile_fields,
)
from holdfast.caches.search.counting import FieldAccumulator
from holdfast.caches.search.fields import read_fields
from holdfast.caches.search.impacts import FIELDS
from holdfast.caches.search.records import (
    SUMMARY,
    Summary,
    encode_columns,
    encode_section,
    encode_summary,
    make_columns,
    seal_section,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.document import Document
    from holdfast.caches.on_disk.tokenizing import CountTokens

_BUFFER = 1 << 18


class FieldSpilling:
    """Terms of sections counted in one process of several: a spilling for each field, each with its share of memory."""

    def __init__(
        self, directory: str, name: str, limit: int, tokenizer: str, worker: int = 0, workers: int = 1
    ) -> None:
        # Bodies hold nearly all there is.
        shares = {"body": limit * 3 // 4}
        self._fields = [
            Spilling(directory, f"{name}-{field}", shares.get(field, limit // 12), FieldAccumulator())
            for field in FIELDS
        ]
        self._tokenizer = tokenizer
        self._count_tokens: CountTokens | None = None
        # Numbers that no other process gives: each has its own residue.
        self._next, self._step = worker, workers

    def add_document(self, place: int, document: Document) -> DocumentSections:
        """Count the fields of a document; what the index needs to know of it beside that."""
        if self._count_tokens is None:
            self._count_tokens = counter(self._tokenizer)
        read = read_fields(document.source, document.content)
        provisional = self._next
        headings, bodies = self._fields[HEADINGS], self._fields[BODY]
        for heading, body in zip(read.headings, read.bodies, strict=True):
            if heading:
                headings.add(self._next, heading)
            bodies.add(self._next, body)
            self._next += self._step
        if read.sections:
            self._fields[TITLE].add(place, read.title)
            self._fields[PATH].add(place, read.path)
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

    def spill(self) -> None:
        """Write what was counted since the last time."""
        for field in self._fields:
            field.spill()

    @property
    def files(self) -> list[tuple[int, str]]:
        """The field and the path of every run."""
        return [(number, path) for number, field in enumerate(self._fields) for path in field.files]


def write_sections(
    path: str,
    documents: Sequence[DocumentSections],
    runs: Sequence[tuple[int, str]],
    summary: Summary,
    manifest: bytes,
    index: bytes,
) -> None:
    """Write the index that `search` uses, of documents in id order and sorted runs of their terms."""
    weights = Weights(documents)
    pages = DictionaryPages()
    with ExitStack() as stack:
        opened = [(field, stack.enter_context(open(path, "rb", buffering=_BUFFER))) for field, path in runs]
        fields = [merged([read_run(run) for field, run in opened if field == wanted]) for wanted in range(len(FIELDS))]
        target = IndexFile(stack.enter_context(open(path, "xb", buffering=_BUFFER)), 6)
        target.add(POSTINGS, compile_fields(fields, weights, pages))
        target.add(DICTIONARY, pages.finish())
        tokens = [size for document in documents for size in document.tokens]
        target.add(COLUMNS, [encode_columns(make_columns(tokens, weights.firsts))], checked=True)
        target.add(OFFSETS, [_offsets(documents)])
        target.add(RECORDS, _records(documents))
        target.add(SUMMARY, [encode_summary(summary)], checked=True)
        target.seal(KIND, manifest, index)


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
