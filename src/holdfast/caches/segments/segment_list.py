"""`segments.idx`: which segments make up the index of a cache, in the order of their documents. Pure.

The list belongs to one cache, by the digests of its `manifest.json` and `index.json`; a segment to any that lists it.
"""

from __future__ import annotations

from binascii import crc32
from hashlib import sha256
from struct import Struct

from holdfast.caches.index_format import (
    SUMMARY,
    WORD_RULES,
    Header,
    IndexUnusable,
    Section,
    encode_header,
    encode_summary,
    find_section,
    header_length,
    parse_header,
    read_section,
)
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.index_format import Read, Summary

KIND = "segments-2"
SEGMENTS = "segments"
ENDING = ".seg"
_NAME_LENGTH = 32
_ROW = Struct("<32sQIII")
# No cache has more: a document takes at least 100 bytes of a manifest, which has at most 64 MiB.
_MOST_SEGMENTS = 1 << 13


class ListedSegment(NamedTuple):
    """A segment: the sha256 of its file, its bytes, the checksum that its header has of its checksums, and how many
    documents and sections it holds."""

    digest: bytes
    length: int
    checksum: int
    documents: int
    sections: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.digest.hex()[:_NAME_LENGTH] + ENDING


class SegmentList(NamedTuple):
    """What `segments.idx` says: the digests of the cache's listing, and its segments."""

    header: Header
    segments: list[ListedSegment]


def is_segment_name(name: str) -> bool:
    """Whether a file of an index has the name of a segment."""
    stem = name.removesuffix(ENDING)
    return len(stem) == _NAME_LENGTH == len(name) - len(ENDING) and not stem.strip("0123456789abcdef")


def listed(data: bytes) -> ListedSegment:
    """The row of a segment, given its bytes."""
    from holdfast.caches.segments.segment import held_in_memory  # of no use to who asks

    segment = held_in_memory(data)
    columns = segment.numbers
    return ListedSegment(
        sha256(data).digest(), len(data), segment.checksum, columns.documents, len(columns.section_tokens)
    )


def encode_list(segments: Sequence[ListedSegment], summary: Summary, manifest: bytes, index: bytes) -> bytes:
    """The bytes of `segments.idx` of a cache whose listing has these digests."""
    contents = {SUMMARY: encode_summary(summary), SEGMENTS: b"".join([_ROW.pack(*segment) for segment in segments])}
    at = header_length(len(contents))
    sections = {}
    for name, data in contents.items():
        sections[name] = Section(name, at, len(data), crc32(data))
        at += len(data)
    return encode_header(Header(KIND, WORD_RULES, manifest, index, at, sections)) + b"".join(contents.values())


def parse_list(read: Read, file_length: int) -> SegmentList:
    """What a list says; IndexUnusable unless all of it holds."""
    header = parse_header(read, kind=KIND, file_length=file_length)
    section = find_section(header, SEGMENTS)
    if section.length % _ROW.size or section.length > _MOST_SEGMENTS * _ROW.size:
        raise IndexUnusable("the list of segments is damaged")
    return SegmentList(header, [ListedSegment._make(row) for row in _ROW.iter_unpack(read_section(read, section))])
