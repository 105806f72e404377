"""What a section is; sections.py finds them. Pure, and all that a search needs to know of cutting."""

from __future__ import annotations

from holdfast.core.record import NamedTuple

# Characters, about 250 tokens: six to eight fit the usual budget of 2,000, and a paragraph keeps its company.
LONG = 1000


class Section(NamedTuple):
    """A section of a document: the headings that lead to it, its lines (1-based, both included), its characters.

    `from_column` and `to_column` are the character of the first line that it begins with and the one of the last that
    it ends with, 1-based, both included; 0: the line's beginning, the line's end. `header` is the line of the header
    row of the table that it goes on with; 0: none. `cited` are the lines of the source that the first, the last and the
    header's line stand for, where they are others.
    """

    heading: tuple[str, ...]
    first: int
    last: int
    start: int
    end: int
    from_column: int = 0
    to_column: int = 0
    header: int = 0
    cited: tuple[int, int, int] | None = None

    @property
    def cited_lines(self) -> tuple[int, int]:
        """The lines of the source that a citation names."""
        return (self.first, self.last) if self.cited is None else self.cited[:2]

    @property
    def cited_header(self) -> int:
        """The line of the source that the header comes from; 0: no header."""
        return self.header if self.cited is None else self.cited[2]
