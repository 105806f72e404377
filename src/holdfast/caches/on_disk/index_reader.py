"""The files of `index/`, open and read in place: what both have in common, and the index of words.

Every part is read with `pread` and checked before it is used; a mapped file that is cut short underneath would end the
process. Whatever is wrong is `IndexUnusable`, and the caller falls back to reading the documents.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from hashlib import sha256

from holdfast.caches.cache_format import MAX_MANIFEST_BYTES
from holdfast.caches.index_format import (
    FIRST_BYTES,
    PAGE_SIZE,
    IndexUnusable,
    find_section,
    key_of,
    look_up,
    manifest_digest,
    parse_header,
    read_section,
)
from holdfast.caches.number_blocks import BLOCK, SUM, block_span, check_blocks, sums_length
from holdfast.caches.on_disk.cache_directory import COMPILED, INDEX, MANIFEST
from holdfast.caches.posting_record import PostingRecord, numbers_at, record_at
from holdfast.caches.selection import Selection, make_hit, words
from holdfast.caches.word_index.word_records import (
    HEAD_SIZE,
    LONGEST_RECORD,
    columns_length,
    longest_postings,
    parse_columns,
    parse_inline,
    parse_postings,
    parse_record,
    posting_numbers,
    postings_length,
)
from holdfast.caches.word_index.word_search import Matches, choose
from holdfast.core.regular_files import close_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Concatenate, ParamSpec, TypeVar

    from holdfast.caches.cache_format import Entry
    from holdfast.caches.index_format import DictionaryPage, Header, Section
    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.word_index.word_records import Columns, Postings

    Asked = ParamSpec("Asked")
    Found = TypeVar("Found")
    Reader = TypeVar("Reader")

WORDS_FILE = f"{COMPILED}/words.idx"
WORDS = "words-2"
COLUMNS, DIGESTS = "columns", "digests"

POSTINGS, DICTIONARY, OFFSETS, RECORDS = "postings", "dictionary", "offsets", "records"
NUMBERS, SUMS = "numbers", "sums"  # of postings, and of blocks of these numbers
# No listed document takes fewer bytes of a manifest than this: it bounds what a foreign index can make us hold.
_SMALLEST_ENTRY = 100
_CHUNK = 1 << 18
_FIRST_READ = 4096
# What damage that slipped past a checksum, or a file made to mislead, can lead to.
_MISLED = (ArithmeticError, LookupError, ValueError, TypeError, StopIteration, MemoryError)


def doubting(
    method: Callable[Concatenate[Reader, Asked], Found],
) -> Callable[Concatenate[Reader, Asked], Found]:
    """A method of a reader that raises IndexUnusable for whatever a damaged or misleading file leads it to."""

    def guarded(self: Reader, /, *asked: Asked.args, **named: Asked.kwargs) -> Found:
        try:
            return method(self, *asked, **named)
        except OSError as error:
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        except _MISLED as error:
            raise IndexUnusable(f"misleading: {type(error).__name__}") from None

    guarded.__doc__ = method.__doc__
    return guarded


class IndexReader:
    """A file with postings found through a dictionary, and records found through offsets."""

    def __init__(self, directory: CacheDirectory, file: str) -> None:
        """Open the file; IndexUnusable when there is none, or it is not that of this cache."""
        self._directory = directory
        self._descriptor = -1
        self._first_keys: dict[int, bytes] = {}
        try:
            self._descriptor = directory.open(file)
            self._open()
        except OSError as error:
            self.close()
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        """Read what every look-up needs; IndexUnusable when the file is of another cache."""
        raise NotImplementedError

    def _read_header(self, kind: str) -> Header:
        header = parse_header(self._read, kind=kind, file_length=os.fstat(self._descriptor).st_size)
        self._postings = find_section(header, POSTINGS)
        self._numbers = find_section(header, NUMBERS)
        self._sums = find_section(header, SUMS)
        self._dictionary = find_section(header, DICTIONARY)
        self._offsets = find_section(header, OFFSETS)
        self._records = find_section(header, RECORDS)
        return header

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            # Forgotten before it is closed: whatever close says, the number may be another file's from then on.
            descriptor, self._descriptor = self._descriptor, -1
            close_quietly(descriptor)

    def __del__(self) -> None:
        self.close()

    def _value_of(self, key: bytes, pages: dict[int, DictionaryPage] | None = None) -> int | None:
        """What the dictionary says of a key; None when it has none. `pages` is as `look_up` takes it."""
        count = self._dictionary.length // PAGE_SIZE
        return look_up(self._dictionary_page, count, key, self._first_keys, pages)

    def _dictionary_page(self, number: int) -> bytes:
        """A page of the dictionary; the caller checks its length and checksum."""
        return os.pread(self._descriptor, PAGE_SIZE, self._dictionary.offset + number * PAGE_SIZE)

    def _first_of_posting(self, offset: int) -> bytes:
        """The bytes of the postings at an offset, or the beginning of many: they say how long they are."""
        section = self._postings
        return self._part(section, offset, min(_FIRST_READ, section.length - offset))

    def _whole_posting(self, offset: int, first: bytes, length: int, *, longest: int) -> bytes:
        """All bytes of the postings that begin so."""
        if length > longest:
            raise IndexUnusable("postings longer than any")
        return first[:length] if length <= len(first) else self._part(self._postings, offset, length)

    def _numbers_of(self, place: int, length: int) -> bytes:
        """`length` bytes of the numbers that are stored apart from the record of a place."""
        if not length:
            return b""
        at, section = numbers_at(place), self._numbers
        start, end = block_span(at, at + length, section.length)
        data = self._part(section, start, end - start)
        check_blocks(data, start, self._part(self._sums, start // BLOCK * SUM, sums_length(end - start)))
        return data[at - start : at - start + length]

    def _record(self, number: int, *, longest: int) -> bytes:
        """The bytes of a record by its number."""
        ends = self._part(self._offsets, 8 * number, 16)
        start, end = int.from_bytes(ends[:8], "little"), int.from_bytes(ends[8:], "little")
        if end - start > longest:
            raise IndexUnusable("a record longer than any")
        return self._part(self._records, start, end - start)

    def _part(self, section: Section, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0 or offset + length > section.length:
            raise IndexUnusable(f"section {section.name} is left")
        return self._read(section.offset + offset, length)

    def _read(self, offset: int, length: int) -> bytes:
        data = os.pread(self._descriptor, length, offset)
        if len(data) != length:
            raise IndexUnusable("cut short")
        return data


class WordIndex(IndexReader):
    """The open word index of one cache: it knows the documents, and which of them answer a query."""

    def __init__(self, directory: CacheDirectory) -> None:
        """Open the index; IndexUnusable when there is none, or it is not that of this cache."""
        super().__init__(directory, WORDS_FILE)

    def _open(self) -> None:
        header = self._read_header(WORDS)
        manifest_size, manifest, index = listing_digests(self._directory)
        columns = find_section(header, COLUMNS)
        if columns.length > columns_length(manifest_size // _SMALLEST_ENTRY):
            raise IndexUnusable("more documents than the manifest can list")
        if (manifest, index) != (header.manifest_digest, header.index_digest):
            raise IndexUnusable("of another cache")
        self._columns = parse_columns(read_section(self._read, columns))
        self._longest = longest_postings(self._columns.count)
        self.belongs_to = (header.manifest_digest, header.index_digest)

    @property
    def document_count(self) -> int:
        """How many documents the cache has."""
        return self._columns.count

    @doubting
    def resolve(self, query: str, budget: int) -> Selection:
        """What `selection.select` gives, each returned document read and proven.

        IndexUnusable, CacheInvalid or IoError when anything does not hold: the caller falls back to the documents.
        """
        terms = words(query)
        hits = []
        used = 0
        for place, matches, total, tokens in choose(*self._matched(terms), budget):
            entry = self.entry(place)
            content, size = self._directory.content(entry)
            hit = make_hit(entry, content, size, terms, matches, total)
            if hit.tokens != tokens:
                raise IndexUnusable("a document has another size")
            hits.append(hit)
            used += tokens
        count = self._columns.count
        return Selection(hits, query, budget, used, count, count - len(hits))

    @doubting
    def matched(self, terms: list[str]) -> tuple[Matches, Columns]:
        """How often the terms of a query occur in each document, and the columns of all."""
        return self._matched(terms)

    def _matched(self, terms: list[str]) -> tuple[Matches, Columns]:
        weights: dict[str, int] = {}
        for term in terms:
            weights[term] = weights.get(term, 0) + 1
        found = [(weight, postings) for term, weight in weights.items() if (postings := self._look_up(term))]
        return Matches(found, self._columns.count), self._columns

    def _look_up(self, term: str) -> Postings | None:
        key, count = key_of(term), self._columns.count
        value = self._value_of(key)
        if value is None:
            return None
        alone = parse_inline(value, count)
        if alone is not None:
            return alone
        at = record_at(value)
        first = self._first_of_posting(at)
        data = self._whole_posting(at, first, postings_length(first[:HEAD_SIZE]), longest=self._longest)
        return parse_postings(PostingRecord(data, self._numbers_of(value, posting_numbers(data, count))), key, count)

    def entry(self, place: int) -> Entry:
        """The document at a place in id order."""
        return parse_record(self._record(place, longest=LONGEST_RECORD), place)

    @doubting
    def find(self, name: str) -> tuple[int, Entry] | None:
        """The document with an id, and its place in id order; None when there is none."""
        place = bisect_left(range(self._columns.count), name, key=lambda at: self.entry(at).id)
        if place == self._columns.count:
            return None
        entry = self.entry(place)
        return (place, entry) if entry.id == name else None


def listing_digests(directory: CacheDirectory) -> tuple[int, bytes | None, bytes]:
    """The size of the manifest, and the digests of the manifest and of the index file as `index/` states them."""
    size, digest = _digest_of_manifest(directory)
    return size, digest, _digest_of_index(directory)


def _digest_of_manifest(directory: CacheDirectory) -> tuple[int, bytes | None]:
    """The size of the manifest, and its digest as an index states it."""
    descriptor = directory.open(MANIFEST)
    try:
        size = os.fstat(descriptor).st_size
        return size, manifest_digest(_chunks(descriptor, size))
    finally:
        close_quietly(descriptor)


def _digest_of_index(directory: CacheDirectory) -> bytes:
    descriptor = directory.open(INDEX)
    try:
        digest = sha256()
        for chunk in _chunks(descriptor, os.fstat(descriptor).st_size):
            digest.update(chunk)
        return digest.digest()
    finally:
        close_quietly(descriptor)


def _chunks(descriptor: int, size: int) -> Iterator[bytes]:
    """All bytes of a file, no chunk but the last below the size that holds a manifest's time."""
    if size > MAX_MANIFEST_BYTES:
        raise IndexUnusable("a listing larger than any")
    left = size
    while left > 0:
        chunk = os.read(descriptor, _CHUNK)
        if not chunk or (len(chunk) < FIRST_BYTES and len(chunk) != left):
            raise IndexUnusable("a listing changed while it was read")
        left -= len(chunk)
        yield chunk
