"""Words that a cache does not know, read as the nearest ones that it does: one letter away. Pure."""

from __future__ import annotations

from holdfast.caches.search.stemmer import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The words that are looked at: each letter costs about 75 look-ups.
SHORTEST, LONGEST_REPAIRED = 4, 24
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"


def can_be_repaired(word: str) -> bool:
    """Whether a raw word in lower case is one to look for others beside it: ASCII, begun by a letter."""
    return SHORTEST <= len(word) <= LONGEST_REPAIRED and "a" <= word[0] <= "z" and not word.strip(_LETTERS)


def nearest(word: str, unit_of: Callable[[str], int]) -> str | None:
    """The known word one insertion, deletion, replacement or swap away from a word in lower case that most sections
    hold; among equals the one with the greatest term, written with the same letters if it can be, else in its shortest
    form. None where none is known."""
    best: tuple[int, str, bool, int, str] | None = None
    letters = sorted(word)
    units: dict[str, int] = {}
    for edit in one_away(word):
        term = stem(edit)
        unit = units.get(term)
        if unit is None:
            unit = units[term] = unit_of(term)
        if unit and (best is None or (-unit, term) >= best[:2]):
            best = max(best or (-unit, "", False, 0, ""), (-unit, term, sorted(edit) == letters, -len(edit), edit))
    return best[4] if best else None


def one_away(word: str) -> set[str]:
    """Every string one insertion, deletion, replacement or swap of neighbours away from a word."""
    found = set()
    for at in range(len(word) + 1):
        before, here, after = word[:at], word[at : at + 1], word[at + 1 :]
        for letter in _LETTERS:
            found.add(before + letter + here + after)
            if here:
                found.add(before + letter + after)
        if here:
            found.add(before + after)
        if after:
            found.add(before + after[0] + here + after[1:])
    found.discard(word)
    found.discard("")
    return found
