"""The bytes of a segment, written and taken apart to be changed. Pure; docs/formats/index.md has the format."""

from __future__ import annotations

from array import array
from binascii import crc32
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain

from holdfast.caches.cache_format import PREFIX, Entry
from holdfast.caches.index_format import WORD_RULES, Header, Section, encode_header, header_length
from holdfast.caches.segments.segment_file import (
    BITS_A_KEY,
    BLOCK,
    DICTIONARY,
    DIGESTS,
    DOCUMENTS,
    ENTRIES,
    FLOOR,
    HASHES,
    KIND,
    NAMES,
    NO_DIGEST,
    OTHER,
    RECORD,
    RECORDS,
    SIZES,
    SUMS,
    Columns,
    Segment,
    SegmentSources,
    hash_of,
    slices,
)

# Hashes are those of the first seed for which no two keys share one.
SEEDS = 256
_SET = ord("1")


class HashCollision(Exception):
    """Two keys of a segment have one hash by a seed."""


class TermHashes(dict[str, int]):
    """text -> its hash as a term by a seed; the first ones met are remembered. As a word it has the lowest bit set."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed

    def __missing__(self, text: str) -> int:
        key = hash_of(text, self._seed, word=False)
        if len(self) < _MOST_HASHES:
            self[text] = key
        return key


_MOST_HASHES = 1 << 16
KNOWN_HASHES = TermHashes(0)


class SegmentTable:
    """What a segment holds of its documents in id order, and of their sections, beside the posting lists.

    `words` are those of each document, `tokens` of its content, `records` say where and what it is; `digests` are those
    of document files and `origins` of their metadata, 32 bytes each, without a gap between them. `texts` are those of
    links to it, `labels` and `links` its own, as they are written. `section_tokens`, `second_counts` and
    `section_records` are of sections.
    """

    def __init__(self) -> None:
        self.words, self.tokens, self.sizes = array("I"), array("I"), array("I")
        self.section_counts, self.section_tokens, self.second_counts = array("I"), array("I"), array("H")
        self.digests, self.origins = bytearray(), bytearray()
        self.records: list[bytes] = []
        self.texts: list[bytes] = []
        self.labels: list[bytes] = []
        self.links: list[bytes] = []
        self.section_records: list[bytes] = []

    def firsts(self) -> Sequence[int]:
        """The number of each document's first section and, last, of all."""
        return list(accumulate(self.section_counts, initial=0))

    def document(self, place: int, firsts: Sequence[int]) -> SegmentTable:
        """A table of one document alone; `firsts` are those of this table."""
        one = SegmentTable()
        for name in ("words", "tokens", "sizes", "section_counts", "records", "texts", "labels", "links"):
            setattr(one, name, getattr(self, name)[place : place + 1])
        for name in ("digests", "origins"):
            setattr(one, name, getattr(self, name)[32 * place : 32 * place + 32])
        for name in ("section_tokens", "section_records", "second_counts"):
            setattr(one, name, getattr(self, name)[firsts[place] : firsts[place + 1]])
        return one

    def put(self, was: range, sections: range, other: SegmentTable) -> None:
        """Put all documents of another table where the documents `was`, which have these sections, are."""
        place, section = slice(was.start, was.stop), slice(sections.start, sections.stop)
        for name in ("words", "tokens", "sizes", "section_counts", "records", "texts", "labels", "links"):
            getattr(self, name)[place] = getattr(other, name)
        for name in ("digests", "origins"):
            getattr(self, name)[32 * was.start : 32 * was.stop] = getattr(other, name)
        for name in ("section_tokens", "section_records", "second_counts"):
            getattr(self, name)[section] = getattr(other, name)  # of no second counts, nothing is put among none


def encode_document_record(entry: Entry) -> bytes:
    """Where and what a document is."""
    name = entry.id.encode()
    return RECORD.pack(bytes.fromhex(entry.version[len(PREFIX) :]), len(name)) + name + entry.file.encode()


def encode_segment(table: SegmentTable, postings: Mapping[int, int | bytes], seed: int) -> bytes:
    """The bytes of a segment; `postings` has for each hash a dictionary value, or a record."""
    return encode_parts(table, *ordered_entries(postings), seed)


def ordered_entries(postings: Mapping[int, int | bytes]) -> tuple[array[int], array[int], list[bytes | memoryview]]:
    """Ascending hashes, the dictionary value of each, and the records in that order."""
    ordered = sorted(postings)
    values: list[int] = []
    records: list[bytes | memoryview] = []
    at = 0
    for held in map(postings.__getitem__, ordered):
        if isinstance(held, int):
            values.append(held)
        else:
            values.append(at)
            records.append(held)
            at += len(held)
    return array("Q", ordered), array("I", values), records


