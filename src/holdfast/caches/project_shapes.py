"""What the commands of a project's caches give, as types that only checkers load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, final


class UnreadSource(TypedDict):
    source: str
    reason: str


class SyncedCacheAnswer(TypedDict):
    """A cache after a sync; of what was not read the first 20, how many there are, and how many look like secrets."""

    name: str
    state: Literal["built", "pulled", "unchanged"]
    version: str
    documents: int
    changed: int
    added: int
    removed: int
    unread: Sequence[UnreadSource]
    unread_count: int
    withheld: int
    other_kinds: Mapping[str, int]
    left_out: Sequence[str]


@final
class SyncAnswer(TypedDict):
    caches: Sequence[SyncedCacheAnswer]
    lock_changed: bool


class CheckedCache(TypedDict):
    name: str
    in_step: bool
    reasons: Sequence[str]


@final
class CheckAnswer(TypedDict):
    in_step: bool
    caches: Sequence[CheckedCache]


class AddAnswer(TypedDict):
    cache: SyncedCacheAnswer
    declared: bool
    next: str


class OutdatedSource(TypedDict):
    cache: str
    kind: str
    name: str
    locked: str
    installed: str


class OutdatedAnswer(TypedDict):
    outdated: Sequence[OutdatedSource]


class IndexAnswer(TypedDict):
    cache_version: str
    document_count: int
    tokenizer: str
