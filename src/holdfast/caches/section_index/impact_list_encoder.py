"""Write the impacts of a term as an index keeps them. Pure; on a little-endian machine, as with the words."""

from __future__ import annotations

from array import array
from binascii import crc32
from itertools import accumulate, compress, count

from holdfast.caches.index_format.dictionary import ALONE
from holdfast.caches.index_format.packed_numbers import NUMBER, encode_numbers, gaps, looked_up
from holdfast.caches.section_index.impact_lists import COUNT, HEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    # What a record has of a field: a step for each that holds the term, whether the way to each is told and not its
    # number, and the bytes.
    Field = tuple[bytes, bool, bytes]

# The way from one number to the next is a byte; this one leads on without arriving, and has the step 0.
_STRIDE = 255
_KEPT = 1 << 14  # the ways over shorter gaps are kept
# Every byte that is not zero becomes 1, and the other way round.
_MARKS = bytes([0, *[1] * 255])
_OTHERS = bytes([1, *[0] * 255])


class _Ways(dict[int, bytes]):
    """gap -> the way over it: a byte where it is near, and where it is far, strides before that."""

    def __missing__(self, gap: int) -> bytes:
        strides, rest = divmod(gap, _STRIDE)
        way = bytes([_STRIDE]) * strides + bytes([rest])
        if gap < _KEPT:
            self[gap] = way
        return way


_WAYS = _Ways()


def alone_value(unit: int, field: int, number: int, step: int) -> int:
    """The dictionary value that stands for a term's only impact."""
    return ALONE | field << 56 | unit << 40 | step << 32 | number


def encode_record(key: bytes, unit: int, fields: Iterable[tuple[int, Field]]) -> bytes:
    """The record of a term."""
    shape = 0
    parts = []
    for field, (_, is_walk, data) in fields:
        shape |= (17 if is_walk else 1) << field
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
        return _told_by_number(numbers, bytes(told), population)
    apart = gaps(packed)
    near, *far = [apart[at::NUMBER] for at in range(NUMBER)]
    if _STRIDE not in near and not b"".join(far).strip(b"\0"):
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
    walk = b"".join(map(_WAYS.__getitem__, distances))
    if 2 * (len(walk) - len(distances)) > len(distances):  # takes more room than two bytes a number
        return _told_by_number(numbers, encoded, population)
    ends = list(accumulate(map(len, walk.split(bytes([_STRIDE]))), initial=0))
    strided = b"\0".join(map(encoded.__getitem__, map(slice, ends, ends[1:])))
    return encoded, True, COUNT.pack(len(walk)) + walk + strided


def _told_by_number(numbers: array[int], steps: bytes, population: int) -> Field:
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
    """Whether so many numbers up to a last one are so far apart that the way to each takes more than two bytes."""
    return 2 * (last // _STRIDE) > 3 * count  # at most one gap in a number makes up for a stride
