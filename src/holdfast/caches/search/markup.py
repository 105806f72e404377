"""The headings of a text, and where it may be cut. Pure, and linear in the text.

Two markups are read. Markdown, as CommonMark has it, as far as headings and blocks that stay whole need it; and
reStructuredText, whose titles are underlined in any of several characters and whose code is only indented. A text is
taken for the latter when it holds a directive or a label (`.. name::`, `.. _label:`) at the left margin.
"""

from __future__ import annotations

from itertools import accumulate, repeat
from operator import add

from holdfast.caches.search.headings import LONGEST_TITLE, Heading
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.source_formats import ReadMarkup


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


def read_markup(text: str, read: ReadMarkup) -> Markup:
    """The structure of a text, by what reads its format."""
    lines, starts = split_lines(text)
    body, title = _front_matter(lines)
    headings, breaks = read(text, lines, body)
    return Markup(lines, starts, headings, breaks, body, title)


def split_lines(text: str) -> tuple[list[str], list[int]]:
    """The lines without their ends (LF, CRLF or CR), and the offset of each with, last, the text's length."""
    if "\r" not in text:
        lines = text.split("\n")
        starts = list(accumulate(map(add, map(len, lines), repeat(1)), initial=0))
    else:
        lines, ends = [], []
        for piece in text.split("\n"):
            parts = piece.split("\r")
            pair = len(parts) > 1 and not parts[-1]  # the piece ended in CR: together with the LF it ends one line
            if pair:
                parts.pop()
            lines += parts
            ends += [1] * len(parts)
            ends[-1] += pair
        starts = list(accumulate(map(add, map(len, lines), ends), initial=0))
    if not lines[-1] and len(lines) > 1 and starts[-2] >= len(text):
        lines.pop()  # the text ends with a line's end: no empty line follows
        starts.pop()
    starts[-1] = len(text)
    return lines, starts


def _front_matter(lines: list[str]) -> tuple[int, str]:
    """The number of lines that a YAML or TOML header takes at the very start, and the title it gives."""
    mark = lines[0].removeprefix("\ufeff").rstrip(WHITE_SPACE)
    if mark not in ("---", "+++"):
        return 0, ""
    title = ""
    for number in range(1, len(lines)):
        line = lines[number].rstrip(WHITE_SPACE)
        if line == mark or (mark == "---" and line == "..."):
            return number + 1, title[:LONGEST_TITLE]
        name, separator, value = line.partition("=" if mark == "+++" else ":")
        if separator and not title and name.rstrip(WHITE_SPACE) == "title":
            title = value.strip(WHITE_SPACE)
            if len(title) > 1 and title[0] == title[-1] and title[0] in "'\"":
                title = title[1:-1]
    return 0, ""  # never closed: an ordinary text that begins with a rule
