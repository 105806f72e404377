"""Parts of a text that is too long for a section and cannot be cut between its lines. Pure, and linear in the text.

A paragraph without line breaks, a row of a table, a line of minified code: cut where a line or a sentence ends, else
at white space, else anywhere but inside what a reader sees as one character. How heavy a text is, is a function of the
text alone and not of the tokenizer of a cache, so that every cache of a document has the same sections.
"""

from __future__ import annotations

from holdfast.core.token_estimate import SLACK, estimate_tokens
from holdfast.core.unicode_text import WHITE_SPACE

# Tokens by the estimate that a section of more than `_SHORT` bytes has at most: by a tokenizer texts of a kind that the
# estimate was not made for have half as many again, or more.
MOST_TOKENS = 640
# No token is shorter than a byte: by any tokenizer these bytes are at most 1,000 tokens. The estimate, which may say
# more, is held to that; `_LIGHT` bytes are fewer by the estimate, too, whatever they are.
_SHORT, _SHORT_TOKENS, _LIGHT, _WIDEST = 1000, 1000, 640, 4

_LINE_ENDS = "\n\r"
# These end a sentence before white space, with marks that close something between ...
_STOPS = frozenset(".!?\u061f\u06d4\u1362")
_CLOSING = frozenset("\"')]}*_`\u00bb\u2019\u201d")
# ... and these wherever they stand.
_FULL_STOPS = frozenset("\u3002\uff01\uff1f\uff61\uff0e\u0964\u0965\u104b\u17d4\u0f0d")
# What belongs to the character before it: marks, joiners, vowels that stand above and below, tones of skin.
_ATTACHED = (
    *((0x300, 0x36F), (0x483, 0x489), (0x591, 0x5BD), (0x64B, 0x65F), (0x93A, 0x93C), (0x93E, 0x94F)),
    *((0xE31, 0xE31), (0xE34, 0xE3A), (0xE47, 0xE4E), (0xEB1, 0xEB1), (0xEB4, 0xEBC), (0xEC8, 0xECE)),
    *((0x102B, 0x103E), (0x17B4, 0x17D3), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x200C, 0x200D), (0x20D0, 0x20FF)),
    *((0x3099, 0x309A), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0x1F3FB, 0x1F3FF), (0xE0100, 0xE01EF)),
)
_JOINER = "\u200d"
_FARTHEST = 16  # characters that are looked at for one that is not attached


def is_heavy(text: str, slack: int = 0) -> bool:
    """Whether a text has too many tokens for a section, or would have with `slack` more."""
    if len(text) * _WIDEST <= _LIGHT:
        return False
    size = len(text) if text.isascii() else len(text.encode())
    return size > _LIGHT and is_heavy_at(size, estimate_tokens(text) + slack)


def is_heavy_at(size: int, tokens: int) -> bool:
    """The same, given the bytes of a text and its tokens."""
    return size > _LIGHT and tokens > (_SHORT_TOKENS if size <= _SHORT else MOST_TOKENS)


def parts(text: str, start: int, end: int, long: int) -> list[tuple[int, int]]:
    """The characters from and to of each part of a text between two places, none longer or heavier than may be.

    White space between parts is in none of them. The text must begin where a line does.
    """
    end = start + len(text[start:end].rstrip(WHITE_SPACE))
    found = []
    while end - start > long or is_heavy(text[start:end]):
        cut = _cut(text, start, end, long)
        if cut is None:
            start = _next_text(text, start, end)
        else:
            found.append((start, cut))
            start = _next_part(text, cut, end)
    found.append((start, end))
    return found


def end_of_words(text: str, most: int) -> int:
    """Where to cut a text within `most` characters: at the end of a sentence in the second half, else of a word, else
    at the limit."""
    begun = _next_text(text, 0, most)
    at = _sentence_end(text, most // 2 + 1, most)
    if at < 0:
        at = _blank(text, most // 2 + 1, most)
    return _after_text(text, begun, at) if at > begun else _between_characters(text, begun, most)


def _next_part(text: str, cut: int, end: int) -> int:
    """Where what follows a cut begins: with a line, if one does, as far as it is indented."""
    following = _next_text(text, cut, end)
    line_end = _line_end(text, cut, following)
    return following if line_end < 0 else line_end + 1


def _next_text(text: str, start: int, end: int) -> int:
    """The first character from a place on that is no white space."""
    while start < end:
        near = text[start : min(start + 256, end)]
        rest = near.lstrip(WHITE_SPACE)
        if rest:
            return start + len(near) - len(rest)
        start += len(near)
    return end


def _cut(text: str, start: int, end: int, long: int) -> int | None:
    """Where a part that begins here ends; None where white space goes on for too long."""
    # Of what is left for two parts, each gets a half.
    take = long if end - start > 2 * long else -(-(end - start) // 2)
    while take > 1 and is_heavy(text[start : start + take], SLACK):
        take //= 2
    high = start + take
    begun = _next_text(text, start, high)
    if begun == high:
        return None
    low = max(begun + 1, start + take // 2)
    at = _line_end(text, low, high + 1)
    if at < 0:
        at = _cell_end(text, begun, low, high)
    if at < 0:
        at = _sentence_end(text, low, high)
    if at < 0:
        at = _blank(text, max(begun + 1, start + take // 4), high)
    return _after_text(text, begun, at) if at > 0 else _between_characters(text, begun, high)


def _line_end(text: str, low: int, high: int) -> int:
    """The last character between two places that ends a line; -1 where none does."""
    return max([text.rfind(mark, low, high) for mark in _LINE_ENDS])


def _cell_end(text: str, begun: int, low: int, high: int) -> int:
    """The end of the last cell, where these are rows of a table; -1 where there is none."""
    if text[begun] != "|" and text.find("\n|", begun, high) < 0:
        return -1
    return text.rfind(" | ", low, high + 3)


def _sentence_end(text: str, low: int, high: int) -> int:
    """Where the last sentence ends that does between two places; -1 where none does."""
    for at in range(high, low - 1, -1):
        if text[at - 1] in _FULL_STOPS:
            return at
        if text[at] in WHITE_SPACE:
            stop = at - 1
            while stop > low and text[stop] in _CLOSING:
                stop -= 1
            if text[stop] in _STOPS:
                return at
    return -1


def _blank(text: str, low: int, high: int) -> int:
    """The last white space between two places; -1 where there is none."""
    for at in range(high, low - 1, -1):
        if text[at] in WHITE_SPACE:
            return at
    return -1


def _after_text(text: str, begun: int, at: int) -> int:
    """The end of the text before a place that is white space."""
    while at > begun + 1 and text[at - 1] in WHITE_SPACE:
        at -= 1
    return at


def _between_characters(text: str, begun: int, high: int) -> int:
    """A place near to cut at that tears no character from what belongs to it."""
    for at in range(high, max(begun, high - _FARTHEST), -1):
        code = ord(text[at])
        if text[at - 1] != _JOINER and not any(first <= code <= last for first, last in _ATTACHED):
            return at
    return high
