"""Passages hold what they promise for any document, place and budget."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import Document, make_document
from holdfast.caches.search.citations import cite, judge, parse_citation
from holdfast.caches.search.passage import Count, Origin, Place, read_passage
from holdfast.caches.search.passage_text import as_text
from holdfast.caches.search.sections import outline
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.tokenizers import TOKENIZERS, counter
from holdfast.core.errors import BudgetTooSmall

ORIGIN = Origin("docs", "sha256:" + "0" * 64)
PIECES = ["# A", "## B", "text words here", "- item", "```", "| a | b |", "", "  ", "\u4f60\u597d", "-----", "x" * 60]
documents = st.builds(
    lambda lines, end: make_document("Guide.md", end.join(lines).encode()),
    st.lists(st.sampled_from(PIECES), max_size=40),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
budgets = st.one_of(st.integers(0, 400), st.just(2**53 - 1))


def count_for(document: Document, budget: int, tokenizer: str) -> Count:
    sections = outline(document.content).sections
    tokens = counter(tokenizer)
    return Count(budget, tokenizer, [tokens(document.content[each.start : each.end]) for each in sections])


def said(document: Document, first: int, last: int) -> str:
    lines, starts = split_lines(document.content)
    return document.content[starts[first - 1] : starts[last - 1] + len(lines[last - 1])]


def check(document: Document, value: Any, budget: int, tokenizer: str) -> None:
    """What every answer is: within its budget, as cited, as the document says."""
    text = as_text(value) + "\n"
    first, last = value["lines"]
    citation = parse_citation(value["citation"])
    assert citation is not None
    assert judge([citation], lambda _: document)[0].state == "holds"
    assert value["content"] == said(document, first, last)
    assert text.partition("\n")[2].startswith(value["content"] + "\n")
    assert counter(tokenizer)(text) <= value["tokens_used"] <= budget


@settings(deadline=None)
@given(document=documents, budget=budgets, tokenizer=st.sampled_from(TOKENIZERS), line=st.integers(1, 45))
def test_pages_are_within_their_budget_and_go_on_until_the_last_section(
    document: Document, budget: int, tokenizer: str, line: int
) -> None:
    count = count_for(document, budget, tokenizer)
    lines = len(split_lines(document.content)[0])
    given_lines: set[int] = set()
    begun = min(line, lines)
    following: int | None = begun
    while following is not None:
        try:
            value = cast("Any", read_passage(document, Place("guide.md", line=following), count, ORIGIN))
        except BudgetTooSmall:
            assert budget < 400
            return
        check(document, value, budget, tokenizer)
        assert value["lines"][0] == following
        given_lines.update(range(value["lines"][0], value["lines"][1] + 1))
        following = value["next"]
    for section in outline(document.content).sections:
        assert given_lines >= set(range(max(section.first, begun), section.last + 1))


@settings(deadline=None)
@given(
    document=documents,
    budget=budgets,
    tokenizer=st.sampled_from(TOKENIZERS),
    around=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    data=st.data(),
)
def test_a_citation_gives_all_its_lines_or_their_beginning_and_never_more_sections_than_asked(
    document: Document, budget: int, tokenizer: str, around: tuple[int, int], data: st.DataObject
) -> None:
    lines = len(split_lines(document.content)[0])
    first = data.draw(st.integers(1, lines))
    last = data.draw(st.integers(first, lines))
    citation = parse_citation(cite("guide.md", first, last, said(document, first, last)))
    place = Place("guide.md", citation, before=around[0], after=around[1])
    try:
        value = cast("Any", read_passage(document, place, count_for(document, budget, tokenizer), ORIGIN))
    except BudgetTooSmall:
        assert budget < 400
        return
    check(document, value, budget, tokenizer)
    begin, end = value["lines"]
    assert (begin <= first and end >= last) or (begin == first and end < last)
    sections = outline(document.content).sections
    before = [each for each in sections if begin <= each.first and each.last < first]
    after = [each for each in sections if each.first > last and each.last <= end]
    assert len(before) <= around[0]
    assert len(after) <= around[1]
    if budget > 400:
        assert len(before) == min(around[0], sum(each.last < first for each in sections))
        assert len(after) == min(around[1], sum(each.first > last for each in sections))


@given(
    document=documents,
    first=st.integers(0, 60),
    last=st.integers(0, 60),
    digest=st.text("0123456789abcdef", min_size=12, max_size=12),
)
def test_a_forged_citation_is_never_answered_with_lines(document: Document, first: int, last: int, digest: str) -> None:
    citation = parse_citation(f"guide.md#L{first}-L{last}@{digest}")
    assert citation is not None
    value = read_passage(document, Place("guide.md", citation), count_for(document, 9999, "estimate-1"), ORIGIN)
    holds = judge([citation], lambda _: document)[0].state == "holds"

    assert ("error" in value) is not holds
