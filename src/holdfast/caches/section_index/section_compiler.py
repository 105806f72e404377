"""Compile what was counted in sections into the columns, records and lists of `sections.idx`. Pure.

Sections are numbered by id and line, so documents that were counted one after another, in id order, have ascending
numbers, and nothing needs sorting.
"""

from __future__ import annotations

from array import array
from binascii import crc32
from collections import deque
from itertools import accumulate
from struct import Struct

from holdfast.caches.index_format import INLINE
from holdfast.caches.posting_record import PostingRecord, sealed
from holdfast.caches.section_index.section_records import (
    CITED,
    DENSE,
    HEAD,
    HELD,
    IN_GAPS,
    IS_WIDE,
    LENGTH,
    LINES,
    LISTED,
    NARROW,
    ONE_DOCUMENT,
    ONE_SECTION,
    OUTGOING,
    PART,
    PARTIAL,
    SECTION,
    SIZES,
    SOURCE,
    TITLED,
    WIDE,
    SectionColumns,
)
from holdfast.caches.section_index.step_lists import is_dense
from holdfast.caches.section_index.term_lists import BODY, PATH, TITLE, FieldLengths
from holdfast.caches.sorted_runs import NUMBER, encode_numbers, gaps, shifted
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.caches.search.link_texts import PageLinks
    from holdfast.caches.search.section import Section
    from holdfast.caches.section_index.term_lists import TermLists, Weights

    # Of a list its bits of the shape, what a record has of it, and its numbers where they are written in full.
    EncodedList = tuple[int, bytes, bytes]

# What one document holds once in one of these has no list.
_ALONE = (BODY, PATH, TITLE)
SHORT_HEAD = Struct("<BBH")  # what a narrow record has after its checksum, up to its lists
# Gaps are encoded in bytes; this one goes on without naming a number, and has the step 0.
CONTINUATION = 255
_KEPT = 1 << 14  # the bytes of shorter gaps are remembered
# A number and its step take at most 5 bytes, or 3 where a list is dense; what else there is, some thousands.
MOST_IN_NARROW = 1 << 13


class DocumentSections(NamedTuple):
    """What the index needs to know of one document: lengths of its fields, its sections, and where it links to.

    `records` are the sections' encoded records one after another, `sizes` their lengths. How long bodies are is known
    later. `second_counts` are those of the columns (section_records).
    """

    title_length: int
    path_length: int
    tokens: list[int]
    second_counts: list[int]
    heading_lengths: list[int]
    records: bytes
    sizes: list[int]
    links: PageLinks


class DocumentSource(NamedTuple):
    """Of one document the digest of its origin in hex, the bytes of its content, the texts of links to it, and where it
    links to itself."""

    origin: str
    size: int
    texts: Sequence[str]
    links: PageLinks


def encode_columns(columns: SectionColumns) -> bytes:
    """The bytes of the `columns` section."""
    counts = SIZES.pack(len(columns.tokens), len(columns.firsts) - 1)
    wide = [array("I", column).tobytes() for column in (columns.tokens, columns.firsts)]
    return b"".join([counts, *wide, array("H", columns.second_counts).tobytes()])


def encode_section(section: Section, title: str) -> bytes:
    """The record of a section, with its document's title if it is the first of that.

    Its checksum is seeded with its number when the index is written.
    """
    count = len(section.heading)
    if title and title in section.heading[:1]:
        count, title = count | TITLED, ""
    part = section.from_column, section.to_column, section.header
    count |= (PARTIAL if any(part) else 0) | (0 if section.cited is None else CITED)
    parts = [SECTION.pack(0, section.start, section.end, section.first, section.last, count)[4:]]
    if any(part):
        parts.append(PART.pack(*part))
    if section.cited is not None:
        parts.append(LINES.pack(*section.cited))
    for heading in section.heading:
        text = heading.encode()
        parts.append(LENGTH.pack(len(text)) + text)
    return b"".join([*parts, title.encode()])


