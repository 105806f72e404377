"""The text of a page as a reader writes it: line by line, each with its line in the source. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from holdfast.caches.line_map import make_line_map
from holdfast.caches.readers.source_reader import Page, Unreadable

Row = tuple[str, int]  # a line, and its line in the source

_BLANKS = " \t"
_TICKS = re.compile("`+")
# What Markdown takes for more than a paragraph, at the beginning of a line.
_MARK = re.compile(r"[#>|=<~]|```|---|\*\*\*|___|[-+*](?:[ \t]|\Z)")
_NUMBER = re.compile(r"^([0-9]{1,9})([.)](?:[ ]|\Z))")
_CAPITALS = {ord(letter): chr(ord(letter) - 32) for letter in "abcdefghijklmnopqrstuvwxyz"}


class PageText:
    """Lines of Markdown and what they stand for. Between blocks there is one blank line, before and after all none."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._wants_blank = False

    def __len__(self) -> int:
        return len(self._rows)

    def line(self, text: str, source: int) -> None:
        """Write a line; a blank one only separates the text before it from the text after it."""
        if not text.strip(_BLANKS):
            self._wants_blank = True
            return
        if self._wants_blank and self._rows:
            before = self._rows[-1][1]
            self._rows.append(("", before + 1 if before + 1 < source else before))
        self._wants_blank = False
        self._rows.append((text, source))

    def blank(self) -> None:
        """Part what follows from what is there."""
        self._wants_blank = True

    def block(self, lines: Iterable[str], source: int) -> None:
        """Write lines between blank ones; all stand for one line of the source."""
        self.blank()
        for text in lines:
            self.line(text, source)
        self.blank()

    def fence(self, code: list[Row], language: str, margin: str = "", first: str = "") -> None:
        """Write code between fences that nothing in it ends; `margin` is put before each line, `first` before the
        first."""
        filled = [number for number, (text, _) in enumerate(code) if text.strip(_BLANKS)]
        if not filled:
            return
        code = code[filled[0] : filled[-1] + 1]
        mark = "`" * max(3, 1 + max(longest_ticks(text) for text, _ in code))
        self.blank()
        self.line(f"{first or margin}{mark}{language}", code[0][1])
        for text, source in code:
            self._rows.append((f"{margin}{text}" if text.strip(_BLANKS) else "", source))
        self._rows.append((f"{margin}{mark}", code[-1][1]))
        self.blank()

    def verbatim(self, lines: list[Row]) -> None:
        """Write Markdown as it is, between blank lines."""
        filled = [number for number, (text, _) in enumerate(lines) if text.strip(_BLANKS)]
        if filled:
            self.blank()
            self.line(*lines[filled[0]])
            self._rows += lines[filled[0] + 1 : filled[-1] + 1]
            self.blank()

    def rows(self, first: int = 0, after: int | None = None) -> list[Row]:
        """The lines so far, from one to another, without blank ones around them."""
        while after is not None and after > first and not self._rows[after - 1][0]:
            after -= 1
        while first < len(self._rows) and not self._rows[first][0]:
            first += 1
        return self._rows[first:after]

    def page(self, title: str = "") -> Page:
        """All of it as a page."""
        return page_of(self._rows, title)


def page_of(rows: list[Row], title: str = "") -> Page:
    """Lines as a page; its text ends with a line end, unless there are none."""
    return Page("".join([f"{text}\n" for text, _ in rows]), title, make_line_map([source for _, source in rows]))


def check_documents(rows: list[Row], lacks: Sequence[str]) -> None:
    """Raise Unreadable where a page has nothing but headings, since what it names of Python cannot be found."""
    if lacks and not any(text and not text.startswith("#") for text, _ in rows):
        raise Unreadable(f"only names what is not in the project: {', '.join(lacks[:3])}")


def longest_ticks(text: str) -> int:
    """The length of the longest run of backticks."""
    return max(map(len, _TICKS.findall(text)), default=0) if "`" in text else 0


def capitalized(text: str) -> str:
    """A text whose first letter is a capital."""
    return text[:1].translate(_CAPITALS) + text[1:]


def inline_code(text: str) -> str:
    """Words as code within a line, whatever marks they hold."""
    mark = "`" * (longest_ticks(text) + 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{mark}{pad}{text}{pad}{mark}" if text else ""


def plain_line(text: str) -> str:
    """A line of prose, so that Markdown takes its beginning for nothing else: a heading, an item, a fence, HTML."""
    return f"\\{text}" if _MARK.match(text) else _NUMBER.sub(r"\1\\\2", text)
