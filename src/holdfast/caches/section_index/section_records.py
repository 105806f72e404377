"""What the section index knows of a cache and of each section. Pure; docs/formats/search.md has the bytes."""

from __future__ import annotations

from binascii import crc32
from bisect import bisect_right
from struct import Struct, error

from holdfast.caches.index_format.container import IndexUnusable, find_section, read_section
from holdfast.caches.search.impacts import PARAMETERS, RANKING
from holdfast.caches.search.section import Section
from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.index_format.container import Header, Read

# The section of both index files that holds the summary.
SUMMARY = "summary"
_SECTION = Struct("<IIIIIH")  # checksum, characters from and to, first and last line, number of headings
_COUNT = Struct("<H")
_COUNTS = Struct("<II")
# More bytes than any record has: a path of 32 headings, each as long as can be.
LONGEST_RECORD = 1 << 16
# An index that claims more sections than this many, and this many a document, is not worth what it makes us hold: the
# documents are read instead.
_MANY_SECTIONS, _MANY_A_DOCUMENT = 1 << 16, 256


class Summary(NamedTuple):
    """Which cache was compiled, and how its tokens were counted."""

    cache_version: str
    tokenizer: str


def encode_summary(summary: Summary) -> bytes:
    """The bytes of the `summary` section."""
    return encode({**summary._asdict(), "ranking": {"name": RANKING, "parameters": PARAMETERS}}).encode()


def parse_summary(data: bytes) -> Summary:
    """The summary, when it is of the ranking of this release."""
    summary = _parse_any_summary(data)
    if data != encode_summary(summary):
        raise IndexUnusable("made by another ranking")
    return summary


def _parse_any_summary(data: bytes) -> Summary:
    try:
        fields = decode(data)
        return Summary(fields["cache_version"], fields["tokenizer"])
    except (JsonError, LookupError, TypeError):
        raise IndexUnusable("the summary is damaged") from None


def find_summary(read: Read, header: Header) -> Summary:
    """The summary in an index file."""
    return parse_summary(_summary_bytes(read, header))


def find_tokenizer(read: Read, header: Header) -> str:
    """The tokenizer that an index file names, whatever the ranking it was made for."""
    return _parse_any_summary(_summary_bytes(read, header)).tokenizer


def _summary_bytes(read: Read, header: Header) -> bytes:
    section = find_section(header, SUMMARY)
    if section.length > LONGEST_RECORD:
        raise IndexUnusable("a summary longer than any")
    return read_section(read, section)


class SectionColumns(NamedTuple):
    """Tokens of each section; the first section of each document and, last, how many sections there are.

    `by_tokens` lists the sections by (tokens, number).
    """

    tokens: Sequence[int]
    firsts: Sequence[int]
    by_tokens: Sequence[int]

    def fitting(self, budget: int) -> Sequence[int]:
        """The sections that have no more tokens than that."""
        return self.by_tokens[: bisect_right(self.by_tokens, budget, key=self.tokens.__getitem__)]


def make_columns(tokens: Sequence[int], firsts: Sequence[int]) -> SectionColumns:
    """The columns of sections in their order."""
    return SectionColumns(tokens, firsts, sorted(range(len(tokens)), key=tokens.__getitem__))


def encode_columns(columns: SectionColumns) -> bytes:
    """The bytes of the `columns` section."""
    from array import array  # it loads collections, which no search needs

    counts = _COUNTS.pack(len(columns.tokens), len(columns.firsts) - 1)
    return counts + b"".join([array("I", column).tobytes() for column in columns])


def longest_columns(documents: int) -> int:
    """The most bytes of a `columns` section that are read, for that many documents."""
    return _COUNTS.size + 4 * (2 * (_MANY_SECTIONS + _MANY_A_DOCUMENT * documents) + documents + 1)


def parse_columns(data: bytes) -> SectionColumns:
    """The columns in a section that was checked as a whole."""
    if len(data) < _COUNTS.size:
        raise IndexUnusable("the columns are cut short")
    sections, documents = _COUNTS.unpack_from(data)
    if len(data) != _COUNTS.size + 4 * (2 * sections + documents + 1):
        raise IndexUnusable("the columns are cut short")
    view = memoryview(data)[_COUNTS.size :].cast("I")
    after = sections + documents + 1
    columns = SectionColumns(view[:sections], view[sections:after], view[after:])
    if columns.firsts[0] != 0 or columns.firsts[-1] != sections:
        raise IndexUnusable("the columns do not add up")
    return columns


def encode_section(section: Section) -> bytes:
    """The record of a section; its checksum is seeded with its number when the index is written."""
    parts = [_SECTION.pack(0, section.start, section.end, section.first, section.last, len(section.heading))[4:]]
    for heading in section.heading:
        text = heading.encode()
        parts.append(_COUNT.pack(len(text)) + text)
    return b"".join(parts)


def seal_section(number: int, body: bytes) -> bytes:
    """A record as the index holds it."""
    return crc32(body, number).to_bytes(4, "little") + body


def parse_section(data: bytes, number: int) -> Section:
    """The section in a record, proven to be that of the number."""
    try:
        crc, start, end, first, last, count = _SECTION.unpack_from(data)
        if crc32(data[4:], number) != crc:
            raise IndexUnusable("a section record is damaged")
        at = _SECTION.size
        heading = []
        for _ in range(count):
            (length,) = _COUNT.unpack_from(data, at)
            heading.append(data[at + 2 : at + 2 + length].decode())
            at += 2 + length
    except (error, UnicodeDecodeError):
        raise IndexUnusable("a section record is damaged") from None
    return Section(tuple(heading), first, last, start, end)
