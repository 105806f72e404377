"""Headings, and the little that both markups share. Pure."""

from __future__ import annotations

from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE

# Characters. Beyond this a title is no title; the rest of it is found in the section's text.
LONGEST_TITLE = 400
BLANKS = " \t"


class Heading(NamedTuple):
    """A title in the text: its lines (0-based, `after` exclusive), its level from 1, and its words."""

    first: int
    after: int
    level: int
    text: str


def heading_text(raw: str, *, closed: bool = False) -> str:
    """The words of a heading: without closing marks and without an anchor such as `{#name}` at the end."""
    text = raw.strip(WHITE_SPACE)
    if closed:
        open_part = text.rstrip("#")
        if not open_part or open_part[-1] in BLANKS:
            text = open_part.rstrip(WHITE_SPACE)
    if text.endswith("}"):
        at = text.rfind("{")
        if at >= 0 and text[at + 1 : -1].lstrip(WHITE_SPACE)[:1] in ("#", ".", "/"):
            text = text[:at].rstrip(WHITE_SPACE)
    return text[:LONGEST_TITLE]


def indentation(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip(BLANKS))


def is_item(bare: str) -> bool:
    """Whether a stripped line begins an item of a list; the second line of a table does not."""
    if bare[0] in "-*+":
        return bare[1:2] in ("", " ", "\t") and bool(bare.strip("-:| \t*+"))
    digits = len(bare) - len(bare.lstrip("0123456789"))
    return 0 < digits < 10 and bare[digits : digits + 1] in (".", ")") and bare[digits + 1 : digits + 2] in (" ", "\t")
