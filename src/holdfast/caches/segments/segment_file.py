"""A segment read in place: its container, dictionary, key filter, columns and records. Pure.

A segment is a function of its documents and of the texts of links that lead to them, and of nothing else: not of other
segments, of the cache it is in, or of what was built before. docs/formats/index.md has the bytes.
"""

from __future__ import annotations

from binascii import crc32
from bisect import bisect_left
from hashlib import sha256
from itertools import accumulate
from struct import Struct

from holdfast.caches.cache_format import PREFIX, Entry, stays_inside
from holdfast.caches.index_format import (
    IndexUnusable,
    find_section,
    header_length,
    parse_header,
    read_section,
)
from holdfast.caches.segments.postings import INLINE, decode_term, decode_word, record_end
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal, NewType

    from holdfast.caches.index_format import Read
    from holdfast.caches.segments.postings import PostingList

    # The orders of documents, which type checkers tell apart. The rank of a document in id order, in its segment or,
    # where all segments are meant, in the cache; its rank in its segment by (words, id), which `resolve` walks; the
    # rank of a record in a section of a file.
    Place = NewType("Place", int)
    Number = NewType("Number", int)
    Position = NewType("Position", int)
else:
    Place = Number = Position = int

KIND = "segment-2"
DICTIONARY, POSTINGS, FILTER, COLUMNS = "dictionary", "postings", "filter", "columns"
DOCUMENTS, RECORDS, DIGESTS, SOURCES, SUMS = "documents", "records", "digests", "sources", "sums"
NAMES = (DICTIONARY, POSTINGS, FILTER, COLUMNS, DOCUMENTS, RECORDS, DIGESTS, SOURCES)
# Bytes that one checksum covers; so many entries of the dictionary fill as many.
BLOCK, ENTRIES = 4096, 341
HASHES = 8 * ENTRIES
NO_DIGEST = bytes(32)
# No segment has more bytes of checksums, for offsets have 32 bits, and none is worth holding more of columns.
_MOST_SUMS, _MOST_COLUMNS = 1 << 22, 1 << 24
SIZES = Struct("<III")  # documents, sections, the seed of hashes
# Documents in id order are walked in blocks of this many; a block that cannot fit is skipped whole.
FLOOR = 128
RECORD = Struct("<32sH")  # version, length of the id
# Bits of the filter for each term, at least; which bits of a hash name the second of its two.
BITS_A_KEY, OTHER = 8, 8


def hash_of(text: str, seed: int, *, word: bool) -> int:
    """The key of a word or of a term in the dictionary: 63 bits of its sha256, the lowest bit set for a word."""
    data = text.encode()
    digest = sha256(bytes((seed,)) + data if seed else data).digest()
    return int.from_bytes(digest[:8], "big") & ~1 | word


def parse_document_record(data: bytes) -> Entry:
    """The entry in a record; IndexUnusable where it leads outside the cache."""
    version, length = RECORD.unpack_from(data)
    end = RECORD.size + length
    entry = Entry(data[RECORD.size : end].decode(), PREFIX + version.hex(), data[end:].decode())
    if not stays_inside(entry.file):
        raise IndexUnusable("a document record leads outside the cache")
    return entry


def filtered(bits: bytes, terms: Mapping[str, int]) -> list[str]:
    """The terms, given with their hashes, that a filter does not rule out."""
    size = len(bits).bit_length() + 2
    shift, mask = 64 - size, (1 << size) - 1
    found = []
    for term, key in terms.items():
        first = key >> shift
        if bits[first >> 3] >> (first & 7) & 1:
            second = key >> OTHER & mask
            if bits[second >> 3] >> (second & 7) & 1:
                found.append(term)
    return found


