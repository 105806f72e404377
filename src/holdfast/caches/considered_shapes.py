"""Why sections are in an answer, and what became of every match: types that only checkers load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class TermImpact(TypedDict):
    term: str
    fields: Sequence[str]
    impact: int


class SectionReasons(TypedDict):
    terms: Sequence[TermImpact]
    terms_more: int
    turn: int


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
