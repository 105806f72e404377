"""A table of HTML as a table of Markdown. Pure."""

from __future__ import annotations

from holdfast.caches.readers.page_text import Row


class HtmlTable:
    """Takes rows and cells in order, and has the lines at the end."""

    def __init__(self, line: int) -> None:
        self.depth = 1  # tables within it are part of its cells
        self.in_cell = False
        self._line = line
        self._caption: Row | None = None
        self._is_caption = False
        self._rows: list[tuple[list[str], int]] = []

    def start(self, name: str, line: int) -> None:
        """A row, a cell or the caption begins; a cell outside of any row is in one of its own."""
        if name == "tr" or (name != "caption" and not self._rows):
            self._rows.append(([], line))
        self.in_cell = name != "tr"
        self._is_caption = name == "caption"
        self._line = line

    def end(self, text: str) -> None:
        """The cell, or the caption, ends with this text."""
        self.in_cell = False
        if self._is_caption:
            self._caption = (text, self._line)
        else:
            self._rows[-1][0].append(text.replace("|", "\\|"))

    def rows(self) -> list[Row]:
        """The lines: the first row is the head, for Markdown knows no table without one. Empty rows are left out."""
        found: list[Row] = []
        if self._caption is not None:
            found += [self._caption, ("", self._caption[1])]
        body = [(cells, line) for cells, line in self._rows if any(cells)]
        for number, (cells, line) in enumerate(body):
            found.append((f"| {' | '.join(cells)} |", line))
            if not number:
                found.append((f"|{' --- |' * len(cells)}", line))
        return found
