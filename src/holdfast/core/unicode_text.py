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
    """Whether a system can hold the text as a path: no NUL, and a lone surrogate only where it stands for a byte."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return "\0" not in text
