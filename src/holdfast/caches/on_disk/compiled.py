"""Read the compiled index of a cache: opened if it belongs to the cache, and asked which documents answer a query."""

from __future__ import annotations

import os
from hashlib import sha256

from holdfast.caches.index_format.cache_digest import FIRST_BYTES, manifest_digest
from holdfast.caches.index_format.container import IndexUnusable, find_section, read_section
from holdfast.caches.index_format.dictionary import key_of
from holdfast.caches.manifest import MAX_MANIFEST_BYTES
from holdfast.caches.on_disk.directory import COMPILED, INDEX, MANIFEST
from holdfast.caches.on_disk.index_reader import IndexReader
from holdfast.caches.scoring import score
from holdfast.caches.selection import Hit, Selection
from holdfast.caches.word_index.document_columns import LONGEST_RECORD, columns_length, parse_columns, parse_record
from holdfast.caches.word_index.posting_lists import (
    HEAD_SIZE,
    longest_record,
    parse_alone,
    parse_postings,
    record_length,
)
from holdfast.caches.word_index.word_search import Matches, choose
from holdfast.caches.words import words
from holdfast.core.regular_files import close_quietly
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.caches.manifest import Entry
    from holdfast.caches.on_disk.directory import CacheDirectory
    from holdfast.caches.word_index.posting_lists import Postings

WORDS_FILE = f"{COMPILED}/words.idx"
WORDS = "words"
COLUMNS, DIGESTS = "columns", "digests"
# No listed document takes fewer bytes of a manifest than this: it bounds what a foreign index can make us hold.
_SMALLEST_ENTRY = 100
_CHUNK = 1 << 18


class CompiledIndex(IndexReader):
    """The open index of one cache."""

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
        self.belongs_to = (header.manifest_digest, header.index_digest)

    @property
    def document_count(self) -> int:
        """How many documents the cache has."""
        return self._columns.count

    def resolve(self, query: str, budget: int) -> Selection:
        """What `selection.select` gives, each returned document read and proven.

        IndexUnusable, CacheInvalid or IoError when anything does not hold: then the documents have the last word.
        """
        return self._doubting(lambda: self._resolve(query, budget))

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
            document = self._directory.document(entry)
            if tokens_of_bytes(len(document.content.encode())) != tokens:
                raise IndexUnusable("a document has another size")
            points = score(matches, total)
            hits.append(Hit(entry.id, entry.version, document.content, points, tokens, terms, matches, total))
            used += tokens
        count = self._columns.count
        return Selection(hits, query, budget, used, count, count - len(hits))

    def _look_up(self, term: str) -> Postings | None:
        key, count = key_of(term), self._columns.count
        value = self._value_of(key)
        if value is None:
            return None
        alone = parse_alone(value, count)
        if alone is not None:
            return alone
        data = self._posting(value, lambda data: record_length(data[:HEAD_SIZE]), longest=longest_record(count))
        return parse_postings(data, key, count)

    def entry(self, place: int) -> Entry:
        """The document at a place in id order."""
        return parse_record(self._record(place, longest=LONGEST_RECORD), place)


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
