"""The answer of `context.search`: what was selected, why, and a receipt to prove it by. Pure."""

from __future__ import annotations

from hashlib import sha256

from holdfast.caches.search.budget_choice import choose, ranked
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.search.receipts import ReceiptSection, make_record, receipt_of
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_source import SearchSource
    from holdfast.caches.shapes import Record, SearchAnswer


class SectionHit(NamedTuple):
    """One selected section with its rank's reasons: (term, field, impact) each, which add up to the score."""

    id: str
    version: str
    heading: tuple[str, ...]
    first: int
    last: int
    content: str
    score: int
    tokens: int
    why: list[tuple[str, str, int]]

    @property
    def digest(self) -> str:
        """The 64 hex digits of the content's hash."""
        return sha256(self.content.encode()).hexdigest()

    @property
    def citation(self) -> str:
        """Where the section stands and what it said: `id#Lfirst-Llast@hash12`."""
        return f"{self.id}#L{self.first}-L{self.last}@{self.digest[:12]}"


class Candidate(NamedTuple):
    """A section that matches, taken or not."""

    id: str
    heading: tuple[str, ...]
    first: int
    last: int
    score: int
    tokens: int
    why: list[tuple[str, str, int]]


class SearchResult(NamedTuple):
    """The answer to one search: the sections taken, in order, and what was considered."""

    sections: list[SectionHit]
    cache_version: str
    query: str
    budget: int
    limit: int | None
    tokens_used: int
    sections_considered: int
    sections_excluded_by_budget: int
    tokenizer: str

    @property
    def record(self) -> Record:
        """The record that the receipt is the hash of."""
        sections = [
            ReceiptSection(hit.id, (hit.first, hit.last), "sha256:" + hit.digest, hit.score) for hit in self.sections
        ]
        return make_record(self.cache_version, self.tokenizer, self.query, self.budget, self.limit, sections)

    @property
    def receipt(self) -> str:
        """The hash of the record."""
        return receipt_of(self.record)


def make_result(source: SearchSource, request: SearchRequest) -> SearchResult:
    """The answer that a cache gives; each document that a section is of is read and proven once."""
    matches = source.find(request.query)
    choice = choose(matches.scores, source.tokens, matches.document_of, request.budget, request.limit)
    held: dict[int, Document] = {}
    hits = []
    for number in choice.numbers:
        place = matches.document_of(number)
        if place not in held:
            held[place] = source.document(place)
        document, section = held[place], source.section(number)
        content = document.content[section.start : section.end]
        hits.append(
            SectionHit(
                *(document.id, document.version, section.heading, section.first, section.last, content),
                *(matches.scores[number], source.tokens[number], matches.reasons(number)),
            )
        )
    return SearchResult(
        *(hits, source.cache_version, request.query, request.budget, request.limit),
        *(choice.tokens_used, choice.considered, choice.excluded_by_budget, source.tokenizer),
    )


def find_candidates(source: SearchSource, query: str) -> list[Candidate]:
    """Every section that matches, best first."""
    matches = source.find(query)
    found = []
    for number in ranked(matches.scores):
        section = source.section(number)
        found.append(
            Candidate(
                *(source.id_of(matches.document_of(number)), section.heading, section.first, section.last),
                *(matches.scores[number], source.tokens[number], matches.reasons(number)),
            )
        )
    return found


def as_json(result: SearchResult) -> SearchAnswer:
    """The answer as `context.search` gives it, keys in the order of its format."""
    return {
        "sections": [
            {
                "id": hit.id,
                "version": hit.version,
                "heading": hit.heading,
                "lines": (hit.first, hit.last),
                "content": hit.content,
                "score": hit.score,
                "tokens": hit.tokens,
                "why": {"terms": [{"term": term, "field": field, "impact": value} for term, field, value in hit.why]},
                "citation": hit.citation,
            }
            for hit in result.sections
        ],
        "selection": {
            "query": result.query,
            "budget": result.budget,
            "tokens_used": result.tokens_used,
            "sections_considered": result.sections_considered,
            "sections_selected": len(result.sections),
            "sections_excluded_by_budget": result.sections_excluded_by_budget,
            "tokenizer": result.tokenizer,
            "ranking": RANKING,
        },
        "receipt": result.receipt,
    }
