"""Compile words batch by batch, by arrays: the bytes that `word_compiler` makes term by term. Pure.

Only imported where numpy is. Terms and documents are one number together (`number_arrays`).
"""

from __future__ import annotations

from binascii import crc32
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from holdfast.caches.index_format import CHUNK
from holdfast.caches.number_arrays import LOWER, NUMBER, batches, begins, encoded_numbers, repeated, unpacked
from holdfast.caches.posting_record import PostingRecord, places_of
from holdfast.caches.word_index.word_compiler import (
    DENSE_SHARE,
    ONE_GROUP,
    SHAPED_HEAD,
    encode_counts,
    inline_value,
    is_dense,
)
from holdfast.caches.word_index.word_records import GROUP, INLINE_LIMIT, SHAPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.caches.number_arrays import Batch, Flags, Numbers
    from holdfast.caches.sorted_runs import Block

# More than any term but one made to be is held by a document; such a one is encoded by itself.
_MOST_TIMES = 0xFFFF


class PostingArrays:
    """Turns occurrences into postings; the parameters are those of `DocumentNumbers`, the first two packed."""

    def __init__(self, by_position: bytes, positions: bytes, bases: Sequence[int], places: Sequence[int]) -> None:
        self._by_position = unpacked(by_position)
        self.document_count = len(self._by_position)
        self._by_section = self._by_position[unpacked(positions)]
        self._bases, self._places = bases, places

    def counts(self, batch: Batch) -> tuple[Numbers, Numbers]:
        """The terms of a batch with the documents that hold each, ascending, and how often."""
        parts = []
        for run, (places, packed) in batch.said.items():
            keys, numbers = repeated(places, packed)
            base = self._bases[run]
            is_odd = numbers < 0  # told by their places
            if is_odd.any():
                own = numbers[is_odd]
                keys[is_odd] += self._by_position[self._places[run] - 1 - own]
                keys[~is_odd] += self._by_section[numbers[~is_odd] + base]
            else:
                keys += self._by_section[base:][numbers]
            parts.append(keys)
        keys = np.sort(np.concatenate(parts))
        starts = begins(keys)
        return keys[starts], np.diff(starts, append=len(keys))


def compile_batches(
    runs: Sequence[Iterator[Block]], arrays: PostingArrays, add: Callable[[Sequence[bytes], Sequence[int]], None]
) -> Iterator[PostingRecord]:
    """What `compile_terms` gives of merged runs, several records at a time."""
    offset = 0
    for batch in batches(runs):
        values: list[int] = []
        places: list[int] = []
        data: list[bytes] = []
        numbers: list[bytes] = []
        for place, record in enumerate(_encoded(batch.keys, *arrays.counts(batch), arrays.document_count)):
            if isinstance(record, int):
                values.append(record)
                continue
            values.append(0)
            places.append(place)
            data.append(record[0])
            numbers.append(record[1])
        *told, offset = places_of(data, numbers, offset)
        for place, value in zip(places, told, strict=True):
            values[place] = value
        add(batch.keys, values)
        yield PostingRecord(b"".join(data), b"".join(numbers))


def _encoded(
    terms: Sequence[bytes], keys: Numbers, times: Numbers, document_count: int
) -> Iterator[int | tuple[bytes, bytes]]:
    """The dictionary value of each term, or its record and its numbers."""
    begin = begins(keys >> LOWER)
    holding, most = np.diff(begin, append=len(keys)), np.maximum.reduceat(times, begin)
    has_groups = (most > np.minimum.reduceat(times, begin)) & (holding * DENSE_SHARE < document_count)
    groups = _Groups(keys, times, np.repeat(has_groups, holding), document_count)
    documents = keys & NUMBER
    halves = documents.astype("<u2").tobytes() if document_count <= CHUNK else b""
    columns = begin, holding, most, has_groups, documents[begin]
    rows = zip(terms, *(each.tolist() for each in columns), strict=True)
    for place, (key, first, count, highest, in_groups, document) in enumerate(rows):
        end = first + count
        if count == 1 and highest < INLINE_LIMIT:
            yield inline_value(highest, document)
            continue
        if in_groups and highest <= _MOST_TIMES:
            checked, numbers = groups.encoded(place, count)
        elif count * DENSE_SHARE < document_count and not in_groups:  # most terms
            if halves:
                numbers = halves[2 * first : 2 * end]
            else:
                numbers = encoded_numbers(documents[first:end], document_count)
            checked = ONE_GROUP.pack(SHAPE.size + GROUP.size, count, 1, 0, highest, count)
        elif is_dense(count, highest, document_count):
            dense = np.zeros(document_count, np.uint8)
            dense[documents[first:end]] = times[first:end]
            checked = SHAPED_HEAD.pack(SHAPE.size + document_count, count, 0, highest) + dense.tobytes()
            numbers = b""
        else:
            counts = zip(documents[first:end].tolist(), times[first:end].tolist(), strict=True)
            yield encode_counts(key, dict(counts), document_count)
            continue
        yield crc32(checked, crc32(key)).to_bytes(4, "little") + checked, numbers


class _Groups:
    """The groups of terms, made all at once and cut term by term; `wanted` says of which rows."""

    def __init__(self, keys: Numbers, times: Numbers, wanted: Flags, document_count: int) -> None:
        self._document_count = document_count
        keys, times = keys[wanted], np.minimum(times[wanted], _MOST_TIMES)
        # Term, how often from the most on, and document in one number.
        ordered = np.sort((keys >> LOWER << 48) | (_MOST_TIMES - times << LOWER) | (keys & NUMBER))
        self._documents = ordered & NUMBER
        self._halves = self._documents.astype("<u2").tobytes() if document_count <= CHUNK else b""
        begin = begins(ordered >> LOWER)
        self._begins = [*begin.tolist(), len(ordered)]
        heads = np.empty((len(begin), 2), "<u4")
        heads[:, 0] = _MOST_TIMES - (ordered[begin] >> LOWER & _MOST_TIMES)
        heads[:, 1] = np.diff(begin, append=len(ordered))
        self._heads = heads.tobytes()
        terms = ordered[begin] >> 48
        of_terms = begins(terms)
        extents = zip(of_terms.tolist(), (of_terms + np.diff(of_terms, append=len(terms))).tolist(), strict=True)
        self._of_term = dict(zip(terms[of_terms].tolist(), extents, strict=True))

    def encoded(self, place: int, holding: int) -> tuple[bytes, bytes]:
        """The record of a term but for its checksum, and its numbers."""
        first, after = self._of_term[place]
        begin, end = self._begins[first], self._begins[after]
        if self._halves:
            numbers = self._halves[2 * begin : 2 * end]
        else:
            numbers = b"".join(
                [
                    encoded_numbers(self._documents[start:stop], self._document_count)
                    for start, stop in pairwise(self._begins[first : after + 1])
                ]
            )
        size = SHAPE.size + GROUP.size * (after - first)
        heads = self._heads[GROUP.size * first : GROUP.size * after]
        return SHAPED_HEAD.pack(size, holding, after - first, 0) + heads, numbers
