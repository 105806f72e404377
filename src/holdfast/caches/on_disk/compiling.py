"""Write the index of words of a cache that is being built, or build it again to compare."""

from __future__ import annotations

from array import array
from binascii import crc32
from hashlib import sha256

from holdfast.caches.index_format.cache_digest import FIRST_BYTES, manifest_digest
from holdfast.caches.index_format.container import WORD_RULES, Header, Section, encode_header, header_length
from holdfast.caches.on_disk.compiled import COLUMNS, DIGESTS, WORDS
from holdfast.caches.on_disk.counting import BUFFER
from holdfast.caches.on_disk.index_reader import DICTIONARY, OFFSETS, POSTINGS, RECORDS
from holdfast.caches.on_disk.parts import pages_of, postings_of
from holdfast.caches.section_index.section_records import SUMMARY, encode_summary
from holdfast.caches.word_index.document_columns import encode_columns, encode_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from holdfast.caches.manifest import Entry
    from holdfast.caches.on_disk.batches import Written
    from holdfast.caches.on_disk.parts import Part
    from holdfast.caches.section_index.section_records import Summary
    from holdfast.caches.word_index.document_columns import Columns


class IndexFile:
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

    def seal(self, kind: str, manifest: bytes, index: bytes) -> None:
        """Write the header: what the file is and which `manifest.json` and `index.json` it belongs to."""
        if len(self._sections) != self._count:
            raise ValueError("a section is missing")
        belongs_to = manifest_digest([manifest[:FIRST_BYTES], manifest[FIRST_BYTES:]])
        if belongs_to is None:
            raise ValueError("created_at is no time")
        header = Header(kind, WORD_RULES, belongs_to, sha256(index).digest(), self._at, self._sections)
        self._file.seek(0)
        self._file.write(encode_header(header))


def write_words(
    path: str,
    entries: Sequence[Entry],
    documents: Sequence[Written],
    columns: Columns,
    parts: Sequence[Part],
    summary: Summary,
    manifest: bytes,
    index: bytes,
) -> None:
    """Write the index that `resolve` uses, of documents in id order and of what their words were compiled to."""
    with open(path, "xb", buffering=BUFFER) as file:
        target = IndexFile(file, 7)
        target.add(POSTINGS, postings_of(parts))
        target.add(DICTIONARY, pages_of(parts))
        target.add(COLUMNS, [encode_columns(columns)], checked=True)
        target.add(OFFSETS, [_offsets(entries)])
        target.add(RECORDS, _records(entries))
        target.add(DIGESTS, [item.digest for item in documents])
        target.add(SUMMARY, [encode_summary(summary)], checked=True)
        target.seal(WORDS, manifest, index)


def _records(entries: Sequence[Entry]) -> Iterator[bytes]:
    return (encode_record(place, entry) for place, entry in enumerate(entries))


def _offsets(entries: Sequence[Entry]) -> bytes:
    offsets = array("Q", [0])
    for record in _records(entries):
        offsets.append(offsets[-1] + len(record))
    return offsets.tobytes()
