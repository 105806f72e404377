"""A cache that is to be patched, open: its listing, and its index read as it was written.

The index must be that of the listing, of this release's formats and ranking, and complete; whatever is wrong is
IndexUnusable, CacheInvalid or IoError, and nothing is patched then.
"""

from __future__ import annotations

import os
from array import array
from hashlib import sha256
from itertools import compress

from holdfast.caches.build.publish import known_manifest
from holdfast.caches.build.source_documents import read_document
from holdfast.caches.cache_format import MAX_MANIFEST_BYTES, check_manifest
from holdfast.caches.index_format import (
    FIRST_BYTES,
    IndexUnusable,
    find_section,
    find_summary,
    manifest_digest,
    parse_header,
    read_section,
)
from holdfast.caches.number_blocks import check_blocks, sums_length
from holdfast.caches.on_disk import index_reader, section_index_reader
from holdfast.caches.on_disk.cache_directory import DOCUMENTS, INDEX, MANIFEST, SECTIONS_FILE
from holdfast.caches.on_disk.index_reader import DICTIONARY, NUMBERS, OFFSETS, POSTINGS, SUMS
from holdfast.caches.patched_postings import OldDictionary
from holdfast.caches.posting_record import PostingRecord, numbers_at, place_of, record_at
from holdfast.caches.section_index import section_records
from holdfast.caches.section_index.packed_sources import PackedSources
from holdfast.caches.section_index.term_lists import TermLists
from holdfast.caches.word_index import word_records
from holdfast.core.errors import IoError
from holdfast.core.regular_files import close_quietly, open_regular, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.caches.cache_format import Document, Entry, Manifest
    from holdfast.caches.index_format import Header
    from holdfast.caches.section_index.section_records import SectionColumns, TermImpacts
    from holdfast.caches.word_index.word_records import Columns

_CHUNK = 1 << 20
_DIGEST = 32
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class OldIndex:
    """One file of an index."""

    def __init__(self, path: str, kind: str) -> None:
        self._descriptor = open_regular(path)
        try:
            self.header: Header = parse_header(self.read, kind=kind, file_length=os.fstat(self._descriptor).st_size)
        except BaseException:
            self.close()
            raise
        self._dictionary: OldDictionary | None = None
        # Sections of which many parts are asked for.
        self._held: dict[str, bytes] = {}
        self._moved: dict[str, bytes | bytearray] = {}  # what is copied in place of those

    def close(self) -> None:
        """Let go of the file."""
        close_quietly(self._descriptor)

    def read(self, offset: int, length: int) -> bytes:
        """So many bytes of the file."""
        return os.pread(self._descriptor, length, offset)

    def section(self, name: str, *, checked: bool = False) -> bytes:
        """All bytes of a section."""
        found = find_section(self.header, name)
        return read_section(self.read, found) if checked else self.read(found.offset, found.length)

    def length(self, name: str) -> int:
        """How many bytes a section has."""
        return find_section(self.header, name).length

    @property
    def dictionary(self) -> OldDictionary:
        """The dictionary."""
        if self._dictionary is None:
            self._dictionary = OldDictionary(self.section(DICTIONARY))
        return self._dictionary

    def value(self, key: bytes) -> int | None:
        """What the dictionary says of a key."""
        return self.dictionary.value(key)

    def part(self, name: str, offset: int, length: int) -> bytes:
        """Bytes of a section."""
        held = self._held.get(name)
        if held is not None:
            return held[offset : offset + length]
        return self.read(find_section(self.header, name).offset + offset, length)

    def hold(self, name: str) -> bytes:
        """Read a section at once, of which many parts are asked for."""
        if name not in self._held:
            self._held[name] = self.section(name)
        return self._held[name]

    def check_numbers(self) -> None:
        """Raise IndexUnusable unless all numbers have the checksums that they should: those are made anew."""
        found = find_section(self.header, NUMBERS)
        sums = self.section(SUMS)
        if len(sums) != sums_length(found.length):
            raise IndexUnusable("numbers are cut short")
        for at in range(0, found.length, _CHUNK):
            first, count = sums_length(at), sums_length(min(_CHUNK, found.length - at))
            check_blocks(self.part(NUMBERS, at, min(_CHUNK, found.length - at)), at, sums[first : first + count])

    @property
    def end(self) -> int:
        """The place after the last of the postings."""
        return place_of(self.length(POSTINGS), self.length(NUMBERS))

    def move(self, sections: Mapping[str, bytes | bytearray], values: bytes) -> None:
        """From now on these sections, each record and number where it was, and these values of the dictionary, packed,
        are copied."""
        self._moved = dict(sections)
        self.dictionary.values = array("Q", values)

    def offsets(self) -> Sequence[int]:
        """Where each record begins, and the last one ends."""
        return array("Q", self.section(OFFSETS))

    def copied(self, name: str, pieces: Iterable[bytes | tuple[int, int]]) -> Iterator[bytes | memoryview]:
        """Bytes as they are, and stretches of a section, from and to below an offset in it."""
        start = find_section(self.header, name).offset
        known = self._moved.get(name, self._held.get(name))
        for piece in pieces:
            if isinstance(piece, bytes):
                yield piece
                continue
            if known is not None:
                yield memoryview(known)[slice(*piece)]
                continue
            for at in range(*piece, _CHUNK):
                yield self.read(start + at, min(_CHUNK, piece[1] - at))

    def counts(self, key: bytes, document_count: int) -> dict[int, int]:
        """Of a word, how often each document holds it, by number."""
        value = self.value(key)
        if value is None:
            return {}
        found = word_records.parse_inline(value, document_count)
        if found is None:
            found = word_records.parse_postings(self.word_record(value, document_count), key, document_count)
        counts = {number: times for times, numbers in found.groups for number in numbers}
        if found.dense is not None:
            counts |= dict(
                zip(compress(range(document_count), found.dense), found.dense.replace(b"\0", b""), strict=True)
            )
        return counts

    def word_record(self, place: int, document_count: int) -> PostingRecord:
        """The record of a word, by what the dictionary says of it."""
        at = record_at(place)
        head = self.part(POSTINGS, at, word_records.HEAD_SIZE)
        data = self.part(POSTINGS, at, word_records.postings_length(head))
        return self._with_numbers(place, data, word_records.posting_numbers(data, document_count))

    def record(self, place: int, section_count: int) -> PostingRecord:
        """The record of a term, by what the dictionary says of it."""
        at = record_at(place)
        head = self.part(POSTINGS, at, section_records.HEAD_SIZE)
        data = self.part(POSTINGS, at, section_records.impacts_length(head))
        return self._with_numbers(place, data, section_records.impact_numbers(data, section_count))

    def _with_numbers(self, place: int, data: bytes, length: int) -> PostingRecord:
        return PostingRecord(data, self.part(NUMBERS, numbers_at(place), length) if length else b"")

    def impacts(self, key: bytes, firsts: Sequence[int]) -> TermImpacts | None:
        """What is said of a term; None where nothing holds it."""
        value = self.value(key)
        if value is None:
            return None
        found = section_records.parse_inline(value, firsts)
        populations = firsts[-1], len(firsts) - 1
        return found or section_records.parse_impacts(self.record(value, firsts[-1]), key, populations)

    def lists(self, key: bytes, firsts: Sequence[int]) -> TermLists | None:
        """Of a term, its lists; None where nothing holds it."""
        found = self.impacts(key, firsts)
        return None if found is None else lists_of(found)


