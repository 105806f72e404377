"""Sections: a document cut where its headings are, so that the part that answers can be given without the rest. Pure.

A section is a heading with the text below it, up to the next heading that has text; a heading without any leads into
the one that follows. Together the sections hold every line of a document but blank ones, each line once. A section
longer than `LONG` is cut before paragraphs, never inside a fence, a table or an item of a list, however long that is.
docs/formats/search.md has the rules in full.
"""

from __future__ import annotations

from bisect import bisect_left

from holdfast.caches.search.markup import read_markup
from holdfast.caches.search.section import LONG, Section
from holdfast.caches.source_formats import MARKDOWN
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.search.headings import Heading
    from holdfast.caches.search.markup import Markup
    from holdfast.caches.source_formats import SourceFormat


# The headings of all sections of a document take at most so many times its characters, and so many more.
_HEADINGS_TIMES, _HEADINGS_MORE = 2, 1 << 14
# What a heading costs beside its characters.
_HEADING_COST = 2
# In place of outer headings that were left out.
LEFT_OUT = "…"


class Outline(NamedTuple):
    """A document's title and its sections, in order."""

    title: str
    sections: list[Section]


def outline(text: str, source: SourceFormat = MARKDOWN, *, long: int = LONG) -> Outline:
    """The sections of a text; an empty one has none.

    Each repeats the headings it is below. Where those would take far more room than the text itself, because long
    headings have many short sections below them, the sections that follow have their own heading alone.
    """
    markup = read_markup(text, source.read)
    sections = []
    room = _HEADINGS_TIMES * len(text) + _HEADINGS_MORE
    for heading, first, after in _extents(markup):
        for piece_first, piece_after in _pieces(markup, first, after, long):
            room -= sum([len(part) + _HEADING_COST for part in heading])
            if room < 0 and len(heading) > 1:
                heading = (LEFT_OUT, heading[-1])
            end = markup.starts[piece_after - 1] + len(markup.lines[piece_after - 1])
            sections.append(Section(heading, piece_first + 1, piece_after, markup.starts[piece_first], end))
    headings = markup.headings
    title = markup.title or (headings[0].text if headings else "")
    return Outline(title, sections)


def _extents(markup: Markup) -> list[tuple[tuple[str, ...], int, int]]:
    """The heading path, first line and line after of each section, blank lines at both ends left out."""
    found = []
    lines = markup.lines
    path: list[Heading] = []
    waiting = _next_text(lines, 0, len(lines))  # the first line not yet part of a section
    edges = [*markup.headings, None]
    text_from = markup.body
    for heading in edges:
        until = heading.first if heading else len(lines)
        if _next_text(lines, text_from, until) < until or (heading is None and waiting < until):
            found.append((tuple([h.text for h in path]), waiting, _last_text(lines, until) + 1))
            waiting = _next_text(lines, until, len(lines))
        if heading:
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
            text_from = heading.after
    return found


def _next_text(lines: list[str], at: int, until: int) -> int:
    while at < until and not lines[at].strip(WHITE_SPACE):
        at += 1
    return at


def _last_text(lines: list[str], until: int) -> int:
    at = until - 1
    while at >= 0 and not lines[at].strip(WHITE_SPACE):
        at -= 1
    return at


def _pieces(markup: Markup, first: int, after: int, long: int) -> list[tuple[int, int]]:
    """The section itself, or the parts of a long one: as much as fits, cut before paragraphs."""
    starts = markup.starts
    if starts[after] - starts[first] <= long:
        return [(first, after)]
    pieces = []
    begin = first
    previous = -1  # the last break that the piece could end before
    kept, text = _opening(markup, first, after)
    at, end = bisect_left(markup.breaks, first + 1), bisect_left(markup.breaks, after)
    for line in [*markup.breaks[at:end], after]:
        if kept < line <= text:
            continue
        if previous > begin and starts[line] - starts[begin] > long:
            pieces.append((begin, _last_text(markup.lines, previous) + 1))
            begin = previous
        previous = line
    pieces.append((begin, after))
    return pieces


def _opening(markup: Markup, first: int, after: int) -> tuple[int, int]:
    """The lines that must not be torn apart: from the outermost heading right above a section's text to that text."""
    headings = markup.headings
    at = bisect_left(headings, (after,)) - 1
    if at < 0 or headings[at].first < first:
        return first, _next_text(markup.lines, max(first, markup.body), after)
    text = _next_text(markup.lines, headings[at].after, after)
    while at and headings[at - 1].first >= first and headings[at - 1].level < headings[at].level:
        at -= 1
    return headings[at].first, text
