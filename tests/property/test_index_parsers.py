"""The parts of an index, forged: every checksum is right and the rest is not. They are refused as unusable, or read as
something within bounds; nothing else escapes, since nothing but this protects a reader of a foreign cache."""

from __future__ import annotations

from binascii import crc32
from collections.abc import Sequence
from struct import error, pack

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import Entry, make_document, stays_inside
from holdfast.caches.index_format import (
    WORD_RULES,
    Header,
    IndexUnusable,
    Section,
    encode_header,
    parse_header,
    read_section,
)
from holdfast.caches.segments.postings import (
    TermLists,
    decode_term,
    decode_word,
    encode_term,
    encode_word,
)
from holdfast.caches.segments.segment_file import (
    BLOCK,
    SUMS,
    Segment,
    hash_of,
    parse_columns,
    parse_document_record,
)
from holdfast.caches.segments.segment_table import encode_document_record, table_of
from support.examples import examples
from support.mutants import edited
from support.segments import segments_of

EXAMPLES = settings(max_examples=examples(300), deadline=None)
ENTRY = Entry("ü/b.md", "sha256:" + "ab" * 32, "documents/b.json")
SECTIONS = {"words": Section("words", 200, 40, 7), "columns": Section("columns", 240, 10, 9)}
HEADER = encode_header(Header("words", WORD_RULES, b"m" * 32, b"i" * 32, 300, SECTIONS))
DOCUMENTS = [make_document(f"{number}.md", f"# a {number}\n\nalpha b{number % 3}".encode()) for number in range(9)]
(SEGMENT,) = segments_of(DOCUMENTS, 100)
BODY = b"".join([SEGMENT.part(name) for name in SEGMENT.header.sections if name != SUMS])
# What damage that slipped past a checksum leads to: who asks takes it for an index that cannot be used.
MISLED = (IndexUnusable, ArithmeticError, LookupError, ValueError, TypeError, error)


@EXAMPLES
@given(edited(HEADER), st.booleans())
def test_a_forged_header_is_unusable_or_all_its_sections_lie_inside_the_file(data: bytes, signed: bool) -> None:
    data = data[:-4] + pack("<I", crc32(data[:-4])) if signed else data
    try:
        header = parse_header(lambda at, length: data[at : at + length], kind="words", file_length=300)
    except IndexUnusable:
        return
    assert all(section.offset + section.length <= 300 for section in header.sections.values())
    for section in header.sections.values():
        try:
            read_section(lambda at, length: data[at : at + length], section)
        except IndexUnusable:
            continue
        raise AssertionError("a section that is not there was read")


def forged(body: bytes) -> Segment:
    """The segment with another body as long, and the checksums of that."""
    body = body[: len(BODY)].ljust(len(BODY), b"\0")
    sums = b"".join([pack("<I", crc32(body[at : at + BLOCK], at // BLOCK)) for at in range(0, len(body), BLOCK)])
    sections = {**SEGMENT.header.sections}
    sections[SUMS] = sections[SUMS]._replace(crc=crc32(sums))
    data = encode_header(SEGMENT.header._replace(sections=sections)) + body + sums
    return Segment(lambda at, length: data[at : at + length], len(data))


@EXAMPLES
@given(edited(BODY), st.sampled_from(["alpha", "b1", "", "nowhere"]), st.booleans())
def test_a_forged_segment_is_unusable_or_gives_what_is_within_bounds(body: bytes, text: str, word: bool) -> None:
    segment = forged(body)
    try:
        value = segment.find(hash_of(text, 0, word=word))
        assert value is None or 0 <= value < 1 << 32
        columns = segment.numbers
        lists = (columns.words, columns.places, columns.numbers, columns.tokens, columns.by_tokens)
        assert {len(numbers) for numbers in lists} == {columns.documents}
        assert columns.firsts[-1] == len(columns.section_tokens)
        table_of(segment, columns)
    except MISLED:
        return


@EXAMPLES
@given(edited(bytes([7]) * 200 + b"\1\0\0\0" * 30))
def test_forged_columns_are_unusable_or_all_of_one_length(data: bytes) -> None:
    try:
        columns = parse_columns(data)
    except MISLED:
        return
    assert len(columns.second_counts) in (0, len(columns.section_tokens))


WORDS = [encode_word([0, 3, 9], counts, count) for count in (10, 200, 70_000) for counts in ([1, 1, 1], [1, 2, 300])]


@EXAMPLES
@given(st.sampled_from(WORDS).flatmap(edited), st.sampled_from([10, 200, 70_000]))  # type: ignore[arg-type]  # records
def test_a_forged_record_of_a_word_is_unusable_or_stays_within_its_bounds(data: bytes, count: int) -> None:
    try:
        numbers, values = decode_word(data, count)
    except MISLED:
        return
    if numbers is None:
        assert len(values) == count
        return
    assert len(numbers) == len(values) <= count
    assert not numbers or numbers[-1] < count


FIRSTS = [0, 2, 2, 3]
TERMS = [
    encode_term(TermLists([0, 2], b"\t\x07", [0, 2], b"\1\2", 3), FIRSTS),
    encode_term(TermLists([5, 90, 600], b"\1\1\1", [], b"", 3), range(0, 2000, 2)),
]


@EXAMPLES
@given(st.sampled_from(TERMS).flatmap(edited), st.sampled_from([FIRSTS, range(0, 2000, 2)]))  # type: ignore[arg-type]  # records
def test_a_forged_record_of_a_term_is_unusable_or_stays_within_its_bounds(data: bytes, firsts: Sequence[int]) -> None:
    try:
        own, shared, holding = decode_term(data, firsts)
    except MISLED:
        return
    populations = firsts[-1], len(firsts) - 1
    assert holding <= populations[0]
    for found, population in zip((own, shared), populations, strict=True):
        numbers, values = found.listed()
        assert len(numbers) == len(values)
        assert not numbers or numbers[-1] < population


@EXAMPLES
@given(st.integers(1 << 31, (1 << 32) - 1))
def test_a_value_of_the_dictionary_names_a_section_or_is_unusable(value: int) -> None:
    try:
        own, shared, _ = decode_term(value, FIRSTS)
    except IndexUnusable:
        return
    assert list(own.listed()[0]) in [[0], [1], [2]]
    assert list(shared.listed()[0]) in [[], [0], [2]]


@EXAMPLES
@given(st.integers(1 << 31, (1 << 32) - 1))
def test_a_value_of_the_dictionary_names_a_document_that_holds_the_word_or_is_unusable(value: int) -> None:
    try:
        places, (times,) = decode_word(value, 3)
    except IndexUnusable:
        return
    assert places in [(0,), (1,), (2,)]
    assert times > 0


@EXAMPLES
@given(edited(encode_document_record(ENTRY)))
def test_a_forged_record_of_a_document_is_unusable_or_leads_inside_the_cache(data: bytes) -> None:
    try:
        entry = parse_document_record(data)
    except MISLED:
        return
    assert stays_inside(entry.file)
