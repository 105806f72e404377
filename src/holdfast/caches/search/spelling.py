"""Words that a cache does not know, read as the nearest ones that it does: one letter away. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from holdfast.caches.search.stemmer import stem
from holdfast.caches.search.word_terms import raw_words, word_terms
from holdfast.core.unicode_text import lower_case

# Lengths of words to repair: each letter costs about 75 candidates; a source rejects most of them without a look-up.
SHORTEST, LONGEST_REPAIRED = 4, 24
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"


def can_be_repaired(word: str) -> bool:
    """Whether a raw word in lower case is one to look for others beside it: ASCII, begun by a letter."""
    return SHORTEST <= len(word) <= LONGEST_REPAIRED and "a" <= word[0] <= "z" and not word.strip(_LETTERS)


def nearest(
    word: str, unit_of: Callable[[str], int], may_hold: Callable[[Iterable[str]], Iterable[str]] = iter
) -> str | None:
    """The known word one insertion, deletion, replacement or swap away from a word in lower case that most sections
    hold; among equals the one with the greatest term, written with the same letters if it can be, else in its shortest
    form. None where none is known. `may_hold` is given all terms at once and gives
    those to ask about: none that some section holds may be left out."""
    by_term: dict[str, list[str]] = {}
    for edit in one_away(word):
        by_term.setdefault(stem(edit), []).append(edit)
    units = [(-unit, term) for term in may_hold(by_term) if (unit := unit_of(term))]
    if not units:
        return None
    _, term = max(units)
    letters = sorted(word)
    return max(by_term[term], key=lambda edit: (sorted(edit) == letters, -len(edit), edit))


def as_written(word: str, read: str, texts: Iterable[str]) -> str:
    """The word to show for `read`, which may be a mere stem: a form of it, in lower case, from the first text that has
    one. Itself if the text has it, else a form one letter away from the word, else the most frequent; `read` where no
    text has any."""
    wholes = word_terms(read)[0]
    for text in texts:
        forms = [
            form
            for form in [lower_case(each).strip(".") for each in raw_words(text)]
            if form[:1] == read[0] and not form.strip(_LETTERS) and word_terms(form)[0] == wholes
        ]
        if forms:
            near = one_away(lower_case(word))
            return max(forms, key=lambda form: (form == read, form in near, forms.count(form)))
    return read


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
