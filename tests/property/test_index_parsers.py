"""The parts of a compiled index, forged: every checksum is right and the rest is not. They are refused as unusable, or
read as something within bounds; nothing else escapes, since whoever opens a foreign cache has only this to rely on."""

from __future__ import annotations

from binascii import crc32
from struct import pack

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import Entry, stays_inside
from holdfast.caches.index_format import (
    PAGE_SIZE,
    WORD_RULES,
    Header,
    IndexUnusable,
    Section,
    encode_header,
    look_up,
    parse_header,
    read_section,
)
from holdfast.caches.posting_record import PostingRecord
from holdfast.caches.word_index.word_compiler import encode_columns, encode_postings, encode_record, make_columns
from holdfast.caches.word_index.word_records import (
    longest_postings,
    parse_columns,
    parse_inline,
    parse_postings,
    parse_record,
    posting_numbers,
    postings_length,
)
from support.examples import examples
from support.mutants import edited
from support.term_dictionary import DictionaryPages

EXAMPLES = settings(max_examples=examples(300), deadline=None)
KEY = b"alpha"
ENTRY = Entry("ü/b.md", "sha256:" + "ab" * 32, "documents/b.json")
SECTIONS = {"words": Section("words", 200, 40, 7), "columns": Section("columns", 240, 10, 9)}
HEADER = encode_header(Header("words", WORD_RULES, b"m" * 32, b"i" * 32, 300, SECTIONS))
COLUMNS = encode_columns(make_columns([3, 1, 4, 1, 5], [9, 2, 6, 5, 3]))


def _page() -> bytes:
    pages = DictionaryPages()
    for number in range(20):
        pages.add(b"key%02d" % number, number << 20)
    (page,) = pages.finish()
    return page


PAGE = _page()


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


@EXAMPLES
@given(edited(PAGE[4:]), st.sampled_from([b"key07", b"", b"key", b"zzz", b"\xff" * 300]))
def test_a_forged_page_of_the_dictionary_is_unusable_or_gives_a_value_or_none(body: bytes, key: bytes) -> None:
    body = body[: PAGE_SIZE - 4].ljust(PAGE_SIZE - 4, b"\0")
    page = pack("<I", crc32(body)) + body
    try:
        value = look_up(lambda _number: page, 1, key)
    except IndexUnusable:
        return
    assert value is None or 0 <= value < 1 << 64


@EXAMPLES
@given(st.integers(0, 2**64 - 1), st.integers(0, 5))
def test_a_forged_value_of_the_dictionary_names_a_document_that_exists_or_is_unusable(value: int, count: int) -> None:
    try:
        postings = parse_inline(value, count)
    except IndexUnusable:
        return
    assert postings is None or all(document < count for _, run in postings.groups for document in run)


RUNS = {1: [0, 3, 9], 2: [1], 300: [5]}


@EXAMPLES
@given(
    st.sampled_from([10, 70_000, 200_000]).flatmap(
        lambda count: st.tuples(st.just(count), *map(edited, encode_postings(KEY, RUNS, count)))
    )
)
def test_a_forged_record_of_postings_is_unusable_or_stays_within_its_bounds(forged: tuple[int, bytes, bytes]) -> None:
    count, data, numbers = forged
    data = pack("<I", crc32(data[4:], crc32(KEY))) + data[4:]
    try:
        postings_length(data)
        assert 0 <= posting_numbers(data, count) <= 12 * (count + 4)
        postings = parse_postings(PostingRecord(data, numbers), KEY, count)
    except IndexUnusable:
        return
    held = [document for _, run in postings.groups for document in run]
    assert postings.document_count <= count
    assert len(held) <= longest_postings(count)
    assert postings.dense is None or len(postings.dense) == count


@EXAMPLES
@given(edited(COLUMNS))
def test_forged_columns_are_unusable_or_all_of_one_length(data: bytes) -> None:
    try:
        columns = parse_columns(data)
    except IndexUnusable:
        return
    lists = (columns.words, columns.places, columns.numbers, columns.tokens, columns.by_tokens)
    assert {len(numbers) for numbers in lists} == {columns.count}


@EXAMPLES
@given(edited(encode_record(3, ENTRY)))
def test_a_forged_record_of_a_document_is_unusable_or_leads_inside_the_cache(data: bytes) -> None:
    data = pack("<I", crc32(data[4:], 3)) + data[4:]
    try:
        entry = parse_record(data, 3)
    except IndexUnusable:
        return
    assert stays_inside(entry.file)
