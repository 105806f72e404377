"""A token count from bytes alone, without a tokenizer. Pure."""

from __future__ import annotations


def tokens_of_bytes(size: int) -> int:
    """The tokens of `size` UTF-8 bytes: a quarter, rounded up."""
    return -(-size // 4)
