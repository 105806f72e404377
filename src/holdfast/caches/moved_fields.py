"""Packed numbers of all records of an index, moved at once, and the records sealed again. Pure.

Records are cut into fields and put together again by few calls for all of them: a step of the interpreter for each
record would take longer than everything else.
"""

from __future__ import annotations

from binascii import crc32
from itertools import compress, count
from operator import add, ne, xor
from struct import Struct, error
from typing import TYPE_CHECKING

from holdfast.caches.index_format import IndexUnusable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.caches.moved_numbers import MovedNumbers

_FIELDS = 4  # of a record: its checksum, what stands before its numbers, these, and what follows them
_CHECKSUM, _NUMBERS, _REST = 0, 2, 3
_FEW = 3  # where no more than one in so many changes, each is sealed for itself


def fields_format(size: int, before: int, numbers: int) -> str:
    """How a record of so many bytes is cut which has numbers of so many bytes after so many others."""
    return f"I{before - 4}s{numbers}s{size - before - numbers}s"


def move_fields(
    postings: bytes,
    formats: Iterable[str],
    numbers: MovedNumbers,
    stays: Callable[[bytes], bool] | None = None,
) -> tuple[bytes, list[int]]:
    """All records, which are cut by these formats, with the numbers that there are now, each as long as before.

    A checksum is changed by what changes: a record that is damaged stays so, or is IndexUnusable. Records whose moved
    numbers `stays` does not take are left as they are and named by position.
    """
    try:
        layout = Struct(f"<{''.join(formats)}")
        fields = list(layout.unpack(postings))
    except error:
        raise IndexUnusable("postings are damaged") from None
    olds = fields[_NUMBERS::_FIELDS]
    moved = numbers.halves(b"".join(olds))
    sizes = list(map(len, olds))
    formats_of = {size: f"{size}s" for size in set(sizes)}
    news = list(Struct("".join(map(formats_of.__getitem__, sizes))).unpack(moved))
    changed = list(compress(range(len(news)), map(ne, olds, news)))
    left = [] if stays is None else [at for at in changed if not stays(news[at])]
    for at in left:
        news[at] = olds[at]
    rests = fields[_REST::_FIELDS]
    if _FEW * len(changed) < len(news):
        for at in changed:
            fields[_FIELDS * at] ^= crc32(olds[at] + rests[at]) ^ crc32(news[at] + rests[at])
    else:
        sealed = fields[_CHECKSUM::_FIELDS]
        for versions in (olds, news):
            sealed = list(map(xor, sealed, map(crc32, map(add, versions, rests) if any(rests) else versions)))
        fields[_CHECKSUM::_FIELDS] = sealed
    fields[_NUMBERS::_FIELDS] = news
    return layout.pack(*fields), left


def reseal_records(data: bytes, sizes: Sequence[int], was: int, now: int) -> bytes:
    """Records of sections or documents with consecutive numbers, of so many bytes each, once these begin elsewhere.

    A checksum is changed by what changes: a record that is damaged stays so.
    """
    formats = {size: f"I{size - 4}s" for size in set(sizes) if size >= 4}
    try:
        layout = Struct(f"<{''.join(map(formats.__getitem__, sizes))}")
        fields = list(layout.unpack(data))
    except (error, KeyError):
        raise IndexUnusable("records are damaged") from None
    bodies = fields[1::2]
    differing = map(xor, map(crc32, bodies, count(was)), map(crc32, bodies, count(now)))
    fields[0::2] = map(xor, fields[0::2], differing)
    return layout.pack(*fields)
