"""What the index knows of each document: columns to rank and fit by, and a record to find it by. Pure."""

from __future__ import annotations

from binascii import crc32
from bisect import bisect_right
from struct import Struct, error, pack

from holdfast.caches.document import stays_inside
from holdfast.caches.index_format.container import IndexUnusable
from holdfast.caches.manifest import Entry
from holdfast.core.digests import PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Documents in id order are walked in blocks of this many; a block that cannot fit is skipped whole.
BLOCK = 128
_WIDTH = 4
_COUNT = Struct("<I")
_RECORD = Struct("<IHH32s")  # checksum, length of the id, length of the file name, version
LONGEST_RECORD = _RECORD.size + 2 * 0xFFFF


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


def make_columns(words: Sequence[int], tokens: Sequence[int]) -> Columns:
    """The columns of documents given in id order."""
    count = len(words)
    places = sorted(range(count), key=words.__getitem__)  # stable: equal counts stay in id order
    numbers = [0] * count
    for number, place in enumerate(places):
        numbers[place] = number
    return Columns(
        [words[place] for place in places],
        places,
        numbers,
        tokens,
        sorted(range(count), key=tokens.__getitem__),
        [min(tokens[start : start + BLOCK]) for start in range(0, count, BLOCK)],
    )


def encode_columns(columns: Columns) -> bytes:
    """The bytes of the `columns` section."""
    parts = (
        *(columns.words, columns.places, columns.numbers),
        *(columns.tokens, columns.by_tokens, columns.floors),
    )
    return _COUNT.pack(columns.count) + b"".join([pack(f"<{len(part)}I", *part) for part in parts])


def columns_length(count: int) -> int:
    """The bytes of the `columns` section of that many documents."""
    return _COUNT.size + _WIDTH * (5 * count + -(-count // BLOCK))


def parse_columns(data: bytes) -> Columns:
    """The columns in a section that was checked as a whole."""
    if len(data) < _COUNT.size:
        raise IndexUnusable("the columns are cut short")
    (count,) = _COUNT.unpack_from(data)
    if len(data) != columns_length(count):
        raise IndexUnusable("the columns are cut short")
    view = memoryview(data)[_COUNT.size :].cast("I")
    parts = [view[start : start + count] for start in range(0, 5 * count, count)] if count else [view] * 5
    return Columns(parts[0], parts[1], parts[2], parts[3], parts[4], view[5 * count :])


def encode_record(place: int, entry: Entry) -> bytes:
    """Where and what a document is; its checksum is seeded with its place."""
    name, file = entry.id.encode(), entry.file.encode()
    version = bytes.fromhex(entry.version[len(PREFIX) :])
    body = _RECORD.pack(0, len(name), len(file), version)[4:] + name + file
    return _COUNT.pack(crc32(body, place)) + body


def parse_record(data: bytes, place: int) -> Entry:
    """The entry in a record, proven to be that of the place."""
    try:
        crc, name_length, file_length, version = _RECORD.unpack_from(data)
        end = _RECORD.size + name_length
        if crc32(data[4:], place) != crc or len(data) != end + file_length:
            raise IndexUnusable("a document record is damaged")
        entry = Entry(data[_RECORD.size : end].decode(), PREFIX + version.hex(), data[end:].decode())
    except (error, UnicodeDecodeError):
        raise IndexUnusable("a document record is damaged") from None
    if not stays_inside(entry.file):
        raise IndexUnusable("a document record leads outside the cache")
    return entry
