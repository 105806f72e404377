"""Pieces of a section that is too long to be given whole. Pure, and linear in the text.

A section is cut before blocks; a block that is still far too long, at lines: before rows, items and lines of a fence,
where it is indented least.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from holdfast.caches.search.label_lines import after_text, next_telling
from holdfast.caches.source_formats import indentation, is_item
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.source_formats import Heading

# A piece of at most so many times the length that is aimed at stays whole: a table or a listing keeps its company.
_WHOLE = 2.5
# Deeper than this no line is better than another.
_DEEPEST = 12


class Markup(NamedTuple):
    """The structure of a text.

    `starts` has the offset of each line and, last, of the end. `breaks` are the lines before which a long section may
    be cut: each begins a paragraph, a table, a fence or an item of a list at the margin. `body` is the first line
    after the front matter, `title` what that calls the text.
    """

    lines: list[str]
    starts: list[int]
    headings: list[Heading]
    breaks: list[int]
    body: int
    title: str


def pieces(markup: Markup, first: int, after: int, long: int) -> list[tuple[int, int]]:
    """The first line and the line after of each piece of a section that has these; most sections are one piece."""
    starts = markup.starts
    if starts[after] - starts[first] <= long:
        return [(first, after)]
    found = []
    for begin, end in _blocks(markup, first, after, long):
        if starts[end] - starts[begin] > _WHOLE * long:
            found += _at_lines(markup, begin, end, long)
        else:
            found.append((begin, end))
    return found


def _blocks(markup: Markup, first: int, after: int, long: int) -> list[tuple[int, int]]:
    """As many blocks as fit, cut before a block."""
    lines, starts = markup.lines, markup.starts
    found = []
    begin = first
    previous = -1  # the last break that the piece could end before
    kept, text = _opening(markup, first, after, long)
    telling = _first_telling(markup, begin, after, long)
    at, end = bisect_left(markup.breaks, first + 1), bisect_left(markup.breaks, after)
    for line in [*markup.breaks[at:end], after]:
        if kept < line <= text or line <= telling:
            continue
        if previous > begin and starts[line] - starts[begin] > long:
            found.append((begin, after_text(lines, previous)))
            begin = previous
            telling = _first_telling(markup, begin, after, long)
        if line > telling:
            previous = line
    found.append((begin, after))
    return found


def _opening(markup: Markup, first: int, after: int, long: int) -> tuple[int, int]:
    """The lines that must not be torn apart: from the outermost heading right above a section's text to that text.

    Where they are too long themselves, nothing holds them together.
    """
    lines, starts, headings = markup.lines, markup.starts, markup.headings
    at = bisect_left(headings, (after,)) - 1
    if at < 0 or headings[at].first < first:
        kept, text = first, next_telling(lines, max(first, markup.body), after)
    else:
        text = next_telling(lines, headings[at].after, after)
        while at and headings[at - 1].first >= first and headings[at - 1].level < headings[at].level:
            at -= 1
        kept = headings[at].first
    return (kept, text) if starts[text] - starts[kept] <= _WHOLE * long else (first, first)


def _first_telling(markup: Markup, first: int, after: int, long: int) -> int:
    """The first line that is no label, up to which a piece is not cut; the first of all where labels go on too long."""
    starts = markup.starts
    far = min(after, bisect_right(starts, starts[first] + long))
    telling = next_telling(markup.lines, first, far)
    return telling if telling < far else first


def _at_lines(markup: Markup, first: int, after: int, long: int) -> list[tuple[int, int]]:
    """Pieces cut before lines, while what is left is far too long."""
    lines, starts = markup.lines, markup.starts
    found = []
    whole = _opening(markup, first, after, long)
    while starts[after] - starts[first] > _WHOLE * long:
        line = _best_line(markup, first, after, long, whole)
        if line == after:
            break
        found.append((first, after_text(lines, line)))
        first = line
    found.append((first, after))
    return found


def _best_line(markup: Markup, first: int, after: int, long: int, whole: tuple[int, int]) -> int:
    """The line to cut before: the best that leaves half to all of the length, else the next; `after` if there is none.

    Best is a line after a blank one; then one that begins an item or a row, or stands at the margin; then any. Among
    equals it is the one indented least, then the last. Lines of `whole` are not torn apart.
    """
    lines, starts = markup.lines, markup.starts
    low, high = starts[first] + long // 2, starts[first] + long
    best = (0, 0, after)
    for number in range(_first_telling(markup, first, after, long) + 1, after):
        if starts[number] > high and best[0]:
            break
        bare = lines[number].strip(WHITE_SPACE)
        too_early = starts[number] < low and starts[number + 1] <= high
        if too_early or not bare or whole[0] < number <= whole[1]:
            continue
        margin = indentation(lines[number])
        if not lines[number - 1].strip(WHITE_SPACE):
            rank = 3
        else:
            rank = 2 if margin == 0 or bare[0] == "|" or is_item(bare) else 1
        best = max(best, (rank, -min(margin, _DEEPEST), number))
    return best[2]
