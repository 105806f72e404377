"""Which documents answer a query within a budget, in what order, and why. Pure."""

from __future__ import annotations

from holdfast.caches.scoring import score, term_matches
from holdfast.caches.words import words
from holdfast.core.record import NamedTuple
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.caches.document import Document
    from holdfast.caches.shapes import ResolveAnswer
    from holdfast.core.float32 import Float32


class Hit(NamedTuple):
    """One selected document with its rank's reasons."""

    id: str
    version: str
    content: str
    score: Float32
    tokens: int
    query_terms: list[str]
    term_matches: int
    total_words: int


class Selection(NamedTuple):
    """The answer to one query: the documents taken, in order, and what was considered."""

    documents: list[Hit]
    query: str
    budget: int
    tokens_used: int
    documents_considered: int
    documents_excluded_by_budget: int


def rank(query: str, documents: Iterable[Document]) -> list[Hit]:
    """Every document, best first: by score on f32, then by id in UTF-8 byte order (which is code point order)."""
    terms = words(query)
    hits = []
    for document in documents:
        found = words(document.content)
        matches = term_matches(terms, found)
        tokens = tokens_of_bytes(len(document.content.encode()))
        points = score(matches, len(found))
        hits.append(Hit(document.id, document.version, document.content, points, tokens, terms, matches, len(found)))
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def select(query: str, budget: int, documents: Iterable[Document]) -> Selection:
    """Greedy over the ranking: what fits is taken, also at score zero."""
    ranked = rank(query, documents)
    taken = []
    used = 0
    for hit in ranked:
        # A document that does not fit is skipped, not truncated: a later, smaller one may still fit.
        if used + hit.tokens <= budget:
            taken.append(hit)
            used += hit.tokens
    return Selection(taken, query, budget, used, len(ranked), len(ranked) - len(taken))


def as_json(selection: Selection) -> ResolveAnswer:
    """The answer as `context.resolve` gives it, keys in the order of its specification."""
    return {
        "documents": [
            {
                "id": hit.id,
                "version": hit.version,
                "content": hit.content,
                "score": hit.score,
                "tokens": hit.tokens,
                "why": {
                    "query_terms": hit.query_terms,
                    "term_matches": hit.term_matches,
                    "total_words": hit.total_words,
                },
            }
            for hit in selection.documents
        ],
        "selection": {
            "query": selection.query,
            "budget": selection.budget,
            "tokens_used": selection.tokens_used,
            "documents_considered": selection.documents_considered,
            "documents_selected": len(selection.documents),
            "documents_excluded_by_budget": selection.documents_excluded_by_budget,
        },
    }
