"""Where YAML 1.2 differs from the 1.1 that libyaml reads, put so that libyaml reads it.

- U+0085, U+2028 and U+2029 end no line: they are characters like any other.
- A double-quoted text may hold a character beyond U+FFFF as JSON writes it, as a pair of surrogates.
- A tab may stand between the dash of a list and its item.

What libyaml would take for something else is given to it as a character that the text does not hold, and put back in
the values. Pure.
"""

from __future__ import annotations

import re

_PAIR = re.compile(r"(?<!\\)((?:\\\\)*+)(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})")
_NO_BREAKS = "\x85\u2028\u2029"
_HAS_NO_BREAK = re.compile(f"[{_NO_BREAKS}]").search
_PRIVATE = range(0xE000, 0xF8FF)


class StandIns:
    """A text as libyaml can read it, and how to put back what stands in for something else."""

    __slots__ = ("_back", "_mark", "_pairs", "any", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._pairs: list[str] = []
        self._back: dict[int, str] = {}
        self._mark = ""
        has_breaks, has_pairs = _HAS_NO_BREAK(text) is not None, "\\u" in text and _PAIR.search(text) is not None
        self.any = has_breaks or has_pairs
        if not self.any:
            return
        free = [code for code in _PRIVATE if chr(code) not in text][: len(_NO_BREAKS) + 1]
        if len(free) <= len(_NO_BREAKS):
            self.any = False  # a text of six thousand private characters: libyaml may say what it will
            return
        self._mark = chr(free[-1])
        if has_pairs:
            self.text = _PAIR.sub(self._numbered, self.text)
        there = dict(zip(map(ord, _NO_BREAKS), map(chr, free), strict=False))
        self._back = dict(zip(free, _NO_BREAKS, strict=False))
        self.text = self.text.translate(there)

    def _numbered(self, found: re.Match[str]) -> str:
        self._pairs.append(found[2])
        return f"{found[1]}{self._mark}{len(self._pairs) - 1}{self._mark}"

    def restored(self, value: str, *, is_double_quoted: bool) -> str:
        """A value as the text has it."""
        if self._pairs and self._mark in value:
            parts = value.split(self._mark)
            for at in range(1, len(parts), 2):
                pair = self._pairs[int(parts[at])]
                parts[at] = _character(pair) if is_double_quoted else pair
            value = "".join(parts)
        return value.translate(self._back)


def _character(pair: str) -> str:
    """The character that two escapes stand for together."""
    high, low = int(pair[2:6], 16), int(pair[8:12], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def without_tab_after_dash(text: str, line: int, column: int) -> str:
    """The text with a blank for the tab at a place, where that separates a dash from its item; else nothing."""
    start = 0
    for _ in range(line):
        start = _line_end(text, start)
    at = start + column
    before = text[start:at].split(" ")
    if text[at : at + 1] != "\t" or "-" not in before or not {"", "-"}.issuperset(before):
        return ""
    return f"{text[:at]} {text[at + 1 :]}"


def _line_end(text: str, start: int) -> int:
    ends = [end + 1 for end in (text.find("\n", start), text.find("\r", start)) if end >= 0]
    if not ends:
        return len(text)
    end = min(ends)
    return end + 1 if text[end - 1 : end + 1] == "\r\n" else end
