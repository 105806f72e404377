"""A posting or impact list in two places: its record, and apart from it numbers that can be moved all at once. Pure.

The dictionary's value of a term is a place: where its record begins in `postings`, and where its numbers begin in
`numbers`. Places are added to and subtracted from each other as plain numbers.
"""

from __future__ import annotations

from _operator import add  # `operator` itself is slower to load
from binascii import crc32
from itertools import accumulate

from holdfast.caches.index_format import CHUNK, chunks, is_wide
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_RECORD_BITS = 32
_RECORD = (1 << _RECORD_BITS) - 1
_UNIT = 2  # bytes of numbers that a place counts by
_IN_BYTES = (1 << _RECORD_BITS) // _UNIT  # what a byte of numbers adds to a place, these being even
# No more bytes of records, and of numbers, can be told by a place.
MOST_BYTES = 1 << _RECORD_BITS


class PostingRecord(NamedTuple):
    """What stands of a term, or of several, in `postings` and in `numbers`."""

    data: bytes
    numbers: bytes

    @property
    def size(self) -> int:
        """How far the place after it is."""
        return place_of(len(self.data), len(self.numbers))


def place_of(record: int, numbers: int) -> int:
    """The place of what begins at these offsets."""
    return numbers // _UNIT << _RECORD_BITS | record


def record_at(place: int) -> int:
    """Where the record begins."""
    return place & _RECORD


def numbers_at(place: int) -> int:
    """Where the numbers begin."""
    return (place >> _RECORD_BITS) * _UNIT


def records_at(places: Iterable[int]) -> list[int]:
    """Of many places, where the records begin."""
    return [place & _RECORD for place in places]


def lanes_at(places: Iterable[int]) -> list[int]:
    """Of many places, which of all numbers of 16 bits is the first of each."""
    return [place >> _RECORD_BITS for place in places]


def numbers_length(count: int, population: int) -> int:
    """The bytes of so many numbers below a count, as `sorted_runs.encode_numbers` writes them."""
    if population <= CHUNK:
        return 2 * count
    return 4 * count if is_wide(count, population) else 4 * chunks(population) + 2 * count


def sealed(key: bytes, checked: bytes, numbers: bytes = b"") -> PostingRecord:
    """The record of a key with its checksum in front, and its numbers."""
    return PostingRecord(crc32(checked, crc32(key)).to_bytes(4, "little") + checked, numbers)


def places_of(data: Sequence[bytes], numbers: Sequence[bytes], first: int) -> list[int]:
    """The place of each of several records, the first of which has this one; and last the place after them."""
    records, apart = map(len, data), map(len, numbers)
    return list(accumulate(map(add, records, map(_IN_BYTES.__mul__, apart)), initial=first))
