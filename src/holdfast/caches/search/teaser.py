"""The sentence by which a pointer shows what a section says: the stretch with most of the question. Pure."""

from __future__ import annotations

from holdfast.caches.search.label_lines import is_label
from holdfast.caches.search.section_label import cut_at_a_word
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.search.word_terms import all_terms, raw_words
from holdfast.core.token_estimate import estimate_tokens
from holdfast.core.unicode_text import split_at_white_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Tokens by `estimate-1`, whatever a cache counts by, and characters.
MOST_TOKENS, MOST_CHARACTERS = 20, 160
# Ties are decided by tokens in steps of this size.
_STEP = 8
_SENTENCE_ENDS = (". ", "! ", "? ", "\u3002", "\uff01", "\uff1f", "\u0964")
_FENCES = ("```", "~~~")
_RULES = "=-~^\"*+#'`:._ "


def teaser(content: str, headings: Sequence[str], weights: Mapping[str, int]) -> str:
    """The stretch of a section, of about twenty tokens, whose distinct terms weigh most; empty where it has no text.

    Of equal ones the shorter, then the first. The text after it fills it up, then the text before it.
    """
    units = [(unit, estimate_tokens(unit)) for unit in _units(content, headings)]
    if not units:
        return ""
    terms = [{term for word in raw_words(unit) for term in all_terms(word)} & weights.keys() for unit, _ in units]
    best = (-1, 0, 0, 0)  # weight, tokens falling, first falling, after
    for first in range(len(units)):
        found: set[str] = set()
        tokens = 0
        for after in range(first + 1, len(units) + 1):
            tokens += units[after - 1][1]
            if tokens > MOST_TOKENS and after > first + 1:
                break
            found |= terms[after - 1]
            best = max(best, (sum([weights[term] for term in found]), -(tokens // _STEP), -first, after))
    first, after = -best[2], best[3]
    tokens = sum([count for _, count in units[first:after]])
    while after < len(units) and tokens + units[after][1] <= MOST_TOKENS:
        tokens += units[after][1]
        after += 1
    while first and tokens + units[first - 1][1] <= MOST_TOKENS:
        first -= 1
        tokens += units[first][1]
    return cut_at_a_word(" ".join([unit for unit, _ in units[first:after]]), MOST_CHARACTERS)


def _units(content: str, headings: Sequence[str]) -> list[str]:
    """The lines of a section without headings, labels and fences at its beginning, long ones as their sentences; white
    space is a blank each."""
    lines = [" ".join(split_at_white_space(line)) for line in split_lines(content)[0]]
    while lines and (
        not lines[0].strip(_RULES)
        or is_label(lines[0])
        or lines[0].startswith(_FENCES)
        or any(heading and heading in lines[0] for heading in headings)
    ):
        del lines[0]
    units: list[str] = []
    for line in lines:
        if line and not line.startswith(_FENCES):
            units += _sentences(line) if estimate_tokens(line) > MOST_TOKENS else [line]
    return units


def _sentences(line: str) -> list[str]:
    for end in _SENTENCE_ENDS:
        line = line.replace(end, end.rstrip(" ") + "\n")
    return [sentence for sentence in line.split("\n") if sentence]
