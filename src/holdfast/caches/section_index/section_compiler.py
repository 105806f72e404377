"""Compile what was counted in sections into the records of an index. Pure.

Sections are numbered by id and line, so documents that were counted one after another, in id order, have ascending
numbers, and nothing needs sorting.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from operator import mul, sub

from holdfast.caches.index_format.packed_numbers import NUMBER, shifted
from holdfast.caches.search.impacts import FIELDS, Steps, unit
from holdfast.caches.section_index.impact_list_encoder import alone_value, encode_field, encode_record
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from holdfast.caches.section_index.impact_list_encoder import Field

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

    def field(self, field: int, numbers: bytes) -> Field:
        """What a record has of a term that occurs in a field under these packed numbers."""
        return encode_field(numbers, self._steps[field], self.populations[field])

    def alone(self, field: int, number: int) -> int:
        """What the dictionary has of a term that occurs once, in a field of whoever has that number."""
        held_by = 1 if field in (BODY, HEADINGS) else self.firsts[number + 1] - self.firsts[number]
        return alone_value(self.unit(held_by), field, number, self._steps[field][1][number])

    def holding(self, values: Mapping[int, bytes], bodies: int) -> int:
        """How many sections hold a term, given its numbers in each field and how many hold it in their bodies."""
        others: set[int] = set()
        for field, numbers in values.items():
            if field == HEADINGS:
                others.update(array("I", numbers))
            elif field != BODY:
                for place in array("I", numbers):
                    others.update(range(self.firsts[place], self.firsts[place + 1]))
        if not bodies:
            return len(others)
        held = array("I", values[BODY])
        return bodies + sum([_is_missing(held, number) for number in others])

    def unit(self, holding: int) -> int:
        """The unit of a term that so many sections hold."""
        if holding not in self._units:
            self._units[holding] = unit(self.section_count, holding)
        return self._units[holding]


def _is_missing(numbers: Sequence[int], number: int) -> bool:
    """Whether a number is none of these ascending ones."""
    at = bisect_left(numbers, number)
    return at == len(numbers) or numbers[at] != number


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


class FieldLengths(NamedTuple):
    """What `Weights` is made of: for each field the words of whoever holds it, documents or sections, and the number
    of each document's first section and, last, of all."""

    by_field: list[list[int]]
    firsts: list[int]


def field_lengths(documents: Sequence[DocumentSections], body_lengths: list[int]) -> FieldLengths:
    """The lengths of all fields, from documents in id order and the words of all their sections' bodies."""
    firsts = [0]
    for document in documents:
        firsts.append(firsts[-1] + len(document.tokens))
    titles = [document.title_length for document in documents]
    paths = [document.path_length for document in documents]
    headings = [length for document in documents for length in document.heading_lengths]
    return FieldLengths([titles, headings, paths, body_lengths], firsts)


def compile_fields(
    terms: Iterable[tuple[bytes, list[tuple[int, bytes]]]],
    marks: Sequence[tuple[int, int]],
    weights: Weights,
    tell: Callable[[bytes, int], None],
) -> Iterator[bytes]:
    """The records of all terms, one after another, while `tell` is given what the dictionary holds.

    `terms` are the merged runs of all fields; by mark, `marks` has the field of a run and its base.
    """
    offset = 0
    for key, said in terms:
        if len(said) == 1 and len(said[0][1]) == NUMBER:
            field, base = marks[said[0][0]]
            tell(key, weights.alone(field, base + int.from_bytes(said[0][1], "little")))
            continue
        values: dict[int, bytes] = {}
        for mark, numbers in said:
            field, base = marks[mark]
            if base:
                numbers = shifted(numbers, base)
            values[field] = values[field] + numbers if field in values else numbers
        fields = [(field, weights.field(field, values[field])) for field in sorted(values)]
        field, (steps, *_) = fields[-1]
        bodies = len(steps) if field == BODY else 0
        is_alone = len(fields) == 1
        worth = weights.unit(bodies if bodies and is_alone else weights.holding(values, bodies))
        if is_alone and len(steps) == 1:
            tell(key, alone_value(worth, field, array("I", values[field])[0], steps[0]))
            continue
        record = encode_record(key, worth, fields)
        tell(key, offset)
        offset += len(record)
        yield record
