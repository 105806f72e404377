"""Write the index files of a cache from what was compiled: `words.idx` for resolve, `sections.idx` for search."""

from __future__ import annotations

import os
from array import array
from binascii import crc32
from hashlib import sha256
from itertools import accumulate

from holdfast.caches.build.index_parts import dictionary_of, postings_of
from holdfast.caches.build.run_files import BUFFER
from holdfast.caches.index_format import (
    FIRST_BYTES,
    SUMMARY,
    WORD_RULES,
    Header,
    Section,
    encode_header,
    encode_summary,
    header_length,
    manifest_digest,
)
from holdfast.caches.on_disk import index_reader, section_index_reader
from holdfast.caches.on_disk.cache_directory import COMPILED, SECTIONS_FILE
from holdfast.caches.on_disk.index_reader import DICTIONARY, OFFSETS, POSTINGS, RECORDS
from holdfast.caches.section_index import section_compiler
from holdfast.caches.section_index.section_compiler import seal_section
from holdfast.caches.word_index import word_compiler
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from holdfast.caches.build.document_files import WrittenDocuments
    from holdfast.caches.build.index_parts import IndexPart
    from holdfast.caches.index_format import Summary
    from holdfast.caches.manifest import Entry
    from holdfast.caches.section_index.section_compiler import DocumentSections
    from holdfast.caches.word_index.word_records import Columns


class IndexOwner(NamedTuple):
    """The cache that an index file belongs to: its summary, and the bytes of its `manifest.json` and `index.json`."""

    summary: Summary
    manifest_json: bytes
    index_json: bytes


def write_index(
    cache: str,
    owner: IndexOwner,
    entries: Sequence[Entry],
    written: WrittenDocuments,
    columns: Columns,
    parts: Iterable[tuple[int, IndexPart]],
    count: int,
) -> None:
    """Write each index file as soon as its `count` parts are there, in whatever order they come; remove the runs."""
    documents = written.documents
    by_kind: dict[str, dict[int, IndexPart]] = {"words": {}, "sections": {}}
    if count:
        os.mkdir(os.path.join(cache, COMPILED))
    for number, part in parts:
        held = by_kind[part.kind]
        held[number] = part
        if len(held) < count:
            continue
        in_order = [held[place] for place in range(count)]
        if part.kind == "words":
            path = os.path.join(cache, index_reader.WORDS_FILE)
            write_words(path, owner, entries, [document.digest for document in documents], columns, in_order)
        else:
            path = os.path.join(cache, SECTIONS_FILE)
            write_sections(path, owner, [document.sections for document in documents], in_order)
    for run in (*written.runs.words, *[run for _, run in written.runs.fields]):
        os.unlink(run.file)


def write_words(
    path: str,
    owner: IndexOwner,
    entries: Sequence[Entry],
    digests: Sequence[bytes],
    columns: Columns,
    parts: Sequence[IndexPart],
) -> None:
    """Write the index that `resolve` uses, of documents in id order and of what their words were compiled to."""
    with open(path, "xb", buffering=BUFFER) as file:
        target = _IndexFile(file, 7)
        target.add(POSTINGS, postings_of(parts))
        target.add(DICTIONARY, dictionary_of(parts))
        target.add(index_reader.COLUMNS, [word_compiler.encode_columns(columns)], checked=True)
        target.add(OFFSETS, [_offsets(map(len, _document_records(entries)))])
        target.add(RECORDS, _document_records(entries))
        target.add(index_reader.DIGESTS, digests)
        target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
        target.seal(index_reader.WORDS, owner)


def write_sections(
    path: str, owner: IndexOwner, documents: Sequence[DocumentSections], parts: Sequence[IndexPart]
) -> None:
    """Write the index that `search` uses, of documents in id order and of what their terms were compiled to."""
    tokens = [size for document in documents for size in document.tokens]
    firsts = list(accumulate([len(document.tokens) for document in documents], initial=0))
    columns = section_compiler.make_columns(tokens, firsts)
    with open(path, "xb", buffering=BUFFER) as file:
        target = _IndexFile(file, 6)
        target.add(POSTINGS, postings_of(parts))
        target.add(DICTIONARY, dictionary_of(parts))
        target.add(section_index_reader.COLUMNS, [section_compiler.encode_columns(columns)], checked=True)
        target.add(OFFSETS, [_offsets(size + 4 for document in documents for size in document.sizes)])
        target.add(RECORDS, _section_records(documents))
        target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
        target.seal(section_index_reader.KIND, owner)


class _IndexFile:
    """An index file in the making: sections are appended, then sealed by the header in front of them."""

    def __init__(self, file: BinaryIO, section_count: int) -> None:
        self._file = file
        self._sections: dict[str, Section] = {}
        self._count = section_count
        self._at = header_length(section_count)
        file.write(bytes(self._at))

    def add(self, name: str, parts: Iterable[bytes], *, checked: bool = False) -> None:
        """Append a section; with `checked` the header holds the checksum of all of it."""
        start, crc = self._at, 0
        for part in parts:
            self._file.write(part)
            self._at += len(part)
            if checked:
                crc = crc32(part, crc)
        self._sections[name] = Section(name, start, self._at - start, crc)

    def seal(self, kind: str, owner: IndexOwner) -> None:
        """Write the header: what the file is and which cache it belongs to."""
        if len(self._sections) != self._count:
            raise ValueError("a section is missing")
        manifest = manifest_digest([owner.manifest_json[:FIRST_BYTES], owner.manifest_json[FIRST_BYTES:]])
        if manifest is None:
            raise ValueError("created_at is no time")
        header = Header(kind, WORD_RULES, manifest, sha256(owner.index_json).digest(), self._at, self._sections)
        self._file.seek(0)
        self._file.write(encode_header(header))


def _document_records(entries: Sequence[Entry]) -> Iterator[bytes]:
    return (word_compiler.encode_record(position, entry) for position, entry in enumerate(entries))


def _section_records(documents: Sequence[DocumentSections]) -> Iterator[bytes]:
    number = 0
    for document in documents:
        at = 0
        for size in document.sizes:
            yield seal_section(number, document.records[at : at + size])
            at += size
            number += 1


def _offsets(sizes: Iterable[int]) -> bytes:
    """Where each record begins, and the last one ends."""
    return array("Q", accumulate(sizes, initial=0)).tobytes()
