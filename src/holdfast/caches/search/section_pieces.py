"""Pieces of a section that is too long to be given whole. Pure, and linear in the text.

A section is cut before blocks; a block that is still far too long, at lines: before rows, items and lines of a fence,
where it is indented least; and a line that is too long by itself, inside.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from math import ceil

from holdfast.caches.search.label_lines import after_text, next_telling
from holdfast.caches.search.long_lines import MOST_TOKENS, parts
from holdfast.caches.source_formats import indentation, is_item
from holdfast.core.record import NamedTuple
from holdfast.core.token_estimate import estimate_tokens
from holdfast.core.unicode_text import WHITE_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.caches.source_formats import Heading

    # The characters of a piece from and to, and the line, from 1, of the header row that it lacks, or 0.
    Piece = tuple[int, int, int]

_DELIMITERS = frozenset("|-: \t")


class TableHeaders:
    """The header rows of the tables in some lines, asked for line by line, ever further down."""

    def __init__(self, lines: list[str], first: int) -> None:
        self._lines = lines
        self._at = first  # the next line to look at
        self._header = 0
        self._above = ""  # the line before it

    def header_of(self, line: int) -> int:
        """The number, from 1, of the header row of the table that a line, numbered from 0, goes on with; else 0."""
        while self._at <= line:
            bare = self._lines[self._at].strip(WHITE_SPACE)
            if "|" not in bare:
                self._header = 0
            elif not self._header and "|" in self._above and _is_delimiter(bare):
                self._header = self._at
            self._above = bare
            self._at += 1
        return self._header


def _is_delimiter(bare: str) -> bool:
    """Whether a line is the one below a header row: `|---|:--:|`."""
    return bare[0] in "|-:" and "-" in bare and _DELIMITERS.issuperset(bare)


# A piece of at most this multiple of the target length stays whole: a table or a listing keeps its company.
_WHOLE = 2.5
# Deeper than this no line is better than another.
_DEEPEST = 12


class Markup(NamedTuple):
    """The structure of a text.

    `starts` has the offset of each line and, last, of the end. `breaks` are the lines before which a long section may
    be cut: each begins a paragraph, a table, a fence or an item of a list at the margin. `body` is the first line
    after the front matter, `title` what that calls the text. `is_heavy` says whether a text has too many tokens for a
    section.
    """

    text: str
    lines: list[str]
    starts: list[int]
    headings: list[Heading]
    breaks: list[int]
    body: int
    title: str
    is_heavy: Callable[[str], bool]


def pieces(markup: Markup, first: int, after: int, long: int) -> list[Piece]:
    """The pieces of a section that has these lines; most sections are one piece."""
    starts = markup.starts
    blocks = [(first, after)] if starts[after] - starts[first] <= long else _blocks(markup, first, after, long)
    found = []
    for begin, end in blocks:
        if starts[end] - starts[begin] > _WHOLE * long:
            cut = [
                piece for lines in _at_lines(markup, begin, end, long) for piece in _at_weights(markup, *lines, long)
            ]
        else:
            cut = _at_weights(markup, begin, end, long)
        found += _with_headers(markup, begin, cut) if len(cut) > 1 else cut
    return found


def _at_weights(markup: Markup, first: int, after: int, long: int) -> list[Piece]:
    """A piece as it is if that is light enough, else its pieces cut before lines and then inside them."""
    start, end = _extent(markup, first, after)
    if not _is_over(markup, start, end, long):
        return [(start, end, 0)]
    found: list[Piece] = []
    for begin, until in _at_lines(_weighed(markup, first, after, long), 0, after - first, long):
        start, end = _extent(markup, first + begin, first + until)
        if _is_over(markup, start, end, long):
            found += _inside(markup, start, end, long)
        else:
            found.append((start, end, 0))
    return found


def _extent(markup: Markup, first: int, after: int) -> tuple[int, int]:
    return markup.starts[first], markup.starts[after - 1] + len(markup.lines[after - 1])


def _is_over(markup: Markup, start: int, end: int, long: int) -> bool:
    return end - start > _WHOLE * long or markup.is_heavy(markup.text[start:end])


def _inside(markup: Markup, start: int, end: int, long: int) -> list[Piece]:
    """The parts of what cannot be cut between its lines; the last keeps the blanks that its line ends in, if it may."""
    *found, (begun, ended) = parts(markup.text, start, end, long)
    last = begun, ended if _is_over(markup, begun, end, long) else end
    return [(*part, 0) for part in [*found, last]]


def _weighed(markup: Markup, first: int, after: int, long: int) -> Markup:
    """These lines alone, where each is as long as it is heavy: as many tokens as a piece may have count as its most
    characters."""
    lines = markup.lines[first:after]
    most = _WHOLE * long
    weights = [max(len(line) + 1, ceil(estimate_tokens(line) * most / MOST_TOKENS)) for line in lines]
    at, end = bisect_left(markup.headings, (first,)), bisect_left(markup.headings, (after,))
    headings = [
        each._replace(first=each.first - first, after=min(each.after, after) - first)
        for each in markup.headings[at:end]
    ]
    starts = list(accumulate(weights, initial=0))
    body = min(max(markup.body, first), after) - first
    return Markup("", lines, starts, headings, [], body, "", markup.is_heavy)


def _with_headers(markup: Markup, first: int, found: list[Piece]) -> list[Piece]:
    """The pieces of a block that begins at a line, each with the header row of the table that it goes on with."""
    headers = TableHeaders(markup.lines, first)
    lines = [bisect_right(markup.starts, start, hi=len(markup.lines)) - 1 for start, _, _ in found]
    return [(start, end, headers.header_of(line)) for (start, end, _), line in zip(found, lines, strict=True)]


def _blocks(markup: Markup, first: int, after: int, long: int) -> list[tuple[int, int]]:
    """As many blocks as fit, cut before a block."""
    lines, starts = markup.lines, markup.starts
    found = []
    begin = first
    previous = -1  # the last break that the piece could end before
    kept, text = _opening(markup, first, after, long)
    telling = _first_telling(markup, begin, after, long)
    at, end = bisect_left(markup.breaks, first + 1), bisect_left(markup.breaks, after)
    # What Markdown takes for text may be white space here (U+0085): no piece begins with such a line.
    breaks = [line for line in markup.breaks[at:end] if lines[line].strip(WHITE_SPACE)]
    for line in [*breaks, after]:
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

    Best is a line after a blank one; then one that begins an item or a row, or is at the margin; then any. Among
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
