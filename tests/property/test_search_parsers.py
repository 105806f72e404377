"""Any text can be cut into sections, and what a search reads from disk is what was written, or refused by name."""

from __future__ import annotations

import json
from binascii import crc32
from struct import pack

from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.caches.index_format import IndexUnusable, Summary, encode_summary, parse_summary
from holdfast.caches.search.citations import find_citations
from holdfast.caches.search.receipts import encode_receipt, parse_receipt
from holdfast.caches.search.section import Section
from holdfast.caches.search.sections import outline
from holdfast.caches.search.terms import query_terms, raw_words, terms_of
from holdfast.caches.section_index.section_compiler import (
    encode_columns,
    encode_field,
    encode_record,
    encode_section,
    make_columns,
    seal_section,
)
from holdfast.caches.section_index.section_records import parse_columns, parse_impacts, parse_inline, parse_section
from holdfast.caches.sorted_runs import packed
from holdfast.core.errors import InvalidReceipt
from support.mutants import ODD_VALUES, edited, with_wrong_members

EXAMPLES = settings(max_examples=250, deadline=None)
PIECES = [
    *(
        "# a",
        "## b ##",
        "###### c",
        "####### d",
        "#e",
        "=====",
        "-----",
        "text",
        "more text",
        "",
        "  ",
        "\t",
        "    code",
    ),
    *("```", "````", "~~~ x", "<!--", "-->", "<pre>", "</pre>", "<div>", "| a | b |", "|---|---|", "- item", "1. item"),
    *(
        "> quote",
        "---",
        "+++",
        "title: x",
        "\ufeff---",
        "..",
        ".. note::",
        "Title\n=====",
        "\x85",
        "\u2028",
        "\x0c",
        "\\",
    ),
]
markdown = st.one_of(
    st.text(),
    st.lists(st.sampled_from(PIECES), max_size=14).flatmap(
        lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(lines))
    ),
)


class TestSections:
    """Together the sections hold every line of a document but blank ones, each line once."""

    @EXAMPLES
    @given(markdown, st.sampled_from([1, 40, 2000]))
    @example("#" * 50_000, 2000)
    @example("> " * 5_000, 2000)
    @example("```\n" * 5_001, 1)
    @example("[" * 50_000, 2000)
    @example("a\n" * 20_000, 1)
    def test_every_line_with_text_is_in_one_section(self, text: str, long: int) -> None:
        sections = outline(text, long=long).sections
        numbers = [number for section in sections for number in range(section.first, section.last + 1)]
        assert numbers == sorted(set(numbers))
        covered = "".join(text[section.start : section.end] for section in sections)
        assert "".join(covered.split()) == "".join(text.split())

    @EXAMPLES
    @given(st.text())
    def test_any_text_has_terms(self, text: str) -> None:
        assert all(isinstance(term, str) for term in query_terms(text))
        assert all(terms_of(word) is not None for word in raw_words(text))

    @EXAMPLES
    @given(
        st.one_of(
            st.text(),
            edited(b"see (a.md:3-5@0123456789ab), a.md#L7 `b/c.md:1`").map(lambda d: d.decode(errors="replace")),
        )
    )
    def test_any_text_has_citations_or_none(self, text: str) -> None:
        assert all(citation.line >= 1 for citation in find_citations(text, {"a.md", "b/c.md"}))


SUMMARY = encode_summary(Summary("sha256:" + "0" * 64, "bytes"))
COLUMNS = encode_columns(make_columns([5, 3, 9], [0, 2, 3]))
SECTION = encode_section(Section(("A", "größe"), 1, 4, 0, 40))
POPULATIONS = [3, 3, 70_000, 3]
HELD = {0: [0, 2], 2: [5, 69_000], 3: [1]}
RECORD = encode_record(
    b"k",
    7,
    [(field, encode_field(packed(held), {1: bytes([9] * 70_000)}, POPULATIONS[field])) for field, held in HELD.items()],
)


class TestTheSectionIndex:
    """Forged with every checksum right."""

    @EXAMPLES
    @given(
        st.one_of(edited(SUMMARY), with_wrong_members(json.loads(SUMMARY)), ODD_VALUES.map(json.dumps).map(str.encode))
    )
    def test_a_summary_is_read_or_is_unusable(self, data: bytes) -> None:
        try:
            assert encode_summary(parse_summary(data)) == data
        except IndexUnusable:
            pass

    @EXAMPLES
    @given(edited(COLUMNS))
    def test_columns_are_read_or_are_unusable(self, data: bytes) -> None:
        try:
            columns = parse_columns(data)
        except IndexUnusable:
            return
        assert len(columns.tokens) == len(columns.by_tokens) == columns.firsts[-1]

    @EXAMPLES
    @given(edited(SECTION))
    def test_a_section_is_read_or_is_unusable(self, body: bytes) -> None:
        try:
            section = parse_section(seal_section(3, body), 3)
        except IndexUnusable:
            return
        assert all(isinstance(heading, str) for heading in section.heading)

    @EXAMPLES
    @given(edited(RECORD))
    def test_a_record_of_impacts_is_read_within_bounds_or_is_unusable(self, data: bytes) -> None:
        data = pack("<I", crc32(data[4:], crc32(b"k"))) + data[4:]
        try:
            fields = parse_impacts(data, b"k", POPULATIONS)
        except IndexUnusable:
            return
        assert len(fields) == len(POPULATIONS)
        for (numbers, impacts), population in zip(fields, POPULATIONS, strict=True):
            assert len(numbers) == len(impacts)
            assert not numbers or numbers[-1] < population

    @EXAMPLES
    @given(st.integers(0, 2**64 - 1))
    def test_a_value_of_the_dictionary_names_a_section_or_is_unusable(self, value: int) -> None:
        try:
            fields = parse_inline(value, POPULATIONS)
        except IndexUnusable:
            return
        for (numbers, _), population in zip(fields or [], POPULATIONS, strict=False):
            assert all(0 <= number < population for number in numbers)


RECEIPT = encode_receipt({"record_version": "1", "query": "a", "budget": 1, "sections": []})


@EXAMPLES
@given(st.one_of(edited(RECEIPT), with_wrong_members(json.loads(RECEIPT)), st.binary(max_size=40)))
@example(encode_receipt({"record_version": "1", "query": json.loads("[" * 300 + "]" * 300)}))
@example(b'{"record":{"record_version":"1","query":' + b"[" * 700 + b"]" * 700 + b"}}")
@example(b'{"record":' + b"[" * 100_000)
def test_a_receipt_is_read_or_is_invalid(data: bytes) -> None:
    try:
        assert parse_receipt(data).record["record_version"] == "1"
    except InvalidReceipt:
        pass
