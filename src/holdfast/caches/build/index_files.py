"""Write the index files of a cache from compiled parts: `words.idx` for resolve, `sections.idx` for search."""

from __future__ import annotations

import os
from array import array
from binascii import crc32
from hashlib import sha256
from itertools import accumulate

from holdfast.caches.build.document_table import PageList
from holdfast.caches.build.index_ranges import read_keys
from holdfast.caches.dictionary_pages import paged
from holdfast.caches.index_format import (
    FIRST_BYTES,
    INLINE,
    SUMMARY,
    WORD_RULES,
    Header,
    Section,
    encode_header,
    encode_summary,
    header_length,
    manifest_digest,
)
from holdfast.caches.number_blocks import BlockSums
from holdfast.caches.on_disk import index_reader, section_index_reader
from holdfast.caches.on_disk.cache_directory import COMPILED, SECTIONS_FILE
from holdfast.caches.on_disk.index_reader import DICTIONARY, NUMBERS, OFFSETS, POSTINGS, RECORDS, SUMS
from holdfast.caches.posting_record import MOST_BYTES
from holdfast.caches.search.link_texts import incoming
from holdfast.caches.section_index import section_compiler
from holdfast.caches.section_index.section_compiler import DocumentSource, encode_sources, seal_section
from holdfast.caches.section_index.section_records import SectionColumns
from holdfast.caches.section_index.term_lists import FieldLengths
from holdfast.caches.word_index import word_compiler
from holdfast.core.errors import BuildFailed
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from holdfast.caches.build.document_files import WrittenDocuments
    from holdfast.caches.build.document_table import DocumentColumns, DocumentTable
    from holdfast.caches.build.index_ranges import IndexPart
    from holdfast.caches.cache_format import Entry
    from holdfast.caches.index_format import Summary
    from holdfast.caches.word_index.word_records import Columns

_BUFFER = 1 << 18


class CacheColumns(NamedTuple):
    """Numbers of all documents as they were counted, and those of the index of words made of them."""

    documents: DocumentColumns
    words: Columns


def cache_columns(numbers: DocumentColumns) -> CacheColumns:
    """Both, given the first."""
    return CacheColumns(numbers, word_compiler.make_columns(numbers.words, numbers.tokens))


class IndexOwner(NamedTuple):
    """The cache that an index file belongs to: its summary, and the digests of `manifest.json` and `index.json`."""

    summary: Summary
    manifest_digest: bytes
    index_digest: bytes


def index_owner(summary: Summary, manifest_json: bytes, index_json: bytes) -> IndexOwner:
    """The owner by the bytes of its two files."""
    manifest = manifest_digest([manifest_json[:FIRST_BYTES], manifest_json[FIRST_BYTES:]])
    if manifest is None:
        raise ValueError("created_at is no time")
    return IndexOwner(summary, manifest, sha256(index_json).digest())


def joined_files(paths: Iterable[str]) -> Iterator[bytes]:
    """What files hold, one after another, which are gone then."""
    for path in paths:
        with open(path, "rb", buffering=_BUFFER) as file:
            while data := file.read(_BUFFER):
                yield data
        os.unlink(path)


def dictionary_of(parts: Sequence[IndexPart]) -> Iterator[bytes]:
    """The pages of the dictionary of all parts, whose files of keys are gone then."""
    return paged(_dictionary_entries(parts))


def _dictionary_entries(parts: Sequence[IndexPart]) -> Iterator[tuple[list[bytes], array[int]]]:
    offset = 0
    for part in parts:
        with open(part.keys_file, "rb", buffering=_BUFFER) as file:
            for keys, values in read_keys(file):
                yield keys, array("Q", [value if value >= INLINE else offset + value for value in values])
        os.unlink(part.keys_file)
        offset += part.size


def write_index(
    cache: str,
    owner: IndexOwner,
    entries: Iterable[Entry],
    written: WrittenDocuments,
    columns: CacheColumns,
    parts: Iterable[tuple[int, IndexPart | int]],
    count: int,
    sources: bytes,
    tell: Callable[[int], None],
) -> None:
    """Write each index file as soon as its `count` parts are there, in whatever order they come; remove the runs.

    `tell` is given how many more blocks of the runs were read.
    """
    by_kind: dict[str, dict[int, IndexPart]] = {"words": {}, "sections": {}}
    if count:
        os.mkdir(os.path.join(cache, COMPILED))
    for number, part in parts:
        if isinstance(part, int):
            tell(part)
            continue
        held = by_kind[part.kind]
        held[number] = part
        if len(held) < count:
            continue
        in_order = [held[place] for place in range(count)]
        if part.kind == "words":
            path = os.path.join(cache, index_reader.WORDS_FILE)
            write_words(path, owner, entries, bytes(columns.documents.digests), columns.words, in_order)
        else:
            path = os.path.join(cache, SECTIONS_FILE)
            write_sections(path, owner, columns.documents, written.documents.records(), in_order, sources)
    for run in (*written.runs.words, *[run for _, run in written.runs.fields]):
        if run.file:  # an engine keeps those it made
            os.unlink(run.file)


