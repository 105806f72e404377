"""A table of AsciiDoc as rows of Markdown. Pure, and linear in its length."""

from __future__ import annotations

from collections.abc import Iterator

# What may stand before the bar of a cell: its span, its place, its style.
_SPECIFIERS = "0123456789.+*<>^aehlmsdv"
_STYLES = frozenset("0123456789+*<>^|")
_MOST_COLUMNS = 64


class TableCells:
    """The cells of a table, in order; `columns` is what its attribute says of them."""

    def __init__(self, columns: str) -> None:
        self._count = _count(columns)
        self._cells: list[tuple[list[str], int]] = []

    def take(self, line: str, source: int) -> None:
        """The next line between the table's borders."""
        parts = line.replace("\\|", "\u0000").split("|")
        before = parts[0].strip(" ")
        if len(parts) > 1 and not before.strip(_SPECIFIERS):
            before = ""
        if before and self._cells:
            self._cells[-1][0].append(before.replace("\u0000", "\\|"))
        for number, part in enumerate(parts[1:], 1):
            words = part.strip(" ")
            head, blank, last = words.rpartition(" ")
            if number < len(parts) - 1 and blank and not last.strip(_SPECIFIERS) and last[-1:] in _STYLES:
                words = head
            self._cells.append(([words.replace("\u0000", "\\|")] if words else [], source))
        if not self._count and len(parts) > 1:
            self._count = min(len(parts) - 1, _MOST_COLUMNS)

    def rows(self) -> Iterator[tuple[str, int]]:
        """The table's lines, each with the line of the source that its first cell is on."""
        count = self._count or 1
        for first in range(0, len(self._cells), count):
            cells = self._cells[first : first + count]
            yield "| " + " | ".join([" ".join(words) for words, _ in cells]) + " |", cells[0][1]
            if not first:
                yield "|" + "---|" * count, cells[0][1]


def _count(columns: str) -> int:
    """How many columns an attribute such as `1,2,3` or `3*` tells of; 0 where it does not."""
    found = 0
    for part in columns.split(",")[:_MOST_COLUMNS] if columns else []:
        times = part.strip(" ").partition("*")[0] if "*" in part else "1"
        found += int(times) if times.isascii() and times.isdigit() and len(times) < 3 else 1
    return min(found, _MOST_COLUMNS)
