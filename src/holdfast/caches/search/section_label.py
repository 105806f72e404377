"""The label of a section in an answer: the line above its text. Pure."""

from __future__ import annotations

from holdfast.caches.search.source_lines import line_at
from holdfast.caches.search.word_terms import all_terms, is_stop_word, raw_words, word_terms
from holdfast.core.display_text import display_line
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.search.section import Section

# Characters. What a path is longer than this would take from the room of what it leads to.
LONGEST_PATH = 72
_LONGEST_PART = 48
# Above a text there is less room: for the heading, for both together, and what a title has at least.
LONGEST_INNER, LONGEST_ABOVE, _LEAST_TITLE = 36, 48, 12
_LONGEST_HEADER = 200
# A section's own heading is within these many characters and lines of its beginning, between these marks.
_OPENING, _OPENING_LINES = 1000, 8
_MARKS = "#=*-~` "
_BETWEEN, _CUT = " › ", "…"
_SHORTEST_SHORT_FORM = 3
_DIGITS = "0123456789"


def section_label(source: str, title: str, section: Section, content: str, header: str = "") -> str:
    """The lines around a section's text, with 0 for each of its numbers and for the hash.

    `content` is the section's text, `header` that of the header row of the table that it goes on with.

    What is counted when a cache is built: the digits of a line are tokens of their own in every tokenizer, so that its
    count is known when its numbers are.
    """
    first, last = ["L0C0" if column else "L0" for column in (section.from_column, section.to_column)]
    path = path_of(untold_parts(source, title, section.heading, content))
    lines = [entry_line("0", f"{source}#{first}-{last}@0", path)]
    if header:
        lines.append(header_line(0, header))
    return "\n".join([*lines, ""])


def header_line(line: int, text: str) -> str:
    """The line that repeats the header row of a table above a part of it, without its end: marked, since it is not
    among the cited lines, and of bounded length."""
    return _shortened(display_line(f"(header of the table, L{line}) {text.strip(WHITE_SPACE)}"), _LONGEST_HEADER)


def header_text(content: str, section: Section) -> str:
    """The header row that a section of a document with this content repeats; empty where it repeats none."""
    return line_at(content, section.header) if section.header else ""


def entry_line(place: str, citation: str, path: str) -> str:
    """The line above a section, without its end: the place in the answer, the citation, what the section is called."""
    return f"[{place}] {display_line(citation)} · {path}" if path else f"[{place}] {display_line(citation)}"


def heading_path(title: str, heading: Sequence[str]) -> str:
    """The title and the headings below it, as one line of bounded length: a long path loses its middle.

    Controls are shown. A title that is the first heading too is given once.
    """
    parts = headed(title, heading)
    path = _BETWEEN.join(parts)
    if len(path) > LONGEST_PATH:
        parts = [_shortened(part, _LONGEST_PART) for part in parts]
        kept = [parts[0], _CUT, parts[-1]] if len(parts) > 2 else parts
        for part in parts[-2:1:-1]:
            more = [*kept[:2], part, *kept[2:]]
            if len(_BETWEEN.join(more)) > LONGEST_PATH:
                break
            kept = more
        path = _shortened(_BETWEEN.join(kept), LONGEST_PATH)
    return display_line(path)


def headed(title: str, heading: Sequence[str]) -> list[str]:
    """The title and the headings below it, empty ones left out; a title that is the first heading is given once."""
    return [part for part in heading if part] if title in heading[:1] else [part for part in (title, *heading) if part]


class Untold(NamedTuple):
    """What of a title and headings cannot be read beside them, each empty where it can: the title, and the innermost
    heading."""

    title: str
    inner: str


class ToldPages:
    """What the lines of an answer have shown so far: titles of pages, and headings of theirs."""

    def __init__(self) -> None:
        self._shown: dict[object, set[str]] = {}

    def is_new(self, page: object, inner: str) -> tuple[bool, bool]:
        """Whether a page's title, and a heading of it, are shown for the first time."""
        shown = self._shown.get(page)
        if shown is None:
            self._shown[page] = {inner}
            return True, True
        is_new = inner not in shown
        shown.add(inner)
        return False, is_new


def untold_parts(name: str, title: str, heading: Sequence[str], content: str) -> Untold:
    """A title and headings without what can be read beside them: headings in the words of the document's name, a title
    that has two thirds of its words there, and what the text below begins with. Of the headings the innermost that is
    left. Each is cut to its room: the heading's is the same with and without a title."""
    opening = [line.strip(_MARKS) for line in content[:_OPENING].split("\n", _OPENING_LINES)[:_OPENING_LINES]]

    def begins(part: str) -> bool:
        return any(line.startswith(part) for line in opening)

    inner = next((part for part in reversed(heading) if not begins(part) and not is_named(part, name)), "")
    inner = "" if inner == title else cut_at_a_word(inner, LONGEST_INNER)
    if begins(title) or is_named(title, name, thirds=2):
        return Untold("", inner)
    room = max(LONGEST_ABOVE - len(inner) - len(_BETWEEN), _LEAST_TITLE) if inner else LONGEST_INNER
    return Untold(cut_at_a_word(title, min(room, LONGEST_INNER)), inner)


def path_of(parts: Untold, is_new: tuple[bool, bool] = (True, True)) -> str:
    """The title and the heading as one path, without the parts shown before."""
    return display_line(_BETWEEN.join([part for part, new in zip(parts, is_new, strict=True) if part and new]))


def is_named(title: str, name: str, *, thirds: int = 3) -> bool:
    """Whether a document's name has all words of its title, or this many thirds of them."""
    found, words = _words_within(name, title)
    return 3 * found >= thirds * words


def _words_within(name: str, title: str) -> tuple[int, int]:
    """How many words of a title a name has, perhaps abbreviated or with digits after them, and how many there are."""
    named = {term for word in raw_words(name) for term in all_terms(word)}
    short = tuple([term for term in named if len(term) >= _SHORTEST_SHORT_FORM])
    bare = {term.rstrip(_DIGITS) for term in named}

    def is_within(terms: tuple[str, ...]) -> bool:
        return named.issuperset(terms) or all(term in bare or term.startswith(short) for term in terms)

    words = [word_terms(word) for word in raw_words(title) if not is_stop_word(word)]
    held = [is_within(wholes) or (bool(strong) and is_within(strong)) for wholes, strong, _ in words]
    return sum(held), len(held)


def cut_at_a_word(text: str, most: int) -> str:
    """A text cut to `most` characters: a longer one ends after a word, if one ends in the second half."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    end = len(kept) if text[most - 1] == " " else kept.rfind(" ")
    return (kept[:end] if 2 * end >= most else kept).rstrip(WHITE_SPACE) + _CUT


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + _CUT
