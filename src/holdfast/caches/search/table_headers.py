"""Which header row the parts of a table belong to. Pure, and linear in the lines."""

from __future__ import annotations

from holdfast.core.unicode_text import WHITE_SPACE

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
