"""Numbers of many terms at once, by arrays: what compiling words and compiling sections have in common. Pure.

Only imported where numpy is. A term and a number of it, of a document or a section, are one number: the term's place in
its batch above, the other in the lower 32 bits. What is sorted by these is in the order of the index.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast.caches.index_format import CHUNK, chunks, is_wide
from holdfast.caches.sorted_runs import windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    from holdfast.caches.sorted_runs import Block, Said

LOWER = 32  # bits of a section's or a document's number
NUMBER = (1 << LOWER) - 1
# So many bytes of occurrences, or so many terms, are handled at once: an array has twice the bytes, and there are a
# dozen at a time.
_BATCH_BYTES, _BATCH_TERMS = 1 << 20, 1 << 14


class Batch(NamedTuple):
    """Keys of terms in order, and by the number of a run the places of its terms among them, each with its packed
    numbers."""

    keys: list[bytes]
    said: dict[int, tuple[list[int], list[bytes]]]


def batches(runs: Sequence[Iterator[Block]]) -> Iterator[Batch]:
    """The terms of all runs, merged, several at a time."""
    batch, size = Batch([], {}), 0
    for window in windows(runs):
        for part, part_size in _light(window):
            keys = sorted(set().union(*[own for _, own, _ in part])) if len(part) > 1 else part[0][1]
            placed = dict(zip(keys, range(len(batch.keys), len(batch.keys) + len(keys)), strict=True))
            batch.keys.extend(keys)
            for mark, own, values in part:
                places, packed = batch.said.setdefault(mark, ([], []))
                places.extend(map(placed.__getitem__, own))
                packed.extend(values)
            size += part_size
            if size >= _BATCH_BYTES or len(batch.keys) >= _BATCH_TERMS:
                yield batch
                batch, size = Batch([], {}), 0
    if batch.keys:
        yield batch


def _light(window: list[Said]) -> Iterator[tuple[list[Said], int]]:
    """A window of terms, cut in parts that are not too many bytes, or have one term; the bytes of each."""
    size = sum([sum(map(len, values)) for _, _, values in window])
    longest = max([keys for _, keys, _ in window], key=len)
    if size <= 2 * _BATCH_BYTES or longest[0] == longest[-1]:
        yield window, size
        return
    last = longest[(len(longest) - 1) // 2]
    cuts = [(mark, keys, values, bisect_right(keys, last)) for mark, keys, values in window]
    yield from _light([(mark, keys[:cut], values[:cut]) for mark, keys, values, cut in cuts if cut])
    yield from _light([(mark, keys[cut:], values[cut:]) for mark, keys, values, cut in cuts if cut < len(keys)])


def unpacked(numbers: bytes) -> Numbers:
    """Numbers as they are handed from process to process."""
    return np.frombuffer(numbers, np.int32).astype(np.int64)


def repeated(places: Sequence[int], packed: Sequence[bytes]) -> tuple[Numbers, NDArray[np.int32]]:
    """The place of a term, above, for each of its packed numbers; and these numbers."""
    sizes = np.fromiter(map(len, packed), np.int64, len(packed)) // 4
    return np.repeat(np.array(places, np.int64) << LOWER, sizes), np.frombuffer(b"".join(packed), np.int32)


def begins(keys: Numbers | NDArray[np.uint32]) -> Numbers:
    """Where sorted numbers differ from the one before."""
    is_new = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return np.flatnonzero(is_new)


def encoded_numbers(numbers: Numbers, count: int) -> bytes:
    """What `sorted_runs.encode_numbers` gives of ascending numbers below a count."""
    if count <= CHUNK:
        return numbers.astype("<u2").tobytes()
    if is_wide(len(numbers), count):
        return numbers.astype("<u4").tobytes()
    reached = np.searchsorted(numbers, np.arange(chunks(count) + 1) << 16)
    return np.diff(reached).astype("<u4").tobytes() + (numbers & 0xFFFF).astype("<u2").tobytes()
