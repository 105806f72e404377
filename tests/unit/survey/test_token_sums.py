"""What was given beside what it stood for, and the words for what nobody saw."""

from __future__ import annotations

import pytest

from holdfast.survey.savings import Counted, GivenAnswer, counts_of, savings, searches, tool_counts, unseen

GUIDE, API = ("docs", "guide.md"), ("docs", "api.md")
NOTHING = {"contexts": 0, "context_tokens": 0, "source_tokens": 0}


def test_a_document_counts_once_an_answer_and_once_altogether() -> None:
    given = [
        GivenAnswer(100, {GUIDE: 1_000, API: 500}),
        GivenAnswer(50, {GUIDE: 1_000}, known=2, known_tokens=70),
    ]
    assert searches(given, receipts=3) == {
        "receipts": 3,
        "counted": 2,
        "answer_tokens": 150,
        "documents": 3,
        "document_tokens": 2_500,
        "distinct_documents": 2,
        "distinct_document_tokens": 1_500,
        "known": 2,
        "known_tokens": 70,
    }


def test_counts_of_several_servers_are_added_and_only_summaries_say_what_they_stood_for() -> None:
    counts = [
        Counted("query_context", 3, 1, 400, {"src": 2}),
        Counted("query_context", 1, 0, 100, {"src": 1, "gone": 5}),
        Counted("project_map", 1, 0, 4_001, {}),
    ]
    assert tool_counts(counts, {"src": 900}) == [
        {"tool": "project_map", "answers": 1, "failed": 0, "answer_tokens": 1_001, "behind_tokens": None},
        {"tool": "query_context", "answers": 4, "failed": 1, "answer_tokens": 125, "behind_tokens": 2_700},
    ]


def test_only_what_is_known_on_both_sides_is_added_up_and_no_search_twice() -> None:
    found = searches([GivenAnswer(100, {GUIDE: 1_000})], receipts=1)
    tools = tool_counts(
        [
            Counted("context.search", 9, 0, 9_999, {}),
            Counted("project_map", 1, 0, 4_000, {}),
            Counted("query_context", 1, 0, 200, {"src": 1}),
        ],
        {"src": 250},
    )
    value = savings(found, tools, NOTHING, [])  # type: ignore[arg-type]  # a constant of the test
    assert (value["given_tokens"], value["behind_tokens"], value["percent_saved"]) == (150, 1_250, 88)


@pytest.mark.parametrize(("given", "behind", "percent"), [(1, 3, 66), (3, 2, -50), (2, 2, 0), (5, 0, None)])
def test_the_share_is_rounded_down_and_may_be_a_loss(given: int, behind: int, percent: int | None) -> None:
    found = searches([GivenAnswer(given, {GUIDE: behind} if behind else {})], receipts=1)
    assert savings(found, [], NOTHING, [])["percent_saved"] == percent  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize(
    "line",
    [
        None,
        [],
        {"calls": {}},
        {"answers": []},
        {"answers": {"t": 1}},
        {"answers": {"t": {"given": 1, "failed": 0}}},
        {"answers": {"t": {"given": True, "failed": 0, "bytes": 1}}},
        {"answers": {"t": {"given": -1, "failed": 0, "bytes": 1}}},
    ],
)
def test_a_line_that_counts_nothing_is_passed_over(line: object) -> None:
    assert counts_of(line) == []


def test_counts_that_are_no_numbers_are_left_out_of_the_rest() -> None:
    line = {"answers": {"t": {"given": 1, "failed": 0, "bytes": 8, "directories": {"a": 2, "b": "x"}}}}
    assert counts_of(line) == [Counted("t", 1, 0, 8, {"a": 2})]
    line["answers"]["t"]["directories"] = 7
    assert counts_of(line) == [Counted("t", 1, 0, 8, {})]


def test_whatever_was_not_seen_is_said() -> None:
    nothing = searches([], receipts=0)
    said = unseen(nothing, [], passed_over=0, gone=0, unreadable=0, has_counts=False)
    assert [sentence.partition(":")[0] for sentence in said[:2]] == ["searches", "other tools"]
    tools = tool_counts([Counted("context.read", 2, 0, 8, {}), Counted("context.search", 1, 0, 8, {})], {})
    some = searches([GivenAnswer(1, {GUIDE: 2})], receipts=9)
    said = unseen(some, tools, passed_over=5, gone=2, unreadable=1, has_counts=True)
    assert any("context.read" in sentence and "context.search" not in sentence for sentence in said)
    assert sum(any(number in sentence for number in (" 5 ", " 2 ", " 1 ")) for sentence in said) == 3
