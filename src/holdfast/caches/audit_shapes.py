"""What `context audit` takes and gives, as types that only checkers load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class AuditArguments(TypedDict):
    directory: str
    client: NotRequired[str]
    query: NotRequired[str]
    since: NotRequired[str]
    limit: NotRequired[int]


class AuditedCall(TypedDict):
    """One call: when, by whom, what for, and what became of its receipt."""

    at: str
    client: str
    query: str
    cache: str
    budget: int
    receipt: str
    state: str


class AuditAnswer(TypedDict):
    """Calls and their receipts, how many are in each state; the latest calls, and every receipt that differs."""

    calls: int
    clients: Sequence[str]
    receipts: int
    same: int
    changed: int
    cache_gone: int
    altered: int
    listed: Sequence[AuditedCall]
    differing: Sequence[dict[str, str]]
