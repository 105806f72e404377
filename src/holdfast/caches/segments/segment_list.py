"""`segments.idx`: which segments make up the index of a cache, in the order of their documents, and their cut. Pure.

The list belongs to one cache, by the digests of its `manifest.json` and `index.json`; a segment to any that lists it.
Documents are cut by content-defined chunking of the list of ids: a boundary lies before an id whose hash says so,
FEWEST to MOST documents after the boundary before it. Nothing but the ids decides: two machines cut alike, whatever was
built before, and an added page moves one or two boundaries.
"""

from __future__ import annotations

from binascii import crc32
from hashlib import sha256
from itertools import pairwise
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
# Constants of the format: another number cuts other segments.
FEWEST, MOST = 250, 2000
# One id in this many begins a segment, where it may.
_ONE_IN = 750


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


def cuts(ids: Sequence[str]) -> list[tuple[int, int]]:
    """From and to below which document each segment goes; ids are in order."""
    bounds = [0]
    at = FEWEST
    while at < len(ids):
        if at - bounds[-1] >= MOST or begins(ids[at]):
            bounds.append(at)
            at += FEWEST
        else:
            at += 1
    return list(pairwise([*bounds, len(ids)])) if ids else []


def begins(name: str) -> bool:
    """Whether the hash of an id lets a segment begin with it."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], "little") % _ONE_IN == 0


def is_segment_name(name: str) -> bool:
    """Whether a file of an index has the name of a segment."""
    stem = name.removesuffix(ENDING)
    return len(stem) == _NAME_LENGTH == len(name) - len(ENDING) and not stem.strip("0123456789abcdef")


def listed(data: bytes) -> ListedSegment:
    """The row of a segment, given its bytes."""
    from holdfast.caches.segments.segment_file import held_in_memory  # of no use to who asks

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
