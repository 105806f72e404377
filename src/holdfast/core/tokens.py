"""How many tokens a text stands for, where no tokenizer is asked. Pure."""

from __future__ import annotations


def tokens_of_bytes(size: int) -> int:
    """The tokens of so many UTF-8 bytes: a quarter, rounded up."""
    return -(-size // 4)
