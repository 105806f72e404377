"""Write the section index of a cache that is being built."""

from __future__ import annotations

from array import array

from holdfast.caches.on_disk.compiling import IndexFile
from holdfast.caches.on_disk.counting import BUFFER
from holdfast.caches.on_disk.index_reader import DICTIONARY, OFFSETS, POSTINGS, RECORDS
from holdfast.caches.on_disk.parts import pages_of, postings_of
from holdfast.caches.on_disk.section_index import COLUMNS, KIND
from holdfast.caches.section_index.section_records import (
    SUMMARY,
    Summary,
    encode_columns,
    encode_summary,
    make_columns,
    seal_section,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.on_disk.parts import Part
    from holdfast.caches.section_index.section_compiler import DocumentSections


def write_sections(
    path: str,
    documents: Sequence[DocumentSections],
    firsts: Sequence[int],
    parts: Sequence[Part],
    summary: Summary,
    manifest: bytes,
    index: bytes,
) -> None:
    """Write the index that `search` uses, of documents in id order and of what their terms were compiled to."""
    with open(path, "xb", buffering=BUFFER) as file:
        target = IndexFile(file, 6)
        target.add(POSTINGS, postings_of(parts))
        target.add(DICTIONARY, pages_of(parts))
        tokens = [size for document in documents for size in document.tokens]
        target.add(COLUMNS, [encode_columns(make_columns(tokens, firsts))], checked=True)
        target.add(OFFSETS, [_offsets(documents)])
        target.add(RECORDS, _records(documents))
        target.add(SUMMARY, [encode_summary(summary)], checked=True)
        target.seal(KIND, manifest, index)


def _records(documents: Sequence[DocumentSections]) -> Iterator[bytes]:
    number = 0
    for document in documents:
        at = 0
        for size in document.sizes:
            yield seal_section(number, document.records[at : at + size])
            at += size
            number += 1


def _offsets(documents: Sequence[DocumentSections]) -> bytes:
    offsets = array("Q", [0])
    offset = 0
    for document in documents:
        for size in document.sizes:
            offset += size + 4
            offsets.append(offset)
    return offsets.tobytes()
