"""What a section is, and its record in an index; sections.py finds them. Pure; docs/formats/index.md has the bytes."""

from __future__ import annotations

from struct import Struct, error

from holdfast.caches.index_format import IndexUnusable
from holdfast.core.record import NamedTuple

# Characters, about 250 tokens: six to eight fit the usual budget of 2,000, and a paragraph keeps its company.
LONG = 1000
_SECTION = Struct("<IIIIH")  # characters from and to, first and last line, number of headings
_LENGTH = Struct("<H")  # of a heading
# Set in the number of headings: the document's title is the first of them; a `PART` follows the number; then the lines
# that are cited.
_TITLED, _PARTIAL, _CITED = 1 << 15, 1 << 14, 1 << 13
_PART = Struct("<III")  # the columns from and to, the line of the table's header
_LINES = Struct("<III")  # of the source: the first and the last, and the line of the table's header


class Section(NamedTuple):
    """A section of a document: the headings that lead to it, its lines (1-based, both included), its characters.

    `from_column` and `to_column` are the character of the first line that it begins with and the one of the last that
    it ends with, 1-based, both included; 0: the line's beginning, the line's end. `header` is the line of the header
    row of the table that it goes on with; 0: none. `cited` are the lines of the source that the first, the last and the
    header's line stand for, where they are others.
    """

    heading: tuple[str, ...]
    first: int
    last: int
    start: int
    end: int
    from_column: int = 0
    to_column: int = 0
    header: int = 0
    cited: tuple[int, int, int] | None = None

    @property
    def cited_lines(self) -> tuple[int, int]:
        """The lines of the source that a citation names."""
        return (self.first, self.last) if self.cited is None else self.cited[:2]

    @property
    def cited_header(self) -> int:
        """The line of the source that the header comes from; 0: no header."""
        return self.header if self.cited is None else self.cited[2]


def encode_section(section: Section, title: str) -> bytes:
    """The record of a section, with its document's title if it is the first of that."""
    count = len(section.heading)
    if title and title in section.heading[:1]:
        count, title = count | _TITLED, ""
    part = section.from_column, section.to_column, section.header
    count |= (_PARTIAL if any(part) else 0) | (0 if section.cited is None else _CITED)
    parts = [_SECTION.pack(section.start, section.end, section.first, section.last, count)]
    if any(part):
        parts.append(_PART.pack(*part))
    if section.cited is not None:
        parts.append(_LINES.pack(*section.cited))
    for heading in section.heading:
        text = heading.encode()
        parts.append(_LENGTH.pack(len(text)) + text)
    return b"".join([*parts, title.encode()])


def parse_section(data: bytes) -> tuple[Section, str]:
    """The section in a record, and its document's title if it is the first of that."""
    try:
        start, end, first, last, count = _SECTION.unpack_from(data)
        at = _SECTION.size
        part = (0, 0, 0)
        if count & _PARTIAL:
            part = _PART.unpack_from(data, at)
            at += _PART.size
        cited = None
        if count & _CITED:
            cited = _LINES.unpack_from(data, at)
            at += _LINES.size
        heading = []
        for _ in range(count & ~(_TITLED | _PARTIAL | _CITED)):
            (length,) = _LENGTH.unpack_from(data, at)
            heading.append(data[at + 2 : at + 2 + length].decode())
            at += 2 + length
        title = heading[0] if count & _TITLED else data[at:].decode()
    except (error, IndexError, UnicodeDecodeError):
        raise IndexUnusable("a section record is damaged") from None
    return Section(tuple(heading), first, last, start, end, *part, cited), title
