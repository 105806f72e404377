"""What `sections.idx` holds: columns and a record of each section, and two lists of steps for each term. Pure.

A term has a list of sections and a list of documents (as a posting list, with a step in place of a count): ascending
numbers, and a step for each. What a query adds to a score is its weight of the term times the step.
docs/formats/search.md has the bytes; `section_compiler` makes them.
"""

from __future__ import annotations

from binascii import crc32
from itertools import accumulate, compress
from struct import Struct, error

from holdfast.caches.index_format import INLINE, IndexUnusable, parse_numbers
from holdfast.caches.posting_record import PostingRecord, numbers_length
from holdfast.caches.search.impacts import HIGHEST_STEP
from holdfast.caches.search.section import Section
from holdfast.caches.section_index.step_lists import NO_STEPS, DenseSteps, ListedSteps, is_looked_up_dense, scattered
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.section_index.step_lists import StepList

SECTION = Struct("<IIIIIH")  # checksum, characters from and to, first and last line, number of headings
LENGTH = Struct("<H")  # of a heading
SOURCE = Struct("<32sQI")  # of a document: the digest of its metadata, the bytes of its content and of link texts
OUTGOING = Struct("<II")  # of a document: the bytes of its labels and of its links
SIZES = Struct("<II")  # sections, documents
# More bytes than any record has: a title and a path of 32 headings, each as long as can be.
LONGEST_RECORD = 1 << 16
# An index that claims more sections than this many, and this many a document, is not worth what it makes us hold: the
# documents are read instead.
_MANY_SECTIONS, _MANY_A_DOCUMENT = 1 << 16, 256

# Stand in the number of headings: the document's title is the first of them; a `PART` follows the number; then the
# lines that are cited.
TITLED, PARTIAL, CITED = 1 << 15, 1 << 14, 1 << 13
PART = Struct("<III")  # the columns from and to, the line of the table's header
LINES = Struct("<III")  # of the source: the first and the last, and the line of the table's header

HEAD = Struct("<IBB")  # checksum, which lists there are and how they are written, the highest step of a section
# What follows the head is as long as this number says, which is wide where that is more than a narrow one holds; so
# are the counts of lists.
NARROW, WIDE = Struct("<H"), Struct("<I")
HEAD_SIZE = HEAD.size + WIDE.size  # no record is shorter
# Bits of the shape: these for a list of sections, shifted by one for the list of documents; and of the whole. `HELD`:
# how many sections hold the term stands before the lists, being more than the list of sections names.
LISTED, IN_GAPS, DENSE, IS_WIDE, HELD = 1, 16, 64, 4, 8
# What a dictionary value that is no place of a record says: a step of a section, or of a document.
ONE_SECTION, ONE_DOCUMENT = 0, 1


class SectionColumns(NamedTuple):
    """Tokens of each section; the first section of each document and, last, how many sections there are.

    `second_counts` has, where the tokenizer needs an extra, the tokens of each section's `section_label`; by estimate-1
    what its text weighs (`token_estimate.weighed`), modulo 65,536; and is empty where neither is worth the room.
    """

    tokens: Sequence[int]
    firsts: Sequence[int]
    second_counts: Sequence[int]


class TermImpacts(NamedTuple):
    """How many sections hold a term, its list of sections with the highest step in it, and its list of documents."""

    holding: int
    highest: int
    sections: StepList
    documents: StepList


def longest_columns(documents: int) -> int:
    """The most bytes of a `columns` section that are read, for that many documents."""
    return SIZES.size + 6 * (_MANY_SECTIONS + _MANY_A_DOCUMENT * documents) + 4 * (documents + 1)


def parse_columns(data: bytes) -> SectionColumns:
    """The columns in a section that was checked as a whole."""
    if len(data) < SIZES.size:
        raise IndexUnusable("the columns are cut short")
    sections, documents = SIZES.unpack_from(data)
    after_tokens = SIZES.size + 4 * sections
    after_firsts = after_tokens + 4 * (documents + 1)
    if len(data) not in (after_firsts, after_firsts + 2 * sections):
        raise IndexUnusable("the columns are cut short")
    view = memoryview(data)
    columns = SectionColumns(
        view[SIZES.size : after_tokens].cast("I"),
        view[after_tokens:after_firsts].cast("I"),
        view[after_firsts:].cast("H"),
    )
    if columns.firsts[0] != 0 or columns.firsts[-1] != sections:
        raise IndexUnusable("the columns do not add up")
    return columns


def parse_section(data: bytes, number: int) -> tuple[Section, str]:
    """The section in a record, proven to be that of the number, and its document's title if it is the first of that."""
    try:
        crc, start, end, first, last, count = SECTION.unpack_from(data)
        if crc32(data[4:], number) != crc:
            raise IndexUnusable("a section record is damaged")
        at = SECTION.size
        part = (0, 0, 0)
        if count & PARTIAL:
            part = PART.unpack_from(data, at)
            at += PART.size
        cited = None
        if count & CITED:
            cited = LINES.unpack_from(data, at)
            at += LINES.size
        heading = []
        for _ in range(count & ~(TITLED | PARTIAL | CITED)):
            (length,) = LENGTH.unpack_from(data, at)
            heading.append(data[at + 2 : at + 2 + length].decode())
            at += 2 + length
        title = heading[0] if count & TITLED else data[at:].decode()
    except (error, IndexError, UnicodeDecodeError):
        raise IndexUnusable("a section record is damaged") from None
    return Section(tuple(heading), first, last, start, end, *part, cited), title


