"""Lists of steps of which some numbers are replaced, and the others moved. Pure."""

from __future__ import annotations

from array import array
from binascii import crc32
from bisect import bisect_left
from itertools import accumulate, chain
from operator import sub
from struct import error

from holdfast.caches.index_format import CHUNK, IndexUnusable
from holdfast.caches.section_index.section_compiler import CONTINUATION, MOST_IN_NARROW, encode_list, is_far
from holdfast.caches.section_index.section_records import DENSE, HEAD, HELD, IN_GAPS, IS_WIDE, LISTED, NARROW, WIDE
from holdfast.caches.section_index.step_lists import is_dense

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.moved_numbers import MovedNumbers
    from holdfast.caches.section_index.term_lists import TermLists


# Records of the usual kinds have a list of sections, or two lists, of numbers of 16 bits, which begin here.
_PAIR = LISTED | LISTED << 1
_NUMBERS = HEAD.size + 2 * NARROW.size
_ANY_DENSE = DENSE | DENSE << 1


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
) -> bytes:
    """The record of a term with a step for every section, none above `most`; with its list of documents, which are of
    so many, and how many sections hold it."""
    while most not in by_number:
        most -= 1
    count = len(by_number) - by_number.count(0)
    size, shape = (WIDE, IS_WIDE) if count + len(documents[0]) > MOST_IN_NARROW else (NARROW, 0)
    body = bytes(by_number)
    shape |= LISTED | DENSE
    if documents[0]:
        bits, more = encode_list(*documents, population, size)
        shape |= bits << 1
        body += more
    if holding != count:
        shape |= HELD
        body = WIDE.pack(holding) + body
    checked = HEAD.pack(0, shape, most)[4:] + size.pack(len(body)) + body
    return crc32(checked, crc32(key)).to_bytes(4, "little") + checked


def move_records(
    postings: bytes, offsets: Sequence[int], sections: MovedNumbers, documents: MovedNumbers
) -> tuple[bytearray, list[int]]:
    """All records, which begin at these offsets, with the numbers that sections and documents have now, each as long
    as before; and which of them, by position, take more than that.

    A checksum is changed by what changes: a record that is damaged stays so, or is IndexUnusable. What names sections
    that are gone is for the caller to replace.
    """
    made = bytearray(postings)
    left: list[int] = []
    plain: list[int] = []  # the positions of records of the usual kinds
    pairs: list[int] = []
    are_halves = max(sections.old_count, sections.count, documents.old_count, documents.count) <= CHUNK
    reached = [*offsets, len(postings)]
    try:
        for position, offset in enumerate(offsets):
            shape = postings[offset + 4]
            if shape == LISTED and are_halves:
                plain.append(position)
            elif shape == _PAIR and are_halves:
                pairs.append(position)
            elif shape & _ANY_DENSE:
                left.append(position)
            else:
                end = reached[position + 1]
                moved = _moved_lists(postings[offset:end], sections, documents)
                if moved is None or len(moved) != end - offset - 4:
                    left.append(position)
                else:
                    _put(made, postings, offset, offset + 4, moved)
        left += _put_plain(made, postings, reached, plain, sections)
        left += _put_pairs(made, postings, reached, pairs, sections, documents)
    except (error, IndexError):
        raise IndexUnusable("impacts are damaged") from None
    return made, left


