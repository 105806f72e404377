"""White space as task lists know it: U+00A0 and U+FEFF count, U+001C to U+001F and U+0085 do not."""

from __future__ import annotations

WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
# What ends a line beside LF, which lines are split at.
LINE_ENDS = "\r\u2028\u2029"


def trimmed(text: str) -> str:
    """The text without white space around it."""
    return text.strip(WHITE_SPACE)


def after_white_space(text: str, start: int) -> int:
    """The position of the first character from `start` on that is not white space."""
    while start < len(text) and text[start] in WHITE_SPACE:
        start += 1
    return start


def up_to_line_end(text: str) -> str:
    """The text before its first line end."""
    for end in LINE_ENDS:
        text = text.partition(end)[0]
    return text


def comma_separated(text: str) -> list[str]:
    """The trimmed parts, without empty ones."""
    return [part for part in map(trimmed, text.split(",")) if part]
