"""The files of `index/`, open and read in place: the list of segments, and the segments, asked by `resolve`.

Every part is read with `pread` and checked before it is used; a mapped file that is cut short underneath would end the
process. Whatever is wrong is `IndexUnusable`, and the caller falls back to reading the documents.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from hashlib import sha256
from itertools import accumulate

from holdfast.caches.cache_format import MAX_MANIFEST_BYTES
from holdfast.caches.index_format import FIRST_BYTES, IndexUnusable, manifest_digest, summary_bytes
from holdfast.caches.on_disk.cache_directory import COMPILED, INDEX, LIST_FILE, MANIFEST
from holdfast.caches.segments.segment_file import Place, Segment
from holdfast.caches.segments.segment_list import parse_list
from holdfast.caches.segments.word_search import choose, matched
from holdfast.caches.selection import Selection, make_hit, words
from holdfast.core import posix_calls
from holdfast.core.file_identity import identity
from holdfast.core.regular_files import close_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Concatenate, ParamSpec, TypeVar

    from holdfast.caches.cache_format import Entry
    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.segments.segment_list import ListedSegment, SegmentList

    Asked = ParamSpec("Asked")
    Found = TypeVar("Found")
    Reader = TypeVar("Reader")

# No listed document takes fewer bytes of a manifest than this: it bounds what a foreign index can make us hold.
_SMALLEST_ENTRY = 100
_CHUNK = 1 << 18
# A segment that claims more sections than this many, and this many a document, is not worth what it makes us hold: the
# documents are read instead.
_MANY_SECTIONS, _MANY_A_DOCUMENT = 1 << 16, 256
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


class OpenFile:
    """A file of an index, read by `pread`; IndexUnusable where there is none."""

    def __init__(self, directory: CacheDirectory, file: str) -> None:
        self._descriptor = -1
        try:
            self._descriptor = directory.open(file)
            status = posix_calls.fstat(self._descriptor)
        except OSError as error:
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        self.length, self.identity = status.st_size, identity(status)

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            # Forgotten before it is closed: whatever close says, the number may be another file's from then on.
            descriptor, self._descriptor = self._descriptor, -1
            close_quietly(descriptor)

    def __del__(self) -> None:
        self.close()

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file, all of them."""
        data = posix_calls.pread(self._descriptor, length, offset)
        if len(data) != length:
            raise IndexUnusable("cut short")
        return data


class OpenSegment(Segment):
    """A segment of a cache, open, and the one that its list names."""

    def __init__(self, directory: CacheDirectory, listed: ListedSegment) -> None:
        self.path = f"{COMPILED}/{listed.name}"
        self._file = OpenFile(directory, self.path)
        self.identity = self._file.identity
        if self._file.length != listed.length:
            raise IndexUnusable("a segment is not the one that is listed")
        if listed.sections > _MANY_SECTIONS + _MANY_A_DOCUMENT * listed.documents:
            raise IndexUnusable("more sections than this many documents should have")
        super().__init__(self._file.read, self._file.length)
        if self.checksum != listed.checksum:
            raise IndexUnusable("a segment is not the one that is listed")
        if (self.numbers.documents, len(self.numbers.section_tokens)) != (listed.documents, listed.sections):
            raise IndexUnusable("of other documents")

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class WordIndex:
    """The open index of one cache: it knows the documents, and which of them answer a query."""

    def __init__(self, directory: CacheDirectory) -> None:
        """Open the index; IndexUnusable when there is none, or it is not that of this cache."""
        self._directory = directory
        self.segments: list[OpenSegment] = []
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    @doubting
    def _open(self) -> None:
        listed, self.summary = open_list(self._directory)
        for row in listed.segments:
            self.segments.append(OpenSegment(self._directory, row))
        self.first_places = list(accumulate([segment.numbers.documents for segment in self.segments], initial=0))

    def close(self) -> None:
        """Let go of the files."""
        for segment in self.segments:
            segment.close()

    @property
    def document_count(self) -> int:
        """How many documents the cache has."""
        return self.first_places[-1]

    @doubting
    def resolve(self, query: str, budget: int) -> Selection:
        """What `selection.select` gives, each returned document read and proven.

        IndexUnusable, CacheInvalid or IoError when anything does not hold: the caller falls back to the documents.
        """
        terms = words(query)
        hits = []
        used = 0
        for at, (place, matches, total, tokens) in choose(matched(self.segments, terms), budget):
            entry = self.segments[at].entry(place)
            content, size = self._directory.content(entry)
            hit = make_hit(entry, content, size, terms, matches, total)
            if hit.tokens != tokens:
                raise IndexUnusable("a document has another size")
            hits.append(hit)
            used += tokens
        return Selection(hits, query, budget, used, self.document_count, self.document_count - len(hits))

    def entry(self, place: Place) -> Entry:
        """The document at a place in id order."""
        at = bisect_right(self.first_places, place) - 1
        return self.segments[at].entry(Place(place - self.first_places[at]))

    @doubting
    def find(self, name: str) -> tuple[Place, Entry] | None:
        """The document with an id, and its place in id order; None when there is none."""
        place = Place(bisect_left(range(self.document_count), name, key=lambda at: self.entry(Place(at)).id))
        if place == self.document_count:
            return None
        entry = self.entry(place)
        return (place, entry) if entry.id == name else None


def open_list(directory: CacheDirectory) -> tuple[SegmentList, bytes]:
    """The list of segments and the bytes of the summary; IndexUnusable unless there is one, of this cache."""
    file = OpenFile(directory, LIST_FILE)
    try:
        listed = parse_list(file.read, file.length)
        size, manifest, index = listing_digests(directory)
        if sum([segment.documents for segment in listed.segments]) > size // _SMALLEST_ENTRY:
            raise IndexUnusable("more documents than the manifest can list")
        if (manifest, index) != (listed.header.manifest_digest, listed.header.index_digest):
            raise IndexUnusable("of another cache")
        return listed, summary_bytes(file.read, listed.header)
    finally:
        file.close()


def listing_digests(directory: CacheDirectory) -> tuple[int, bytes | None, bytes]:
    """The size of the manifest, and the digests of the manifest and of the index file as `index/` states them."""
    size, digest = _digest_of_manifest(directory)
    return size, digest, _digest_of_index(directory)


def _digest_of_manifest(directory: CacheDirectory) -> tuple[int, bytes | None]:
    """The size of the manifest, and its digest as an index states it."""
    descriptor = directory.open(MANIFEST)
    try:
        size = posix_calls.fstat(descriptor).st_size
        return size, manifest_digest(_chunks(descriptor, size))
    finally:
        close_quietly(descriptor)


def _digest_of_index(directory: CacheDirectory) -> bytes:
    descriptor = directory.open(INDEX)
    try:
        digest = sha256()
        for chunk in _chunks(descriptor, posix_calls.fstat(descriptor).st_size):
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
