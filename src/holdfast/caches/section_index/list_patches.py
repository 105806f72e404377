"""Lists of steps of which some numbers are replaced, and the others moved. Pure."""

from __future__ import annotations

from array import array
from binascii import crc32
from bisect import bisect_left
from itertools import chain, pairwise
from operator import sub
from struct import error
from zlib import adler32

from holdfast.caches.index_format import CHUNK, IndexUnusable
from holdfast.caches.moved_fields import fields_format, move_fields
from holdfast.caches.posting_record import PostingRecord, lanes_at, records_at, sealed
from holdfast.caches.section_index.section_compiler import (
    CONTINUATION,
    MOST_IN_NARROW,
    encode_list,
    is_far,
    with_numbers,
)
from holdfast.caches.section_index.section_records import DENSE, HEAD, HELD, IN_GAPS, IS_WIDE, LISTED, NARROW, WIDE
from holdfast.caches.section_index.step_lists import is_dense

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.caches.moved_numbers import MovedNumbers
    from holdfast.caches.section_index.term_lists import TermLists


# Records of the usual kinds have a list of sections, or one of documents too, which begin here after their count.
_PAIR = LISTED | LISTED << 1
_NUMBERS = HEAD.size + 2 * NARROW.size
_GAPPED = (LISTED | IN_GAPS, _PAIR | IN_GAPS)  # the sections are in gaps, the documents are not
_PAIRS = (_PAIR, _PAIR | IN_GAPS)
_ANY_DENSE = DENSE | DENSE << 1
# What gaps add up to, and 1, is told by Adler's checksum when it is below 65,521.
_MOST_ADDED = 65_519


def same_lists(one: TermLists, other: TermLists) -> bool:
    """Whether edited documents have the same of a term as before."""
    steps = (one.holding, one.section_steps, one.document_steps)
    if steps != (other.holding, other.section_steps, other.document_steps):
        return False
    return (list(one.sections), list(one.documents)) == (list(other.sections), list(other.documents))


def replace_numbers(
    numbers: Sequence[int],
    steps: bytes,
    extents: Sequence[range],
    new_extents: Sequence[range],
    new: Sequence[int],
    new_steps: bytes,
) -> tuple[list[int], bytes]:
    """Ascending numbers and their steps, once those within some ascending extents are replaced by new ones, which lie
    in new extents, and those after them are moved as much as these."""
    made: list[int] = []
    made_steps = b""
    at = used = moved = 0
    for extent, new_extent in zip(extents, new_extents, strict=True):
        start, end = bisect_left(numbers, extent.start, at), bisect_left(numbers, extent.stop, at)
        last = bisect_left(new, new_extent.stop, used)
        made += [number + moved for number in numbers[at:start]] if moved else numbers[at:start]
        made += new[used:last]
        made_steps += steps[at:start] + new_steps[used:last]
        at, used, moved = end, last, new_extent.stop - extent.stop
    made += [number + moved for number in numbers[at:]] if moved else numbers[at:]
    return made, made_steps + steps[at:]


def replace_dense(
    by_number: bytes | bytearray, sections: MovedNumbers, own: Sequence[int], own_steps: bytes
) -> bytearray | None:
    """A step for every section, once the edited ones have these alone; None where that is not how it is written now."""
    made = bytearray(sections.dense(by_number))
    for number, step in zip(own, own_steps, strict=True):
        made[number] = step
    count = len(made) - made.count(0)
    return made if count > 1 and is_dense(count, len(made)) else None


def dense_record(
    key: bytes, by_number: bytearray, most: int, documents: tuple[Sequence[int], bytes], holding: int, population: int
) -> PostingRecord:
    """The record of a term with a step for every section, none above `most`; with its list of documents, which are of
    so many, and how many sections hold it."""
    while most not in by_number:
        most -= 1
    count = len(by_number) - by_number.count(0)
    size, shape = (WIDE, IS_WIDE) if count + len(documents[0]) > MOST_IN_NARROW else (NARROW, 0)
    body = bytes(by_number)
    shape |= LISTED | DENSE
    if documents[0]:
        bits, more, numbers = encode_list(*documents, population, size)
        shape |= bits << 1
        body += with_numbers(more, numbers, size)
    if holding != count:
        shape |= HELD
        body = WIDE.pack(holding) + body
    return sealed(key, HEAD.pack(0, shape, most)[4:] + size.pack(len(body)) + body)


