"""Compile sections into impacts: count terms by field, merge what was counted, weigh it. Pure.

A section has a provisional number while it is counted, since other processes count other documents; the merge turns
it into the final one, by id and line.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import chain

from holdfast.caches.index.compiling import Accumulator
from holdfast.caches.search.impacts import FIELDS, Norms, impact, inverse_frequency
from holdfast.caches.search.postings import alone_value, encode_impacts
from holdfast.caches.search.terms import terms_of
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.caches.index.dictionary import DictionaryPages
    from holdfast.caches.search.postings import TermImpacts

TITLE, HEADINGS, PATH, BODY = range(len(FIELDS))
# What a posting and a list of postings weigh in memory, roughly.
_POSTING, _LIST = 8, 220
# Words met so often that what they count as is worth remembering; beyond this many the memory starts anew.
_REMEMBERED = 1 << 18


class _Terms(dict[str, tuple[str, ...]]):
    """word -> its terms."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) > _REMEMBERED:
            self.clear()
        terms = self[word] = terms_of(word)
        return terms


class FieldAccumulator(Accumulator):
    """Counts the terms of fields until it is time to spill; `times` of a run is four times the count, plus the field."""

    def __init__(self) -> None:
        super().__init__()
        self._terms = _Terms()

    def add_field(self, field: int, number: int, words: Iterable[str]) -> None:
        """Count the words of one field of a section, or of a document."""
        lists = self._lists
        counts = Counter(chain.from_iterable(map(self._terms.__getitem__, words)))
        new = 0
        for term, times in counts.items():
            code = times << 2 | field
            try:
                lists[code][term].append(number)
            except KeyError:
                lists.setdefault(code, {})[term] = [number]
                new += 1
        self.weight += len(counts) * _POSTING + new * _LIST


class DocumentSections(NamedTuple):
    """What the index needs to know of one document: lengths of its fields, and its sections.

    `records` are the sections' encoded records one after another, `sizes` their lengths. `provisional` is the number
    the first section was counted under; that of each next one is `step` higher.
    """

    provisional: int
    step: int
    title_length: int
    path_length: int
    tokens: list[int]
    heading_lengths: list[int]
    body_lengths: list[int]
    records: bytes
    sizes: list[int]


class Weights:
    """What turns counts into impacts: final numbers, lengths of fields, norms."""

    def __init__(self, documents: Sequence[DocumentSections]) -> None:
        count = sum([len(document.tokens) for document in documents])
        self.section_count, self.document_count = count, len(documents)
        top = max([d.provisional + d.step * len(d.tokens) for d in documents], default=0)
        numbers = [0] * top  # by provisional number
        number = 0
        self.firsts = array("I")  # the number of each document's first section
        for document in documents:
            held = len(document.tokens)
            self.firsts.append(number)
            end = document.provisional + document.step * held
            numbers[document.provisional : end : document.step] = range(number, number + held)
            number += held
        self.firsts.append(number)
        self.number_of = numbers.__getitem__
        self.populations = (self.document_count, count, self.document_count, count)
        self.lengths = (
            [document.title_length for document in documents],
            list(chain.from_iterable([document.heading_lengths for document in documents])),
            [document.path_length for document in documents],
            list(chain.from_iterable([document.body_lengths for document in documents])),
        )
        # The average title is that of a section, not of a document: a long document counts as often as it has sections.
        weighted = [len(document.tokens) for document in documents]
        self._norms = tuple(
            [
                Norms(sum(lengths) if field in (HEADINGS, BODY) else _dot(lengths, weighted), count)
                for field, lengths in enumerate(self.lengths)
            ]
        )
        self._idf: dict[int, int] = {}

    def impacts(self, lists: dict[int, list[int]]) -> TermImpacts:
        """The impacts of a term from its merged runs."""
        gathered: list[list[tuple[int, int]]] = [[], [], [], []]
        for code, provisional in lists.items():
            field = code & 3
            numbers = map(self.number_of, provisional) if field in (HEADINGS, BODY) else provisional
            lengths, norms = self.lengths[field], self._norms[field].of(code >> 2)
            gathered[field] += [(number, norms[lengths[number]]) for number in numbers]
        idf = self._inverse_frequency(gathered)
        fields: TermImpacts = []
        for pairs in gathered:
            pairs.sort()
            fields.append(([number for number, _ in pairs], [impact(idf, norm) for _, norm in pairs]))
        return fields

    def _inverse_frequency(self, gathered: Sequence[Sequence[tuple[int, int]]]) -> int:
        title, headings, path, body = gathered
        if title or path or headings:
            holding = {number for number, _ in chain(headings, body)}
            for place, _ in chain(title, path):
                holding.update(range(self.firsts[place], self.firsts[place + 1]))
            count = len(holding)
        else:
            count = len(body)
        if count not in self._idf:
            self._idf[count] = inverse_frequency(self.section_count, count)
        return self._idf[count]


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum([a * b for a, b in zip(left, right, strict=True)])


def compile_impacts(
    terms: Iterable[tuple[bytes, dict[int, list[int]]]], weights: Weights, pages: DictionaryPages
) -> Iterator[bytes]:
    """The records of the postings, one after another, while `pages` collects the dictionary."""
    offset = 0
    for key, lists in terms:
        fields = weights.impacts(lists)
        value = alone_value(fields)
        if value is None:
            record = encode_impacts(key, fields, weights.populations)
            value = offset
            offset += len(record)
            yield record
        pages.add(key, value)
