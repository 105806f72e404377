"""The impacts of one term (an impact list, as a posting list has counts). Pure; docs/formats/search.md has the bytes.

For each field the numbers that hold the term, ascending, and a step for each: of sections in body and headings, of
documents in title and path. An impact is the term's unit times the step.
"""

from __future__ import annotations

from binascii import crc32
from itertools import accumulate, compress
from struct import Struct, error

from holdfast.caches.index_format.ascending_numbers import parse_numbers
from holdfast.caches.index_format.container import IndexUnusable
from holdfast.caches.index_format.dictionary import INLINE
from holdfast.caches.search.impacts import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # For each field in order: ascending numbers, and an impact for each.
    TermImpacts = list[tuple[Sequence[int], Sequence[int]]]

HEAD = Struct("<IIHB")  # checksum, bytes that follow the head, unit, which fields there are and how they are written
COUNT = Struct("<I")
HEAD_SIZE = HEAD.size
_NONE: tuple[Sequence[int], Sequence[int]] = ((), ())


def parse_inline(value: int, populations: Sequence[int]) -> TermImpacts | None:
    """The impact a dictionary value itself holds, or None when it is the place of a record."""
    if value < INLINE:
        return None
    field, unit, step, number = value >> 56 & 0x7F, value >> 40 & 0xFFFF, value >> 32 & 0xFF, value & 0xFFFFFFFF
    if field >= len(FIELDS) or number >= populations[field] or not unit or not step:
        raise IndexUnusable("a dictionary value names no section")
    return [((number,), (unit * step,)) if position == field else _NONE for position in range(len(FIELDS))]


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
        _, _, unit, shape = HEAD.unpack_from(data)
        impact_of = [unit * step for step in range(256)].__getitem__
        view = memoryview(data)
        at = HEAD_SIZE
        fields: TermImpacts = []
        for field, population in enumerate(populations):
            if not shape >> field & 1:
                fields.append(_NONE)
                continue
            (count,) = COUNT.unpack_from(data, at)
            at += COUNT.size
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
