"""The format of index files: what `words.idx` and `sections.idx` have in common. Pure.

docs/formats/index.md has the bytes.

- A checked header says what the file belongs to and where its sections lie; sections are found by name. What it belongs
  to are the digests of `manifest.json` and `index.json`, the time of the build left out, so that building the same
  sources twice writes the same index.
- The summary says which cache was compiled, and how.
- The term dictionary has sorted keys in pages of fixed size, found by bisection, each page checked.
- Ascending numbers below a count are 16 bits wide up to 65,536; above, in chunks of 65,536 with a count each, or 32
  bits wide where they are few.
"""

from __future__ import annotations

from binascii import crc32
from hashlib import sha256
from itertools import accumulate
from struct import Struct, error, pack

from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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

PAGE_SIZE = 4096
_PAGE_HEAD = Struct("<IH")  # checksum, number of entries
PER_ENTRY = 2 + 8  # where its key ends, its value
PAGE_ROOM = PAGE_SIZE - _PAGE_HEAD.size
# A longer word is kept as its hash: a page holds any key, and a document of one endless word costs no more than others.
LONGEST_KEY = 40
_HASHED = b"\xff"  # no UTF-8 text starts with it
# A value from here on is no place of a record: it says itself all there is to know of a term with a single posting.
INLINE = 1 << 63

CHUNK = 1 << 16


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
    """The header of a file of that kind and length; IndexUnusable unless all of it holds."""
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
    if name.rstrip(b"\0") != kind.encode() or rules.rstrip(b"\0") != WORD_RULES.encode():
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


def find_summary(read: Read, header: Header) -> Summary:
    """The summary in an index file."""
    return parse_summary(_summary_bytes(read, header))


def find_tokenizer(read: Read, header: Header) -> str:
    """The tokenizer that an index file names, whatever the ranking it was made for."""
    return _parse_any_summary(_summary_bytes(read, header)).tokenizer


def _summary_bytes(read: Read, header: Header) -> bytes:
    section = find_section(header, SUMMARY)
    if section.length > _LONGEST_SUMMARY:
        raise IndexUnusable("a summary longer than any")
    return read_section(read, section)


def key_of(term: str) -> bytes:
    """The key of a term: its UTF-8 bytes, or a mark and their sha256 when they are many."""
    return keys_of([term])[0]


def keys_of(terms: Iterable[str]) -> list[bytes]:
    """The keys of terms."""
    keys = [term.encode() for term in terms]
    return [key if len(key) <= LONGEST_KEY else _HASHED + sha256(key).digest() for key in keys]


def entry_size(key: bytes) -> int:
    """The bytes that a key takes of the room in a page."""
    return len(key) + PER_ENTRY


def encode_page(number: int, keys: Sequence[bytes], values: Sequence[int]) -> bytes:
    """The page of that number with these ascending keys, which fit into it, and their values."""
    count = len(keys)
    body = pack(f"<H{count}H{count}Q", count, *accumulate(map(len, keys)), *values) + b"".join(keys)
    body += bytes(PAGE_SIZE - 4 - len(body))
    return pack("<I", _checksum(number, body)) + body


def _checksum(number: int, body: bytes) -> int:
    # Seeded with the page's number, so that a page at another page's place is damage too.
    return crc32(body, number & 0xFFFFFFFF)


class DictionaryPage:
    """One checked page."""

    def __init__(self, number: int, data: bytes) -> None:
        if len(data) != PAGE_SIZE:
            raise IndexUnusable("the dictionary is cut short")
        crc, count = _PAGE_HEAD.unpack_from(data)
        if _checksum(number, data[4:]) != crc or not 0 < count <= PAGE_SIZE // PER_ENTRY:
            raise IndexUnusable("a dictionary page is damaged")
        view = memoryview(data)
        self._data = data
        self.count: int = count
        self._ends = view[_PAGE_HEAD.size : _PAGE_HEAD.size + 2 * count].cast("H")
        start = _PAGE_HEAD.size + 2 * count
        self._values = view[start : start + 8 * count].cast("Q")
        self._keys = start + 8 * count

    def key(self, position: int) -> bytes:
        start = self._ends[position - 1] if position else 0
        return self._data[self._keys + start : self._keys + self._ends[position]]

    def keys(self) -> list[bytes]:
        """All keys."""
        ends = [self._keys, *[self._keys + end for end in self._ends]]
        return list(map(self._data.__getitem__, map(slice, ends, ends[1:])))

    def all_values(self) -> bytes:
        """The value of each, packed."""
        return self._data[self._keys - 8 * self.count : self._keys]

    def with_values(self, number: int, values: bytes) -> bytes:
        """The bytes of the page as that of another number, with other values, packed, of the same keys."""
        body = self._data[4 : self._keys - 8 * self.count] + values + self._data[self._keys :]
        return _CRC.pack(_checksum(number, body)) + body

    def may_hold(self, key: bytes) -> bool:
        """Whether the bytes of a key stand anywhere among the keys: of most that are not there they do not."""
        return self._data.find(key, self._keys) >= 0

    def value(self, key: bytes) -> int | None:
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            if self.key(middle) < key:
                low = middle + 1
            else:
                high = middle
        return self._values[low] if low < self.count and self.key(low) == key else None


def look_up(
    read_page: Callable[[int], bytes],
    page_count: int,
    key: bytes,
    first_keys: dict[int, bytes] | None = None,
    pages: dict[int, DictionaryPage] | None = None,
) -> int | None:
    """The value of a key, or None; only the pages on the way to it are read, and each is checked.

    With `first_keys`, which remembers the first key of each page read, a look-up reads one page. With `pages` too, for
    hundreds of mostly absent keys, no page is read more than once.
    """
    if first_keys is None:
        first_keys = {}
    low, high = 0, page_count  # the page that may hold the key is the last whose first key is not greater
    while low < high:
        middle = (low + high) // 2
        if middle not in first_keys:
            first_keys[middle] = DictionaryPage(middle, read_page(middle)).key(0)
        if first_keys[middle] <= key:
            low = middle + 1
        else:
            high = middle
    if not low:
        return None
    number = low - 1
    if pages is None:
        return DictionaryPage(number, read_page(number)).value(key)
    page = pages.get(number)
    if page is None:
        page = pages[number] = DictionaryPage(number, read_page(number))
    return page.value(key) if page.may_hold(key) else None


def chunks(document_count: int) -> int:
    """How many times 65,536 documents there are, begun ones included."""
    return -(-document_count // CHUNK)


def is_wide(count: int, document_count: int) -> bool:
    """Whether a run is short enough that whole numbers take no more room than halves and a count a chunk."""
    parts = chunks(document_count)
    return parts > 1 and count <= 2 * parts


def parse_numbers(view: memoryview, at: int, count: int, document_count: int) -> tuple[list[int], int]:
    """`count` numbers below `document_count`, and the offset after them."""
    if document_count <= CHUNK:
        return view[at : at + 2 * count].cast("H").tolist(), at + 2 * count
    if is_wide(count, document_count):
        return view[at : at + 4 * count].cast("I").tolist(), at + 4 * count
    parts = chunks(document_count)
    counts = view[at : at + 4 * parts].cast("I").tolist()
    at += 4 * parts
    documents: list[int] = []
    for chunk, held in enumerate(counts):
        halves = view[at : at + 2 * held].cast("H").tolist()
        base = chunk << 16
        documents += [base + half for half in halves] if base else halves
        at += 2 * held
    if len(documents) != count:
        raise IndexUnusable("a run is cut short")
    return documents, at
