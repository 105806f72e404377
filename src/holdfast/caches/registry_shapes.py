"""What the commands about registries give, as types that only checkers load."""

from __future__ import annotations

from typing import Literal, TypedDict


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


class BundledCacheAnswer(TypedDict):
    """`reasons` say in what the lock of the project here differs; `signed_by` is empty where nobody asked."""

    name: str
    version: str
    documents: int
    signed_by: str
    reasons: list[str]


class BundleAnswer(TypedDict):
    """`lock` is the digest of the bundle's `context.lock`."""

    done: Literal["written", "installed", "checked"]
    lock: str
    bytes: int
    caches: list[BundledCacheAnswer]
    wheels: list[str]