def lists_of(found: TermImpacts) -> TermLists:
    """The lists that are said of a term."""
    sections, documents = found.sections, found.documents
    return TermLists(sections.numbers, sections.steps, documents.numbers, documents.steps, found.holding)


class OldCache:
    """A cache by its path; after `open` its index too."""

    words: OldIndex
    terms: OldIndex
    columns: Columns
    sections: SectionColumns
    sources: PackedSources

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._manifest_json = read_regular(os.path.join(path, MANIFEST), limit=MAX_MANIFEST_BYTES)
            self._index_json = read_regular(os.path.join(path, INDEX), limit=MAX_MANIFEST_BYTES)
        except OSError as error:
            raise IoError(f"the cache cannot be read: {error.strerror}") from None
        self.manifest: Manifest = known_manifest(self._manifest_json)
        if check_manifest(self.manifest):
            raise IndexUnusable("of a cache that is none")
        start, rest = self._manifest_json[:FIRST_BYTES], self._manifest_json[FIRST_BYTES:]
        self._digests = manifest_digest([start, rest]), sha256(self._index_json).digest()
        self._opened: list[OldIndex] = []

    def __enter__(self) -> OldCache:
        return self

    def __exit__(self, *exc: object) -> None:
        for index in self._opened:
            index.close()

    def open(self, tokenizer: str) -> None:
        """Open the index; it must be of this cache, and count by this tokenizer."""
        self.words = self._open(index_reader.WORDS_FILE, index_reader.WORDS, tokenizer)
        self.terms = self._open(SECTIONS_FILE, section_index_reader.KIND, tokenizer)
        self.columns = word_records.parse_columns(self.words.section(index_reader.COLUMNS, checked=True))
        self.sections = section_records.parse_columns(self.terms.section(section_index_reader.COLUMNS, checked=True))
        count = len(self.manifest.entries)
        if (self.columns.count, len(self.sections.firsts) - 1) != (count, count):
            raise IndexUnusable("of other documents")
        self.sources = PackedSources(self.terms.section(section_index_reader.SOURCES, checked=True), count)

    def _open(self, file: str, kind: str, tokenizer: str) -> OldIndex:
        try:
            index = OldIndex(os.path.join(self.path, file), kind)
        except OSError as error:
            raise IoError(f"the index cannot be read: {error.strerror}") from None
        self._opened.append(index)
        index.check_numbers()
        if self._digests != (index.header.manifest_digest, index.header.index_digest):
            raise IndexUnusable("of another cache")
        summary = find_summary(index.read, index.header)
        if (summary.cache_version, summary.tokenizer) != (self.manifest.cache_version, tokenizer):
            raise IndexUnusable("of another cache, or counted by another tokenizer")
        return index

    def document(self, place: int) -> Document:
        """A document, proven by its hash."""
        return read_document(self.path, self.manifest.entries[place]).document

    def digests(self) -> list[bytes]:
        """The sha256 of each document file."""
        data = self.words.section(index_reader.DIGESTS)
        return [data[at : at + _DIGEST] for at in range(0, len(data), _DIGEST)]

    def link(self, files: Iterable[tuple[Entry, str]], target: str) -> bool:
        """Give document files names in a directory too, or copy them where the file system has no such links: False."""
        are_links = True
        own = their = -1
        try:
            own = os.open(os.path.join(self.path, DOCUMENTS), _FOLDER)
            their = os.open(target, _FOLDER)
            for entry, name in files:
                folder, _, file = entry.file.partition("/")
                try:
                    if folder != DOCUMENTS or "/" in file:
                        raise OSError  # another program's: not where documents are
                    os.link(file, name, src_dir_fd=own, dst_dir_fd=their, follow_symlinks=False)
                except OSError:
                    with open(os.path.join(target, name), "xb") as copied:
                        copied.write(read_document(self.path, entry).data)
                    are_links = False
        finally:
            close_quietly(own)
            close_quietly(their)
        return are_links
