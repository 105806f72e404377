"""How a section is named in an answer: the line that stands above its text. Pure."""

from __future__ import annotations

from holdfast.caches.search.source_lines import line_at
from holdfast.caches.search.word_terms import all_terms, is_stop_word, raw_words, word_terms
from holdfast.core.display_text import display_line
from holdfast.core.unicode_text import WHITE_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.search.section import Section

# Characters. What a path is longer than this would take from the room of what it leads to.
LONGEST_PATH = 72
_LONGEST_PART = 48
_LONGEST_HEADER = 200
# A section's own heading stands in so many characters and lines at its beginning, between these marks.
_OPENING, _OPENING_LINES = 1000, 8
_MARKS = "#=*-~` "
_BETWEEN, _CUT = " › ", "…"

# What was found of titles and names, since an answer asks more than once: so many are remembered.
_NAMED: dict[tuple[str, str], bool] = {}
_MOST_NAMED = 1024


def section_label(source: str, title: str, section: Section, content: str, header: str = "") -> str:
    """What stands above a section and its end, with 0 for each of its numbers and for the hash.

    `content` is the section's text, `header` that of the header row of the table that it goes on with.

    What is counted when a cache is built: the digits of a line are tokens of their own in every tokenizer, so that its
    count is known when its numbers are.
    """
    first, last = ["L0C0" if column else "L0" for column in (section.from_column, section.to_column)]
    lines = [entry_line("0", f"{source}#{first}-{last}@0", untold_path(source, title, section.heading, content))]
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

    Controls are shown. The title is told once where it is the first heading too.
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
    """The title and the headings below it, those that say something; the title once where it is the first of them."""
    return [part for part in heading if part] if title in heading[:1] else [part for part in (title, *heading) if part]


def untold_path(name: str, title: str, heading: Sequence[str], content: str) -> str:
    """The path without what can be read beside it: parts in the words of the document's name, and headings that the
    text below begins with. Of the headings the innermost that is left."""
    opening = [line.strip(_MARKS) for line in content[:_OPENING].split("\n", _OPENING_LINES)[:_OPENING_LINES]]

    def is_told(part: str) -> bool:
        return any(line.startswith(part) for line in opening) or is_named(part, name)

    shown = [part for part in heading if not is_told(part)]
    return heading_path("" if is_told(title) else title, shown[-1:])


def is_named(title: str, name: str) -> bool:
    """Whether a document's name has all words of its title."""
    known = _NAMED.get((title, name))
    if known is None:
        if len(_NAMED) >= _MOST_NAMED:
            _NAMED.clear()
        known = _NAMED[title, name] = _has_words_of(name, title)
    return known


def _has_words_of(name: str, title: str) -> bool:
    words = {term for word in raw_words(name) for term in all_terms(word)}
    return all(words.issuperset(word_terms(word)[0]) for word in raw_words(title) if not is_stop_word(word))


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + _CUT
