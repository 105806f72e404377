"""Numbers of many terms at once, by arrays: what compiling words and compiling sections have in common. Pure.

Only imported where numpy is. A term and a number of it, of a document or a section, are one number: the term's place in
its batch above, the other in the lower 32 bits. What is sorted by these is in the order of the index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.caches.index_format import CHUNK, chunks, is_wide

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    # A term, and where it occurs, as runs tell it.
    Batch = list[tuple[bytes, list[tuple[int, bytes]]]]

LOWER = 32  # bits of a section's or a document's number
NUMBER = (1 << LOWER) - 1
# So many bytes of occurrences, or so many terms, are handled at once: an array has twice the bytes, and there are a
# dozen at a time.
_BATCH_BYTES, _BATCH_TERMS = 1 << 20, 1 << 14


def batches(terms: Iterable[tuple[bytes, list[tuple[int, bytes]]]]) -> Iterator[Batch]:
    """The terms of merged runs, several at a time."""
    batch: Batch = []
    size = 0
    for term in terms:
        batch.append(term)
        said = term[1]
        size += len(said[0][1]) if len(said) == 1 else sum([len(packed) for _, packed in said])
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_TERMS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def unpacked(numbers: bytes) -> Numbers:
    """Numbers as they are handed from process to process."""
    return np.frombuffer(numbers, np.int32).astype(np.int64)


def joined_keys(terms: Sequence[int], packed: Sequence[bytes], bases: Sequence[int]) -> Numbers:
    """Each term and each of its packed numbers as one number; a base is added to the latter."""
    sizes = np.fromiter(map(len, packed), np.int64, len(packed)) // 4
    above = (np.array(terms, np.int64) << LOWER) + np.array(bases, np.int64)
    return np.repeat(above, sizes) + np.frombuffer(b"".join(packed), np.int32)


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
