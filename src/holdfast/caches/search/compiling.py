"""Compile what was counted in sections into the records of an index. Pure.

A section has a provisional number while it is counted, since other processes count other documents; here it gets its
final one, by id and line.
"""

from __future__ import annotations

from array import array
from heapq import merge
from itertools import chain, groupby
from operator import add

from holdfast.caches.search.impacts import FIELDS, Steps, unit
from holdfast.caches.search.postings import alone_value, encode_record
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.caches.index.dictionary import DictionaryPages

    Lists = dict[int, list[int]]  # how often -> where

TITLE, HEADINGS, PATH, BODY = range(len(FIELDS))


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
    """What turns counts into units and steps: final numbers and lengths of fields."""

    def __init__(self, documents: Sequence[DocumentSections]) -> None:
        self.section_count = count = sum([len(document.tokens) for document in documents])
        self.populations = (len(documents), count, len(documents), count)
        self.firsts = array("I", [0])  # the number of each document's first section and, last, of all
        top = max([d.provisional + d.step * len(d.tokens) for d in documents], default=0)
        # By provisional number: the final one, shifted to make room for a step, and the lengths of both fields.
        numbers, headings, bodies = [0] * top, [0] * top, [0] * top
        first = 0
        for document in documents:
            held = len(document.tokens)
            places = slice(document.provisional, document.provisional + document.step * held, document.step)
            numbers[places] = range(first << 8, (first + held) << 8, 1 << 8)
            headings[places] = document.heading_lengths
            bodies[places] = document.body_lengths
            first += held
            self.firsts.append(first)
        titles = [document.title_length for document in documents]
        paths = [document.path_length for document in documents]
        held_by = [len(document.tokens) for document in documents]
        places_ = range(0, len(documents) << 8, 1 << 8)
        self._numbers = (places_, numbers, places_, numbers)
        self._lengths = (titles, headings, paths, bodies)
        # The average is over sections: a title counts once for each section below it.
        totals = (sum(map(_times, titles, held_by)), sum(headings), sum(map(_times, paths, held_by)), sum(bodies))
        self._steps = [Steps(total, count) for total in totals]
        self._units: dict[int, int] = {}

    def steps(self, field: int, lists: Lists) -> tuple[list[int], bytes]:
        """Ascending numbers that hold a term in a field, and the step of each."""
        number_of, length_of = self._numbers[field].__getitem__, self._lengths[field].__getitem__
        both: list[int] = []
        for times, provisional in lists.items():
            step_of = self._steps[field].of(times).__getitem__
            both += map(add, map(number_of, provisional), map(step_of, map(length_of, provisional)))
        both.sort()
        return [pair >> 8 for pair in both], bytes([pair & 255 for pair in both])

    def unit(self, fields: Sequence[tuple[Sequence[int], bytes]]) -> int:
        """The unit of a term that these sections and documents hold."""
        (titles, _), (headings, _), (paths, _), (bodies, _) = fields
        holding = len(bodies)
        if titles or headings or paths:
            sections = {*headings, *bodies}
            for place in chain(titles, paths):
                sections.update(range(self.firsts[place], self.firsts[place + 1]))
            holding = len(sections)
        if holding not in self._units:
            self._units[holding] = unit(self.section_count, holding)
        return self._units[holding]


def _times(left: int, right: int) -> int:
    return left * right


def compile_fields(
    fields: Sequence[Iterable[tuple[bytes, Lists]]], weights: Weights, pages: DictionaryPages
) -> Iterator[bytes]:
    """The records of all terms, one after another, while `pages` collects the dictionary.

    `fields` gives for each field its terms in key order, with their lists.
    """
    tagged = [_tagged(field, terms) for field, terms in enumerate(fields)]
    offset = 0
    for key, group in groupby(merge(*tagged), key=lambda item: item[0]):
        found: list[tuple[list[int], bytes]] = [([], b"")] * len(FIELDS)
        for _, field, lists in group:
            found[field] = weights.steps(field, lists)
        worth = weights.unit(found)
        value = alone_value(worth, found)
        if value is None:
            record = encode_record(key, worth, found, weights.populations)
            value = offset
            offset += len(record)
            yield record
        pages.add(key, value)


def _tagged(field: int, terms: Iterable[tuple[bytes, Lists]]) -> Iterator[tuple[bytes, int, Lists]]:
    for key, lists in terms:
        yield key, field, lists
