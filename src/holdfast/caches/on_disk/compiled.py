"""Read the compiled index of a cache: opened if it belongs to the cache, looked up in place, never believed blindly.

Every part is read with `pread` and checked before it is used; a mapped file that is cut short underneath would end the
process. Whatever is wrong with an index, the answer is `IndexUnusable`, and the documents are read instead.
"""

from __future__ import annotations

import os
from hashlib import sha256

from holdfast.caches.document import parse_document, token_count
from holdfast.caches.index.container import IndexUnusable, find_section, parse_header, read_section
from holdfast.caches.index.dictionary import PAGE_SIZE, key_of, look_up
from holdfast.caches.index.documents import LONGEST_RECORD, columns_length, parse_columns, parse_record
from holdfast.caches.index.identity import FIRST_BYTES, manifest_digest
from holdfast.caches.index.postings import HEAD_SIZE, longest_record, parse_alone, parse_postings, record_length
from holdfast.caches.index.search import Matches, choose
from holdfast.caches.manifest import MAX_MANIFEST_BYTES
from holdfast.caches.on_disk.directory import COMPILED, INDEX, MANIFEST
from holdfast.caches.scoring import score
from holdfast.caches.selection import Hit, Selection
from holdfast.caches.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.caches.index.container import Section
    from holdfast.caches.index.postings import Postings
    from holdfast.caches.manifest import Entry
    from holdfast.caches.on_disk.directory import CacheDirectory

WORDS_FILE = f"{COMPILED}/words.idx"
WORDS = "words"
POSTINGS, DICTIONARY, COLUMNS, OFFSETS, RECORDS, DIGESTS = (
    *("postings", "dictionary", "columns"),
    *("offsets", "records", "digests"),
)
# No listed document takes fewer bytes of a manifest than this: it bounds what a foreign index can make us hold.
_SMALLEST_ENTRY = 100
_FIRST_READ = 4096
_CHUNK = 1 << 18
# What damage that slipped past a checksum, or a file made to mislead, can lead to.
MISLED = (ArithmeticError, LookupError, ValueError, TypeError, StopIteration, MemoryError)


class CompiledIndex:
    """The open index of one cache."""

    def __init__(self, directory: CacheDirectory) -> None:
        """Open the index; IndexUnusable when there is none, or it is not that of this cache."""
        self._directory = directory
        self._descriptor = -1
        self._first_keys: dict[int, bytes] = {}
        try:
            self._descriptor = directory.open(WORDS_FILE)
            self._open()
        except OSError as error:
            self.close()
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        header = parse_header(self._read, kind=WORDS, file_length=os.fstat(self._descriptor).st_size)
        self._postings = find_section(header, POSTINGS)
        self._dictionary = find_section(header, DICTIONARY)
        self._offsets = find_section(header, OFFSETS)
        self._records = find_section(header, RECORDS)
        manifest_size, digest = _digest_of_manifest(self._directory)
        columns = find_section(header, COLUMNS)
        if columns.length > columns_length(manifest_size // _SMALLEST_ENTRY):
            raise IndexUnusable("more documents than the manifest can list")
        if digest != header.manifest_digest or _digest_of_index(self._directory) != header.index_digest:
            raise IndexUnusable("of another cache")
        self._columns = parse_columns(read_section(self._read, columns))
        self.belongs_to = (header.manifest_digest, header.index_digest)

    @property
    def document_count(self) -> int:
        """How many documents the cache has."""
        return self._columns.count

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()

    def resolve(self, query: str, budget: int) -> Selection:
        """What `selection.select` gives, each returned document read and proven.

        IndexUnusable, CacheInvalid or IoError when anything does not hold: then the documents have the last word.
        """
        try:
            return self._resolve(query, budget)
        except OSError as error:
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        except MISLED as error:
            raise IndexUnusable(f"misleading: {type(error).__name__}") from None

    def _resolve(self, query: str, budget: int) -> Selection:
        terms = words(query)
        weights: dict[str, int] = {}
        for term in terms:
            weights[term] = weights.get(term, 0) + 1
        found = [(weight, postings) for term, weight in weights.items() if (postings := self._look_up(term))]
        hits = []
        used = 0
        for place, matches, total, tokens in choose(Matches(found, self._columns.count), self._columns, budget):
            entry = self.entry(place)
            data = self._directory.read(entry.file)
            document = parse_document(data, expected_id=entry.id, expected_version=entry.version)
            if token_count(len(document.content.encode())) != tokens:
                raise IndexUnusable("a document has another size")
            points = score(matches, total)
            hits.append(Hit(entry.id, entry.version, document.content, points, tokens, terms, matches, total))
            used += tokens
        count = self._columns.count
        return Selection(hits, query, budget, used, count, count - len(hits))

    def _look_up(self, term: str) -> Postings | None:
        section = self._dictionary
        key = key_of(term)

        def read_page(number: int) -> bytes:
            return self._read(section.offset + number * PAGE_SIZE, PAGE_SIZE)

        value = look_up(read_page, section.length // PAGE_SIZE, key, self._first_keys)
        if value is None:
            return None
        return parse_alone(value, self._columns.count) or self._record(value, key)

    def _record(self, offset: int, key: bytes) -> Postings:
        section = self._postings
        data = self._part(section, offset, min(_FIRST_READ, section.length - offset))
        length = record_length(data[:HEAD_SIZE])
        if length > longest_record(self._columns.count):
            raise IndexUnusable("postings longer than any")
        if length > len(data):
            data = self._part(section, offset, length)
        return parse_postings(data[:length], key, self._columns.count)

    def entry(self, place: int) -> Entry:
        """The document at a place in id order."""
        ends = self._part(self._offsets, 8 * place, 16)
        start, end = int.from_bytes(ends[:8], "little"), int.from_bytes(ends[8:], "little")
        if end - start > LONGEST_RECORD:
            raise IndexUnusable("a document record longer than any")
        return parse_record(self._part(self._records, start, end - start), place)

    def _part(self, section: Section, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0 or offset + length > section.length:
            raise IndexUnusable(f"section {section.name} is left")
        return self._read(section.offset + offset, length)

    def _read(self, offset: int, length: int) -> bytes:
        data = os.pread(self._descriptor, length, offset)
        if len(data) != length:
            raise IndexUnusable("cut short")
        return data


def _digest_of_manifest(directory: CacheDirectory) -> tuple[int, bytes | None]:
    """The size of the manifest, and its digest as an index states it."""
    descriptor = directory.open(MANIFEST)
    try:
        size = os.fstat(descriptor).st_size
        return size, manifest_digest(_chunks(descriptor, size))
    finally:
        os.close(descriptor)


def _digest_of_index(directory: CacheDirectory) -> bytes:
    descriptor = directory.open(INDEX)
    try:
        digest = sha256()
        for chunk in _chunks(descriptor, os.fstat(descriptor).st_size):
            digest.update(chunk)
        return digest.digest()
    finally:
        os.close(descriptor)


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
