"""The impacts of one term, as an index keeps them. Pure; docs/formats/search.md has the bytes.

For each field the numbers that hold the term, ascending, and a step for each: of sections in body and headings, of
documents in title and path. An impact is the term's unit times the step.
"""

from __future__ import annotations

from binascii import crc32
from itertools import accumulate, compress, pairwise
from struct import Struct, error

from holdfast.caches.index.container import IndexUnusable
from holdfast.caches.index.postings import encode_numbers, parse_numbers
from holdfast.caches.search.impacts import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # For each field in order: ascending numbers, and a byte for each.
    FieldSteps = Sequence[tuple[Sequence[int], bytes]]
    # The same with impacts.
    TermImpacts = list[tuple[Sequence[int], Sequence[int]]]

_HEAD = Struct("<IIHB")  # checksum, bytes that follow the head, unit, which fields there are and how they are written
_COUNT = Struct("<I")
HEAD_SIZE = _HEAD.size
# A step from one number to the next is a byte; this one leads on without arriving.
_STRIDE = 255
# A term with a single impact needs no record: its dictionary value says it all.
_ALONE = 1 << 63
_NONE: tuple[Sequence[int], Sequence[int]] = ((), ())


def alone_value(unit: int, fields: FieldSteps) -> int | None:
    """The dictionary value that stands for a term's only impact, or None where there are more."""
    held = [(field, numbers, steps) for field, (numbers, steps) in enumerate(fields) if numbers]
    if len(held) == 1 and len(held[0][1]) == 1:
        field, numbers, steps = held[0]
        return _ALONE | field << 56 | unit << 40 | steps[0] << 32 | numbers[0]
    return None


def parse_alone(value: int, populations: Sequence[int]) -> TermImpacts | None:
    """The impact a dictionary value itself holds, or None when it is the place of a record."""
    if value < _ALONE:
        return None
    field, unit, step, number = value >> 56 & 0x7F, value >> 40 & 0xFFFF, value >> 32 & 0xFF, value & 0xFFFFFFFF
    if field >= len(FIELDS) or number >= populations[field] or not unit or not step:
        raise IndexUnusable("a dictionary value names no section")
    return [((number,), (unit * step,)) if position == field else _NONE for position in range(len(FIELDS))]


def encode_record(key: bytes, unit: int, fields: FieldSteps, populations: Sequence[int]) -> bytes:
    """The record of a term."""
    shape = 0
    parts = []
    for field, (numbers, steps) in enumerate(fields):
        if not numbers:
            continue
        shape |= 1 << field
        walk = _gaps(numbers, steps)
        if walk is not None:
            shape |= 16 << field
            parts += [_COUNT.pack(len(walk[0])), *walk]
        else:
            parts += [_COUNT.pack(len(numbers)), encode_numbers(numbers, populations[field]), steps]
    body = b"".join(parts)
    checked = _HEAD.pack(0, len(body), unit, shape)[4:] + body
    return crc32(checked, crc32(key)).to_bytes(4, "little") + checked


def _gaps(numbers: Sequence[int], steps: bytes) -> tuple[bytes, bytes] | None:
    """The way from each number to the next, a byte each; a stride, with the step 0, leads on where it is far.

    None where that would take more room than two bytes a number.
    """
    count = len(numbers)
    if 2 * (numbers[-1] // _STRIDE) > 3 * count:
        return None  # so far that there is no need to look: at most one gap in a number makes up for a stride
    gaps = [numbers[0], *[after - before for before, after in pairwise(numbers)]]
    if max(gaps) < _STRIDE:
        return bytes(gaps), steps
    if 2 * sum([gap // _STRIDE for gap in gaps]) > count:
        return None
    walked, strided = bytearray(), bytearray()
    for gap, step in zip(gaps, steps, strict=True):
        many, rest = divmod(gap, _STRIDE)
        if many:
            walked += bytes([_STRIDE]) * many
            strided += bytes(many)
        walked.append(rest)
        strided.append(step)
    return bytes(walked), bytes(strided)


def record_length(head: bytes) -> int:
    """The bytes of a record whose head this is, the head included."""
    if len(head) < HEAD_SIZE:
        raise IndexUnusable("the impacts are cut short")
    return HEAD_SIZE + int.from_bytes(head[4:8], "little")


def longest_record(populations: Sequence[int]) -> int:
    """More bytes than any record has: no number takes more than eight."""
    return HEAD_SIZE + sum([64 + 8 * population for population in populations])


def parse_record(data: bytes, key: bytes, populations: Sequence[int]) -> TermImpacts:
    """The impacts in a record, which must be that of the key; IndexUnusable when anything about it is off."""
    try:
        if crc32(data[4:], crc32(key)) != int.from_bytes(data[:4], "little"):
            raise IndexUnusable("impacts are damaged")
        _, _, unit, shape = _HEAD.unpack_from(data)
        impact_of = [unit * step for step in range(256)].__getitem__
        view = memoryview(data)
        at = HEAD_SIZE
        fields: TermImpacts = []
        for field, population in enumerate(populations):
            if not shape >> field & 1:
                fields.append(_NONE)
                continue
            (count,) = _COUNT.unpack_from(data, at)
            at += _COUNT.size
            if shape >> field & 16:
                numbers = list(accumulate(data[at : at + count]))
                at += count
            else:
                numbers, at = parse_numbers(view, at, count, population)
            steps = data[at : at + count]
            at += count
            if 0 in steps:
                numbers = list(compress(numbers, steps))
                steps = steps.translate(None, b"\0")
            if len(steps) != len(numbers) or not numbers or numbers[-1] >= population:
                raise IndexUnusable("impacts name no section")
            fields.append((numbers, list(map(impact_of, steps))))
    except (error, ValueError, TypeError, IndexError):
        raise IndexUnusable("impacts are damaged") from None
    return fields
