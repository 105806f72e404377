"""Compile what was counted in sections into the records of an index. Pure.

Sections are numbered by id and line, so documents that were counted one after another, in id order, have ascending
numbers, and nothing needs sorting.
"""

from __future__ import annotations

from operator import getitem, mul, sub

from holdfast.caches.index.runs import looked_up, told
from holdfast.caches.search.impacts import FIELDS, Steps, unit
from holdfast.caches.search.posting_records import alone_value, encode_record
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from holdfast.caches.index.runs import Listed
    from holdfast.caches.search.posting_records import FieldSteps

TITLE, HEADINGS, PATH, BODY = range(len(FIELDS))
# A term that occurs more often in one field has its step computed rather than looked up.
_USUAL_TIMES = 12


class DocumentSections(NamedTuple):
    """What the index needs to know of one document: lengths of its fields, and its sections.

    `records` are the sections' encoded records one after another, `sizes` their lengths. How long bodies are is known
    later.
    """

    title_length: int
    path_length: int
    tokens: list[int]
    heading_lengths: list[int]
    records: bytes
    sizes: list[int]


class Weights:
    """What turns counts into units and steps.

    `lengths` has for each field the words of whoever holds it, documents or sections, and `firsts` the number of each
    document's first section and, last, of all.
    """

    def __init__(self, lengths: Sequence[Sequence[int]], firsts: Sequence[int]) -> None:
        self.firsts = firsts
        self.section_count = count = firsts[-1]
        documents = len(firsts) - 1
        self.populations = (documents, count, documents, count)
        held_by = list(map(sub, firsts[1:], firsts))
        titles, headings, paths, bodies = lengths
        # The average is over sections: a title counts once for each section below it.
        totals = (sum(map(mul, titles, held_by)), sum(headings), sum(map(mul, paths, held_by)), sum(bodies))
        self._steps = [_StepsByTimes(Steps(total, count), each) for total, each in zip(totals, lengths, strict=True)]
        self._units: dict[int, int] = {}

    def steps(self, field: int, values: Iterable[tuple[int, Listed]]) -> tuple[Sequence[int], bytes]:
        """Ascending numbers that hold a term in a field, and the step of each; given what runs say, and their bases."""
        numbers, times = told(values)
        steps = self._steps[field]
        if not times:
            return numbers, bytes(looked_up(steps[1], numbers))
        return numbers, bytes(map(getitem, map(steps.__getitem__, times), numbers))

    def holding(self, fields: FieldSteps) -> int:
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


class _StepsByTimes(dict[int, "Sequence[int]"]):
    """how often a term occurs in a field -> number of who holds it -> step."""

    def __init__(self, steps: Steps, lengths: Sequence[int]) -> None:
        super().__init__()
        self._steps, self._lengths = steps, lengths

    def __missing__(self, times: int) -> Sequence[int]:
        by_length = self._steps.of(times)
        steps: Any = _Computed(by_length, self._lengths)
        if times <= _USUAL_TIMES:
            steps = bytes(map(by_length.__getitem__, self._lengths))
        self[times] = steps
        return steps  # type: ignore[no-any-return]  # both give a step for a number, which is all that is asked


class _Computed:
    def __init__(self, steps: dict[int, int], lengths: Sequence[int]) -> None:
        self._steps, self._lengths = steps, lengths

    def __getitem__(self, number: int) -> int:
        return self._steps[self._lengths[number]]


def weigh(documents: Sequence[DocumentSections], body_lengths: list[int]) -> tuple[list[list[int]], list[int]]:
    """What `Weights` is made of, from documents in id order and the words of all their sections' bodies."""
    firsts = [0]
    for document in documents:
        firsts.append(firsts[-1] + len(document.tokens))
    titles = [document.title_length for document in documents]
    paths = [document.path_length for document in documents]
    headings = [length for document in documents for length in document.heading_lengths]
    return [titles, headings, paths, body_lengths], firsts


def compile_fields(
    terms: Iterable[tuple[bytes, list[tuple[int, Listed]]]],
    marks: Sequence[tuple[int, int]],
    weights: Weights,
    tell: Callable[[bytes, int], None],
) -> Iterator[bytes]:
    """The records of all terms, one after another, while `tell` is given what the dictionary holds.

    `terms` are the merged runs of all fields; by mark, `marks` has the field of a run and its base.
    """
    offset = 0
    for key, said in terms:
        values: dict[int, list[tuple[int, Listed]]] = {}
        for mark, value in said:
            field, base = marks[mark]
            if field in values:
                values[field].append((base, value))
            else:
                values[field] = [(base, value)]
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
