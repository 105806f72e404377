"""Passages hold what they promise for any document, place and budget."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import Document, make_document
from holdfast.caches.search.citations import Citation, cite, judge, parse_citation
from holdfast.caches.search.passage import Count, FromCache, Place, read_passage
from holdfast.caches.search.passage_text import as_text
from holdfast.caches.search.sections import outline
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.tokenizers import TOKENIZERS, counter
from holdfast.core.errors import BudgetTooSmall

UNBOUNDED = 2**53 - 1
CACHE = FromCache("docs", "sha256:" + "0" * 64)
PIECES = ["# A", "## B", "text words here", "- item", "```", "| a | b |", "", "  ", "\u4f60\u597d", "-----", "x" * 60]
PIECES += ["A sentence of some words. " * 110, "y1" * 1300]
documents = st.builds(
    lambda lines, end: make_document("Guide.md", end.join(lines).encode()),
    st.lists(st.sampled_from(PIECES), max_size=40),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
# Small ones, of which none is promised to be enough (a heading may take hundreds of tokens), and one without a bound.
budgets = st.one_of(st.integers(0, 400), st.just(UNBOUNDED))
loaded = cache(counter)  # once, not for each example


def count_for(document: Document, budget: int, tokenizer: str) -> Count:
    sections = outline(document.content).sections
    tokens = loaded(tokenizer)
    return Count(budget, tokenizer, [tokens(document.content[each.start : each.end]) for each in sections])


def said(document: Document, first: int, last: int) -> str:
    lines, starts = split_lines(document.content)
    return document.content[starts[first - 1] : starts[last - 1] + len(lines[last - 1])]


def extent(document: Document, citation: Citation | None) -> tuple[int, int]:
    """The characters from and to that a citation names, found line by line."""
    assert citation is not None
    lines, starts = split_lines(document.content)
    end = starts[citation.last - 1] + (citation.to_column or len(lines[citation.last - 1]))
    return starts[citation.first - 1] + (citation.from_column or 1) - 1, end


def check(document: Document, value: Any, budget: int, tokenizer: str) -> None:
    """What every answer is: within its budget, as cited, as the document says."""
    text = as_text(value) + "\n"
    citation = parse_citation(value["citation"])
    assert citation is not None
    assert judge([citation], lambda _: document)[0].state == "holds"
    assert value["lines"] == (citation.first, citation.last)
    assert value["content"] == document.content[slice(*extent(document, citation))]
    assert text.partition("\n")[2].startswith(value["content"] + "\n")
    assert loaded(tokenizer)(text) <= value["tokens_used"] <= budget


@settings(deadline=None)
@given(document=documents, budget=budgets, tokenizer=st.sampled_from(TOKENIZERS), line=st.integers(1, 45))
def test_pages_are_within_their_budget_and_go_on_until_the_last_section(
    document: Document, budget: int, tokenizer: str, line: int
) -> None:
    count = count_for(document, budget, tokenizer)
    lines = len(split_lines(document.content)[0])
    begun = min(line, lines)
    place = Place("guide.md", line=begun, fill=True)
    given_texts = []
    while True:
        try:
            value = cast("Any", read_passage(document, place, count, CACHE))
        except BudgetTooSmall:
            assert budget < UNBOUNDED
            return
        check(document, value, budget, tokenizer)
        given_texts.append(value["content"])
        following = value["next"]
        if following is None:
            break
        if isinstance(following, str):
            rest = parse_citation(following)
            assert rest is not None
            assert rest.first == value["lines"][1]
            place = Place("guide.md", rest)
        else:
            assert following > value["lines"][1]
            place = Place("guide.md", line=following, fill=True)
    assert "".join("".join(given_texts).split()) == "".join(said(document, begun, lines).split())


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
        value = cast("Any", read_passage(document, place, count_for(document, budget, tokenizer), CACHE))
    except BudgetTooSmall:
        assert budget < UNBOUNDED
        return
    check(document, value, budget, tokenizer)
    begin, end = value["lines"]
    assert (begin <= first and end >= last) or (begin == first and end < last)
    # By characters: a long line has several sections.
    asked, answered = extent(document, citation), extent(document, parse_citation(value["citation"]))
    sections = outline(document.content).sections
    above, below = (
        [each.start for each in sections if each.end <= asked[0]],
        [each.end for each in sections if each.start >= asked[1]],
    )
    before, after = sum(answered[0] <= each for each in above), sum(each <= answered[1] for each in below)
    assert before <= around[0]
    assert after <= around[1]
    if budget == UNBOUNDED:
        assert (before, after) == (min(around[0], len(above)), min(around[1], len(below)))


@settings(deadline=None)
@given(document=documents, budget=budgets, tokenizer=st.sampled_from(TOKENIZERS), data=st.data())
def test_a_cited_part_of_a_line_is_given_as_exactly_that_or_as_its_beginning(
    document: Document, budget: int, tokenizer: str, data: st.DataObject
) -> None:
    lines, starts = split_lines(document.content)
    places = [(number, len(line)) for number, line in enumerate(lines) if line]
    assume(places)
    number, length = data.draw(st.sampled_from(places))
    start = data.draw(st.integers(1, length))
    end = data.draw(st.integers(start, length))
    text = document.content[starts[number] + start - 1 : starts[number] + end]
    citation = parse_citation(cite("guide.md", number + 1, number + 1, text, start, end))
    try:
        value = cast(
            "Any", read_passage(document, Place("guide.md", citation), count_for(document, budget, tokenizer), CACHE)
        )
    except BudgetTooSmall:
        assert budget < UNBOUNDED
        return
    check(document, value, budget, tokenizer)
    assert text.startswith(value["content"])
    assert budget < UNBOUNDED or value["content"] == text
    assert value["content"] == text or value["next"] is not None


@given(
    document=documents,
    first=st.integers(0, 60),
    last=st.integers(0, 60),
    digest=st.text("0123456789abcdef", min_size=12, max_size=12),
)
def test_a_forged_citation_is_never_answered_with_lines(document: Document, first: int, last: int, digest: str) -> None:
    citation = parse_citation(f"guide.md#L{first}-L{last}@{digest}")
    assert citation is not None
    value = read_passage(document, Place("guide.md", citation), count_for(document, 9999, "estimate-1"), CACHE)
    holds = judge([citation], lambda _: document)[0].state == "holds"

    assert ("error" in value) is not holds
