"""Compile what was counted in sections into the columns, records and impacts of `sections.idx`. Pure.

Sections are numbered by id and line, so documents that were counted one after another, in id order, have ascending
numbers, and nothing needs sorting.
"""

from __future__ import annotations

from array import array
from binascii import crc32
from bisect import bisect_left
from itertools import accumulate, compress, count
from operator import mul, sub

from holdfast.caches.index_format import INLINE
from holdfast.caches.search.impacts import FIELDS, Steps, unit
from holdfast.caches.section_index.section_records import COUNT, HEAD, LENGTH, SECTION, SIZES, SectionColumns
from holdfast.caches.sorted_runs import NUMBER, encode_numbers, gaps, looked_up, shifted
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from holdfast.caches.search.section import Section

    # What a record has of a field: (steps, gap_encoded, data).
    Field = tuple[bytes, bool, bytes]

TITLE, HEADINGS, PATH, BODY = range(len(FIELDS))
# A term that occurs more often in one field has its step computed rather than looked up.
_USUAL_TIMES = 12
# Gaps are encoded in bytes; this one goes on without naming a number, and has the step 0.
_CONTINUATION = 255
_KEPT = 1 << 14  # the bytes of shorter gaps are remembered
# Every byte that is not zero becomes 1, and the other way round.
_MARKS = bytes([0, *[1] * 255])
_OTHERS = bytes([1, *[0] * 255])


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


def make_columns(tokens: Sequence[int], firsts: Sequence[int]) -> SectionColumns:
    """The columns of sections in their order."""
    return SectionColumns(tokens, firsts, sorted(range(len(tokens)), key=tokens.__getitem__))


def encode_columns(columns: SectionColumns) -> bytes:
    """The bytes of the `columns` section."""
    counts = SIZES.pack(len(columns.tokens), len(columns.firsts) - 1)
    return counts + b"".join([array("I", column).tobytes() for column in columns])


def encode_section(section: Section) -> bytes:
    """The record of a section; its checksum is seeded with its number when the index is written."""
    parts = [SECTION.pack(0, section.start, section.end, section.first, section.last, len(section.heading))[4:]]
    for heading in section.heading:
        text = heading.encode()
        parts.append(LENGTH.pack(len(text)) + text)
    return b"".join(parts)


def seal_section(number: int, body: bytes) -> bytes:
    """A record as the index holds it."""
    return crc32(body, number).to_bytes(4, "little") + body


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

    def inline(self, field: int, number: int) -> int:
        """What the dictionary has of a term that occurs once, in a field of whoever has that number."""
        held_by = 1 if field in (BODY, HEADINGS) else self.firsts[number + 1] - self.firsts[number]
        return inline_value(self.unit(held_by), field, number, self._steps[field][1][number])

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
            tell(key, weights.inline(field, base + int.from_bytes(said[0][1], "little")))
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
        is_only_field = len(fields) == 1
        worth = weights.unit(bodies if bodies and is_only_field else weights.holding(values, bodies))
        if is_only_field and len(steps) == 1:
            tell(key, inline_value(worth, field, array("I", values[field])[0], steps[0]))
            continue
        record = encode_record(key, worth, fields)
        tell(key, offset)
        offset += len(record)
        yield record


class _GapBytes(dict[int, bytes]):
    """gap -> its bytes: one 255 for every 255 in it, then the rest."""

    def __missing__(self, gap: int) -> bytes:
        continuations, rest = divmod(gap, _CONTINUATION)
        encoded = bytes([_CONTINUATION]) * continuations + bytes([rest])
        if gap < _KEPT:
            self[gap] = encoded
        return encoded


_GAP_BYTES = _GapBytes()


def inline_value(unit: int, field: int, number: int, step: int) -> int:
    """The dictionary value that stands for a term's only impact."""
    return INLINE | field << 56 | unit << 40 | step << 32 | number


def encode_record(key: bytes, unit: int, fields: Iterable[tuple[int, Field]]) -> bytes:
    """The record of a term."""
    shape = 0
    parts = []
    for field, (_, is_gap_encoded, data) in fields:
        shape |= (17 if is_gap_encoded else 1) << field
        parts.append(data)
    body = b"".join(parts)
    checked = HEAD.pack(0, len(body), unit, shape)[4:] + body
    return crc32(checked, crc32(key)).to_bytes(4, "little") + checked


def encode_field(packed: bytes, steps: Mapping[int, Sequence[int]], population: int) -> Field:
    """What the record has of a field in which a term occurs at these packed numbers, ascending.

    `steps` has, by how often it occurs there, the step by number.
    """
    numbers = array("I", packed)
    told: Iterable[int] = looked_up(steps[1], numbers)
    if _is_far(numbers[-1], len(numbers)) and len(set(numbers)) == len(numbers):  # most terms
        return _encoded_by_number(numbers, bytes(told), population)
    apart = gaps(packed)
    near, *far = [apart[at::NUMBER] for at in range(NUMBER)]
    if _CONTINUATION not in near and not b"".join(far).strip(b"\0"):
        changes = b"\1" + near[1:].translate(_MARKS)
        if 0 in changes:
            told = _repeated(told, numbers, changes, steps)
            near = near[:1] + near[1:].translate(None, b"\0")
        encoded = bytes(told)
        return encoded, True, COUNT.pack(len(near)) + near + encoded
    distances = array("I", apart).tolist()
    if 0 in distances[1:]:
        changes = b"\1" + bytes(map(bool, distances[1:]))
        told = _repeated(told, numbers, changes, steps)
        numbers, distances = array("I", compress(numbers, changes)), list(compress(distances, changes))
    encoded = bytes(told)
    data = b"".join(map(_GAP_BYTES.__getitem__, distances))
    if 2 * (len(data) - len(distances)) > len(distances):  # takes more room than two bytes a number
        return _encoded_by_number(numbers, encoded, population)
    ends = list(accumulate(map(len, data.split(bytes([_CONTINUATION]))), initial=0))
    with_zeros = b"\0".join(map(encoded.__getitem__, map(slice, ends, ends[1:])))
    return encoded, True, COUNT.pack(len(data)) + data + with_zeros


def _encoded_by_number(numbers: array[int], steps: bytes, population: int) -> Field:
    return steps, False, COUNT.pack(len(numbers)) + encode_numbers(numbers, population) + steps


def _repeated(
    told: Iterable[int], numbers: Sequence[int], changes: bytes, steps: Mapping[int, Sequence[int]]
) -> Iterable[int]:
    """The step of each number, given those of single occurrences; `changes` has a zero where one occurs again."""
    put_right = bytearray(told)
    ends = changes[1:] + b"\1"
    times = 1
    for at in compress(count(), changes.translate(_OTHERS)):
        times = 2 if changes[at - 1] else times + 1
        if ends[at]:
            put_right[at - times + 1] = steps[times][numbers[at]]
    return compress(put_right, changes)


def _is_far(last: int, count: int) -> bool:
    """Whether so many numbers up to a last one are so far apart that gaps take more than two bytes each."""
    return 2 * (last // _CONTINUATION) > 3 * count  # at most one gap in a number makes up for a continuation
