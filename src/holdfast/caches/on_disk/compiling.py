"""Write the compiled index of a cache that is being built, or build it again to compare."""

from __future__ import annotations

import os
import sys
from array import array
from binascii import crc32
from contextlib import ExitStack
from hashlib import sha256

from holdfast.caches.index.compiling import Accumulator, compile_terms, merged, read_run
from holdfast.caches.index.container import WORD_RULES, Header, Section, encode_header, header_length
from holdfast.caches.index.dictionary import DictionaryPages
from holdfast.caches.index.documents import encode_columns, encode_record, make_columns
from holdfast.caches.index.identity import FIRST_BYTES, manifest_digest
from holdfast.caches.on_disk.compiled import COLUMNS, DIGESTS, WORDS, WORDS_FILE
from holdfast.caches.on_disk.directory import COMPILED
from holdfast.caches.on_disk.index_reader import DICTIONARY, OFFSETS, POSTINGS, RECORDS
from holdfast.caches.search.records import SUMMARY, encode_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from holdfast.caches.manifest import Entry
    from holdfast.caches.on_disk.batches import Written
    from holdfast.caches.on_disk.sharing import Shared
    from holdfast.caches.search.counting import FieldAccumulator
    from holdfast.caches.search.records import Summary

_BUFFER = 1 << 18


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


class Spilling:
    """Terms counted in one process, spilled to numbered files whenever they weigh more than `limit` bytes."""

    def __init__(
        self, directory: str, name: str, limit: int, accumulator: Accumulator | FieldAccumulator | None = None
    ) -> None:
        self._prefix = os.path.join(directory, name)
        self._limit = limit
        self._accumulator = accumulator or Accumulator()
        self.files: list[str] = []

    def add(self, place: int, words: Sequence[str]) -> None:
        """Count the words of the document at a place."""
        self._accumulator.add(place, words)
        if self._accumulator.weight > self._limit:
            self.spill()

    def spill(self) -> None:
        """Write what was counted since the last time."""
        path = f"{self._prefix}-{len(self.files)}"
        with open(path, "xb", buffering=_BUFFER) as file:
            file.writelines(self._accumulator.spill())
        self.files.append(path)


def write_index(
    cache: str, entries: Sequence[Entry], written: Shared, summary: Summary, manifest: bytes, index: bytes
) -> None:
    """Write `index/` from what was counted while the documents were written; the runs are removed."""
    if sys.byteorder != "little":
        return  # the index is optional, and its numbers are read in place
    os.makedirs(os.path.join(cache, COMPILED), exist_ok=True)
    path = os.path.join(cache, WORDS_FILE)
    write_words(path, entries, written.documents, written.runs, summary, manifest, index)
    for run in written.runs:
        os.unlink(run)


def write_words(
    path: str,
    entries: Sequence[Entry],
    documents: Sequence[Written],
    runs: Sequence[str],
    summary: Summary,
    manifest: bytes,
    index: bytes,
) -> None:
    """Write the index that `resolve` uses, of documents in id order and sorted runs of their words."""
    columns = make_columns([item.words for item in documents], [item.tokens for item in documents])
    pages = DictionaryPages()
    with ExitStack() as stack:
        opened = [stack.enter_context(open(run, "rb", buffering=_BUFFER)) for run in runs]
        target = IndexFile(stack.enter_context(open(path, "xb", buffering=_BUFFER)), 7)
        terms = merged([read_run(run) for run in opened])
        target.add(POSTINGS, compile_terms(terms, columns.numbers, pages))
        target.add(DICTIONARY, pages.finish())
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
