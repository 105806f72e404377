"""The impacts of one term, as an index keeps them. Pure; docs/formats/search.md has the bytes.

For each field the numbers that hold the term, ascending, and an impact for each: of sections in body and headings, of
documents in title and path.
"""

from __future__ import annotations

from array import array
from binascii import crc32
from struct import Struct, error

from holdfast.caches.index.container import IndexUnusable
from holdfast.caches.index.postings import encode_numbers, parse_numbers
from holdfast.caches.search.impacts import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # For each field in order: numbers and their impacts.
    TermImpacts = list[tuple[Sequence[int], Sequence[int]]]

_HEAD = Struct("<II4I")  # checksum, bytes that follow the head, how many numbers each field has
HEAD_SIZE = _HEAD.size
# A term with a single impact needs no record: its dictionary value says it all.
_ALONE = 1 << 63
_NONE: tuple[Sequence[int], Sequence[int]] = ((), ())


def alone_value(fields: TermImpacts) -> int | None:
    """The dictionary value that stands for a term's only impact, or None where there are more."""
    held = [(field, numbers, impacts) for field, (numbers, impacts) in enumerate(fields) if numbers]
    if len(held) == 1 and len(held[0][1]) == 1:
        field, numbers, impacts = held[0]
        return _ALONE | field << 48 | impacts[0] << 32 | numbers[0]
    return None


def parse_alone(value: int, populations: Sequence[int]) -> TermImpacts | None:
    """The impact a dictionary value itself holds, or None when it is the place of a record."""
    if value < _ALONE:
        return None
    field, impact, number = value >> 48 & 0x7FFF, value >> 32 & 0xFFFF, value & 0xFFFFFFFF
    if field >= len(FIELDS) or number >= populations[field] or not impact:
        raise IndexUnusable("a dictionary value names no section")
    return [((number,), (impact,)) if position == field else _NONE for position in range(len(FIELDS))]


def encode_impacts(key: bytes, fields: TermImpacts, populations: Sequence[int]) -> bytes:
    """The record of a term."""
    parts = []
    for (numbers, impacts), population in zip(fields, populations, strict=True):
        if numbers:
            parts.append(encode_numbers(numbers, population))
            parts.append(array("H", impacts).tobytes())
    body = b"".join(parts)
    checked = _HEAD.pack(0, len(body), *[len(numbers) for numbers, _ in fields])[4:] + body
    return crc32(checked, crc32(key)).to_bytes(4, "little") + checked


def record_length(head: bytes) -> int:
    """The bytes of a record whose head this is, the head included."""
    if len(head) < HEAD_SIZE:
        raise IndexUnusable("the impacts are cut short")
    return HEAD_SIZE + int.from_bytes(head[4:8], "little")


def parse_impacts(data: bytes, key: bytes, populations: Sequence[int]) -> TermImpacts:
    """The impacts in a record, which must be that of the key; IndexUnusable when anything about it is off."""
    try:
        if crc32(data[4:], crc32(key)) != int.from_bytes(data[:4], "little"):
            raise IndexUnusable("impacts are damaged")
        _, _, *counts = _HEAD.unpack_from(data)
        view = memoryview(data)
        at = HEAD_SIZE
        fields: TermImpacts = []
        for count, population in zip(counts, populations, strict=True):
            if not count:
                fields.append(_NONE)
                continue
            numbers, at = parse_numbers(view, at, count, population)
            impacts = view[at : at + 2 * count].cast("H").tolist()
            at += 2 * count
            if len(impacts) != count or numbers[-1] >= population:
                raise IndexUnusable("impacts name no section")
            fields.append((numbers, impacts))
    except (error, ValueError, TypeError, IndexError):
        raise IndexUnusable("impacts are damaged") from None
    return fields
