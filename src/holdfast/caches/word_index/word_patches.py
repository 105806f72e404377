"""Posting lists of words, once documents have other numbers and some documents hold other words. Pure."""

from __future__ import annotations

from binascii import crc32
from bisect import insort
from itertools import compress
from operator import sub

from holdfast.caches.index_format import CHUNK, IndexUnusable
from holdfast.caches.moved_fields import fields_format, move_fields
from holdfast.caches.word_index.word_compiler import DENSE_LIMIT, DENSE_SHARE, encode_postings, inline_value
from holdfast.caches.word_index.word_records import GROUP, HEAD, INLINE_LIMIT, SHAPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.moved_numbers import MovedNumbers

_GROUPS = HEAD.size + SHAPE.size  # where the groups of a record begin


def move_records(postings: bytes, offsets: Sequence[int], numbers: MovedNumbers) -> tuple[bytes, list[int]]:
    """All records, which begin at these offsets, with the numbers that documents have now, each as long as before; and
    which of them, by position, take more than that.

    A checksum is changed by what changes: a record that is damaged stays so. What names documents that are gone is for
    the caller to replace.
    """
    if max(numbers.old_count, numbers.count) > CHUNK:
        return postings, list(range(len(offsets)))
    formats = _Formats(numbers)
    sizes = map(sub, [*offsets[1:], len(postings)], offsets)
    shapes = [postings[start : start + SHAPE.size] for start in map(HEAD.size.__add__, offsets)]
    keys = list(zip(shapes, sizes, strict=True))
    made, _ = move_fields(postings, map(formats.__getitem__, keys), numbers)
    return made, list(compress(range(len(keys)), map(formats.dense.__contains__, keys)))


class _Formats(dict[tuple[bytes, int], str]):
    """By the shape and the size of a record, how it is cut; which of these may be dense, before or after."""

    def __init__(self, numbers: MovedNumbers) -> None:
        super().__init__()
        self.dense: set[tuple[bytes, int]] = set()
        # A list that is shorter names too few documents to be dense, before as after.
        self._dense_from = _GROUPS + GROUP.size + 2 * (-(-min(numbers.old_count, numbers.count) // DENSE_SHARE))

    def __missing__(self, key: tuple[bytes, int]) -> str:
        shape, size = key
        if len(shape) < SHAPE.size or size < _GROUPS:
            raise IndexUnusable("postings are damaged")
        groups, most = SHAPE.unpack(shape)
        start = _GROUPS + GROUP.size * groups
        if most or size >= self._dense_from:
            self.dense.add(key)
            start = size
        if start > size or (size - start) % 2:
            raise IndexUnusable("postings are damaged")
        made = self[key] = fields_format(size, start, size - start)
        return made


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
