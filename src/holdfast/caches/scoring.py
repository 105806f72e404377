"""How well a document answers: the share of its words that the query names. Pure."""

from __future__ import annotations

from holdfast.core.float32 import Float32, divide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ZERO = Float32(0.0)
# Up to this many different terms, counting each in C beats one look-up a word.
_FEW_TERMS = 12


def term_matches(terms: Sequence[str], document_words: list[str]) -> int:
    """For each query term, repeats included, the words equal to it, added up."""
    wanted: dict[str, int] = {}
    for term in terms:
        wanted[term] = wanted.get(term, 0) + 1
    if len(wanted) <= _FEW_TERMS:
        return sum([times * document_words.count(term) for term, times in wanted.items()])
    return sum([wanted.get(word, 0) for word in document_words])


def score(matches: int, total_words: int) -> Float32:
    """f32(matches) / f32(words); an empty document scores zero."""
    return divide(matches, total_words) if total_words else _ZERO
