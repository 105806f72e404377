"""What `sections.idx` holds: columns and a record of each section, and the impacts of each term. Pure.

The impacts of a term (an impact list, as a posting list has counts) are, for each field, the numbers that hold the
term, ascending, and a step for each: of sections in body and headings, of documents in title and path. An impact is the
term's unit times the step. docs/formats/search.md has the bytes; `section_compiler` makes them.
"""

from __future__ import annotations

from binascii import crc32
from bisect import bisect_right
from itertools import accumulate, compress
from struct import Struct, error

from holdfast.caches.index_format import INLINE, IndexUnusable, parse_numbers
from holdfast.caches.search.impacts import FIELDS
from holdfast.caches.search.section import Section
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # For each field in order: ascending numbers, and an impact for each.
    TermImpacts = list[tuple[Sequence[int], Sequence[int]]]

SECTION = Struct("<IIIIIH")  # checksum, characters from and to, first and last line, number of headings
LENGTH = Struct("<H")  # of a heading
SIZES = Struct("<II")  # sections, documents
# More bytes than any record has: a path of 32 headings, each as long as can be.
LONGEST_RECORD = 1 << 16
# An index that claims more sections than this many, and this many a document, is not worth what it makes us hold: the
# documents are read instead.
_MANY_SECTIONS, _MANY_A_DOCUMENT = 1 << 16, 256

HEAD = Struct("<IIHB")  # checksum, bytes that follow the head, unit, which fields there are and how they are written
COUNT = Struct("<I")  # numbers of a field
HEAD_SIZE = HEAD.size
_NONE: tuple[Sequence[int], Sequence[int]] = ((), ())


class SectionColumns(NamedTuple):
    """Tokens of each section; the first section of each document and, last, how many sections there are.

    `by_tokens` lists the sections by (tokens, number).
    """

    tokens: Sequence[int]
    firsts: Sequence[int]
    by_tokens: Sequence[int]

    def fitting(self, budget: int) -> Sequence[int]:
        """The sections that have no more tokens than that."""
        return self.by_tokens[: bisect_right(self.by_tokens, budget, key=self.tokens.__getitem__)]


def longest_columns(documents: int) -> int:
    """The most bytes of a `columns` section that are read, for that many documents."""
    return SIZES.size + 4 * (2 * (_MANY_SECTIONS + _MANY_A_DOCUMENT * documents) + documents + 1)


def parse_columns(data: bytes) -> SectionColumns:
    """The columns in a section that was checked as a whole."""
    if len(data) < SIZES.size:
        raise IndexUnusable("the columns are cut short")
    sections, documents = SIZES.unpack_from(data)
    if len(data) != SIZES.size + 4 * (2 * sections + documents + 1):
        raise IndexUnusable("the columns are cut short")
    view = memoryview(data)[SIZES.size :].cast("I")
    after = sections + documents + 1
    columns = SectionColumns(view[:sections], view[sections:after], view[after:])
    if columns.firsts[0] != 0 or columns.firsts[-1] != sections:
        raise IndexUnusable("the columns do not add up")
    return columns


def parse_section(data: bytes, number: int) -> Section:
    """The section in a record, proven to be that of the number."""
    try:
        crc, start, end, first, last, count = SECTION.unpack_from(data)
        if crc32(data[4:], number) != crc:
            raise IndexUnusable("a section record is damaged")
        at = SECTION.size
        heading = []
        for _ in range(count):
            (length,) = LENGTH.unpack_from(data, at)
            heading.append(data[at + 2 : at + 2 + length].decode())
            at += 2 + length
    except (error, UnicodeDecodeError):
        raise IndexUnusable("a section record is damaged") from None
    return Section(tuple(heading), first, last, start, end)


def parse_inline(value: int, populations: Sequence[int]) -> TermImpacts | None:
    """The impact a dictionary value itself holds, or None when it is the place of a record."""
    if value < INLINE:
        return None
    field, unit, step, number = value >> 56 & 0x7F, value >> 40 & 0xFFFF, value >> 32 & 0xFF, value & 0xFFFFFFFF
    if field >= len(FIELDS) or number >= populations[field] or not unit or not step:
        raise IndexUnusable("a dictionary value names no section")
    return [((number,), (unit * step,)) if position == field else _NONE for position in range(len(FIELDS))]


def impacts_length(head: bytes) -> int:
    """The bytes of a record whose head this is, the head included."""
    if len(head) < HEAD_SIZE:
        raise IndexUnusable("the impacts are cut short")
    return HEAD_SIZE + int.from_bytes(head[4:8], "little")


def longest_impacts(populations: Sequence[int]) -> int:
    """More bytes than any record has: no number takes more than eight."""
    return HEAD_SIZE + sum([64 + 8 * population for population in populations])


def parse_impacts(data: bytes, key: bytes, populations: Sequence[int]) -> TermImpacts:
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
