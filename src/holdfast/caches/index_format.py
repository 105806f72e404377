"""The format of index files: what the list of segments and a segment have in common. Pure.

docs/formats/index.md has the bytes.

- A checked header says what the file belongs to and where its sections lie; sections are found by name. What it belongs
  to are the digests of `manifest.json` and `index.json`, the time of the build left out, so that building the same
  sources twice writes the same index.
- The summary says which cache was compiled, and how.
"""

from __future__ import annotations

from binascii import crc32
from hashlib import sha256
from struct import Struct, error

from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    # Bytes [offset, offset + length) of a file, or IndexUnusable.
    Read = Callable[[int, int], bytes]

MAGIC = b"HOLDFAST"
FORMAT_VERSION = 1
# How text becomes words. Another rule makes another index: a file that names any other is ignored.
WORD_RULES = "unicode-17.0.0/white-space"

_FIXED = Struct("<8sHHI16s32s32s32sQ")
_SECTION = Struct("<16sQQII")
_CRC = Struct("<I")
_MAX_SECTIONS = 64

# The time is among the first members, far before this.
FIRST_BYTES = 4096
_BEFORE = b'"created_at": "'
_IN_A_TIME = b"0123456789-+:.TZ"

# The section that holds the summary, and more bytes than any has.
SUMMARY = "summary"
_LONGEST_SUMMARY = 1 << 16


class IndexUnusable(Exception):
    """An index that is damaged, foreign or of another cache; the caller falls back to the documents."""


class Section(NamedTuple):
    """Where a section lies; `crc` is the CRC-32 of all of it, or 0 where its parts carry their own."""

    name: str
    offset: int
    length: int
    crc: int = 0


class Header(NamedTuple):
    """The header of an index file."""

    kind: str
    rules: str
    manifest_digest: bytes
    index_digest: bytes
    file_length: int
    sections: dict[str, Section]


def header_length(section_count: int) -> int:
    """The bytes before the first section."""
    return _FIXED.size + section_count * _SECTION.size + _CRC.size


def encode_header(header: Header) -> bytes:
    """The bytes of a header; sections in the order given."""
    sections = header.sections.values()
    data = _FIXED.pack(
        MAGIC,
        FORMAT_VERSION,
        len(sections),
        header_length(len(sections)),
        header.kind.encode(),
        header.rules.encode(),
        header.manifest_digest,
        header.index_digest,
        header.file_length,
    ) + b"".join([_SECTION.pack(part.name.encode(), part.offset, part.length, part.crc, 0) for part in sections])
    return data + _CRC.pack(crc32(data))


def parse_header(read: Read, *, kind: str, file_length: int) -> Header:
    """The header of a file of that length and kind, or of any where that is empty; IndexUnusable unless all of it
    holds."""
    try:
        magic, version, count, length, name, rules, manifest, index, stated = _FIXED.unpack(read(0, _FIXED.size))
    except error:
        raise IndexUnusable("shorter than its header") from None
    if magic != MAGIC or version != FORMAT_VERSION:
        raise IndexUnusable("not an index of this format version")
    if count > _MAX_SECTIONS or length != header_length(count) or stated != file_length:
        raise IndexUnusable("cut short or damaged")
    data = read(0, length)
    if len(data) != length or _CRC.pack(crc32(data[: -_CRC.size])) != data[-_CRC.size :]:
        raise IndexUnusable("the header is damaged")
    if (kind and name.rstrip(b"\0") != kind.encode()) or rules.rstrip(b"\0") != WORD_RULES.encode():
        raise IndexUnusable("of another kind or made by other rules")
    sections = {}
    for position in range(count):
        label, offset, size, crc, _ = _SECTION.unpack_from(data, _FIXED.size + position * _SECTION.size)
        if offset < length or offset + size > file_length:
            raise IndexUnusable("a section lies outside the file")
        text = label.rstrip(b"\0").decode("ascii", "replace")
        sections[text] = Section(text, offset, size, crc)
    return Header(kind, WORD_RULES, manifest, index, file_length, sections)


def read_section(read: Read, section: Section) -> bytes:
    """All bytes of a section that is checked as a whole."""
    data = read(section.offset, section.length)
    if len(data) != section.length or crc32(data) != section.crc:
        raise IndexUnusable(f"section {section.name} is damaged")
    return data


def find_section(header: Header, name: str) -> Section:
    """A section by its name."""
    try:
        return header.sections[name]
    except KeyError:
        raise IndexUnusable(f"section {name} is missing") from None


def is_time(value: bytes) -> bool:
    """Whether a value has the looks of an RFC 3339 time."""
    return 20 <= len(value) <= 35 and not value.strip(_IN_A_TIME)


def without_time(start: bytes) -> bytes | None:
    """The beginning of a manifest with the value of `created_at` cut out; None when there is no time to cut."""
    before, found, after = start.partition(_BEFORE)
    value, closed, rest = after.partition(b'"')
    if not found or not closed or not is_time(value):
        return None
    return before + found + closed + rest


def manifest_digest(chunks: Iterable[bytes]) -> bytes | None:
    """sha256 of a manifest without its time, the first chunk at least FIRST_BYTES long or all there is."""
    digest = None
    for chunk in chunks:
        if digest is None:
            first = without_time(chunk[:FIRST_BYTES])
            if first is None:
                return None
            digest = sha256(first)
            chunk = chunk[FIRST_BYTES:]
        digest.update(chunk)
    return digest.digest() if digest is not None else None


class Summary(NamedTuple):
    """Which cache was compiled, and how its tokens were counted."""

    cache_version: str
    tokenizer: str


def encode_summary(summary: Summary) -> bytes:
    """The bytes of the `summary` section."""
    from holdfast.caches.search.impacts import PARAMETERS, RANKING  # no resolve needs them

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


def find_tokenizer(read: Read, header: Header) -> str:
    """The tokenizer that an index file names, whatever the ranking it was made for."""
    return _parse_any_summary(summary_bytes(read, header)).tokenizer


def summary_bytes(read: Read, header: Header) -> bytes:
    """The bytes of the summary in an index file."""
    section = find_section(header, SUMMARY)
    if section.length > _LONGEST_SUMMARY:
        raise IndexUnusable("a summary longer than any")
    return read_section(read, section)
