"""Posting lists of words, once documents have other numbers and some documents hold other words. Pure."""

from __future__ import annotations

from binascii import crc32
from bisect import insort
from operator import sub

from holdfast.caches.index_format import CHUNK, IndexUnusable
from holdfast.caches.posting_record import place_of, records_at, sealed
from holdfast.caches.word_index.word_compiler import DENSE_LIMIT, DENSE_SHARE, encode_postings, inline_value
from holdfast.caches.word_index.word_records import HEAD, INLINE_LIMIT, SHAPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.moved_numbers import MovedNumbers
    from holdfast.caches.posting_record import PostingRecord

_GROUPS = HEAD.size + SHAPE.size  # where the groups of a record begin


def move_records(packed: bytes, places: Sequence[int], end: int, numbers: MovedNumbers) -> tuple[bytes, list[int]]:
    """The numbers of all records, which have these places up to an end, as documents are numbered now; and the places
    of records that take more than that: those that are dense, or may be before or after.

    What names documents that are gone is for the caller to replace.
    """
    if max(numbers.old_count, numbers.count) > CHUNK:
        return packed, list(places)
    # What has dense counts has a byte for each document; what names fewer than this is dense neither before nor after.
    least = place_of(0, 2 * -(-min(numbers.old_count, numbers.count) // DENSE_SHARE))
    sizes = list(map(sub, [*places[1:], end], places))
    if sizes and min(sizes) < 0:
        raise IndexUnusable("postings are damaged")
    longest = numbers.old_count
    left = [
        place
        for place, size, length in zip(places, sizes, records_at(sizes), strict=True)
        if length >= longest or size >= least
    ]
    return numbers.halves(packed), left


def move_dense(
    record: bytes, key: bytes, numbers: MovedNumbers, gone: int, added: Iterable[tuple[int, int]]
) -> PostingRecord | None:
    """The record of a word that is dense and stays so, with the numbers that documents have now.

    So many of the documents that it names are gone; others hold it now, by number, so often. None where it is not that
    simple. IndexUnusable when the record is damaged.
    """
    _, _, holding = HEAD.unpack_from(record)
    groups, most = SHAPE.unpack_from(record, HEAD.size)
    if not most or groups:
        return None
    if crc32(record[4:], crc32(key)) != int.from_bytes(record[:4], "little"):
        raise IndexUnusable("postings are damaged")
    if len(record) != _GROUPS + numbers.old_count:
        raise IndexUnusable("dense counts are cut short")
    dense = bytearray(numbers.dense(record[_GROUPS:]))
    holding -= gone
    for number, times in added:
        if times > DENSE_LIMIT:
            return None
        dense[number] = times
        most = max(most, times)
        holding += 1
    if holding < 2 or DENSE_SHARE * holding < numbers.count:
        return None
    while most and most not in dense:
        most -= 1
    body = HEAD.pack(0, SHAPE.size + len(dense), holding)[4:] + SHAPE.pack(0, most) + dense
    return sealed(key, body)


def move_groups(
    key: bytes, groups: Iterable[tuple[int, list[int]]], numbers: MovedNumbers, added: Iterable[tuple[int, int]]
) -> int | PostingRecord | None:
    """The value or the record of a word that documents hold so often, in groups, with the numbers that they have now,
    without those that are gone, and with others; None where no document holds it."""
    table = numbers.table
    made: dict[int, list[int]] = {}
    for times, held in groups:
        moved = [table[number] for number in held]
        made[times] = [number for number in moved if number >= 0] if -1 in moved else moved
    for number, times in added:
        insort(made.setdefault(times, []), number)
    made = {times: held for times, held in made.items() if held}
    if len(made) == 1:
        ((times, held),) = made.items()
        if len(held) == 1 and times < INLINE_LIMIT:
            return inline_value(times, held[0])
    return encode_postings(key, made, numbers.count) if made else None