def encode_parts(
    table: SegmentTable,
    hashes: array[int],
    values: array[int],
    postings: Sequence[bytes | memoryview],
    seed: int,
    key_filter: bytes | None = None,
) -> bytes:
    """The same of ascending hashes, the value of each, and the records in that order; `key_filter` is that of the
    hashes, where it is known."""
    contents = [
        _encode_dictionary(hashes, values),
        b"".join(postings),
        key_filter or encode_filter(hashes),
        encode_columns(table, seed),
        _with_offsets(table.records),
        _with_offsets(table.section_records),
        bytes(table.digests),
        _encode_sources(table) if any(table.origins) else b"",
    ]
    body = b"".join(contents)
    sums = array("I", [crc32(body[at : at + BLOCK], at // BLOCK) for at in range(0, len(body), BLOCK)]).tobytes()
    start = header_length(len(NAMES) + 1)
    starts = list(accumulate(map(len, contents), initial=start))
    sections = {name: Section(name, at, len(part)) for name, at, part in zip(NAMES, starts, contents, strict=False)}
    sections[SUMS] = Section(SUMS, starts[-1], len(sums), crc32(sums))
    header = Header(KIND, WORD_RULES, NO_DIGEST, NO_DIGEST, starts[-1] + len(sums), sections)
    return b"".join([encode_header(header), body, sums])


def _encode_dictionary(hashes: array[int], values: array[int]) -> bytes:
    pages = []
    for at in range(0, len(hashes), ENTRIES):
        own, theirs = hashes[at : at + ENTRIES], values[at : at + ENTRIES]
        pages.append(own.tobytes().ljust(HASHES, b"\xff") + theirs.tobytes().ljust(BLOCK - HASHES, b"\0"))
    return b"".join(pages)


def encode_filter(hashes: Iterable[int]) -> bytes:
    """Two bits for each hash of a term, in at least eight times as many: what it rules out, no section holds."""
    terms = [key for key in hashes if not key & 1]
    size = _filter_size(len(terms))
    # A digit for each bit, the last bit first, is read as one long binary number: few steps of the interpreter.
    digits = bytearray(b"0") * (1 << size)
    for place in _bits(terms, size):
        digits[(1 << size) - 1 - place] = _SET
    return int(digits, 2).to_bytes(1 << (size - 3), "little")


def extended_filter(old: bytes, count: int, terms: Sequence[int]) -> bytes | None:
    """A filter with these terms too, `count` with all; None where that has another size."""
    size = _filter_size(count)
    if len(old) != 1 << (size - 3):
        return None
    made = bytearray(old)
    for place in _bits(terms, size):
        made[place >> 3] |= 1 << (place & 7)
    return bytes(made)


def _filter_size(count: int) -> int:
    return max((BITS_A_KEY * count - 1).bit_length(), 3)


def _bits(terms: Sequence[int], size: int) -> Iterable[int]:
    """The two bits of each term."""
    shift, mask = 64 - size, (1 << size) - 1
    return chain([key >> shift for key in terms], [key >> OTHER & mask for key in terms])


def encode_columns(table: SegmentTable, seed: int) -> bytes:
    """The bytes of the columns of a table."""
    words, tokens, count = table.words, table.tokens, len(table.words)
    places = sorted(range(count), key=words.__getitem__)  # stable: equal counts stay in id order
    numbers = array("H", bytes(2 * count))
    for number, place in enumerate(places):
        numbers[place] = number
    wide = (
        *(array("I", map(words.__getitem__, places)), tokens),
        array("I", [min(tokens[at : at + FLOOR]) for at in range(0, count, FLOOR)]),
        *(array("I", table.firsts()), table.section_tokens),
    )
    narrow = array("H", places), numbers, array("H", sorted(range(count), key=tokens.__getitem__)), table.second_counts
    head = SIZES.pack(count, len(table.section_tokens), seed)
    return head + b"".join([part.tobytes() for part in (*wide, *narrow)])


def _with_offsets(records: Sequence[bytes]) -> bytes:
    return array("I", accumulate(map(len, records), initial=0)).tobytes() + b"".join(records)


def _encode_sources(table: SegmentTable) -> bytes:
    texts = (table.texts, table.labels, table.links)
    lengths = [array("I", map(len, part)).tobytes() for part in texts]
    return b"".join([table.origins, table.sizes.tobytes(), *lengths, *[b"".join(part) for part in texts]])


def dictionary_of(segment: Segment) -> tuple[array[int], array[int]]:
    """All hashes, ascending, and the value of each."""
    data = segment.part(DICTIONARY)
    hashes, values = array("Q"), array("I")
    for at in range(0, len(data), BLOCK):
        hashes.frombytes(data[at : at + HASHES])
        values.frombytes(data[at + HASHES : at + HASHES + 4 * ENTRIES])
    while hashes and hashes[-1] == (1 << 64) - 1:
        hashes.pop()
    return hashes, values[: len(hashes)]


def table_of(segment: Segment, columns: Columns) -> SegmentTable:
    """What the segment holds of its documents, to be changed."""
    table = SegmentTable()
    count, firsts = columns.documents, columns.firsts
    table.words = array("I", map(columns.words.__getitem__, columns.numbers))
    table.tokens, table.section_tokens = array("I", columns.tokens), array("I", columns.section_tokens)
    table.second_counts = array("H", columns.second_counts)
    table.section_counts = array("I", map(int.__sub__, firsts[1:], firsts))
    table.digests = bytearray(segment.part(DIGESTS))
    table.records = _records(segment.part(DOCUMENTS), count)
    table.section_records = _records(segment.part(RECORDS), len(columns.section_tokens))
    sources = SegmentSources(segment, count)
    table.origins, table.sizes = bytearray(sources.origins), array("I", sources.sizes)
    table.texts, table.labels, table.links = sources.texts, sources.labels, sources.links
    return table


def _records(data: bytes, count: int) -> list[bytes]:
    start = 4 * (count + 1)
    return slices(data[start:], array("I", data[:start]))
