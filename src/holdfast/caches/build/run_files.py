"""Sorted runs on disk: what one process counts of words and terms, spilled when it gets too heavy to hold."""

from __future__ import annotations

import os
from itertools import repeat

from holdfast.caches.build.token_counts import FieldCounts, TextCounts
from holdfast.caches.search.sections import read_fields
from holdfast.caches.section_index.section_compiler import BODY, HEADINGS, PATH, TITLE, DocumentSections, encode_section
from holdfast.caches.sorted_runs import Run
from holdfast.caches.tokenizers import counter
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.document import Document
    from holdfast.caches.search.sections import Fields
    from holdfast.caches.tokenizers import CountTokens

BUFFER = 1 << 18
# What all processes together may hold of counted words before they spill them.
SPILL_BYTES = 256 << 20
_NOTHING = DocumentSections(0, 0, [], [], b"", [])


class RunSettings(NamedTuple):
    """How tokens are counted, and whether sections are; the name that run files begin with, and about how many bytes
    of memory are taken before a spill."""

    tokenizer: str
    limit: int
    with_sections: bool = True
    name: str = "run"

    def shared(self, number: int, count: int) -> RunSettings:
        """The settings of one process of so many."""
        return self._replace(name=f"{self.name}-{number}", limit=self.limit // count)


class Runs(NamedTuple):
    """Runs of words, and of terms with their fields; of each section its body's words and its document's position."""

    words: list[Run]
    fields: list[tuple[int, Run]]
    body_lengths: list[int]
    positions: list[int]


def joined(runs: Sequence[Runs]) -> Runs:
    """The runs of several processes, in the order of their documents, as if one had made them."""
    together = Runs([], [], [], [])
    for each in runs:
        base = len(together.positions)
        together.words.extend([run._replace(base=base + run.base) for run in each.words])
        for field, run in each.fields:
            together.fields.append((field, run._replace(base=base + run.base) if field in (BODY, HEADINGS) else run))
        together.body_lengths.extend(each.body_lengths)
        together.positions.extend(each.positions)
    return together


class RunFiles:
    """Counts documents, given in id order, and writes sorted runs into a directory.

    Without sections a document counts as one, and of words alone.
    """

    def __init__(self, directory: str, settings: RunSettings) -> None:
        self._prefix = os.path.join(directory, settings.name)
        self._limit = settings.limit
        self._tokenizer, self._with_sections = settings.tokenizer, settings.with_sections
        self._count_tokens: CountTokens | None = None
        self._first = 0  # the number of the first section since the last spill
        self._positions: list[int] = []  # of each section, that of its document
        self._text = TextCounts(with_terms=self._with_sections)
        self._fields = {field: FieldCounts() for field in (TITLE, HEADINGS, PATH)}
        self._words: list[Run] = []
        self._terms: list[tuple[int, Run]] = []

    def add(self, first: int, documents: Sequence[Document]) -> list[tuple[int, DocumentSections]]:
        """Count documents, from the one at the position `first` on.

        How many words each has, and what the section index needs to know of it.
        """
        if self._with_sections:
            counts = self._add_sections(first, documents)
        else:
            counts = [
                (self._text.add(position, document.content, [document.content]), _NOTHING)
                for position, document in enumerate(documents, first)
            ]
            self._positions += range(first, first + len(documents))
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
            self._text.add(position, documents[position - first].content, sections)
            for position, sections in enumerate(texts, first)
        ]
        tokens = [list(map(self._count_tokens, sections)) for sections in texts]
        for position, read in enumerate(fields, first):
            self._add_fields(position, read)
        return [
            (total, _document_sections(read, counts))
            for total, read, counts in zip(totals, fields, tokens, strict=True)
        ]

    def _add_fields(self, position: int, read: Fields) -> None:
        headings = self._fields[HEADINGS]
        for number, heading in enumerate(read.headings, len(self._positions) - self._first):
            if heading:
                headings.add(number, heading)
        if read.sections:
            self._fields[TITLE].add(position, read.title)
            self._fields[PATH].add(position, read.path)
        self._positions += repeat(position, len(read.sections))

    def finish(self) -> Runs:
        """Write what is left; where everything is."""
        self._spill()
        return Runs(self._words, self._terms, self._text.lengths, self._positions)

    def _spill(self) -> None:
        words, bodies = self._text.spill()
        self._words.append(self._write("words", words, self._first))
        if self._with_sections:
            self._terms.append((BODY, self._write("terms", bodies, self._first)))
            for field, counts in self._fields.items():
                base = self._first if field == HEADINGS else 0
                self._terms.append((field, self._write("terms", counts.spill(), base)))
        self._first = len(self._positions)

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
