"""From what was found to an answer: the choice within a budget, each section proven by its document. Pure."""

from __future__ import annotations

from holdfast.caches.search.search_result import Candidate, SearchResult, SectionHit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.section import Section

    Impacts = dict[tuple[str, str], int]  # (term, field) -> impact, in the order of the query and of the fields


def make_hit(document: Document, section: Section, tokens: int, impacts: Impacts) -> SectionHit:
    """One section of the answer."""
    return SectionHit(
        document.id,
        document.version,
        section.heading,
        section.first,
        section.last,
        document.content[section.start : section.end],
        sum(impacts.values()),
        tokens,
        [(term, field, value) for (term, field), value in impacts.items()],
    )


def make_candidate(name: str, section: Section, tokens: int, impacts: Impacts) -> Candidate:
    """One section that matches."""
    why = [(term, field, value) for (term, field), value in impacts.items()]
    return Candidate(name, section.heading, section.first, section.last, sum(impacts.values()), tokens, why)


def rank_documents(query: str, documents: Iterable[Document], tokenizer: str) -> list[Candidate]:
    """Every section that matches, best first, from the documents alone, counted by a tokenizer that needs no extra."""
    from holdfast.caches.search.budget_choice import ranked
    from holdfast.caches.search.plain import find

    held = list(documents)
    found = find(query, held, tokenizer)
    scores = {number: sum(impacts.values()) for number, impacts in found.impacts.items()}
    return [
        make_candidate(
            held[found.places[number]].id, found.sections[number], found.tokens[number], found.impacts[number]
        )
        for number in ranked(scores)
    ]


def search_documents(
    query: str, budget: int, limit: int | None, documents: Iterable[Document], cache_version: str, tokenizer: str
) -> SearchResult:
    """The answer from the documents alone, which come in id order, counted by a tokenizer that needs no extra."""
    held = list(documents)
    from holdfast.caches.search.budget_choice import choose
    from holdfast.caches.search.plain import find

    found = find(query, held, tokenizer)
    scores = {number: sum(impacts.values()) for number, impacts in found.impacts.items()}
    choice = choose(scores, found.tokens, found.places.__getitem__, budget, limit)
    hits = [
        make_hit(held[found.places[number]], found.sections[number], found.tokens[number], found.impacts[number])
        for number in choice.numbers
    ]
    return SearchResult(
        *(hits, cache_version, query, budget, limit),
        *(choice.tokens_used, choice.considered, choice.excluded_by_budget, tokenizer),
    )
