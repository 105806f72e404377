"""Receipts that were tampered with are refused; citations are found and judged."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from holdfast import InvalidReceipt
from holdfast.caches.cache_format import Document, make_document
from holdfast.caches.search.citations import cite_section, find_citations, judge, parse_citation
from holdfast.caches.search.comparison import compare_documents, compare_records
from holdfast.caches.search.receipts import ReceiptSection, encode_receipt, make_record, parse_receipt, receipt_and_file
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.section import Section

REQUEST = SearchRequest("how?", 100, None, "guide", ("b.md#L1-L2@aaaaaaaaaaaa",), outline=True, cache="docs")
RECORD = make_record("sha256:00", "bytes/4", REQUEST, [ReceiptSection("a.md#L1-L3@111111111111", "sha256:11", 7)])
RECEIPT = encode_receipt(RECORD)


def test_a_receipt_comes_back_as_it_was_written() -> None:
    receipt = parse_receipt(RECEIPT)
    assert (receipt.receipt, receipt.request) == (receipt_and_file(RECORD)[0], REQUEST)
    assert encode_receipt(receipt.record) == RECEIPT


def test_no_single_byte_of_a_receipt_can_be_changed_or_lost() -> None:
    accepted = []
    for at in range(len(RECEIPT)):
        for altered in (RECEIPT[:at] + bytes([RECEIPT[at] ^ 1]) + RECEIPT[at + 1 :], RECEIPT[:at]):
            try:
                parse_receipt(altered)
            except InvalidReceipt:
                continue
            accepted.append(altered)
    assert accepted == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "cut short"),
        (b"[]", "no record"),
        (b"{}", "no record"),
        (b'{"record":7}', "no record"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (RECEIPT.replace(b'"record_version":"4"', b'"record_version":"6"'), "version '6'"),
        (RECEIPT.replace(b'"record_version":"4"', b'"record_version":4'), "version 4"),
        (RECEIPT.replace(b'"record_version":"4"', b'"record_version":"1"'), "whose rule release 0.1 applies"),
        (RECEIPT.replace(b'"record_version":"4"', b'"record_version":"3"'), "whose rule release 0.1 applies"),
        (encode_receipt({**RECORD, "ranking": {"name": "bm25-sections-9"}}), "it was ranked by 'bm25-sections-9'"),
        (encode_receipt({**RECORD, "ranking": {**RECORD["ranking"], "parameters": {}}}), "with other parameters"),
        (RECEIPT + b"\n", "altered"),
        (b" " + RECEIPT, "altered"),
    ],
)
def test_what_is_no_receipt_is_refused_and_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidReceipt) as caught:
        parse_receipt(data)
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    "change",
    [
        *({"query": 7}, {"budget": True}, {"limit": "x"}, {"sections": {}}, {"sections": [{"id": "a"}]}, {"more": 1}),
        *({"named": [1]}, {"named": "a.md#L1"}),
        *({"cache": None}, {"under": 1}, {"known": "x"}, {"known": [1]}, {"outline": 1}, {"explain": None}),
    ],
)
def test_a_record_with_other_members_is_refused_even_with_a_matching_hash(change: dict[str, object]) -> None:
    with pytest.raises(InvalidReceipt):
        parse_receipt(encode_receipt({**RECORD, **change}))


def test_differences_between_records_name_what_and_both_values() -> None:
    now = make_record("sha256:01", "bytes/4", REQUEST, [ReceiptSection("b.md#L1-L1@222222222222", "sha256:22", 7)])
    assert [(item["what"], item["recorded"] is None, item["now"] is None) for item in compare_records(RECORD, now)] == [
        ("cache_version", False, False),
        ("a.md#L1-L3", False, True),
        ("b.md#L1-L1", True, False),
    ]


def test_other_pointers_are_a_difference() -> None:
    then, now = [make_record("sha256:00", "bytes/4", REQUEST, [A], [place]) for place in ("b.md#L1", "b.md#L9")]
    assert compare_records(then, now) == [{"what": "named", "recorded": ["b.md#L1"], "now": ["b.md#L9"]}]


def test_sections_that_stand_for_the_same_lines_are_told_apart_by_their_hashes() -> None:
    included = [ReceiptSection(f"a.rst#L9-L9@{digit * 12}", f"sha256:{digit}", 7) for digit in "123"]
    before = make_record("sha256:00", "bytes/4", REQUEST, included)
    after = make_record("sha256:00", "bytes/4", REQUEST, included[:2])
    assert [item["what"] for item in compare_records(before, after)] == ["a.rst#L9-L9@333333333333"]


def found_again(*sections: ReceiptSection) -> tuple[Any, Any]:
    """A record as a receipt gives it back, and the same record made now."""
    record = make_record("sha256:00", "bytes/4", REQUEST, sections)
    return parse_receipt(encode_receipt(record)).record, record


A, B, C = [ReceiptSection(f"{name}.md#L1-L3@{name * 12}", f"sha256:{name}", 7) for name in "abc"]


def test_a_record_that_was_read_does_not_differ_from_itself() -> None:
    assert compare_records(*found_again(A, B)) == []


def test_parts_of_one_line_are_told_apart() -> None:
    one, other = [A._replace(citation=f"a.md#L1C{column}-L1C{column + 8}@{'a' * 12}") for column in (1, 10)]
    recorded, _ = found_again(one, other)
    _, now = found_again(one, other._replace(content="sha256:y"))
    assert [item["what"] for item in compare_records(recorded, now)] == ["a.md#L1C10-L1C18"]


def test_only_the_sections_that_changed_are_told() -> None:
    recorded, _ = found_again(A, B)
    _, now = found_again(A, B._replace(score=9))
    assert [item["what"] for item in compare_records(recorded, now)] == ["b.md#L1-L3"]


def test_another_order_of_the_same_sections_is_told() -> None:
    recorded, _ = found_again(A, B, C)
    _, now = found_again(C, A, B._replace(score=1))
    assert compare_records(recorded, now) == [
        {"what": "b.md#L1-L3", "recorded": recorded["sections"][1], "now": now["sections"][2]},
        {
            "what": "order",
            "recorded": ["a.md#L1-L3", "b.md#L1-L3", "c.md#L1-L3"],
            "now": ["c.md#L1-L3", "a.md#L1-L3", "b.md#L1-L3"],
        },
    ]


def test_a_section_that_came_or_went_is_no_other_order() -> None:
    recorded, _ = found_again(A, B)
    _, now = found_again(C, A)
    assert [item["what"] for item in compare_records(recorded, now)] == ["b.md#L1-L3", "c.md#L1-L3"]


TEXT = "# A\n\none\r\ntwo\n"
DOCUMENT = make_document("a b.md", TEXT.encode())


def test_citations_are_found_in_prose_markdown_and_code() -> None:
    text = (
        "See a b.md#L1-L3@aaaaaaaaaaaa, `c.md#L10-L12@bbbbbbbbbbbb` and\n"
        "[this](d/e.md#L1-L1@cccccccccccc)(f.md#L2-L2@dddddddddddd).\n"
        "Not these: a.md#L1-3@aaaaaaaaaaaa a.md#L1-L3@aaaa a.md#L1-L3@aaaaaaaaaaaaa x#Ly-Lz@aaaaaaaaaaaa #L\n"
    )
    found = list(find_citations(text, {"a b.md", "c.md"}))
    assert [(citation.line, citation.text) for citation in found] == [
        (1, "a b.md#L1-L3@aaaaaaaaaaaa"),
        (1, "c.md#L10-L12@bbbbbbbbbbbb"),
        (2, "d/e.md#L1-L1@cccccccccccc"),
        (2, "f.md#L2-L2@dddddddddddd"),
    ]


def test_a_citation_of_a_part_of_a_line_has_columns() -> None:
    text = "a.md#L3C5-L3C9@aaaaaaaaaaaa a.md#L3-L4C9@aaaaaaaaaaaa (a.md#L3C5-L4@aaaaaaaaaaaa), a.md#L3C-L4@aaaaaaaaaaaa"
    found = list(find_citations(text, {"a.md"}))
    assert [citation.text for citation in found] == [
        "a.md#L3C5-L3C9@aaaaaaaaaaaa",
        "a.md#L3-L4C9@aaaaaaaaaaaa",
        "a.md#L3C5-L4@aaaaaaaaaaaa",
    ]
    assert [parse_citation(citation.text) for citation in found] == found
    assert [(citation.from_column, citation.to_column) for citation in found] == [(5, 9), (None, 9), (5, None)]


def test_a_section_is_cited_by_its_lines_and_its_columns_if_it_has_some() -> None:
    section = Section(("A",), 3, 4, 5, 20)
    digest = sha256(b"x").hexdigest()
    assert cite_section("a.md", section, digest) == "a.md#L3-L4@2d711642b726"
    assert cite_section("a.md", section._replace(from_column=7), digest) == "a.md#L3C7-L4@2d711642b726"
    assert cite_section("a.md", section._replace(from_column=7, to_column=9), digest) == "a.md#L3C7-L4C9@2d711642b726"


def test_a_name_is_found_in_the_spelling_of_the_source_and_kept_as_it_is_written() -> None:
    text = (
        "See sub/My Page.md#L1-L3@aaaaaaaaaaaa, sub/my page.md#L1-L3@aaaaaaaaaaaa (Sub\\My Page.md#L1-L3@aaaaaaaaaaaa)."
    )
    found = [citation.id for citation in find_citations(text, {"sub/my page.md"})]
    assert found == ["sub/My Page.md", "sub/my page.md", "Sub\\My Page.md"]


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        ("sub/My Page.md", "sub/my page.md", "sub/My Page.md"),
        ("./Sub\\a.md", "sub/a.md", "./Sub\\a.md"),
        ("elsewhere/a.md", "a.md", "a.md"),
        ("", "a.md", "a.md"),
    ],
)
def test_a_document_is_named_by_its_source_where_that_is_a_spelling_of_its_id(
    source: str, name: str, expected: str
) -> None:
    assert Document(name, "sha256:00", source, "").name == expected


@pytest.mark.parametrize(
    ("citation", "state"),
    [
        ("a b.md#L1-L3@{}", "holds"),
        ("a b.md#L1-L3@000000000000", "changed"),
        ("a b.md#L1-L9@{}", "no such lines"),
        ("a b.md#L0-L1@{}", "no such lines"),
        ("a b.md#L3-L1@{}", "no such lines"),
        ("gone.md#L1-L3@{}", "no such document"),
        ("a b.md#L1C1-L3C3@{}", "holds"),
        ("a b.md#L1C1-L3@{}", "holds"),
        ("a b.md#L1-L3C3@{}", "holds"),
        ("a b.md#L1C2-L3C3@{}", "changed"),
        ("a b.md#L1-L3C2@{}", "changed"),
        ("a b.md#L1C0-L3C3@{}", "no such lines"),
        ("a b.md#L1-L3C0@{}", "no such lines"),
        ("a b.md#L1-L3C4@{}", "no such lines"),
        ("a b.md#L1C4-L3C3@{}", "no such lines"),
        ("a b.md#L2C1-L3C3@{}", "no such lines"),
        ("a b.md#L3C3-L3C2@{}", "no such lines"),
    ],
)
def test_a_citation_holds_only_while_its_lines_say_the_same(citation: str, state: str) -> None:
    from hashlib import sha256

    digest = sha256(b"# A\n\none").hexdigest()[:12]
    documents = {DOCUMENT.id: DOCUMENT}
    (verdict,) = judge(find_citations(citation.format(digest), documents), documents.get)
    assert verdict.state == state


def test_a_document_is_asked_for_once_however_often_it_is_cited() -> None:
    asked = []

    def document_of(name: str) -> Document | None:
        asked.append(name)
        return DOCUMENT if name == DOCUMENT.id else None

    text = "a b.md#L1-L1@000000000000 x.md#L1-L1@000000000000 a b.md#L3-L3@000000000000 " * 20
    states = [verdict.state for verdict in judge(find_citations(text, {DOCUMENT.id}), document_of)]
    assert (asked, states) == (["a b.md", "x.md"], ["changed", "no such document", "changed"] * 20)


def test_changes_between_documents_are_told_by_section() -> None:
    before = [make_document("a.md", b"# A\n\none\n\n## B\n\ntwo\n"), make_document("gone.md", b"x")]
    after = [make_document("a.md", b"# A\n\none\n\nmore\n\n## C\n\nthree\n"), make_document("New.md", b"y")]
    documents, sections = compare_documents(before, after)
    assert documents == {"added": ["New.md"], "removed": ["gone.md"], "changed": ["a.md"]}
    assert [tuple(change.values()) for change in sections] == [
        ("a.md", ("A",), "changed", (1, 5)),
        ("a.md", ("A", "B"), "removed", (5, 7)),
        ("a.md", ("A", "C"), "added", (7, 9)),
        ("gone.md", (), "removed", (1, 1)),
        ("New.md", (), "added", (1, 1)),
    ]
