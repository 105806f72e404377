"""What the commands about registries give, as types that only checkers load."""

from __future__ import annotations

from typing import TypedDict


class PushAnswer(TypedDict):
    reference: str
    digest: str
    version: str
    bytes: int
    sent: int


class PullAnswer(TypedDict):
    name: str
    reference: str
    digest: str
    version: str
    bytes: int
    fetched: int
    signed_by: str
    lock_changed: bool


class SignAnswer(TypedDict):
    """`key` is the public one."""

    key: str
    cache: str
    signature: str
    signed: bool
