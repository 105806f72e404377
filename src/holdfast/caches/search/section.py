"""What a section is; sections.py finds them. Pure, and all that a search needs to know of cutting."""

from __future__ import annotations

from holdfast.core.record import NamedTuple

# Characters, about 250 tokens: six to eight fit the usual budget of 2,000, and a paragraph keeps its company.
LONG = 1000


class Section(NamedTuple):
    """Where a section stands: the headings that lead to it, its lines (1-based, both included), its characters."""

    heading: tuple[str, ...]
    first: int
    last: int
    start: int
    end: int