def write_words(
    path: str,
    owner: IndexOwner,
    entries: Iterable[Entry],
    digests: bytes,
    columns: Columns,
    parts: Sequence[IndexPart],
) -> None:
    """Write the index that `resolve` uses, of documents in id order and of what their words were compiled to.

    `entries` are asked for twice; `digests` stand one after another.
    """
    with open(path, "xb", buffering=_BUFFER) as file:
        target = IndexFile(file, 9)
        target.add_parts(parts)
        target.add(DICTIONARY, dictionary_of(parts))
        target.add(index_reader.COLUMNS, [word_compiler.encode_columns(columns)], checked=True)
        target.add(OFFSETS, [encode_offsets(map(len, _document_records(entries)))])
        target.add(RECORDS, _document_records(entries))
        target.add(index_reader.DIGESTS, [digests])
        target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
        target.seal(index_reader.WORDS, owner)


def links_within(table: DocumentTable) -> Sequence[Sequence[str]]:
    """The texts of links to each document from the others."""
    if not table.has_links:
        return [()] * len(table)
    return incoming([each.id for each in table.names()], PageList(table))


def table_sources(table: DocumentTable, sizes: Iterable[int], texts: Iterable[Sequence[str]]) -> bytes:
    """What the index of sections keeps of the documents of a table that has origins, so that it can be patched."""
    return encode_sources(
        DocumentSource(each.origin, size, leading, page)
        for each, size, leading, page in zip(table.names(), sizes, texts, table.links(), strict=True)
    )


def table_lengths(numbers: DocumentColumns, link_lengths: Sequence[int], body_lengths: Sequence[int]) -> FieldLengths:
    """The lengths of all fields of the documents of a table."""
    return FieldLengths(
        *(numbers.titles, numbers.paths, link_lengths, numbers.headings, body_lengths, numbers.firsts())
    )


def write_sections(
    path: str,
    owner: IndexOwner,
    numbers: DocumentColumns,
    records: Iterable[bytes],
    parts: Sequence[IndexPart],
    sources: bytes,
) -> None:
    """Write the index that `search` uses, of documents in id order and of what their terms were compiled to.

    `numbers` and `records` are those of a table of the documents, `sources` is what `table_sources` gives of them.
    """
    columns = SectionColumns(numbers.section_tokens, numbers.firsts(), numbers.second_counts)
    with open(path, "xb", buffering=_BUFFER) as file:
        target = IndexFile(file, 9 if sources else 8)
        target.add_parts(parts)
        target.add(DICTIONARY, dictionary_of(parts))
        target.add(section_index_reader.COLUMNS, [section_compiler.encode_columns(columns)], checked=True)
        target.add(OFFSETS, [encode_offsets(size + 4 for size in numbers.record_sizes)])
        target.add(RECORDS, _section_records(numbers.record_sizes, records))
        target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
        if sources:
            target.add(section_index_reader.SOURCES, [sources], checked=True)
        target.seal(section_index_reader.KIND, owner)


class IndexFile:
    """An index file in the making: sections are appended, then sealed by the header in front of them."""

    def __init__(self, file: BinaryIO, section_count: int) -> None:
        self._file = file
        self._sections: dict[str, Section] = {}
        self._count = section_count
        self._at = header_length(section_count)
        file.write(bytes(self._at))

    def add(self, name: str, parts: Iterable[bytes | memoryview], *, checked: bool = False) -> None:
        """Append a section; with `checked` the header holds the checksum of all of it."""
        start, crc = self._at, 0
        for part in parts:
            self._file.write(part)
            self._at += len(part)
            if checked:
                crc = crc32(part, crc)
        self._sections[name] = Section(name, start, self._at - start, crc)

    def add_parts(self, parts: Sequence[IndexPart]) -> None:
        """Append the records of compiled parts, and their numbers; their files are gone then."""
        self.add_postings(
            joined_files([part.file for part in parts]), joined_files([part.numbers_file for part in parts])
        )

    def add_postings(self, records: Iterable[bytes | memoryview], numbers: Iterable[bytes | memoryview]) -> None:
        """Append records, and their numbers with the checksums of these."""
        self.add(POSTINGS, records)
        sums = BlockSums()
        self.add(NUMBERS, map(sums.taking, numbers))
        self.add(SUMS, [sums.finish()])
        for name in (POSTINGS, NUMBERS):
            if self._sections[name].length > MOST_BYTES:
                raise BuildFailed("the documents hold too many words for one cache: split the sources, or use shards")

    def seal(self, kind: str, owner: IndexOwner) -> None:
        """Write the header: what the file is and which cache it belongs to."""
        if len(self._sections) != self._count:
            raise ValueError("a section is missing")
        header = Header(kind, WORD_RULES, owner.manifest_digest, owner.index_digest, self._at, self._sections)
        self._file.seek(0)
        self._file.write(encode_header(header))


def _document_records(entries: Iterable[Entry]) -> Iterator[bytes]:
    return (word_compiler.encode_record(position, entry) for position, entry in enumerate(entries))


def _section_records(sizes: Iterable[int], records: Iterable[bytes]) -> Iterator[bytes]:
    numbered = enumerate(sizes)
    for data in records:
        at = 0
        while at < len(data):
            number, size = next(numbered)
            yield seal_section(number, data[at : at + size])
            at += size


def encode_offsets(sizes: Iterable[int]) -> bytes:
    """Where each record begins, and the last one ends."""
    return array("Q", accumulate(sizes, initial=0)).tobytes()