def parse_inline(value: int, firsts: Sequence[int]) -> TermImpacts | None:
    """The lists a dictionary value itself holds, or None when it is the place of a record."""
    if value < INLINE:
        return None
    kind, step, number = value >> 56 & 0x7F, value >> 32 & 0xFFFFFF, value & 0xFFFFFFFF
    population = len(firsts) - 1 if kind == ONE_DOCUMENT else firsts[-1]
    if kind > ONE_DOCUMENT or number >= population or not 0 < step <= HIGHEST_STEP:
        raise IndexUnusable("a dictionary value names no section")
    if kind == ONE_SECTION:
        return TermImpacts(1, step, ListedSteps((number,), bytes([step])), NO_STEPS)
    # Its first section is found by it, with the least step.
    first, after = firsts[number : number + 2]
    if first >= after:
        raise IndexUnusable("a dictionary value names a document without sections")
    return TermImpacts(after - first, 1, ListedSteps((first,), b"\1"), ListedSteps((number,), bytes([step])))


def impacts_length(head: bytes) -> int:
    """The bytes of a record that begins with these, all of it included."""
    if len(head) < HEAD_SIZE:
        raise IndexUnusable("the impacts are cut short")
    _, shape, _ = HEAD.unpack_from(head)
    size = WIDE if shape & IS_WIDE else NARROW
    return HEAD.size + size.size + int.from_bytes(head[HEAD.size : HEAD.size + size.size], "little")


def longest_impacts(populations: Sequence[int]) -> int:
    """More bytes than any record has: no number takes more than eight."""
    return HEAD_SIZE + sum([64 + 8 * population for population in populations])


def impact_numbers(data: bytes, sections: int) -> int:
    """The bytes of the numbers that stand apart from a record, where there are so many sections."""
    try:
        _, shape, _ = HEAD.unpack_from(data)
        if not shape & LISTED or shape & (IN_GAPS | DENSE):
            return 0
        size = WIDE if shape & IS_WIDE else NARROW
        (count,) = size.unpack_from(data, HEAD.size + size.size + (WIDE.size if shape & HELD else 0))
    except error:
        raise IndexUnusable("impacts are damaged") from None
    if count > sections:
        raise IndexUnusable("impacts name no section")
    return numbers_length(count, sections)


def parse_impacts(
    record: PostingRecord, key: bytes, populations: Sequence[int], *, looked_up: bool = False
) -> TermImpacts:
    """The lists in a record, which must be that of the key; IndexUnusable when anything about it is off.

    `populations` are how many sections and documents there are. `looked_up`: they are held for whoever looks up many
    numbers in them, and not for whoever walks them.
    """
    data = record.data
    try:
        if crc32(data[4:], crc32(key)) != int.from_bytes(data[:4], "little"):
            raise IndexUnusable("impacts are damaged")
        _, shape, highest = HEAD.unpack_from(data)
        size = WIDE if shape & IS_WIDE else NARROW
        at = HEAD.size + size.size
        holding = 0
        if shape & HELD:
            (holding,) = WIDE.unpack_from(data, at)
            at += WIDE.size
        lists: list[StepList] = []
        for position, population in enumerate(populations):
            found: StepList = NO_STEPS
            if shape >> position & LISTED:
                apart = None if position else record.numbers
                found, at = _parse_list(data, at, population, size, shape >> position, apart, looked_up=looked_up)
            lists.append(found)
    except (error, ValueError, TypeError, IndexError):
        raise IndexUnusable("impacts are damaged") from None
    sections, documents = lists
    if not shape & HELD:
        holding = sections.count
    if not sections.count <= holding <= populations[0]:
        raise IndexUnusable("impacts name no section")
    return TermImpacts(holding, highest, sections, documents)


def _parse_list(
    data: bytes, at: int, population: int, size: Struct, shape: int, apart: bytes | None, *, looked_up: bool
) -> tuple[StepList, int]:
    """A list that begins there, its numbers apart or in the record; and where what follows begins."""
    if shape & DENSE:
        by_number = data[at : at + population]
        dense = DenseSteps(by_number, population - by_number.count(0))
        if len(by_number) != population or not dense.count:
            raise IndexUnusable("impacts name no section")
        return dense, at + population
    (count,) = size.unpack_from(data, at)
    at += size.size
    if shape & IN_GAPS:
        named_by_gaps = accumulate(data[at : at + count])
        at += count
        if looked_up and is_looked_up_dense(count, population):
            steps = data[at : at + count]
            if named := count - steps.count(0):
                return DenseSteps(scattered(named_by_gaps, steps, population), named), at + count
        numbers = list(named_by_gaps)
    elif apart is not None:
        numbers, _ = parse_numbers(memoryview(apart), 0, count, population)
    else:
        numbers, at = parse_numbers(memoryview(data), at, count, population)
    steps = data[at : at + count]
    at += count
    if 0 in steps:
        numbers = list(compress(numbers, steps))
        steps = steps.translate(None, b"\0")
    if len(steps) != len(numbers) or not numbers or numbers[-1] >= population:
        raise IndexUnusable("impacts name no section")
    return ListedSteps(numbers, steps, population), at
