"""What the operations over all families give, as types that only checkers load."""

from __future__ import annotations

from typing import Literal, TypedDict


class SavedSearches(TypedDict):
    """Sums over receipts; documents count once an answer, distinct ones once altogether."""

    receipts: int
    counted: int
    answer_tokens: int
    documents: int
    document_tokens: int
    distinct_documents: int
    distinct_document_tokens: int
    known: int
    known_tokens: int


class ToolCount(TypedDict):
    """What servers counted of one tool; `behind_tokens` is null where nobody knows what its answers stood for."""

    tool: str
    answers: int
    failed: int
    answer_tokens: int
    behind_tokens: int | None


class StandingContexts(TypedDict):
    """What contexts there are now, whether or not anybody asked for them."""

    contexts: int
    context_tokens: int
    source_tokens: int


class SavingsAnswer(TypedDict):
    given_tokens: int
    behind_tokens: int
    known_tokens: int
    percent_saved: int | None
    searches: SavedSearches
    tools: list[ToolCount]
    contexts: StandingContexts
    not_observed: list[str]


class DoctorCheck(TypedDict):
    """What one check found; `run` is the command that mends it, and empty where none does."""

    area: str
    check: str
    level: Literal["ok", "advice", "problem"]
    detail: str
    run: str


class DoctorAnswer(TypedDict):
    root: str
    healthy: bool
    checks: list[DoctorCheck]
    next: list[str]
