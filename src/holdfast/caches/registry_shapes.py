"""What the commands about registries take and give, as types that only checkers load."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class PushArguments(TypedDict):
    cache: str
    reference: str
    quiet: NotRequired[bool]


class PullArguments(TypedDict):
    name: str
    reference: NotRequired[str]
    max_bytes: NotRequired[int]
    quiet: NotRequired[bool]


class SignArguments(TypedDict):
    cache: NotRequired[str]
    key: NotRequired[str]
    password_file: NotRequired[str]
    check: NotRequired[bool]
    new_key: NotRequired[str]


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
