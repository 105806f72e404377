"""Ranking and the budget."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.cache_format import Document, make_document
from holdfast.caches.selection import Selection, divide, rank, select, to_float32


def documents(**texts: str) -> list[Document]:
    return [make_document(f"{name}.md", text.encode()) for name, text in texts.items()]


def taken(selection: Selection) -> list[str]:
    return [hit.id for hit in selection.documents]


def test_a_document_too_big_for_the_budget_is_skipped_and_a_smaller_later_one_still_fits() -> None:
    selection = select("x", 3, documents(a="x x x x x x x", b="x y y y", c="z"))
    outcome = (taken(selection), selection.tokens_used, selection.documents_excluded_by_budget)
    assert outcome == (["b.md", "c.md"], 3, 1)


def test_equal_scores_are_ordered_by_id_in_code_point_order() -> None:
    assert taken(select("x", 99, documents(b="x", a="x", Z="x", é="x"))) == ["a.md", "b.md", "z.md", "é.md"]


def test_ratios_that_are_one_f32_tie_although_they_differ_as_fractions() -> None:
    fewer, more = 8000, 8001
    assert (fewer - 1) / fewer < (more - 1) / more
    first = make_document("b.md", ("x " * (more - 1) + "y").encode())
    second = make_document("a.md", ("x " * (fewer - 1) + "y").encode())
    assert [hit.id for hit in rank("x", [first, second])] == ["a.md", "b.md"]


def test_a_repeated_query_word_counts_again() -> None:
    (hit,) = select("Foo foo FOO bar", 99, documents(a="foo foo bar")).documents
    assert hit[3:] == (to_float32(7 / 3), 3, ["foo", "foo", "foo", "bar"], 7, 3)


def test_an_empty_document_costs_nothing_and_is_taken_at_budget_zero() -> None:
    assert taken(select("x", 0, documents(a="", b="x"))) == ["a.md"]


WORDS = st.lists(st.sampled_from(["x", "y", "z", "X", "long-word"]), max_size=12).map(" ".join)
CORPORA = st.dictionaries(st.text("abcdef", min_size=1, max_size=4), WORDS, max_size=8)


@given(CORPORA, WORDS, st.integers(0, 60))
def test_the_budget_is_never_exceeded_and_every_token_is_accounted_for(
    corpus: dict[str, str], query: str, budget: int
) -> None:
    selection = select(query, budget, documents(**corpus))
    assert selection.tokens_used == sum(hit.tokens for hit in selection.documents) <= budget
    assert selection.documents_considered == len(corpus)
    assert len(selection.documents) + selection.documents_excluded_by_budget == len(corpus)


@given(CORPORA, WORDS, st.integers(0, 60), st.randoms(use_true_random=False))
def test_the_order_in_which_documents_arrive_never_matters(
    corpus: dict[str, str], query: str, budget: int, random: Random
) -> None:
    given_order = documents(**corpus)
    shuffled = list(given_order)
    random.shuffle(shuffled)
    assert select(query, budget, given_order) == select(query, budget, shuffled)


@given(CORPORA, WORDS)
def test_why_recomputes_the_score(corpus: dict[str, str], query: str) -> None:
    for hit in rank(query, documents(**corpus)):
        assert hit.score == (divide(hit.term_matches, hit.total_words) if hit.total_words else 0.0)
        found = hit.content.lower().split()
        assert hit.term_matches == sum(found.count(term) for term in query.lower().split())