def _put_plain(
    made: bytearray, postings: bytes, reached: Sequence[int], plain: Sequence[int], sections: MovedNumbers
) -> list[int]:
    """Put records that list sections alone, by numbers of 16 bits; which are to be written in another way now."""
    spans = [
        (reached[position] + _NUMBERS, (reached[position + 1] - reached[position] - _NUMBERS) // 3)
        for position in plain
    ]
    olds = [postings[start : start + 2 * count] for start, count in spans]
    # All numbers at once: a record costs no more than to cut them apart again.
    moved = sections.halves(b"".join(olds))
    left: list[int] = []
    at = 0
    for position, (start, count), old in zip(plain, spans, olds, strict=True):
        end = at + 2 * count
        new = moved[at:end]
        at = end
        if new == old:
            continue
        if sections.is_shrunk and not _stay_apart(new):
            left.append(position)
            continue
        offset, after = start - _NUMBERS, start + 2 * count
        steps = postings[after : after + count]
        crc = int.from_bytes(postings[offset : offset + 4], "little")
        crc ^= crc32(steps, crc32(old)) ^ crc32(steps, crc32(new))
        made[offset : offset + 4] = crc.to_bytes(4, "little")
        made[start:after] = new
    return left


def _put_pairs(
    made: bytearray,
    postings: bytes,
    reached: Sequence[int],
    pairs: Sequence[int],
    sections: MovedNumbers,
    documents: MovedNumbers,
) -> list[int]:
    """The same for records that list documents too."""
    spans: list[tuple[int, int, int, int]] = []  # where the two lists begin and end
    for position in pairs:
        start = reached[position] + _NUMBERS
        after = start + 2 * (postings[start - 2] | postings[start - 1] << 8)
        second = after + (after - start) // 2 + 2
        end = second + 2 * (postings[second - 2] | postings[second - 1] << 8)
        if end + (end - second) // 2 != reached[position + 1]:
            raise IndexUnusable("impacts are damaged")
        spans.append((start, after, second, end))
    moved = sections.halves(b"".join([postings[start:after] for start, after, _, _ in spans]))
    moved_seconds = documents.halves(b"".join([postings[second:end] for _, _, second, end in spans]))
    left: list[int] = []
    at = at_second = 0
    for position, (start, after, second, end) in zip(pairs, spans, strict=True):
        new = moved[at : at + after - start]
        at += len(new)
        other = moved_seconds[at_second : at_second + end - second]
        at_second += len(other)
        if (sections.is_shrunk and not _stay_apart(new)) or (documents.is_shrunk and not _stay_apart(other)):
            left.append(position)
        else:
            rest = postings[after:second] + other + postings[end : reached[position + 1]]
            _put(made, postings, reached[position], start, new + rest)
    return left


def _stay_apart(packed: bytes) -> bool:
    """Whether gaps take more room than packed numbers, which are further apart than those of a dense list."""
    numbers = array("H", packed)
    if is_far(numbers[-1], len(numbers)):
        return True
    apart: Iterable[int] = map(sub, numbers, chain((0,), numbers))
    return 2 * sum([gap // CONTINUATION for gap in apart]) > len(numbers)


def _put(made: bytearray, postings: bytes, offset: int, start: int, new: bytes) -> None:
    """Change the end of a record, and its checksum by as much as that changes."""
    old = postings[start : start + len(new)]
    if old != new:
        crc = int.from_bytes(postings[offset : offset + 4], "little") ^ crc32(old) ^ crc32(new)
        made[offset : offset + 4] = crc.to_bytes(4, "little")
        made[start : start + len(new)] = new


def move_record(record: bytes, key: bytes, sections: MovedNumbers, documents: MovedNumbers) -> bytes | None:
    """A record with the numbers that sections and documents have now; None where it is to be written anew.

    IndexUnusable when it is damaged.
    """
    if crc32(record[4:], crc32(key)) != int.from_bytes(record[:4], "little"):
        raise IndexUnusable("impacts are damaged")
    made = _moved_lists(record, sections, documents)
    return None if made is None else crc32(made, crc32(key)).to_bytes(4, "little") + made


def _moved_lists(record: bytes, sections: MovedNumbers, documents: MovedNumbers) -> bytes | None:
    """A record after its checksum; None where numbers are to be written in another way than they are."""
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
        if bits & DENSE:
            steps = at = at + numbers.old_count
            found = _moved_dense(record[at - numbers.old_count : at], numbers)
        else:
            (count,) = size.unpack_from(record, at)
            body += record[at : at + size.size]
            at += size.size
            steps = at + (count if bits & IN_GAPS else 2 * count)
            found = (_moved_gaps if bits & IN_GAPS else _moved_halves)(record[at:steps], numbers)
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


def _moved_gaps(apart: bytes, numbers: MovedNumbers) -> bytes | None:
    reached = list(accumulate(apart))
    made = bytearray(apart)
    last = reached[-1] if reached else 0
    for number, more in numbers.breaks:
        place = bisect_left(reached, number)
        # What goes on without naming a number belongs to the next that does.
        while place < len(made) and made[place] == CONTINUATION:
            place += 1
        if place == len(made):
            break
        gap = made[place] + more
        if not 0 <= gap < CONTINUATION:
            return None
        made[place] = gap
        last += more
    count = len(made) - made.count(CONTINUATION)
    if is_dense(count, numbers.count) or is_far(last, count):
        return None
    return bytes(made)


def _moved_halves(packed: bytes, numbers: MovedNumbers) -> bytes | None:
    if max(numbers.old_count, numbers.count) > CHUNK:
        return None
    new = numbers.halves(packed)
    return new if not numbers.is_shrunk or _stay_apart(new) else None
