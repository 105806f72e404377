"""The compiled index against the plain path: whatever the documents, the query and the budget, the same selection."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import make_document
from holdfast.caches.segments import segment_file, segment_table, word_search
from holdfast.caches.segments.word_search import Matches, choose, matched
from holdfast.caches.selection import Hit, Selection, score, select, words
from support.examples import examples
from support.segments import columns_of, segments_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.caches.cache_format import Document


@contextmanager
def small_steps() -> Iterator[None]:
    """Every size at which the index changes its ways, made so small that a handful of documents goes through all."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (segment_file, segment_table, word_search):
            patch.setattr(module, "FLOOR", 3)
        patch.setattr(word_search, "_TOLD_APART", 5)
        patch.setattr(word_search, "_FEW", 1)
        yield


def indexed(query: str, budget: int, documents: list[Document], documents_a_segment: int) -> Selection:
    """What the index gives: documents made to the bytes of segments, the bytes looked up, the choice made from them."""
    documents = sorted(documents, key=lambda document: document.id)
    terms = words(query)
    hits = []
    segments = segments_of(documents, documents_a_segment)
    for at, (place, count, total, tokens) in choose(matched(segments, terms), budget):
        document = documents[at * documents_a_segment + place]
        points = score(count, total)
        hits.append(Hit(document.id, document.version, document.content, points, tokens, terms, count, total))
    used = sum(hit.tokens for hit in hits)
    return Selection(hits, query, budget, used, len(documents), len(documents) - len(hits))


WORDS = st.sampled_from(["a", "b", "c", "d", "Σας", "é", "x" * 41, "x" * 42, "long" * 30])
TEXTS = st.one_of(
    st.lists(WORDS, max_size=30).map(" ".join),
    st.lists(WORDS, max_size=4).map(lambda found: "\u2003".join(found * 3)),
    st.text(max_size=12),
    st.sampled_from(
        [
            "",
            " ",
            "a",
            "a a a a a a a a",
            "b " * 300,
            "A a\x1cb a",
            "\x1c",
            "# A\n\n\x1f\n\nB a",
            "A\rΑΣ a",
            "d" * 2600 + " a",
        ]
    ),
)
CORPORA = st.lists(TEXTS, max_size=24)
QUERIES = st.one_of(
    st.lists(WORDS, max_size=6).map(" ".join),
    st.text(max_size=6),
    st.sampled_from(["", "a a a a a", "a " * 120 + "b " * 90]),
)
BUDGETS = st.one_of(st.integers(0, 60), st.sampled_from([0, 4000, 10_000_000, 2**53 - 1]))


@settings(max_examples=examples(1500), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=CORPORA, query=QUERIES, budget=BUDGETS, documents_a_segment=st.integers(1, 30), small=st.booleans())
@example(texts=[], query="a", budget=100, documents_a_segment=1, small=False)
@example(texts=["a"] * 20, query="a", budget=10_000_000, documents_a_segment=7, small=True)
@example(texts=["a b c"] * 20, query="", budget=9, documents_a_segment=7, small=True)
@example(texts=["a b c", "", "", "b"], query="a", budget=0, documents_a_segment=2, small=True)
@example(texts=["b a " * 80, "a " * 90, "a"], query="a a a a a b", budget=1000, documents_a_segment=1, small=False)
def test_the_index_and_the_documents_give_the_same_selection(
    texts: list[str], query: str, budget: int, documents_a_segment: int, small: bool
) -> None:
    documents = [make_document(f"{number * 7 % 24}.md", text.encode()) for number, text in enumerate(texts)]
    expected = select(query, budget, documents)
    if small:
        with small_steps():
            actual = indexed(query, budget, documents, documents_a_segment)
    else:
        actual = indexed(query, budget, documents, documents_a_segment)
    assert actual == expected


def test_documents_whose_scores_differ_but_round_to_one_f32_are_ordered_by_id() -> None:
    # 1/(2^24+k) for small k: more words than f32 can tell apart, so the ids alone decide.
    columns = columns_of([(1 << 24) + extra for extra in (3, 1, 2, 0)], [1, 1, 1, 1])
    expected = sorted(range(4), key=lambda place: (-score(1, (1 << 24) + (3, 1, 2, 0)[place]), place))
    chosen = choose([(Matches([(1, [0, 1, 2, 3], [1, 1, 1, 1])], columns), columns)], 100)
    assert [choice.place for _, choice in chosen] == expected
