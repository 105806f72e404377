"""Sections: a document cut where its headings are, so that the part that answers can be given without the rest. Pure.

A section is a heading with the text below it, up to the next heading that has text; a heading without any, or with
label lines alone, leads into the one that follows. Together the sections hold every line of a document but blank ones,
each line once. A section longer than `LONG` is cut in pieces. docs/formats/search.md has the rules.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from holdfast.caches.heading_text import title_text
from holdfast.caches.line_map import source_line
from holdfast.caches.search.label_lines import after_text, next_telling, next_text
from holdfast.caches.search.long_lines import is_heavy
from holdfast.caches.search.section import LONG, Section
from holdfast.caches.search.section_pieces import Markup, pieces
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.search.word_terms import is_stop_word, raw_words
from holdfast.caches.source_formats import MARKDOWN, document_format
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.line_map import LineMap
    from holdfast.caches.search.section_pieces import Piece
    from holdfast.caches.source_formats import Heading, SourceFormat

# A bound on the characters of all section headings of a document: a multiple of its own, and a constant.
_HEADINGS_TIMES, _HEADINGS_MORE = 2, 1 << 14
# What a heading costs beside its characters.
_HEADING_COST = 2
# In place of outer headings that were left out.
LEFT_OUT = "…"


class Fields(NamedTuple):
    """The sections of a document, what it is called, and the words of its short fields; `headings` has one list a
    section."""

    sections: list[Section]
    name: str
    title: list[str]
    path: list[str]
    headings: list[list[str]]


class Outline(NamedTuple):
    """A document's title and its sections, in order."""

    title: str
    sections: list[Section]


def read_fields(document: Document, is_heavy: Callable[[str], bool] = is_heavy) -> Fields:
    """The fields of one document but its bodies.

    `is_heavy` says whether a text has too many tokens for a section. One that never says so gives the same fields,
    where no section of these is too heavy.
    """
    title, sections = document_outline(document, is_heavy)
    known: dict[tuple[str, ...], list[str]] = {}  # sections that were cut have the headings of those before them
    for section in sections:
        if section.heading not in known:
            known[section.heading] = telling(raw_words(" ".join(section.heading)))
    return Fields(
        sections,
        title,
        telling(raw_words(title)),
        telling(raw_words(document_format(document).stem(document.source))),
        [known[section.heading] for section in sections],
    )


def bodies(content: str, sections: Sequence[Section]) -> list[list[str]]:
    """The words of each section's body."""
    return [raw_words(content[section.start : section.end]) for section in sections]


def telling(words: Sequence[str]) -> list[str]:
    """Words that are no stop words: in a short field those would weigh as much as any."""
    return [word for word in words if not is_stop_word(word)]


def document_outline(document: Document, is_heavy: Callable[[str], bool] = is_heavy) -> Outline:
    """A document's title and its sections, which know the lines of the source that they stand for."""
    found = outline(document.content, document_format(document), is_heavy=is_heavy)
    origin = document.origin
    if origin is None:
        return found
    sections = [_cited(section, origin.lines) for section in found.sections] if origin.lines else found.sections
    return Outline(title_text(origin.title) or found.title, sections)


def _cited(section: Section, lines: LineMap) -> Section:
    header = source_line(lines, section.header) if section.header else 0
    cited = source_line(lines, section.first), source_line(lines, section.last), header
    return section if cited == (section.first, section.last, section.header) else Section(*section[:-1], cited)


def outline(
    text: str,
    source: SourceFormat = MARKDOWN,
    *,
    long: int = LONG,
    is_heavy: Callable[[str], bool] = is_heavy,
) -> Outline:
    """The sections of a text; an empty one has none.

    Each repeats the headings it is below. Where those would take far more room than the text itself, because long
    headings have many short sections below them, the sections that follow have their own heading alone.
    """
    markup = read_markup(text, source, is_heavy)
    sections = []
    room = _HEADINGS_TIMES * len(text) + _HEADINGS_MORE
    for heading, first, after in _extents(markup):
        for piece in pieces(markup, first, after, long):
            room -= sum([len(part) + _HEADING_COST for part in heading])
            if room < 0 and len(heading) > 1:
                heading = (LEFT_OUT, heading[-1])
            sections.append(_section(markup, heading, piece))
    headings = markup.headings
    title = markup.title or (headings[0].text if headings else "")
    return Outline(title, sections)


def _section(markup: Markup, heading: tuple[str, ...], piece: Piece) -> Section:
    lines, starts = markup.lines, markup.starts
    start, end, header = piece
    first = bisect_right(starts, start, hi=len(lines)) - 1
    last = bisect_left(starts, end, lo=first + 1, hi=len(lines)) - 1
    begun, ended = start - starts[first], end - starts[last]
    from_column, to_column = begun + 1 if begun else 0, 0 if ended == len(lines[last]) else ended
    return Section._make((heading, first + 1, last + 1, start, end, from_column, to_column, header, None))


def _extents(markup: Markup) -> list[tuple[tuple[str, ...], int, int]]:
    """The heading path, first line and line after of each section, blank lines at both ends left out."""
    found = []
    lines = markup.lines
    path: list[Heading] = []
    waiting = next_text(lines, 0, len(lines))  # the first line not yet part of a section
    edges = [*markup.headings, None]
    text_from = markup.body
    for heading in edges:
        until = heading.first if heading else len(lines)
        if next_telling(lines, text_from, until) < until or (heading is None and waiting < until):
            found.append((tuple([h.text for h in path]), waiting, after_text(lines, until)))
            waiting = next_text(lines, until, len(lines))
        if heading:
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
            text_from = heading.after
    return found


def read_markup(text: str, source: SourceFormat, is_heavy: Callable[[str], bool] = is_heavy) -> Markup:
    """The structure of a text, by what reads its format."""
    lines, starts = split_lines(text)
    body, title = front_matter(lines) if source.has_front_matter else (0, "")
    headings, breaks = source.read(text, lines, body)
    return Markup(text, lines, starts, headings, breaks, body, title, is_heavy)


def front_matter(lines: list[str]) -> tuple[int, str]:
    """The number of lines that a YAML or TOML header takes at the very start, and the title it gives."""
    mark = lines[0].removeprefix("\ufeff").rstrip(WHITE_SPACE)
    if mark not in ("---", "+++"):
        return 0, ""
    title = ""
    for number in range(1, len(lines)):
        line = lines[number].rstrip(WHITE_SPACE)
        if line == mark or (mark == "---" and line == "..."):
            return number + 1, title_text(title)
        name, separator, value = line.partition("=" if mark == "+++" else ":")
        if separator and not title and name.rstrip(WHITE_SPACE) == "title":
            title = value.strip(WHITE_SPACE)
            if len(title) > 1 and title[0] == title[-1] and title[0] in "'\"":
                title = title[1:-1]
    return 0, ""  # never closed: an ordinary text that begins with a rule
