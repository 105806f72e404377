"""Posting lists of words, once documents have other numbers and some documents hold other words. Pure."""

from __future__ import annotations

from binascii import crc32
from itertools import pairwise

from holdfast.caches.index_format import CHUNK, IndexUnusable
from holdfast.caches.word_index.word_compiler import DENSE_LIMIT, DENSE_SHARE
from holdfast.caches.word_index.word_records import GROUP, HEAD, SHAPE

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
    left: list[int] = []
    spans: list[tuple[int, int]] = []
    parts: list[bytes] = []
    reached = [*offsets, len(postings)]
    for position, (offset, end) in enumerate(pairwise(reached)):
        shape = postings[offset + HEAD.size : offset + _GROUPS]
        if shape == _ONE_GROUP and end - offset < dense_from:  # most words
            start = offset + _GROUPS + GROUP.size
        elif end - offset >= dense_from or shape[2:] != b"\0\0":
            left.append(position)
            continue
        else:
            start = offset + _GROUPS + GROUP.size * int.from_bytes(shape[:2], "little")
        if end - start & 1:
            raise IndexUnusable("postings are damaged")
        spans.append((offset, start))
        parts.append(postings[start:end])
    moved = numbers.halves(b"".join(parts))
    at = 0
    for (offset, start), old in zip(spans, parts, strict=True):
        after = at + len(old)
        new = moved[at:after]
        at = after
        if new != old:
            crc = int.from_bytes(postings[offset : offset + 4], "little") ^ crc32(old) ^ crc32(new)
            made[offset : offset + 4] = crc.to_bytes(4, "little")
            made[start : start + len(new)] = new
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