def move_records(
    postings: PostingRecord, places: Sequence[int], sections: MovedNumbers, documents: MovedNumbers
) -> tuple[bytearray, bytes, list[int]]:
    """All records, which have these places, and their numbers, as sections and documents are numbered now, each as long
    as before; and which of them, by position, take more than that.

    A checksum is changed by what changes: a record that is damaged stays so, or is IndexUnusable. What names sections
    that are gone is for the caller to replace.
    """
    data, numbers = postings
    are_halves = max(sections.old_count, sections.count) <= CHUNK
    are_documents_halves = max(documents.old_count, documents.count) <= CHUNK
    left: list[int] = []
    if are_halves:
        numbers = sections.halves(numbers)
        if sections.is_shrunk:
            left = _nearer(numbers, lanes_at([*places, postings.size]))
    offsets = records_at(places)
    ends = [*offsets[1:], len(data)]
    try:
        shapes = list(map(data.__getitem__, map((HEAD.size - 2).__add__, offsets)))
        touched = _Touched(sections, documents, are_halves=are_halves)
        made = bytearray(data)
        pairs = []
        for position in [position for position, shape in enumerate(shapes) if touched[shape]]:
            shape, offset, end = shapes[position], offsets[position], ends[position]
            if shape in _GAPPED and not _put_gaps(made, data, offset, end, sections):
                left.append(position)
                continue
            if shape in _PAIRS and are_documents_halves and (are_halves or shape in _GAPPED):
                pairs.append(position)
                continue
            if shape in _GAPPED and shape not in _PAIRS:
                continue
            found = None
            if not shape & _ANY_DENSE and (are_halves or not _is_full(shape)):
                found = _moved_lists(data[offset:end], sections, documents)
            if found is None or len(found) != end - offset - 4:
                left.append(position)
            else:
                _put(made, offset, offset + 4, found)
        if pairs and not documents.is_same:
            spans = [slice(offsets[position], ends[position]) for position in pairs]
            left += [pairs[at] for at in _put_documents(made, spans, documents)]
    except (error, IndexError):
        raise IndexUnusable("impacts are damaged") from None
    return made, numbers, sorted(set(left))


class _Touched(dict[int, bool]):
    """By the shape of a record, whether more than its numbers apart may change."""

    def __init__(self, sections: MovedNumbers, documents: MovedNumbers, *, are_halves: bool) -> None:
        super().__init__()
        self._sections, self._documents, self._are_halves = sections, documents, are_halves

    def __missing__(self, shape: int) -> bool:
        is_told = shape & LISTED and not self._sections.is_same and not (_is_full(shape) and self._are_halves)
        made = self[shape] = bool(is_told or (shape & LISTED << 1 and not self._documents.is_same))
        return made


def _is_full(shape: int) -> bool:
    """Whether the numbers of sections are written in full, apart from the record."""
    return bool(shape & LISTED) and not shape & (IN_GAPS | DENSE)


def _nearer(numbers: bytes, ends: Sequence[int]) -> list[int]:
    """Those of lists in full, by position, which begin and end with these numbers, that are written otherwise now."""
    lanes = memoryview(numbers).cast("H")
    return [
        position
        for position, (start, end) in enumerate(pairwise(ends))
        if start < end and not is_far(lanes[end - 1], end - start) and not _stay_apart(numbers[2 * start : 2 * end])
    ]


