"""Count documents in one process of several, and spill what was counted to sorted runs when it gets heavy."""

from __future__ import annotations

import os

from holdfast.caches.index.runs import Run
from holdfast.caches.on_disk.tokenizing import counter
from holdfast.caches.search.compiling import BODY, HEADINGS, PATH, TITLE, DocumentSections
from holdfast.caches.search.counting import FieldCounts, TextCounts
from holdfast.caches.search.fields import read_fields
from holdfast.caches.search.records import encode_section
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.caches.document import Document
    from holdfast.caches.on_disk.tokenizing import CountTokens

BUFFER = 1 << 18
_NOTHING = DocumentSections(0, 0, 0, 0, [], [], b"", [])


class Runs(NamedTuple):
    """Runs of words, runs of terms with their fields, and the words of each section's body by provisional number."""

    words: list[Run]
    fields: list[tuple[int, Run]]
    body_lengths: list[int]


class Counting:
    """Counts documents; `limit` is about the memory in bytes that is taken before a spill.

    Sections get provisional numbers that no other process gives: each has its own residue. Without sections a document
    counts as one, and of words alone.
    """

    def __init__(
        self,
        directory: str,
        name: str,
        limit: int,
        tokenizer: str,
        with_sections: bool = True,
        *,
        worker: int = 0,
        workers: int = 1,
    ) -> None:
        self._prefix = os.path.join(directory, name)
        self._limit = limit
        self._tokenizer, self._with_sections = tokenizer, with_sections
        self._count_tokens: CountTokens | None = None
        self._next, self._step = worker, workers
        self._text = TextCounts(with_terms=with_sections)
        self._fields = {field: FieldCounts() for field in (TITLE, HEADINGS, PATH)}
        self._words: list[Run] = []
        self._terms: list[tuple[int, Run]] = []

    def add(self, place: int, document: Document) -> tuple[int, DocumentSections]:
        """Count the document at a place; how many words it has, and what the section index needs to know of it."""
        content = document.content
        if not self._with_sections:
            total = self._text.add(place, 0, 0, content, [content])
            self._spill_if_heavy()
            return total, _NOTHING
        if self._count_tokens is None:
            self._count_tokens = counter(self._tokenizer)
        read = read_fields(document.source, content)
        texts = [content[section.start : section.end] for section in read.sections]
        provisional, step = self._next, self._step
        total = self._text.add(place, provisional, step, content, texts)
        headings = self._fields[HEADINGS]
        for position, heading in enumerate(read.headings):
            if heading:
                headings.add(provisional + position * step, heading)
        if texts:
            self._fields[TITLE].add(place, read.title)
            self._fields[PATH].add(place, read.path)
        self._next += len(texts) * step
        records = [encode_section(section) for section in read.sections]
        made = DocumentSections(
            *(provisional, step, len(read.title), len(read.path)),
            [self._count_tokens(text) for text in texts],
            [len(words) for words in read.headings],
            b"".join(records),
            [len(record) for record in records],
        )
        self._spill_if_heavy()
        return total, made

    def _spill_if_heavy(self) -> None:
        if self._text.weight + sum([counts.weight for counts in self._fields.values()]) > self._limit:
            self._spill()

    def finish(self) -> Runs:
        """Write what is left; where everything is."""
        self._spill()
        return Runs(self._words, self._terms, self._text.lengths)

    def _spill(self) -> None:
        words, bodies = self._text.spill()
        self._words.append(self._write("words", words))
        if not self._with_sections:
            return
        self._terms.append((BODY, self._write("terms", bodies)))
        for field, counts in self._fields.items():
            self._terms.append((field, self._write("terms", counts.spill())))

    def _write(self, kind: str, blocks: Iterable[tuple[bytes, bytes]]) -> Run:
        run = Run(f"{self._prefix}-{kind}-{len(self._words) + len(self._terms)}", [], [0])
        with open(run.file, "xb", buffering=BUFFER) as file:
            for first, data in blocks:
                file.write(data)
                run.firsts.append(first)
                run.offsets.append(run.offsets[-1] + len(data))
        return run
