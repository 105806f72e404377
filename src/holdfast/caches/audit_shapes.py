"""What `context replay` and `context replay --receipts` give, as types that only checkers load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from holdfast.caches.shapes import SearchAnswer


class RecordDifference(TypedDict):
    what: str
    recorded: object
    now: object


class ReplayAnswer(TypedDict):
    """Whether a receipt gives the same answer, and where it does not; with `considered`, the answer of now, too."""

    same: bool
    receipt: str
    now: str
    query: str
    differences: Sequence[RecordDifference]
    answer: NotRequired[SearchAnswer]


class AuditedCall(TypedDict):
    """One call: when, by whom, what for, what was given, and what became of its receipt.

    `given` has the citations of the first sections, `sections` says how many there are.
    """

    at: str
    client: str
    query: str
    cache: str
    budget: int
    sections: int
    given: Sequence[str]
    receipt: str
    state: str


class DifferingReceipt(TypedDict):
    """A receipt that is not as it was, or whose answer is not: the first differences, and how many there are more."""

    receipt: str
    state: str
    query: str
    now: str
    reason: str
    differences: Sequence[RecordDifference]
    differences_more: int


class AuditAnswer(TypedDict):
    """Calls and their receipts, how many were replayed and are in each state; the calls listed, and what differs.

    `ahead` are calls whose time is yet to come by the clock here, `passed_over` those later than the ones listed.
    """

    calls: int
    ahead: int
    clients: Sequence[str]
    receipts: int
    replayed: int
    same: int
    changed: int
    cache_gone: int
    altered: int
    passed_over: int
    listed: Sequence[AuditedCall]
    differing: Sequence[DifferingReceipt]