def _put_documents(made: bytearray, spans: Sequence[slice], documents: MovedNumbers) -> list[int]:
    """Put the numbers of documents into records that list sections before them; which are written otherwise now."""
    records = [bytes(made[span]) for span in spans]
    known: dict[tuple[int, bytes, int], str] = {}
    formats = []
    for record in records:
        key = len(record), record[_NUMBERS - NARROW.size : _NUMBERS], record[HEAD.size - 2]
        if key not in known:
            count = int.from_bytes(key[1], "little")
            start = _NUMBERS + (2 * count if key[2] & IN_GAPS else count) + NARROW.size
            known[key] = fields_format(key[0], start, 2 * ((key[0] - start) // 3))
            if start > key[0] or (key[0] - start) % 3:
                raise IndexUnusable("impacts are damaged")
        formats.append(known[key])
    moved, left = move_fields(b"".join(records), formats, documents, _stay_apart if documents.is_shrunk else None)
    at = 0
    for span, record in zip(spans, records, strict=True):
        made[span] = moved[at : at + len(record)]
        at += len(record)
    return left


def _stay_apart(packed: bytes) -> bool:
    """Whether gaps take more room than packed numbers, which are further apart than those of a dense list."""
    numbers = array("H", packed)
    if is_far(numbers[-1], len(numbers)):
        return True
    apart: Iterable[int] = map(sub, numbers, chain((0,), numbers))
    return 2 * sum([gap // CONTINUATION for gap in apart]) > len(numbers)


def _put(made: bytearray, offset: int, start: int, new: bytes) -> None:
    """Change the end of a record, and its checksum by as much as that changes."""
    old = made[start : start + len(new)]
    if old != new:
        crc = int.from_bytes(made[offset : offset + 4], "little") ^ crc32(old) ^ crc32(new)
        made[offset : offset + 4] = crc.to_bytes(4, "little")
        made[start : start + len(new)] = new


def move_record(
    record: PostingRecord, key: bytes, sections: MovedNumbers, documents: MovedNumbers
) -> PostingRecord | None:
    """A record with the numbers that sections and documents have now; None where it is to be written anew.

    IndexUnusable when it is damaged.
    """
    data, numbers = record
    if crc32(data[4:], crc32(key)) != int.from_bytes(data[:4], "little"):
        raise IndexUnusable("impacts are damaged")
    made = _moved_lists(data, sections, documents)
    moved = _moved_halves(numbers, sections) if numbers else b""
    return None if made is None or moved is None else sealed(key, made, moved)


def _moved_lists(record: bytes, sections: MovedNumbers, documents: MovedNumbers) -> bytes | None:
    """A record after its checksum; None where what is in it is to be written in another way than it is."""
    shape = record[4]
    size = WIDE if shape & IS_WIDE else NARROW
    at = HEAD.size + size.size
    start = at + (WIDE.size if shape & HELD else 0)
    body = record[at:start]
    at = start
    for place, numbers in enumerate((sections, documents)):
        bits = shape >> place
        if not bits & LISTED:
            continue
        found: bytes | None
        if bits & DENSE:
            steps = at = at + numbers.old_count
            found = _moved_dense(record[at - numbers.old_count : at], numbers)
        else:
            (count,) = size.unpack_from(record, at)
            body += record[at : at + size.size]
            at += size.size
            steps, found = at, b""
            if bits & IN_GAPS:
                steps = at + count
                found = _moved_gaps(record[at:steps], numbers)
            elif place:  # of documents; those of sections stand apart
                steps = at + 2 * count
                found = _moved_halves(record[at:steps], numbers)
            at = steps + count
        if found is None:
            return None
        body += found + record[steps:at]
    if size is NARROW and len(body) > 0xFFFF:
        return None
    return record[4 : HEAD.size] + size.pack(len(body)) + body


def _moved_dense(by_number: bytes, numbers: MovedNumbers) -> bytes | None:
    count = len(by_number) - by_number.count(0)
    return numbers.dense(by_number) if is_dense(count, numbers.count) else None


def _put_gaps(made: bytearray, postings: bytes, offset: int, end: int, sections: MovedNumbers) -> bool:
    """Put the gaps of a narrow record that begins with such a list of sections; whether it is written so now."""
    start = offset + _NUMBERS
    count = postings[start - 2] | postings[start - 1] << 8
    old = postings[start : start + count]
    if start + 2 * count > end:
        raise IndexUnusable("impacts are damaged")
    new = _moved_gaps(old, sections)
    if new is None:
        return False
    if new != old:
        rest = postings[start + count : end]
        crc = (
            int.from_bytes(postings[offset : offset + 4], "little") ^ crc32(rest, crc32(old)) ^ crc32(rest, crc32(new))
        )
        made[offset : offset + 4] = crc.to_bytes(4, "little")
        made[start : start + count] = new
    return True


def _moved_gaps(apart: bytes, numbers: MovedNumbers) -> bytes | None:
    if numbers.is_same:
        return apart
    made = bytearray(apart)
    add_up = _added_up if numbers.old_count <= _MOST_ADDED else sum
    last = add_up(apart)
    place = reached = 0  # what the gaps before a place add up to
    for number, more in numbers.breaks:
        place, reached = _place_reaching(apart, add_up, place, reached, number)
        named = place
        # What goes on without naming a number belongs to the next that does.
        while named < len(made) and made[named] == CONTINUATION:
            named += 1
        if named == len(made):
            break
        gap = made[named] + more
        if not 0 <= gap < CONTINUATION:
            return None
        made[named] = gap
        last += more
    count = len(made) - made.count(CONTINUATION)
    if is_dense(count, numbers.count) or is_far(last, count):
        return None
    return bytes(made)


def _place_reaching(
    apart: bytes, add_up: Callable[[bytes], int], place: int, reached: int, number: int
) -> tuple[int, int]:
    """The first place from which on gaps add up to a number or more, not before the given one; and what those before
    it add up to."""
    end = len(apart)
    while place < end:
        middle = (place + end) // 2
        there = reached + add_up(apart[place : middle + 1])
        if there >= number:
            end = middle
        else:
            place, reached = middle + 1, there
    return place, reached


def _added_up(apart: bytes) -> int:
    """The sum of gaps that lead to less than a certain number, by a checksum that begins with 1: many times as fast."""
    return (adler32(apart) & 0xFFFF) - 1


def _moved_halves(packed: bytes, numbers: MovedNumbers) -> bytes | None:
    if max(numbers.old_count, numbers.count) > CHUNK:
        return None
    new = numbers.halves(packed)
    return new if not numbers.is_shrunk or _stay_apart(new) else None
