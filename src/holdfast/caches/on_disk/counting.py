"""Count documents in one process of several, and spill what was counted to sorted runs when it gets heavy."""

from __future__ import annotations

import os
from itertools import repeat

from holdfast.caches.build.token_counts import FieldCounts, TextCounts
from holdfast.caches.index_format.runs import Run
from holdfast.caches.on_disk.tokenizing import counter
from holdfast.caches.section_index.section_compiler import BODY, HEADINGS, PATH, TITLE, DocumentSections
from holdfast.caches.section_index.section_fields import read_fields
from holdfast.caches.section_index.section_records import encode_section
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.document import Document
    from holdfast.caches.on_disk.tokenizing import CountTokens
    from holdfast.caches.section_index.section_fields import Fields

BUFFER = 1 << 18
_NOTHING = DocumentSections(0, 0, [], [], b"", [])


class Runs(NamedTuple):
    """Runs of words, and of terms with their fields; of each section its body's words and its document's place."""

    words: list[Run]
    fields: list[tuple[int, Run]]
    body_lengths: list[int]
    places: list[int]


class Counting:
    """Counts documents, given in id order; `limit` is about the memory in bytes that is taken before a spill.

    Without sections a document counts as one, and of words alone.
    """

    def __init__(
        self,
        directory: str,
        name: str,
        limit: int,
        tokenizer: str,
        with_sections: bool = True,
    ) -> None:
        self._prefix = os.path.join(directory, name)
        self._limit = limit
        self._tokenizer, self._with_sections = tokenizer, with_sections
        self._count_tokens: CountTokens | None = None
        self._first = 0  # the number of the first section since the last spill
        self._places: list[int] = []  # of each section, that of its document
        self._text = TextCounts(with_terms=with_sections)
        self._fields = {field: FieldCounts() for field in (TITLE, HEADINGS, PATH)}
        self._words: list[Run] = []
        self._terms: list[tuple[int, Run]] = []

    def add(self, first: int, documents: Sequence[Document]) -> list[tuple[int, DocumentSections]]:
        """Count documents, from the one at the place `first` on.

        How many words each has, and what the section index needs to know of it.
        """
        if self._with_sections:
            counts = self._add_sections(first, documents)
        else:
            counts = [
                (self._text.add(place, document.content, [document.content]), _NOTHING)
                for place, document in enumerate(documents, first)
            ]
            self._places += range(first, first + len(documents))
        if self._text.weight + sum([each.weight for each in self._fields.values()]) > self._limit:
            self._spill()
        return counts

    def _add_sections(self, first: int, documents: Sequence[Document]) -> list[tuple[int, DocumentSections]]:
        if self._count_tokens is None:
            self._count_tokens = counter(self._tokenizer)
        fields = [read_fields(document.source, document.content) for document in documents]
        texts = [
            [document.content[section.start : section.end] for section in read.sections]
            for document, read in zip(documents, fields, strict=True)
        ]
        totals = [
            self._text.add(place, documents[place - first].content, sections)
            for place, sections in enumerate(texts, first)
        ]
        tokens = [list(map(self._count_tokens, sections)) for sections in texts]
        for place, read in enumerate(fields, first):
            self._add_fields(place, read)
        return [
            (total, _document_sections(read, counts))
            for total, read, counts in zip(totals, fields, tokens, strict=True)
        ]

    def _add_fields(self, place: int, read: Fields) -> None:
        headings = self._fields[HEADINGS]
        for number, heading in enumerate(read.headings, len(self._places) - self._first):
            if heading:
                headings.add(number, heading)
        if read.sections:
            self._fields[TITLE].add(place, read.title)
            self._fields[PATH].add(place, read.path)
        self._places += repeat(place, len(read.sections))

    def finish(self) -> Runs:
        """Write what is left; where everything is."""
        self._spill()
        return Runs(self._words, self._terms, self._text.lengths, self._places)

    def _spill(self) -> None:
        words, bodies = self._text.spill()
        self._words.append(self._write("words", words, self._first))
        if self._with_sections:
            self._terms.append((BODY, self._write("terms", bodies, self._first)))
            for field, counts in self._fields.items():
                base = self._first if field == HEADINGS else 0
                self._terms.append((field, self._write("terms", counts.spill(), base)))
        self._first = len(self._places)

    def _write(self, kind: str, blocks: Iterable[tuple[bytes, bytes]], base: int) -> Run:
        run = Run(f"{self._prefix}-{kind}-{len(self._words) + len(self._terms)}", [], [0], base)
        with open(run.file, "xb", buffering=BUFFER) as file:
            for first, data in blocks:
                file.write(data)
                run.firsts.append(first)
                run.offsets.append(run.offsets[-1] + len(data))
        return run


def _document_sections(read: Fields, tokens: list[int]) -> DocumentSections:
    records = [encode_section(section) for section in read.sections]
    return DocumentSections(
        *(len(read.title), len(read.path), tokens),
        [len(words) for words in read.headings],
        b"".join(records),
        [len(record) for record in records],
    )
