"""Text that can be written: what has a UTF-8 form and what has not."""

from __future__ import annotations


def is_unicode(text: str) -> bool:
    """Whether the text has a UTF-8 form: no lone surrogates, which is how undecodable bytes arrive."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_path(text: str) -> bool:
    """Whether the text can be put to a system as a path: a lone surrogate stands for a byte, or for nothing at all."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
