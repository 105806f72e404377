"""The plain path: words, matches, scores, the ranking and the choice within a budget. Pure, the oracle of the index.

Words are what a query and a document are made of; a document's score is the share of its words that the query names.
"""

from __future__ import annotations

from struct import Struct

from holdfast.core.canonical_json import Float32
from holdfast.core.record import NamedTuple
from holdfast.core.tokens import tokens_of_bytes
from holdfast.core.unicode_text import INFORMATION_SEPARATORS, SEPARATORS, lower_case, split_at_white_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.cache_format import Document, Entry
    from holdfast.caches.shapes import ResolveAnswer

# White space that is not Unicode's White_Space: it belongs to the word around it.
NOT_SEPARATORS = INFORMATION_SEPARATORS
_TO_BLANK = str.maketrans(dict.fromkeys(SEPARATORS, " "))
_SINGLE = Struct("<f")
_ZERO = Float32(0.0)
# Up to this many different terms, counting each in C beats one look-up a word.
_FEW_TERMS = 12


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


def words(text: str) -> list[str]:
    """The text in lower case, split at Unicode White_Space."""
    lowered = text.lower() if text.isascii() else lower_case(text)
    for character in NOT_SEPARATORS:
        if character in lowered:
            return [word for word in lowered.translate(_TO_BLANK).split(" ") if word]
    return lowered.split() if lowered.isascii() else split_at_white_space(lowered)


def term_matches(terms: Sequence[str], document_words: list[str]) -> int:
    """For each query term, repeats included, the words equal to it, added up."""
    wanted: dict[str, int] = {}
    for term in terms:
        wanted[term] = wanted.get(term, 0) + 1
    if len(wanted) <= _FEW_TERMS:
        return sum([times * document_words.count(term) for term, times in wanted.items()])
    return sum([wanted.get(word, 0) for word in document_words])


def to_float32(number: float) -> Float32:
    """The nearest single-precision value, ties to even."""
    return Float32(_SINGLE.unpack(_SINGLE.pack(number))[0])


def divide(numerator: int, denominator: int) -> Float32:
    """f32(numerator) / f32(denominator), rounded once: 53 bits are enough that rounding twice changes nothing."""
    return to_float32(to_float32(numerator) / to_float32(denominator))


def score(matches: int, total_words: int) -> Float32:
    """f32(matches) / f32(words); an empty document scores zero."""
    return divide(matches, total_words) if total_words else _ZERO


def make_hit(entry: Entry | Document, content: str, size: int, terms: list[str], matches: int, total_words: int) -> Hit:
    """A document of an answer, and why; `size` is that of its content in UTF-8."""
    points, tokens = score(matches, total_words), tokens_of_bytes(size)
    return Hit(entry.id, entry.version, content, points, tokens, terms, matches, total_words)


def rank(query: str, documents: Iterable[Document]) -> list[Hit]:
    """Every document, best first: by score on f32, then by id in UTF-8 byte order (which is code point order)."""
    terms = words(query)
    hits = []
    for document in documents:
        found = words(document.content)
        size = len(document.content.encode())
        hits.append(make_hit(document, document.content, size, terms, term_matches(terms, found), len(found)))
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
