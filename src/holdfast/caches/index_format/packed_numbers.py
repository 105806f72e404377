"""Numbers of 32 bits packed into bytes, handled without a step of the interpreter for each. Pure.

They are packed as this machine has them in memory, and an index is only made where that is little-endian.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import pairwise
from operator import itemgetter

from holdfast.caches.index_format.ascending_numbers import CHUNK, chunks, is_wide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NUMBER = 4  # bytes of a packed number


def looked_up(table: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """What a table holds at these places, without a step of the interpreter a place."""
    return itemgetter(*places)(table) if len(places) > 1 else (table[places[0]],)


def packed(numbers: Iterable[int]) -> bytes:
    """Numbers as runs hold them, and as they are handed from process to process."""
    return array("i", numbers).tobytes()


def shifted(packed: bytes, base: int) -> bytes:
    """A base added to each of packed numbers, as the one long number they make up together."""
    size = len(packed)
    added = int.from_bytes(base.to_bytes(NUMBER, "little") * (size // NUMBER), "little")
    return (int.from_bytes(packed, "little") + added).to_bytes(size, "little")


def gaps(packed: bytes) -> bytes:
    """How far each of packed numbers is from the one before, the first from 0; none is below the one before."""
    before = int.from_bytes(packed[:-NUMBER], "little") << 8 * NUMBER
    return (int.from_bytes(packed, "little") - before).to_bytes(len(packed), "little")


def encode_numbers(documents: Sequence[int], document_count: int) -> bytes:
    """Ascending numbers below a count, in half the room where that can be had."""
    whole = array("I", documents)
    if document_count <= CHUNK:
        return array("H", whole.tobytes())[::2].tobytes()
    if is_wide(len(documents), document_count):
        return whole.tobytes()
    starts = [bisect_left(documents, chunk << 16) for chunk in range(chunks(document_count) + 1)]
    sizes = array("I", [end - start for start, end in pairwise(starts)])
    halves = array("H", whole.tobytes())[::2]
    return sizes.tobytes() + halves.tobytes()
