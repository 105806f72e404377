"""Compile the terms of sections batch by batch, by arrays: the bytes that `section_compiler` makes term by term. Pure.

Only imported where numpy is.
"""

from __future__ import annotations

from binascii import crc32
from typing import TYPE_CHECKING

import numpy as np

from holdfast.caches.index_format import CHUNK, INLINE
from holdfast.caches.number_arrays import batches, encoded_numbers
from holdfast.caches.posting_record import PostingRecord, places_of
from holdfast.caches.section_index.section_compiler import CONTINUATION, MOST_IN_NARROW, SHORT_HEAD, with_numbers
from holdfast.caches.section_index.section_records import (
    DENSE,
    HEAD,
    HELD,
    IN_GAPS,
    IS_WIDE,
    LISTED,
    NARROW,
    ONE_DOCUMENT,
    WIDE,
)
from holdfast.caches.section_index.step_arrays import StepArrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from struct import Struct

    from numpy.typing import NDArray

    from holdfast.caches.number_arrays import Flags, Numbers
    from holdfast.caches.section_index.section_compiler import EncodedList
    from holdfast.caches.section_index.step_arrays import ListRows, Named, StepRows
    from holdfast.caches.sorted_runs import Block

# How a list is written.
_IN_FULL, _BY_GAPS, _DENSELY = range(3)


def compile_batches(
    runs: Sequence[Iterator[Block]],
    marks: Sequence[tuple[int, int]],
    lengths: Sequence[bytes],
    tell: Callable[[Sequence[bytes], Sequence[int]], None],
) -> Iterator[PostingRecord]:
    """What `compile_lists` gives of merged runs, several records at a time; `lengths` are those of all fields,
    packed."""
    arrays = StepArrays(lengths)
    offset = 0
    for batch in batches(runs):
        fields: dict[int, list[Named]] = {}
        for mark, said in batch.said.items():
            field, base = marks[mark]
            fields.setdefault(field, []).append((*said, base))
        lists = arrays.lists(len(batch.keys), fields)
        inline = _inline_values(lists, arrays.firsts)
        values: list[int] = inline.tolist()
        places: list[int] = np.flatnonzero(inline == 0).tolist()
        data, numbers = _records(batch.keys, places, lists, arrays)
        *begins, offset = places_of(data, numbers, offset)
        for place, begin in zip(places, begins, strict=True):
            values[place] = begin
        tell(batch.keys, values)
        yield PostingRecord(b"".join(data), b"".join(numbers))


def _inline_values(lists: ListRows, firsts: Numbers) -> NDArray[np.uint64]:
    """The dictionary value of each term of which that says all there is to say; 0 of others."""
    sections, documents, holding = lists
    of_sections, of_documents = np.diff(sections.ends, prepend=0), np.diff(documents.ends, prepend=0)
    values = np.zeros(len(of_sections), np.uint64)
    alone = np.flatnonzero((of_sections == 1) & (of_documents == 0))
    rows = sections.ends[alone] - 1
    found = sections.steps[rows] << 32 | sections.numbers[rows]
    values[alone] = found.astype(np.uint64) | np.uint64(INLINE)
    named = np.flatnonzero((of_sections == 1) & (of_documents == 1))
    rows, own = sections.ends[named] - 1, documents.ends[named] - 1
    first, after = firsts[documents.numbers[own]], firsts[documents.numbers[own] + 1]
    is_first = (sections.numbers[rows] == first) & (sections.steps[rows] == 1) & (holding[named] == after - first)
    found = documents.steps[own] << 32 | documents.numbers[own]
    values[named[is_first]] = found[is_first].astype(np.uint64) | np.uint64(INLINE | ONE_DOCUMENT << 56)
    return values


