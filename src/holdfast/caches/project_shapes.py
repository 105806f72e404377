"""What the commands of a project's caches give, as types that only checkers load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, final


class UnreadSource(TypedDict):
    source: str
    reason: str


class SyncedCacheAnswer(TypedDict):
    """A cache after a sync; of what was not read the first 20, how many there are, and how many look like secrets.

    `generators` has the number of pages of each documentation generator; `left_out` the folders that were not read.
    """

    name: str
    state: Literal["built", "pulled", "unchanged"]
    version: str
    documents: int
    generators: Mapping[str, int]
    changed: int
    added: int
    removed: int
    unread: Sequence[UnreadSource]
    unread_count: int
    withheld: int
    other_kinds: Mapping[str, int]
    left_out: Sequence[UnreadSource]


class LockedCodeAnswer(TypedDict):
    name: str
    sources: str
    files: int


@final
class SyncAnswer(TypedDict):
    caches: Sequence[SyncedCacheAnswer]
    lock_changed: bool
    code: NotRequired[Sequence[LockedCodeAnswer]]


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
    for_user: NotRequired[bool]


class IndexAnswer(TypedDict):
    cache_version: str
    document_count: int
    tokenizer: str
