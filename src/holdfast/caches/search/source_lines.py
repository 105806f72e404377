"""Lines of a document, as sections and citations count them: cut at LF, CRLF and CR, and nowhere else. Pure."""

from __future__ import annotations

from itertools import accumulate, repeat
from operator import add


def split_lines(text: str) -> tuple[list[str], list[int]]:
    """The lines without their ends (LF, CRLF or CR), and the offset of each with, last, the text's length."""
    if "\r" not in text:
        lines = text.split("\n")
        starts = list(accumulate(map(add, map(len, lines), repeat(1)), initial=0))
    else:
        lines, ends = [], []
        for piece in text.split("\n"):
            parts = piece.split("\r")
            pair = len(parts) > 1 and not parts[-1]  # the piece ended in CR: together with the LF it ends one line
            if pair:
                parts.pop()
            lines += parts
            ends += [1] * len(parts)
            ends[-1] += pair
        starts = list(accumulate(map(add, map(len, lines), ends), initial=0))
    if not lines[-1] and len(lines) > 1 and starts[-2] >= len(text):
        lines.pop()  # the text ends with a line's end: no empty line follows
        starts.pop()
    starts[-1] = len(text)
    return lines, starts


def line_at(text: str, number: int) -> str:
    """The line with a number, counted from 1, without its end; the text must have it."""
    if "\r" in text:
        return split_lines(text)[0][number - 1]
    return text.split("\n", number)[number - 1]
