"""Pointers: the next sections of the order, named after an answer; one `context.read` gets them. Pure."""

from __future__ import annotations

from holdfast.caches.search.label_lines import is_label
from holdfast.caches.search.section_label import LONGEST_INNER, cut_at_a_word
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.search.word_terms import all_terms, raw_words
from holdfast.core.display_text import display_line
from holdfast.core.token_estimate import estimate_tokens
from holdfast.core.unicode_text import split_at_white_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.caches.search.proven_page import CitedText
    from holdfast.caches.shapes import NamedSection

# The most sections that are named, and how many of them with their best sentence.
POINTERS = {"sections": 12, "teasers": 4}
_TITLE = "More, by context.read:"
# Words shown of a section without a heading.
_FIRST_WORDS = 8
# Of a best sentence: tokens by `estimate-1`, whatever a cache counts by, and characters.
MOST_TOKENS, MOST_CHARACTERS = 20, 160
# Ties are decided by tokens in steps of this size.
_STEP = 8
_SENTENCE_ENDS = (". ", "! ", "? ", "\u3002", "\uff01", "\uff1f", "\u0964")
_FENCES = ("```", "~~~")
_RULES = "=-~^\"*+#'`:._ "


def make_pointers(named: Sequence[CitedText], weights: Mapping[str, int]) -> list[NamedSection]:
    """A pointer for each of some sections, which come in their order: those of one page together, at the place of the
    first."""
    by_page: dict[str, list[NamedSection]] = {}
    for place, cited in enumerate(named):
        name, heading = cited.name, next((part for part in reversed(cited.section.heading) if part), "")
        sentence = _teaser(cited.content, cited.section.heading, weights) if place < POINTERS["teasers"] else ""
        if not heading and not sentence:
            heading = " ".join(split_at_white_space(cited.content)[:_FIRST_WORDS])
        pointer: NamedSection = {
            "id": name,
            "line": cited.section.cited_lines[0],
            "heading": cut_at_a_word(heading, LONGEST_INNER),
            "teaser": sentence,
        }
        if cited.part:
            pointer["part"] = cited.part
        by_page.setdefault(name, []).append(pointer)
    return [pointer for page in by_page.values() for pointer in page]


def pointer_lines(pointers: Iterable[NamedSection]) -> list[str]:
    """The lines of pointers: a page's name once; what has a teaser ends its line."""
    lines: list[str] = []
    page, ends = "", False
    for each in pointers:
        place = f"L{line_and_part(each)} {each['heading']}".rstrip(" ")
        if each["teaser"]:
            place += f": {each['teaser']}"
        if each["id"] != page:
            lines.append(f"{each['id']} {place}")
        elif ends:
            lines.append(f" {place}")
        else:
            lines[-1] += f"; {place}"
        page, ends = each["id"], bool(each["teaser"])
    return [_TITLE, *map(display_line, lines)] if lines else []


def pointer_places(pointers: Iterable[NamedSection]) -> list[str]:
    """What a receipt remembers of pointers: each as `name#Lline`, as `context.read` takes it."""
    return [f"{each['id']}#L{line_and_part(each)}" for each in pointers]


def line_and_part(pointer: NamedSection) -> str:
    """The line of a pointer, `14.3` for the third section that begins there."""
    return f"{pointer['line']}.{pointer['part']}" if "part" in pointer else str(pointer["line"])


def _teaser(content: str, headings: Sequence[str], weights: Mapping[str, int]) -> str:
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
