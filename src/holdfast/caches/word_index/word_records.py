"""What `words.idx` holds: columns and a record of each document, and the posting list of each term. Pure.

Documents are numbered by (words, id). Those that hold a term equally often are kept together in ascending order, so
each such group is also in descending order of score. A term that many documents hold has dense counts instead: a byte a
document, so that those of several terms are added up by one addition of long integers. docs/formats/index.md has the
bytes; `word_compiler` makes them.
"""

from __future__ import annotations

from binascii import crc32
from bisect import bisect_right
from struct import Struct, error

from holdfast.caches.cache_format import PREFIX, Entry, stays_inside
from holdfast.caches.index_format import INLINE, IndexUnusable, parse_numbers
from holdfast.caches.posting_record import PostingRecord, numbers_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Documents in id order are walked in blocks of this many; a block that cannot fit is skipped whole.
BLOCK = 128
_WIDTH = 4
COUNT = Struct("<I")
RECORD = Struct("<IHH32s")  # checksum, length of the id, length of the file name, version
LONGEST_RECORD = RECORD.size + 2 * 0xFFFF

HEAD = Struct("<III")  # checksum, bytes that follow this head, documents that hold the term
SHAPE = Struct("<HH")  # groups, the largest of the dense counts (0 when there are none)
GROUP = Struct("<II")  # how often, how many documents
HEAD_SIZE = HEAD.size

# A term that a single document holds needs no record unless it is there this often: its dictionary value says it all.
INLINE_LIMIT = 1 << 31


class Columns:
    """Numbers of every document.

    A document's place is its position in id order; its number is its position by (words, id). `words` and `places` are
    indexed by number; `numbers` and `tokens` by place; `by_tokens` lists the places by (tokens, place); `floors` has
    the fewest tokens of each block of places.
    """

    __slots__ = ("by_tokens", "count", "floors", "numbers", "places", "tokens", "words")

    def __init__(
        self,
        words: Sequence[int],
        places: Sequence[int],
        numbers: Sequence[int],
        tokens: Sequence[int],
        by_tokens: Sequence[int],
        floors: Sequence[int],
    ) -> None:
        self.count = len(tokens)
        self.words, self.places, self.numbers = words, places, numbers
        self.tokens, self.by_tokens, self.floors = tokens, by_tokens, floors

    def fitting(self, budget: int) -> int:
        """How many documents have no more tokens than that."""
        return bisect_right(self.by_tokens, budget, key=self.tokens.__getitem__)


def columns_length(count: int) -> int:
    """The bytes of the `columns` section of that many documents."""
    return COUNT.size + _WIDTH * (5 * count + -(-count // BLOCK))


def parse_columns(data: bytes) -> Columns:
    """The columns in a section that was checked as a whole."""
    if len(data) < COUNT.size:
        raise IndexUnusable("the columns are cut short")
    (count,) = COUNT.unpack_from(data)
    if len(data) != columns_length(count):
        raise IndexUnusable("the columns are cut short")
    view = memoryview(data)[COUNT.size :].cast("I")
    parts = [view[start : start + count] for start in range(0, 5 * count, count)] if count else [view] * 5
    return Columns(parts[0], parts[1], parts[2], parts[3], parts[4], view[5 * count :])


def parse_record(data: bytes, place: int) -> Entry:
    """The entry in a record, proven to be that of the place."""
    try:
        crc, name_length, file_length, version = RECORD.unpack_from(data)
        end = RECORD.size + name_length
        if crc32(data[4:], place) != crc or len(data) != end + file_length:
            raise IndexUnusable("a document record is damaged")
        entry = Entry(data[RECORD.size : end].decode(), PREFIX + version.hex(), data[end:].decode())
    except (error, UnicodeDecodeError):
        raise IndexUnusable("a document record is damaged") from None
    if not stays_inside(entry.file):
        raise IndexUnusable("a document record leads outside the cache")
    return entry


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


def longest_postings(document_count: int) -> int:
    """No record of that many documents has more bytes: groups of one each, and dense counts."""
    return HEAD.size + SHAPE.size + document_count * (GROUP.size + 1)


def postings_length(head: bytes) -> int:
    """The bytes of a record whose head this is, the head included."""
    if len(head) < HEAD.size:
        raise IndexUnusable("the postings are cut short")
    return HEAD.size + int.from_bytes(head[4:8], "little")


def posting_numbers(data: bytes, document_count: int) -> int:
    """The bytes of the numbers that stand apart from a record."""
    try:
        groups, _ = SHAPE.unpack_from(data, HEAD.size)
        first = HEAD.size + SHAPE.size
        counts = [count for _, count in GROUP.iter_unpack(data[first : first + GROUP.size * groups])]
    except error:
        raise IndexUnusable("postings are damaged") from None
    if sum(counts) > document_count:
        raise IndexUnusable("postings name more documents than there are")
    return sum([numbers_length(count, document_count) for count in counts])


def parse_postings(record: PostingRecord, key: bytes, document_count: int) -> Postings:
    """The postings in a record, which must be that of the key; IndexUnusable when anything about it is off."""
    data = record.data
    try:
        crc, _, holding = HEAD.unpack_from(data)
        if crc32(data[4:], crc32(key)) != crc or holding > document_count:
            raise IndexUnusable("postings are damaged")
        group_count, dense_most = SHAPE.unpack_from(data, HEAD.size)
        view = memoryview(record.numbers)
        at = HEAD.size + SHAPE.size
        shapes = [GROUP.unpack_from(data, at + position * GROUP.size) for position in range(group_count)]
        if sum([count for _, count in shapes]) > holding:
            raise IndexUnusable("postings name more documents than they count")
        at += group_count * GROUP.size
        groups = []
        read = 0
        for times, count in shapes:
            documents, read = parse_numbers(view, read, count, document_count)
            if len(documents) != count or (documents and documents[-1] >= document_count):
                raise IndexUnusable("postings name no document")
            groups.append((times, documents))
        dense = data[at : at + document_count] if dense_most else None
        if dense is not None and len(dense) != document_count:
            raise IndexUnusable("dense counts are cut short")
    except (error, ValueError, TypeError, IndexError):
        raise IndexUnusable("postings are damaged") from None
    return Postings(holding, groups, dense, dense_most)