class Columns(NamedTuple):
    """Numbers of every document of a segment and of its sections.

    `words` and `places` are by number; `numbers` and `tokens` by place; `by_tokens` lists the places by (tokens,
    place); `floors` has the fewest tokens of each 128 places. `firsts` has the first section of each document and,
    last, how many there are. `second_counts` has, where the tokenizer needs an extra, the tokens of each section's
    `section_label`; by estimate-1 what its text weighs, modulo 65,536; and is empty where neither is worth the room.
    """

    words: Sequence[int]
    tokens: Sequence[int]
    floors: Sequence[int]
    firsts: Sequence[int]
    section_tokens: Sequence[int]
    places: Sequence[Place]
    numbers: Sequence[Number]
    by_tokens: Sequence[Place]
    second_counts: Sequence[int]
    seed: int

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.tokens)

    def fitting(self, budget: int) -> int:
        """How many documents have no more tokens than that."""
        from bisect import bisect_right

        return bisect_right(self.by_tokens, budget, key=self.tokens.__getitem__)


def parse_columns(data: bytes) -> Columns:
    """The columns of a segment."""
    documents, sections, seed = SIZES.unpack_from(data)
    view, at = memoryview(data), SIZES.size
    parts: list[Sequence[int]] = []
    wide = (documents, documents, -(-documents // FLOOR), documents + 1, sections)
    for count in wide:
        parts.append(_numbers(view[at : at + 4 * count], "I"))
        at += 4 * count
    for _ in range(3):
        parts.append(_numbers(view[at : at + 2 * documents], "H"))
        at += 2 * documents
    found = Columns._make([*parts, _numbers(view[at:], "H"), seed])
    if len(found.by_tokens) != documents or len(found.second_counts) not in (0, sections):
        raise IndexUnusable("the columns are cut short")
    if found.firsts[0] != 0 or found.firsts[-1] != sections:
        raise IndexUnusable("the columns do not add up")
    return found


def _numbers(view: memoryview, kind: Literal["H", "I"]) -> Sequence[int]:
    return view.cast(kind) if len(view) else ()  # an empty view cannot be cast


class Segment:
    """A segment that is read in place: every byte is checked when it is read, and nothing is read twice at once.

    `read` gives bytes of the file; IndexUnusable for whatever does not hold.
    """

    def __init__(self, read: Read, length: int) -> None:
        self._read = read
        self.header = parse_header(read, kind=KIND, file_length=length)
        sums = find_section(self.header, SUMS)
        self._start, self._end = header_length(len(self.header.sections)), sums.offset
        if sums.length != 4 * -(-(self._end - self._start) // BLOCK) or sums.length > _MOST_SUMS:
            raise IndexUnusable("its checksums are cut short")
        self._sums = _numbers(memoryview(read_section(read, sums)), "I")
        self.checksum = sums.crc  # which no other segment of that length has
        self._dictionary = find_section(self.header, DICTIONARY)
        self._pages = self._dictionary.length // BLOCK
        self._postings = find_section(self.header, POSTINGS)
        self._numbers: Columns | None = None
        self._filter: bytes | None = None

    def length(self, name: str) -> int:
        """How many bytes a section has."""
        return find_section(self.header, name).length

    def part(self, name: str, offset: int = 0, length: int | None = None) -> bytes:
        """Bytes of a section, by default all from an offset on."""
        section = find_section(self.header, name)
        if length is None:
            length = section.length - offset
        if offset < 0 or length < 0 or offset + length > section.length:
            raise IndexUnusable(f"section {name} is left")
        return self._checked(section.offset + offset, length)

    def _checked(self, offset: int, length: int) -> bytes:
        """Bytes of the file, once the blocks that they lie in have the checksums that they should."""
        at = offset - self._start
        first, last = at // BLOCK, -(-(at + length) // BLOCK)
        start = first * BLOCK
        data = self._read(self._start + start, min(last * BLOCK, self._end - self._start) - start)
        if last - first == 1:  # most reads
            if crc32(data, first) != self._sums[first]:
                raise IndexUnusable("a block is damaged")
        else:
            view = memoryview(data)
            for number in range(first, last):
                place = (number - first) * BLOCK
                if crc32(view[place : place + BLOCK], number) != self._sums[number]:
                    raise IndexUnusable("a block is damaged")
        return data[at - start : at - start + length]

    def find(self, key: int) -> int | None:
        """What the dictionary has for a hash: hashes are evenly spread, so its page is nearly known beforehand."""
        if not self._pages:
            return None
        number = min(key * self._pages >> 64, self._pages - 1)
        moved = 0
        while True:
            page = self._checked(self._dictionary.offset + number * BLOCK, BLOCK)
            hashes = memoryview(page)[:HASHES].cast("Q")
            if key < hashes[0] and number and moved <= 0:
                moved, number = -1, number - 1
            elif key > hashes[-1] and number + 1 < self._pages and moved >= 0:
                moved, number = 1, number + 1
            else:
                break
        at = bisect_left(hashes, key)
        if at == ENTRIES or hashes[at] != key:
            return None
        return int.from_bytes(page[HASHES + 4 * at : HASHES + 4 * at + 4], "little")

    def record(self, offset: int) -> bytes:
        """The record at an offset of the postings."""
        section = self._postings
        place = section.offset + offset - self._start
        first = self._checked(section.offset + offset, min(max(BLOCK - place % BLOCK, 16), section.length - offset))
        end = record_end(first)
        if offset + end > section.length:
            raise IndexUnusable("a record is cut short")
        return first[:end] if end <= len(first) else self.part(POSTINGS, offset, end)

    def entry_at(self, name: str, position: Position | Place, count: int) -> bytes:
        """One of `count` records of a section that begins with where each ends."""
        bounds = self.part(name, 4 * position, 8)
        start, end = int.from_bytes(bounds[:4], "little"), int.from_bytes(bounds[4:], "little")
        return self.part(name, 4 * (count + 1) + start, end - start)

    @property
    def numbers(self) -> Columns:
        """Those of its documents and sections."""
        if self._numbers is None:
            if self.length(COLUMNS) > _MOST_COLUMNS:
                raise IndexUnusable("the columns are longer than any")
            self._numbers = parse_columns(self.part(COLUMNS))
        return self._numbers

    def entry(self, place: Place) -> Entry:
        """The document at a place in the segment."""
        return parse_document_record(self.entry_at(DOCUMENTS, place, self.numbers.documents))

    def word(self, key: int) -> tuple[Sequence[int] | None, Sequence[int]] | None:
        """The places of the documents that hold a word, given its hash, and how often each does; without places (None)
        how often each document does."""
        held = self._held(key)
        return None if held is None else decode_word(held, self.numbers.documents)

    def term(self, key: int) -> tuple[PostingList, PostingList, int] | None:
        """The list of sections and that of documents of a term, given its hash, and how many sections hold it."""
        held = self._held(key)
        return None if held is None else decode_term(held, self.numbers.firsts)

    def _held(self, key: int) -> int | bytes | None:
        value = self.find(key)
        return value if value is None or value >= INLINE else self.record(value)

    def not_ruled_out(self, terms: Mapping[str, int]) -> list[str]:
        """The terms, given with their hashes, that the key filter does not rule out."""
        if self._filter is None:
            self._filter = self.part(FILTER)
        return filtered(self._filter, terms)


def held_in_memory(data: bytes) -> Segment:
    """A segment by its bytes."""
    return Segment(lambda offset, length: data[offset : offset + length], len(data))


def slices(data: bytes, ends: Sequence[int]) -> list[bytes]:
    """The parts of bytes between ends."""
    return list(map(data.__getitem__, map(slice, ends, ends[1:])))


class SegmentSources:
    """What a segment keeps of the sources of its documents, so that it can be changed; IndexUnusable where nothing."""

    def __init__(self, segment: Segment, count: int) -> None:
        data = segment.part(SOURCES)
        if not data and count:
            raise IndexUnusable("nothing is kept of the sources")
        self.origins = data[: 32 * count]
        at = 32 * count
        columns = []
        for _ in range(4):
            columns.append(_numbers(memoryview(data)[at : at + 4 * count], "I"))
            at += 4 * count
        self.sizes = columns[0]
        parts = []
        for lengths in columns[1:]:
            ends = list(accumulate(lengths, initial=at))
            parts.append(slices(data, ends))
            at = ends[-1]
        self.texts, self.labels, self.links = parts
        if at != len(data):
            raise IndexUnusable("the sources are damaged")
