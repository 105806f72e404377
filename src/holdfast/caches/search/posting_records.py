"""Write the impacts of a term as an index keeps them. Pure; on a little-endian machine, as with the words."""

from __future__ import annotations

from binascii import crc32
from operator import sub

from holdfast.caches.index.dictionary import ALONE
from holdfast.caches.index.posting_records import encode_numbers
from holdfast.caches.search.postings import COUNT, HEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # The fields that hold a term, in order: which, ascending numbers, and a byte for each.
    FieldSteps = Sequence[tuple[int, Sequence[int], bytes]]

# A step from one number to the next is a byte; this one leads on without arriving.
_STRIDE = 255


def alone_value(unit: int, field: int, number: int, step: int) -> int:
    """The dictionary value that stands for a term's only impact."""
    return ALONE | field << 56 | unit << 40 | step << 32 | number


def encode_record(key: bytes, unit: int, fields: FieldSteps, populations: Sequence[int]) -> bytes:
    """The record of a term."""
    shape = 0
    parts = []
    for field, numbers, steps in fields:
        shape |= 1 << field
        walk = _gaps(numbers, steps)
        if walk is not None:
            shape |= 16 << field
            parts += [COUNT.pack(len(walk[0])), *walk]
        else:
            parts += [COUNT.pack(len(numbers)), encode_numbers(numbers, populations[field]), steps]
    body = b"".join(parts)
    checked = HEAD.pack(0, len(body), unit, shape)[4:] + body
    return crc32(checked, crc32(key)).to_bytes(4, "little") + checked


def _gaps(numbers: Sequence[int], steps: bytes) -> tuple[bytes, bytes] | None:
    """The way from each number to the next, a byte each; a stride, with the step 0, leads on where it is far.

    None where that would take more room than two bytes a number.
    """
    count = len(numbers)
    if 2 * (numbers[-1] // _STRIDE) > 3 * count:
        return None  # so far that there is no need to look: at most one gap in a number makes up for a stride
    gaps = [numbers[0], *map(sub, numbers[1:], numbers)]
    if max(gaps) < _STRIDE:
        return bytes(gaps), steps
    far = [at for at, gap in enumerate(gaps) if gap >= _STRIDE]
    if 2 * sum([gaps[at] // _STRIDE for at in far]) > count:
        return None
    walked, strided = bytearray(), bytearray()
    done = 0
    for at in far:
        many, rest = divmod(gaps[at], _STRIDE)
        walked += bytes(gaps[done:at])
        walked += bytes([_STRIDE]) * many
        walked.append(rest)
        strided += steps[done:at]
        strided += bytes(many)
        strided.append(steps[at])
        done = at + 1
    return bytes(walked) + bytes(gaps[done:]), bytes(strided) + steps[done:]
