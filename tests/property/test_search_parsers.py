"""Any text can be cut into sections, and what a search reads from disk is what was written, or refused by name."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import Document
from holdfast.caches.index_format import IndexUnusable, Summary, encode_summary, parse_summary
from holdfast.caches.search.citations import cite_section, find_citations, judge, parse_citation
from holdfast.caches.search.receipts import encode_receipt, parse_receipt
from holdfast.caches.search.section import Section, encode_section, parse_section
from holdfast.caches.search.sections import outline
from holdfast.caches.search.word_terms import all_terms, raw_words
from holdfast.core.errors import InvalidReceipt
from holdfast.core.token_estimate import estimate_tokens
from holdfast.core.unicode_text import WHITE_SPACE
from support.examples import examples
from support.mutants import ODD_VALUES, edited, with_wrong_members

EXAMPLES = settings(max_examples=examples(250), deadline=None)
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


# Lines that are too long, and too heavy for their length.
long_lines = st.lists(
    st.tuples(
        st.sampled_from([*PIECES, "word. ", "| a ", "1 ", "a1", "\u4f60\u597d\u3002", "e\u0301", "\U0001f600", "Nq"]),
        st.sampled_from([1, 1, 7, 300, 900]),
    ).map(lambda part: part[0] * part[1]),
    max_size=3,
).map("\n".join)


class TestSections:
    """Together the sections hold every character of a document that is not blank, once; none is out of reach."""

    @EXAMPLES
    @given(st.one_of(st.tuples(markdown, st.sampled_from([1, 40])), st.tuples(long_lines, st.just(1000))))
    @example(("#" * 50_000, 1000))
    @example(("> " * 5_000, 1000))
    @example(("```\n" * 5_001, 1))
    @example(("[" * 50_000, 1000))
    @example(("a\n" * 20_000, 1))
    @example(("# A\n\n" + "word. " * 2_000 + "\n\n" + "| a1 " * 3_000, 1000))
    @example(("\n".join(["0 1 " * 20] * 60), 1000))
    @example(("1\t" * 490 + "1" + "\t" * 80, 1000))
    @example(("ZB" * 2_000, 1000))
    @example(("#\n\x85\n# 0", 1))
    @example(("0\x0c\x85", 1))
    @example((" " * 90_000 + "a" + " " * 90_000 + "b" + " " * 90_000, 1000))
    @example(("\u0301" * 5_000 + "\r\n" + "\U0001f468\u200d" * 2_000, 1000))
    def test_every_character_of_a_text_is_in_one_section(self, cut: tuple[str, int]) -> None:
        text, long = cut
        sections = outline(text, long=long).sections
        covered = "".join(text[section.start : section.end] for section in sections)
        assert "".join(covered.split()) == "".join(text.split())
        assert all(one.end <= other.start for one, other in pairwise(sections))
        citations = []
        for section in sections:
            content = text[section.start : section.end]
            assert content.strip(WHITE_SPACE)
            assert estimate_tokens(content) <= 1000
            assert estimate_tokens(content) <= 640 or len(content.encode()) <= 1000
            assert len(content) <= 2.5 * long
            assert 0 <= section.header < section.first
            citations.append(parse_citation(cite_section("a.md", section, sha256(content.encode()).hexdigest())))
        held = [citation for citation in citations if citation is not None]
        document = Document("a.md", "sha256:00", "a.md", text)
        assert [verdict.state for verdict in judge(held, lambda _: document)] == ["holds"] * len(sections)

    @EXAMPLES
    @given(st.text())
    def test_any_text_has_terms(self, text: str) -> None:
        assert all(isinstance(term, str) for word in raw_words(text) for term in all_terms(word))

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
RECORDED_SECTION = Section(("A", "größe"), 1, 4, 0, 40)
SECTION_PART = RECORDED_SECTION._replace(from_column=7, to_column=1 << 31, header=3)
SECTIONS = [encode_section(each, title) for each in (RECORDED_SECTION, SECTION_PART) for title in ("", "A", "größer")]


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
    @given(st.sampled_from(SECTIONS).flatmap(edited))
    def test_a_section_is_read_or_is_unusable(self, body: bytes) -> None:
        try:
            section, title = parse_section(body)
        except IndexUnusable:
            return
        assert all(isinstance(text, str) for text in (*section.heading, title))

    def test_a_section_and_the_title_of_its_document_are_read_back(self) -> None:
        read = [parse_section(body) for body in SECTIONS]
        assert read == [(each, name) for each in (RECORDED_SECTION, SECTION_PART) for name in ("", "A", "größer")]


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
