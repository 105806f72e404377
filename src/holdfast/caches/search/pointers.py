"""Pointers: the next sections of the order, named after an answer; one `context.read` gets them. Pure."""

from __future__ import annotations

from holdfast.caches.search.section_label import LONGEST_INNER, cut_at_a_word
from holdfast.caches.search.teaser import teaser
from holdfast.core.display_text import display_line
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


def make_pointers(named: Sequence[CitedText], weights: Mapping[str, int]) -> list[NamedSection]:
    """A pointer for each of some sections, which come in their order: those of one page together, at the place of the
    first."""
    by_page: dict[str, list[NamedSection]] = {}
    for place, cited in enumerate(named):
        name, heading = cited.name, next((part for part in reversed(cited.section.heading) if part), "")
        sentence = teaser(cited.content, cited.section.heading, weights) if place < POINTERS["teasers"] else ""
        if not heading and not sentence:
            heading = " ".join(split_at_white_space(cited.content)[:_FIRST_WORDS])
        pointer: NamedSection = {
            "id": name,
            "line": cited.section.cited_lines[0],
            "heading": cut_at_a_word(heading, LONGEST_INNER),
            "teaser": sentence,
        }
        by_page.setdefault(name, []).append(pointer)
    return [pointer for page in by_page.values() for pointer in page]


def pointer_lines(pointers: Iterable[NamedSection]) -> list[str]:
    """The lines of pointers: a page's name once; what has a teaser ends its line."""
    lines: list[str] = []
    page, ends = "", False
    for each in pointers:
        place = f"L{each['line']} {each['heading']}".rstrip(" ")
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
    """What a receipt remembers of pointers: each as `name#Lline`."""
    return [f"{each['id']}#L{each['line']}" for each in pointers]
