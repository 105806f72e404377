"""Compile what was counted in sections into the records of an index. Pure.

A section has a provisional number while it is counted, since other processes count other documents; here it gets its
final one, by id and line.
"""

from __future__ import annotations

from itertools import chain, repeat
from operator import add, lshift, mul, sub

from holdfast.caches.index.runs import looked_up, places_by_times
from holdfast.caches.search.impacts import FIELDS, Steps, unit
from holdfast.caches.search.posting_records import alone_value, encode_record
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.caches.index.runs import Counted

TITLE, HEADINGS, PATH, BODY = range(len(FIELDS))
# A term that occurs more often in one field has its step computed rather than looked up.
_USUAL_TIMES = 12


class DocumentSections(NamedTuple):
    """What the index needs to know of one document: lengths of its fields, and its sections.

    `records` are the sections' encoded records one after another, `sizes` their lengths. `provisional` is the number
    the first section was counted under; that of each next one is `step` higher. How long bodies are is known later.
    """

    provisional: int
    step: int
    title_length: int
    path_length: int
    tokens: list[int]
    heading_lengths: list[int]
    records: bytes
    sizes: list[int]


class Weights:
    """What turns counts into units and steps.

    `numbers` has the final number of a section by its provisional one, `lengths` for each field the words of whoever
    holds it, by number, and `firsts` the number of each document's first section and, last, of all.
    """

    def __init__(self, numbers: Sequence[int], lengths: Sequence[Sequence[int]], firsts: Sequence[int]) -> None:
        self.firsts = firsts
        self.section_count = count = firsts[-1]
        documents = range(len(firsts) - 1)
        self.populations = (len(documents), count, len(documents), count)
        self._numbers = (documents, numbers, documents, numbers)
        self._lengths = lengths
        held_by = list(map(sub, firsts[1:], firsts))
        titles, headings, paths, bodies = lengths
        # The average is over sections: a title counts once for each section below it.
        totals = (sum(map(mul, titles, held_by)), sum(headings), sum(map(mul, paths, held_by)), sum(bodies))
        self._steps = [Steps(total, count) for total in totals]
        self._tables: dict[tuple[int, int], bytes] = {}
        self._units: dict[int, int] = {}

    def alone(self, field: int, provisional: int) -> tuple[int, int]:
        """The number and the step of the only one that holds a term, once."""
        number = self._numbers[field][provisional]
        return number, self._table(field, 1)[number]

    def steps(self, field: int, values: Sequence[Counted]) -> tuple[Sequence[int], bytes]:
        """Ascending numbers that hold a term in a field, and the step of each."""
        numbers = self._numbers[field]
        lists = places_by_times(values)
        if len(lists) == 1:
            ((times, provisional),) = lists.items()
            found = sorted(looked_up(numbers, provisional))
            return found, bytes(self._looked_up(field, times, found))
        both: list[int] = []
        for times, provisional in lists.items():
            held = looked_up(numbers, provisional)
            both += map(add, map(lshift, held, repeat(8)), self._looked_up(field, times, held))
        both.sort()
        return [pair >> 8 for pair in both], bytes([pair & 255 for pair in both])

    def _looked_up(self, field: int, times: int, numbers: Sequence[int]) -> Sequence[int]:
        """The steps of a term that occurs so often in a field, for each of these numbers."""
        if times > _USUAL_TIMES:
            steps, lengths = self._steps[field].of(times), self._lengths[field]
            return [steps[lengths[number]] for number in numbers]
        return looked_up(self._table(field, times), numbers)

    def _table(self, field: int, times: int) -> bytes:
        if (field, times) not in self._tables:
            self._tables[field, times] = bytes(map(self._steps[field].of(times).__getitem__, self._lengths[field]))
        return self._tables[field, times]

    def unit(self, fields: Sequence[tuple[Sequence[int], bytes]]) -> int:
        """The unit of a term that these sections and documents hold."""
        (titles, _), (headings, _), (paths, _), (bodies, _) = fields
        holding = len(bodies)
        if titles or headings or paths:
            sections = {*headings, *bodies}
            for place in chain(titles, paths):
                sections.update(range(self.firsts[place], self.firsts[place + 1]))
            holding = len(sections)
        return self.unit_of(holding)

    def unit_of(self, holding: int) -> int:
        """The unit of a term that so many sections hold."""
        if holding not in self._units:
            self._units[holding] = unit(self.section_count, holding)
        return self._units[holding]


def weigh(
    documents: Sequence[DocumentSections], body_lengths: Sequence[int]
) -> tuple[list[int], list[list[int]], list[int]]:
    """What `Weights` is made of, from documents in id order; `body_lengths` is by provisional number."""
    numbers = [0] * len(body_lengths)
    headings: list[int] = []
    bodies: list[int] = []
    firsts = [0]
    first = 0
    for document in documents:
        held = len(document.tokens)
        places = slice(document.provisional, document.provisional + document.step * held, document.step)
        numbers[places] = range(first, first + held)
        headings += document.heading_lengths
        bodies += body_lengths[places]
        first += held
        firsts.append(first)
    titles = [document.title_length for document in documents]
    paths = [document.path_length for document in documents]
    return numbers, [titles, headings, paths, bodies], firsts


def compile_fields(
    terms: Iterable[tuple[bytes, list[tuple[int, Counted]]]], weights: Weights, tell: Callable[[bytes, int], None]
) -> Iterator[bytes]:
    """The records of all terms, one after another, while `tell` is given what the dictionary holds.

    `terms` are the merged runs of all fields, each marked with its field.
    """
    offset = 0
    for key, said in terms:
        field, only = said[0]
        if field == BODY and isinstance(only, int) and len(said) == 1:  # most terms: one occurrence in all documents
            tell(key, alone_value(weights.unit_of(1), field, *weights.alone(field, only)))
            continue
        values: dict[int, list[Counted]] = {}
        for field, value in said:
            if field in values:
                values[field].append(value)
            else:
                values[field] = [value]
        found: list[tuple[Sequence[int], bytes]] = [([], b"")] * len(FIELDS)
        for field, of_field in values.items():
            found[field] = weights.steps(field, of_field)
        worth = weights.unit(found)
        if len(values) == 1 and len(found[field][0]) == 1:
            (number,), (step,) = found[field]
            tell(key, alone_value(worth, field, number, step))
            continue
        record = encode_record(key, worth, found, weights.populations)
        tell(key, offset)
        offset += len(record)
        yield record
