"""Text as every interpreter sees it: what has a UTF-8 form, and what white space is.

An interpreter carries the Unicode version it was built with, and `split()`, `strip()` or `isspace()` ask its tables.
Nothing may depend on those (docs/decisions/0003-words.md): white space is the set below, whatever the interpreter says.
This module and `lower_case` are the only ones that may ask; tests/architecture/test_unicode_tables.py looks for others.
"""

from __future__ import annotations

# Unicode's White_Space, and the four information separators, which are white space to whoever trims a line but do not
# separate words (see `caches.selection`).
SEPARATORS = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
INFORMATION_SEPARATORS = "\x1c\x1d\x1e\x1f"
WHITE_SPACE = SEPARATORS + INFORMATION_SEPARATORS


def split_at_white_space(text: str) -> list[str]:
    """The parts of a text between white space, none of them empty.

    The interpreter's own split is many times as fast as any other. That it knows exactly `WHITE_SPACE` is proven for
    every supported Python by tests/unit/core/test_unicode_text.py.
    """
    return text.split()


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
