"""Postings: which documents hold a term, and how often. Pure.

Documents are numbered by (words, id). Those that hold a term equally often are kept together in ascending order, so
each such group is also in descending order of score. A term that many documents hold has dense counts instead: a byte a
document, so that those of several terms are added up by one addition of long integers.
"""

from __future__ import annotations

from binascii import crc32
from struct import Struct, error

from holdfast.caches.index_format.ascending_numbers import chunks, parse_numbers
from holdfast.caches.index_format.container import IndexUnusable
from holdfast.caches.index_format.dictionary import INLINE

HEAD = Struct("<III")  # checksum, bytes that follow this head, documents that hold the term
SHAPE = Struct("<HH")  # groups, the largest of the dense counts (0 when there are none)
GROUP = Struct("<II")  # how often, how many documents
HEAD_SIZE = HEAD.size

# A term that a single document holds needs no record unless it is there this often: its dictionary value says it all.
INLINE_LIMIT = 1 << 31


class Postings:
    """The documents of one term: groups of (times, ascending numbers), most often first, and dense counts or None."""

    __slots__ = ("dense", "dense_most", "document_count", "groups")

    def __init__(
        self, document_count: int, groups: list[tuple[int, list[int]]], dense: bytes | None = None, dense_most: int = 0
    ) -> None:
        self.document_count = document_count
        self.groups = groups
        self.dense = dense
        self.dense_most = dense_most


def parse_inline(value: int, document_count: int) -> Postings | None:
    """The postings a dictionary value itself holds, or None when it is the place of a record."""
    if value < INLINE:
        return None
    times, document = value >> 32 & INLINE_LIMIT - 1, value & 0xFFFFFFFF
    if document >= document_count or not times:
        raise IndexUnusable("a dictionary value names no document")
    return Postings(1, [(times, [document])])


def longest_record(document_count: int) -> int:
    """No record of that many documents has more bytes: groups of one each, in the widest form, and dense counts."""
    return HEAD.size + SHAPE.size + document_count * (GROUP.size + 4 + 1) + 4 * chunks(document_count)


def record_length(head: bytes) -> int:
    """The bytes of a record whose head this is, the head included."""
    if len(head) < HEAD.size:
        raise IndexUnusable("the postings are cut short")
    return HEAD.size + int.from_bytes(head[4:8], "little")


def parse_postings(data: bytes, key: bytes, document_count: int) -> Postings:
    """The postings in a record, which must be that of the key; IndexUnusable when anything about it is off."""
    try:
        crc, _, holding = HEAD.unpack_from(data)
        if crc32(data[4:], crc32(key)) != crc or holding > document_count:
            raise IndexUnusable("postings are damaged")
        group_count, dense_most = SHAPE.unpack_from(data, HEAD.size)
        view = memoryview(data)
        at = HEAD.size + SHAPE.size
        shapes = [GROUP.unpack_from(data, at + position * GROUP.size) for position in range(group_count)]
        if sum([count for _, count in shapes]) > holding:
            raise IndexUnusable("postings name more documents than they count")
        at += group_count * GROUP.size
        groups = []
        for times, count in shapes:
            documents, at = parse_numbers(view, at, count, document_count)
            if documents and documents[-1] >= document_count:
                raise IndexUnusable("postings name no document")
            groups.append((times, documents))
        dense = data[at : at + document_count] if dense_most else None
        if dense is not None and len(dense) != document_count:
            raise IndexUnusable("dense counts are cut short")
    except (error, ValueError, TypeError, IndexError):
        raise IndexUnusable("postings are damaged") from None
    return Postings(holding, groups, dense, dense_most)