def encode_sources(sources: Iterable[DocumentSource]) -> bytes:
    """The bytes of the `sources` section of documents in id order."""
    parts = bytearray()
    links = bytearray()
    for source in sources:
        leading, own = encode_source(source)
        parts += leading
        links += own
    parts += links
    return bytes(parts)


def encode_source(source: DocumentSource) -> tuple[bytes, bytes]:
    """What the section has of one document: with the texts of links to it, and of its own."""
    texts = "\n".join(source.texts).encode()
    labels, links = [part.encode() for part in source.links]
    leading = SOURCE.pack(bytes.fromhex(source.origin), source.size, len(texts)) + texts
    return leading, OUTGOING.pack(len(labels), len(links)) + labels + links


def seal_section(number: int, body: bytes) -> bytes:
    """A record as the index holds it."""
    return crc32(body, number).to_bytes(4, "little") + body


def field_lengths(
    documents: Sequence[DocumentSections], link_lengths: Sequence[int], body_lengths: Sequence[int]
) -> FieldLengths:
    """The lengths of all fields: from documents in id order, the words of what links to each, and those of all their
    sections' bodies."""
    return FieldLengths(
        [document.title_length for document in documents],
        [document.path_length for document in documents],
        link_lengths,
        [length for document in documents for length in document.heading_lengths],
        body_lengths,
        list(accumulate([len(document.tokens) for document in documents], initial=0)),
    )


def compile_lists(
    terms: Iterable[tuple[bytes, list[tuple[int, bytes]]]],
    marks: Sequence[tuple[int, int]],
    weights: Weights,
    tell: Callable[[bytes, int], None],
) -> Iterator[PostingRecord]:
    """The records of all terms, one after another, while `tell` is given what the dictionary holds.

    `terms` are the merged runs of all fields; by mark, `marks` has the field of a run and its base. A term that only
    links hold is in no section, and kept: sections of another cache, asked together with this one, may hold it.
    """
    offset = 0
    for key, said in terms:
        mark, numbers = said[0]
        field, base = marks[mark]
        if len(said) == 1 and len(numbers) == NUMBER and field in _ALONE:  # most terms
            number = base + int.from_bytes(numbers, "little")
            if field == BODY:
                tell(key, inline_value(ONE_SECTION, number, weights.alone(number)))
            else:
                tell(key, inline_value(ONE_DOCUMENT, number, weights.named_alone(field, number)))
            continue
        values: dict[int, bytes] = {}
        for mark, numbers in said:
            field, base = marks[mark]
            if base:
                numbers = shifted(numbers, base)
            values[field] = values[field] + numbers if field in values else numbers
        record = encode_term(key, weights.lists(values), weights.firsts)
        if isinstance(record, int):
            tell(key, record)
            continue
        tell(key, offset)
        offset += record.size
        yield record


def encode_term(key: bytes, lists: TermLists, firsts: Sequence[int]) -> int | PostingRecord:
    """The dictionary value or the record of a term."""
    if len(lists.sections) == 1 and (value := _inline(lists, firsts)):
        return value
    return encode_record(key, lists, (firsts[-1], len(firsts) - 1))


def _inline(lists: TermLists, firsts: Sequence[int]) -> int | None:
    """The dictionary value that says all there is to say of a term that one section holds; None when none can."""
    if not lists.documents:
        return inline_value(ONE_SECTION, lists.sections[0], lists.section_steps[0])
    (section,), (document, *others) = lists.sections, lists.documents
    first, after = firsts[document : document + 2]
    if not others and section == first and lists.section_steps == b"\1" and lists.holding == after - first:
        return inline_value(ONE_DOCUMENT, document, lists.document_steps[0])
    return None


def inline_value(kind: int, number: int, step: int) -> int:
    """The dictionary value that stands for the only step of a term, of a section or of a document."""
    return INLINE | kind << 56 | step << 32 | number


