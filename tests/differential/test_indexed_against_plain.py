"""The compiled index against the plain path: whatever the documents, the query and the budget, the same selection."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast.caches.build.token_counts import TextCounts, is_torn
from holdfast.caches.cache_format import make_document
from holdfast.caches.index_format import PAGE_SIZE, key_of, look_up
from holdfast.caches.search.sections import outline
from holdfast.caches.selection import Hit, Selection, score, select, words
from holdfast.caches.sorted_runs import encode_run, merged
from holdfast.caches.word_index import word_compiler, word_records, word_search
from holdfast.caches.word_index.word_compiler import DocumentNumbers, compile_terms, encode_columns, make_columns
from holdfast.caches.word_index.word_records import (
    Postings,
    parse_columns,
    parse_inline,
    parse_postings,
)
from holdfast.core.tokens import tokens_of_bytes
from support.examples import examples
from support.runs import read_back
from support.term_dictionary import DictionaryPages, joined_records, word_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.caches.cache_format import Document
    from holdfast.caches.sorted_runs import Block


@contextmanager
def small_steps() -> Iterator[None]:
    """Every size at which the index changes its ways, made so small that a handful of documents goes through all."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (word_records, word_compiler, word_search):
            patch.setattr(module, "BLOCK", 3)
        patch.setattr(word_search, "_SPARSE_SHARE", 2)
        patch.setattr(word_search, "_TOLD_APART", 5)
        patch.setattr(word_search, "_FEW", 1)
        patch.setattr(word_compiler, "DENSE_LIMIT", 3)
        patch.setattr(word_compiler, "DENSE_SHARE", 3)
        yield


def indexed(query: str, budget: int, documents: list[Document], documents_a_run: int) -> Selection:
    """What the index gives: documents compiled to bytes, the bytes looked up, the choice made from them."""
    documents = sorted(documents, key=lambda document: document.id)
    found = [words(document.content) for document in documents]
    sizes = [tokens_of_bytes(len(document.content.encode())) for document in documents]
    columns = parse_columns(encode_columns(make_columns([len(one) for one in found], sizes)))
    runs: list[Iterator[Block]] = []
    places: list[int] = []
    bases = []
    for start in range(0, len(documents), documents_a_run):
        counts = TextCounts()
        bases.append(len(places))
        for place in range(start, min(start + documents_a_run, len(documents))):
            content = documents[place].content
            sections = outline(content).sections
            texts = [content[section.start : section.end] for section in sections]
            assert counts.add(place, content, texts, torn=is_torn(sections)) == len(found[place])
            places += [place] * len(texts)
        runs.append(read_back(encode_run(counts.spill()[0])))
    pages = DictionaryPages()
    numbered = DocumentNumbers(columns.numbers, places, bases, [0] * len(bases))
    postings = joined_records(compile_terms(merged(runs), numbered, pages.add))
    dictionary = b"".join(pages.finish())
    terms = words(query)
    matches = []
    for term in dict.fromkeys(terms):
        value = look_up(
            lambda page: dictionary[page * PAGE_SIZE : (page + 1) * PAGE_SIZE],
            len(dictionary) // PAGE_SIZE,
            key_of(term),
        )
        if value is not None:
            held = parse_inline(value, columns.count)
            if held is None:
                held = parse_postings(word_at(postings, value, columns.count), key_of(term), columns.count)
            matches.append((terms.count(term), held))
    hits = []
    for place, count, total, tokens in word_search.choose(word_search.Matches(matches, columns.count), columns, budget):
        document = documents[place]
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
@given(texts=CORPORA, query=QUERIES, budget=BUDGETS, documents_a_run=st.integers(1, 30), small=st.booleans())
@example(texts=[], query="a", budget=100, documents_a_run=1, small=False)
@example(texts=["a"] * 20, query="a", budget=10_000_000, documents_a_run=7, small=True)
@example(texts=["a b c"] * 20, query="", budget=9, documents_a_run=7, small=True)
@example(texts=["a b c", "", "", "b"], query="a", budget=0, documents_a_run=2, small=True)
@example(texts=["b a " * 80, "a " * 90, "a"], query="a a a a a b", budget=1000, documents_a_run=1, small=False)
def test_the_index_and_the_documents_give_the_same_selection(
    texts: list[str], query: str, budget: int, documents_a_run: int, small: bool
) -> None:
    documents = [make_document(f"{number * 7 % 24}.md", text.encode()) for number, text in enumerate(texts)]
    expected = select(query, budget, documents)
    if small:
        with small_steps():
            actual = indexed(query, budget, documents, documents_a_run)
    else:
        actual = indexed(query, budget, documents, documents_a_run)
    assert actual == expected


def test_documents_whose_scores_differ_but_round_to_one_f32_are_ordered_by_id() -> None:
    # 1/(2^24+k) for small k: more words than f32 can tell apart, so the ids alone decide.
    columns = make_columns([(1 << 24) + extra for extra in (3, 1, 2, 0)], [1, 1, 1, 1])
    postings = Postings(4, [(1, [0, 1, 2, 3])])
    expected = sorted(range(4), key=lambda place: (-score(1, (1 << 24) + (3, 1, 2, 0)[place]), place))
    chosen = word_search.choose(word_search.Matches([(1, postings)], 4), columns, 100)
    assert [choice.place for choice in chosen] == expected
