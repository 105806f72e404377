"""sha256, in the two spellings the formats use."""

from __future__ import annotations

from hashlib import sha256

PREFIX = "sha256:"


def hex_digest(data: bytes) -> str:
    """The 64 hex digits of sha256."""
    return sha256(data).hexdigest()


def tagged_digest(data: bytes) -> str:
    """`sha256:` followed by the hex digits: the form manifests and versions carry."""
    return PREFIX + sha256(data).hexdigest()