def encode_record(key: bytes, lists: TermLists, populations: Sequence[int]) -> PostingRecord:
    """The record of a term."""
    sections, documents = populations
    if lists.holding == len(lists.sections) <= MOST_IN_NARROW and not lists.documents:  # most terms
        bits, body, numbers = encode_list(lists.sections, lists.section_steps, sections, NARROW)
        return sealed(key, SHORT_HEAD.pack(bits, max(lists.section_steps), len(body)) + body, numbers)
    # So few make no more bytes than a narrow number can say.
    is_wide = len(lists.sections) + len(lists.documents) > MOST_IN_NARROW
    size, shape = (WIDE, IS_WIDE) if is_wide else (NARROW, 0)
    body = numbers = b""
    if lists.sections:
        bits, body, numbers = encode_list(lists.sections, lists.section_steps, sections, size)
        shape |= bits
    if lists.documents:
        bits, more, their_numbers = encode_list(lists.documents, lists.document_steps, documents, size)
        shape |= bits << 1
        body += with_numbers(more, their_numbers, size)
    if lists.holding != len(lists.sections):
        shape |= HELD
        body = WIDE.pack(lists.holding) + body
    head = HEAD.pack(0, shape, max(lists.section_steps, default=0))
    return sealed(key, head[4:] + size.pack(len(body)) + body, numbers)


def with_numbers(listed: bytes, numbers: bytes, size: Struct) -> bytes:
    """What a record has of a list of documents: its numbers stand in it, after their count."""
    return listed[: size.size] + numbers + listed[size.size :] if numbers else listed


class _GapBytes(dict[int, bytes]):
    """gap -> its bytes: one 255 for every 255 in it, then the rest."""

    def __missing__(self, gap: int) -> bytes:
        continuations, rest = divmod(gap, CONTINUATION)
        encoded = bytes([CONTINUATION]) * continuations + bytes([rest])
        if gap < _KEPT:
            self[gap] = encoded
        return encoded


_GAP_BYTES = _GapBytes()


def encode_list(numbers: Sequence[int], steps: bytes, population: int, size: Struct) -> EncodedList:
    """What a record has of ascending numbers, each once, and a step for each; `size` is that of its count."""
    count = len(numbers)
    if is_dense(count, population):
        return LISTED | DENSE, _encoded_densely(numbers, steps, population), b""
    if is_far(numbers[-1], count):  # most terms
        return LISTED, size.pack(count) + steps, encode_numbers(numbers, population)
    apart = gaps(array("I", numbers).tobytes())
    near = apart[::NUMBER]
    if CONTINUATION not in near and apart.count(0) == len(apart) - count + near.count(0):  # all other bytes are 0
        return LISTED | IN_GAPS, size.pack(len(near)) + near + steps, b""
    distances = array("I", apart).tolist()
    data = b"".join(map(_GAP_BYTES.__getitem__, distances))
    if 2 * (len(data) - len(distances)) > len(distances):  # takes more room than two bytes a number
        return LISTED, size.pack(len(numbers)) + steps, encode_numbers(numbers, population)
    ends = list(accumulate(map(len, data.split(bytes([CONTINUATION]))), initial=0))
    with_zeros = b"\0".join(map(steps.__getitem__, map(slice, ends, ends[1:])))
    return LISTED | IN_GAPS, size.pack(len(data)) + data + with_zeros, b""


def _encoded_densely(numbers: Sequence[int], steps: bytes, population: int) -> bytes:
    found = bytearray(population)
    deque(map(found.__setitem__, numbers, steps), maxlen=0)  # without a step of the interpreter between them
    return bytes(found)


def is_far(last: int, count: int) -> bool:
    """Whether so many numbers up to a last one are so far apart that gaps take more than two bytes each."""
    return 2 * (last // CONTINUATION) > 3 * count  # at most one gap in a number makes up for a continuation
