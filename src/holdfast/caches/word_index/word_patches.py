"""Posting lists of words, once documents have other numbers and some documents hold other words. Pure."""

from __future__ import annotations

from binascii import crc32
from bisect import insort

from holdfast.caches.index_format import CHUNK, IndexUnusable
from holdfast.caches.word_index.word_compiler import DENSE_LIMIT, DENSE_SHARE, encode_postings, inline_value
from holdfast.caches.word_index.word_records import COUNT, GROUP, HEAD, INLINE_LIMIT, SHAPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.moved_numbers import MovedNumbers

_ONE_GROUP = SHAPE.pack(1, 0)
_GROUPS = HEAD.size + SHAPE.size  # where the groups of a record begin


def move_records(postings: bytes, offsets: Sequence[int], numbers: MovedNumbers) -> tuple[bytearray, list[int]]:
    """All records, which begin at these offsets, with the numbers that documents have now, each as long as before; and
    which of them, by position, take more than that.

    A checksum is changed by what changes: a record that is damaged stays so. What names documents that are gone is for
    the caller to replace.
    """
    made = bytearray(postings)
    if max(numbers.old_count, numbers.count) > CHUNK:
        return made, list(range(len(offsets)))
    # A list that is shorter names too few documents to be dense, before as after.
    dense_from = _GROUPS + GROUP.size + 2 * (-(-min(numbers.old_count, numbers.count) // DENSE_SHARE))
    ends = [*offsets[1:], len(postings)]
    shapes = [postings[offset + HEAD.size : offset + _GROUPS] for offset in offsets]
    one = _GROUPS + GROUP.size  # most words have one group
    plain = [
        (offset, offset + one, end)
        for offset, end, shape in zip(offsets, ends, shapes, strict=False)
        if shape == _ONE_GROUP and end - offset < dense_from
    ]
    left: list[int] = []
    for position, (offset, end, shape) in enumerate(zip(offsets, ends, shapes, strict=False)):
        if end - offset >= dense_from or shape[2:] != b"\0\0":
            left.append(position)
        elif shape != _ONE_GROUP:
            plain.append((offset, offset + _GROUPS + GROUP.size * int.from_bytes(shape[:2], "little"), end))
    olds = [postings[start:end] for _, start, end in plain]
    packed = b"".join(olds)
    if len(packed) != sum([end - start & -2 for _, start, end in plain]):
        raise IndexUnusable("postings are damaged")
    moved = numbers.halves(packed)
    at = 0
    for (offset, start, end), old in zip(plain, olds, strict=True):
        after = at + end - start
        new = moved[at:after]
        at = after
        if new != old:
            made[start:end] = new
            (crc,) = COUNT.unpack_from(made, offset)
            COUNT.pack_into(made, offset, crc ^ crc32(old) ^ crc32(new))
    return made, left


def move_dense(
    record: bytes, key: bytes, numbers: MovedNumbers, gone: int, added: Iterable[tuple[int, int]]
) -> bytes | None:
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
    return crc32(body, crc32(key)).to_bytes(4, "little") + body


def move_groups(
    key: bytes, groups: Iterable[tuple[int, list[int]]], numbers: MovedNumbers, added: Iterable[tuple[int, int]]
) -> int | bytes | None:
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
