"""Lists of steps of which some numbers are replaced, and the others moved. Pure."""

from __future__ import annotations

from array import array
from binascii import crc32
from bisect import bisect_left
from itertools import accumulate

from holdfast.caches.index_format import CHUNK, IndexUnusable
from holdfast.caches.section_index.section_compiler import CONTINUATION, is_far
from holdfast.caches.section_index.section_records import DENSE, HEAD, HELD, IN_GAPS, IS_WIDE, NARROW, WIDE
from holdfast.caches.section_index.step_lists import is_dense

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.section_index.term_lists import TermLists


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


def shift_record(record: bytes, key: bytes, extent: range, grown: int, population: int) -> bytes | None:
    """The record of a term that no section of one document holds, once that has so many more; None where it takes more
    than moving numbers.

    `extent` are the sections that it had, `population` how many sections there were of all. IndexUnusable when the
    record is damaged.
    """
    if crc32(record[4:], crc32(key)) != int.from_bytes(record[:4], "little"):
        raise IndexUnusable("impacts are damaged")
    shape = record[4]
    size = WIDE if shape & IS_WIDE else NARROW
    at = HEAD.size + size.size + (WIDE.size if shape & HELD else 0)
    if shape & DENSE:
        count = population - record.count(0, at, at + population)
        (length,) = size.unpack_from(record, HEAD.size)
        if not is_dense(count, population + grown) or (size is NARROW and length + grown > 0xFFFF):
            return None
        made = record[4 : HEAD.size] + size.pack(length + grown) + record[HEAD.size + size.size : at + extent.start]
        made += bytes(len(extent) + grown) + record[at + extent.stop :]
    else:
        (count,) = size.unpack_from(record, at)
        start = at + size.size
        shifted = (_shifted_gaps if shape & IN_GAPS else _shifted_numbers)(record, start, count, extent.stop, grown)
        if shifted is None or is_dense(count, population + grown) or max(population, population + grown) > CHUNK:
            return None
        made = record[4:start] + shifted + record[start + len(shifted) :]
    return crc32(made, crc32(key)).to_bytes(4, "little") + made


def _shifted_gaps(record: bytes, start: int, count: int, cut: int, grown: int) -> bytes | None:
    apart = record[start : start + count]
    if CONTINUATION in apart:
        return None
    numbers = list(accumulate(apart))
    place = bisect_left(numbers, cut)
    if place == count:
        return apart
    gap = apart[place] + grown
    if not 0 <= gap < CONTINUATION or is_far(numbers[-1] + grown, count):
        return None
    return apart[:place] + bytes([gap]) + apart[place + 1 :]


def _shifted_numbers(record: bytes, start: int, count: int, cut: int, grown: int) -> bytes | None:
    numbers = array("H", record[start : start + 2 * count])
    place = bisect_left(numbers, cut)
    if place == count:
        return numbers.tobytes()
    if not is_far(numbers[-1], count) or not is_far(numbers[-1] + grown, count):
        return None
    return (numbers[:place] + array("H", [number + grown for number in numbers[place:]])).tobytes()
