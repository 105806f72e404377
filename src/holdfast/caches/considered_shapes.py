"""What became of the sections that match a search, as types that only checkers load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class ConsideredTerm(TypedDict):
    term: str
    field: str
    impact: int


class ConsideredSection(TypedDict):
    """A section that matches, what became of it and for what cause."""

    id: str
    heading: Sequence[str]
    lines: tuple[int, int]
    score: int
    tokens: int
    turn: int
    terms: Sequence[ConsideredTerm]
    verdict: str
    cause: str