def _records(
    keys: Sequence[bytes], places: Sequence[int], lists: ListRows, arrays: StepArrays
) -> tuple[list[bytes], list[bytes]]:
    """The records of the terms at these places, and the numbers of each."""
    sections = _EncodedRows(lists.sections, arrays.firsts[-1].item())
    documents = _EncodedRows(lists.documents, len(arrays.firsts) - 1)
    all_holding = lists.holding.tolist()
    records: list[bytes] = []
    all_numbers: list[bytes] = []
    for place in places:
        count, listed, holding = sections.counts[place], documents.counts[place], all_holding[place]
        if holding == count <= MOST_IN_NARROW and not listed:  # most terms
            bits, body, numbers = sections.encoded(place, NARROW)
            checked = SHORT_HEAD.pack(bits, sections.highest[place], len(body)) + body
        else:
            size, shape = (WIDE, IS_WIDE) if count + listed > MOST_IN_NARROW else (NARROW, 0)
            body = numbers = b""
            if count:
                bits, body, numbers = sections.encoded(place, size)
                shape |= bits
            if listed:
                bits, more, their_numbers = documents.encoded(place, size)
                shape |= bits << 1
                body += with_numbers(more, their_numbers, size)
            if holding != count:
                shape |= HELD
                body = WIDE.pack(holding) + body
            checked = HEAD.pack(0, shape, sections.highest[place])[4:] + size.pack(len(body)) + body
        records.append(crc32(checked, crc32(keys[place])).to_bytes(4, "little") + checked)
        all_numbers.append(numbers)
    return records, all_numbers


class _EncodedRows:
    """The bytes of lists, made all at once and cut term by term."""

    def __init__(self, rows: StepRows, population: int) -> None:
        self._population = population
        self._numbers, steps, ends = rows
        counts = np.diff(ends, prepend=0)
        begins = ends - counts
        held = counts > 0
        self.counts, self._begins = counts.tolist(), begins.tolist()
        highest = np.zeros(len(counts), np.int64)
        last = np.zeros(len(counts), np.int64)
        if len(steps):
            highest[held] = np.maximum.reduceat(steps, begins[held])
            last[held] = self._numbers[ends[held] - 1]
        self.highest = highest.tolist()
        self._steps = steps.astype(np.uint8)
        self._step_bytes = self._steps.tobytes()
        self._halves = self._numbers.astype("<u2").tobytes() if population <= CHUNK else b""
        kinds = np.full(len(counts), _IN_FULL)
        kinds[3 * counts >= population] = _DENSELY
        near = held & (3 * counts < population) & (2 * (last // CONTINUATION) <= 3 * counts)
        kinds[near] = _BY_GAPS
        reached = self._make_gaps(np.repeat(near, counts), begins[held])
        at, until = reached[begins], reached[ends]
        kinds[near & (2 * (until - at - counts) > counts)] = _IN_FULL
        self._kinds = kinds.tolist()
        self._gap_begins, self._gap_ends = at.tolist(), until.tolist()

    def _make_gaps(self, is_near: Flags, begins: Numbers) -> Numbers:
        """Make the gaps of rows in lists that are near, one after another; the bytes of those before each row."""
        gaps = np.diff(self._numbers, prepend=0)
        gaps[begins] = self._numbers[begins]
        sizes = np.where(is_near, gaps // CONTINUATION + 1, 0)
        reached = np.concatenate(([0], np.cumsum(sizes)))
        named = reached[1:][is_near] - 1
        data, steps = np.full(reached[-1], CONTINUATION, np.uint8), np.zeros(reached[-1], np.uint8)
        data[named] = gaps[is_near] % CONTINUATION
        steps[named] = self._steps[is_near]
        self._gaps, self._gap_steps = data.tobytes(), steps.tobytes()
        return reached

    def encoded(self, place: int, size: Struct) -> EncodedList:
        """What `encode_list` gives of a term's list."""
        kind, begin, count = self._kinds[place], self._begins[place], self.counts[place]
        end = begin + count
        if kind == _BY_GAPS:
            at, until = self._gap_begins[place], self._gap_ends[place]
            return LISTED | IN_GAPS, size.pack(until - at) + self._gaps[at:until] + self._gap_steps[at:until], b""
        if kind == _DENSELY:
            dense = np.zeros(self._population, np.uint8)
            dense[self._numbers[begin:end]] = self._steps[begin:end]
            return LISTED | DENSE, dense.tobytes(), b""
        if self._halves:
            numbers = self._halves[2 * begin : 2 * end]
        else:
            numbers = encoded_numbers(self._numbers[begin:end], self._population)
        return LISTED, size.pack(count) + self._step_bytes[begin:end], numbers
