"""Compile what was counted in sections into the records of an index. Pure.

A section has a provisional number while it is counted, since other processes count other documents; here it gets its
final one, by id and line.
"""

from __future__ import annotations

from itertools import compress
from operator import mul, sub

from holdfast.caches.index.runs import few_places, looked_up, places_by_times
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
# A term that one in so many holds has its steps laid out by number, which saves sorting them.
_DENSE = 8


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

    def steps_of_few(self, provisional: tuple[int, ...]) -> tuple[Sequence[int], bytes]:
        """Ascending numbers of a few sections whose bodies hold a term once, and the step of each."""
        numbers = sorted(looked_up(self._numbers[BODY], provisional))
        return numbers, bytes(looked_up(self._table(BODY, 1), numbers))

    def steps(self, field: int, values: Sequence[Counted]) -> tuple[Sequence[int], bytes]:
        """Ascending numbers that hold a term in a field, and the step of each."""
        numbers = self._numbers[field]
        if len(values) == 1 and type(values[0]) is tuple and len(values[0]) == 1:
            number = numbers[values[0][0]]
            return (number,), self._table(field, 1)[number : number + 1]
        lists = places_by_times(values)
        if len(lists) == 1:
            ((times, provisional),) = lists.items()
            found = sorted(looked_up(numbers, provisional))
            return found, bytes(self._looked_up(field, times, found))
        if _DENSE * sum(map(len, lists.values())) < self.populations[field]:
            sparse: dict[int, int] = {}
            for times, provisional in lists.items():
                held = looked_up(numbers, provisional)
                sparse.update(zip(held, self._looked_up(field, times, held), strict=True))
            found = sorted(sparse)
            return found, bytes(map(sparse.__getitem__, found))
        lane = bytearray(self.populations[field])  # no step is 0
        for times, provisional in lists.items():
            held = looked_up(numbers, provisional)
            for number, step in zip(held, self._looked_up(field, times, held), strict=True):
                lane[number] = step
        return list(compress(range(len(lane)), lane)), bytes(lane.translate(None, b"\0"))

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

    def holding(self, fields: Sequence[tuple[int, Sequence[int], bytes]]) -> int:
        """How many sections hold a term that these sections and documents hold in these fields."""
        if len(fields) == 1 and fields[0][0] == BODY:
            return len(fields[0][1])
        sections: set[int] = set()
        for field, numbers, _ in fields:
            if field in (BODY, HEADINGS):
                sections.update(numbers)
            else:
                for place in numbers:
                    sections.update(range(self.firsts[place], self.firsts[place + 1]))
        return len(sections)

    def unit(self, holding: int) -> int:
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
        few = few_places(said, BODY)
        if few:  # most terms: some occurrences, in bodies alone
            fields = [(BODY, *weights.steps_of_few(few))]
            worth = weights.unit(len(few))
        else:
            values: dict[int, list[Counted]] = {}
            for field, value in said:
                values.setdefault(field, []).append(value)
            fields = [(field, *weights.steps(field, values[field])) for field in sorted(values)]
            worth = weights.unit(weights.holding(fields))
        if len(fields) == 1 and len(fields[0][1]) == 1:
            ((field, (number,), (step,)),) = fields
            tell(key, alone_value(worth, field, number, step))
            continue
        record = encode_record(key, worth, fields, weights.populations)
        tell(key, offset)
        offset += len(record)
        yield record
