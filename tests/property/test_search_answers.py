"""Answers of a search hold what they promise for any documents, question and budget."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import Document, make_document
from holdfast.caches.search.citations import judge, parse_citation
from holdfast.caches.search.document_search import DocumentSource
from holdfast.caches.search.receipts import receipt_and_file
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_result import SearchResult, as_json, make_result
from holdfast.caches.tokenizers import counter
from holdfast.core.errors import BudgetTooSmall
from support.answer_text import as_text
from support.examples import examples

LINES = ["# Deploy", "## Roll back", "deploy the cache", "roll back a deploy", "- cache item", "| a | cache |", "", "x"]
texts = st.lists(st.sampled_from(LINES), min_size=1, max_size=30).map("\n".join)
corpora = st.lists(texts, min_size=1, max_size=5)
queries = st.sampled_from(["deploy", "roll back", "cache", "deploy cache zebra", "depoly", "the", ""])
tokenizers = st.sampled_from(["estimate-1", "bytes/4"])


def documents_of(corpus: list[str]) -> list[Document]:
    return [make_document(f"Page{number}.md", text.encode()) for number, text in enumerate(corpus)]


def answered(documents: list[Document], request: SearchRequest, tokenizer: str) -> SearchResult | None:
    try:
        return make_result(DocumentSource(documents, "sha256:" + "0" * 64, tokenizer), request)
    except BudgetTooSmall:
        return None


@settings(max_examples=examples(200), deadline=None)
@given(
    corpus=corpora,
    query=queries,
    budget=st.one_of(st.integers(0, 400), st.just(2000), st.none()),
    tokenizer=tokenizers,
    limit=st.one_of(st.none(), st.integers(0, 3)),
    outline=st.booleans(),
    explain=st.booleans(),
)
def test_the_budget_bounds_the_whole_text_and_every_entry_is_what_it_cites(
    corpus: list[str], query: str, budget: int | None, tokenizer: str, limit: int | None, outline: bool, explain: bool
) -> None:
    documents = documents_of(corpus)
    request = SearchRequest(query, budget, limit, outline=outline, explain=explain, cache="docs")
    result = answered(documents, request, tokenizer)
    if result is None:
        return
    text = result.text
    assert counter(tokenizer)(text) == result.tokens_used <= (2000 if budget is None else budget)
    # Counted and proven in parts, and the same as a whole.
    assert text == as_text(as_json(result)) + "\n"
    assert result.receipt == receipt_and_file(result.record)[0]
    by_id = {document.id: document for document in documents}
    scores = [hit.score for hit in result.sections]
    assert scores == sorted(scores, reverse=True)
    for hit in result.sections:
        citation = parse_citation(hit.citation)
        assert citation is not None
        assert judge([citation], lambda name: by_id[name.lower()])[0].state == "holds"
        if not outline:
            lines = by_id[hit.id].content.split("\n")
            assert hit.content == "\n".join(lines[hit.first - 1 : hit.last])
            assert f"{hit.content}\n" in text
    places = [(each["id"], each["line"]) for each in result.more]
    assert len(set(places)) == len(places) <= 12
    # What is named is not given as well: no section begins there that an entry has.
    assert not {(hit.id, line) for hit in result.sections for line in range(hit.first, hit.last + 1)} & set(places)
    if limit is not None:
        assert sum(hit.sections for hit in result.sections) <= limit
    if not outline:
        # No two entries say the same, and no two are neighbours that could have been one.
        contents = [hit.content for hit in result.sections]
        assert len(set(contents)) == len(contents)
    assert result.weak == (result.strength < 50)
    if result.weak and not outline and budget is None:
        assert sum(hit.sections for hit in result.sections) <= 1


@settings(max_examples=examples(100), deadline=None)
@given(corpus=corpora, query=queries, tokenizer=tokenizers)
def test_what_was_given_is_never_given_again(corpus: list[str], query: str, tokenizer: str) -> None:
    documents = documents_of(corpus)
    given_before: list[str] = []
    for _ in range(20):
        request = SearchRequest(query, 150, known=tuple(given_before), cache="docs")
        result = answered(documents, request, tokenizer)
        if result is None or not result.sections:
            break
        cited = [hit.citation for hit in result.sections]
        assert not set(cited) & set(given_before)
        given_before += cited
        assert answered(documents, request, tokenizer) == result


@settings(max_examples=examples(100), deadline=None)
@given(corpus=corpora, query=queries)
def test_a_search_under_one_page_gives_that_page_alone(corpus: list[str], query: str) -> None:
    documents = documents_of(corpus)
    result = answered(documents, SearchRequest(query, 2000, under="page0.md", cache="docs"), "estimate-1")
    assert result is not None
    assert {hit.id for hit in result.sections} <= {"page0.md"}
