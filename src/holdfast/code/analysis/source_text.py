"""Scanners over source text and prose: one pass each, and the same on every Python.

A word is made of ASCII letters, digits, `_` and anything beyond ASCII: what an identifier may hold beyond ASCII differs
from language to language and from one version of Unicode to the next, and nothing here turns on it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from holdfast.core.unicode_text import lower_case

_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_TO_BLANK = {code: " " for code in range(128) if chr(code) not in _WORD}
# The same, with what package names hold beside.
_TO_BLANK_IN_NAMES = {code: " " for code in _TO_BLANK if chr(code) not in "$-"}
_BLANKS = frozenset(" \t\n\r\f\v")
# Letters that are neither capital nor small.
_TITLE_CASE = frozenset(
    "\u01c5\u01c8\u01cb\u01f2\u1fbc\u1fcc\u1ffc"
    + "".join([chr(code) for start in (0x1F88, 0x1F98, 0x1FA8) for code in range(start, start + 8)])
)


def words_of(text: str) -> list[str]:
    """The words, in order."""
    return [word for word in text.translate(_TO_BLANK).split(" ") if word]


def package_words(text: str) -> list[str]:
    """The words, where `$` and `-` belong to a word as well."""
    return [word for word in text.translate(_TO_BLANK_IN_NAMES).split(" ") if word]


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, word) of each word."""
    at = 0
    for word in text.translate(_TO_BLANK).split(" "):
        if word:
            yield at, at + len(word), word
        at += len(word) + 1


def word_end(text: str, at: int) -> int:
    """Where the word ends that starts at `at`; `at` itself where none does."""
    while at < len(text) and (text[at] in _WORD or text[at] >= "\x80"):
        at += 1
    return at


def blanks_end(text: str, at: int) -> int:
    """The first place from `at` on that holds no ASCII white space."""
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def without_words(text: str, words: Container[str]) -> str:
    """The text with some words cut out and everything around them left."""
    parts = []
    at = 0
    for start, end, word in _spans(text):
        if word in words:
            parts.append(text[at:start])
            at = end
    return "".join([*parts, text[at:]]) if parts else text


class _Closing:
    """Finds the first closing character after a place, for places asked in ascending order, in one pass altogether."""

    def __init__(self, text: str, character: str) -> None:
        self._text, self._character = text, character
        self._known = text.find(character)

    def after(self, at: int) -> int:
        """The place of the first one from `at` on, or -1."""
        if 0 <= self._known < at:
            self._known = self._text.find(self._character, at)
        return self._known


def without_visibility(text: str) -> str:
    """Rust: the text without `pub `, `pub(...) ` and `fn `."""
    closing = _Closing(text, ")")
    parts = []
    at = 0
    for start, end, word in _spans(text):
        if start < at or word not in ("pub", "fn"):
            continue
        if word == "pub" and text.startswith("(", end) and (close := closing.after(end)) >= 0:
            end = close + 1
        if text[end : end + 1] in _BLANKS:
            parts.append(text[at:start])
            at = end + 1
    return "".join([*parts, text[at:]])


def without_definition(text: str) -> str:
    """Ruby: the text without `def ` or `def self.` before it and without the `end` behind it."""
    if text.startswith("def") and text[3:4] in _BLANKS:
        text = text[blanks_end(text, 3) :].removeprefix("self.")
    stripped = text.rstrip()
    before = stripped[:-3]
    if stripped.endswith("end") and (not before or word_end(before[-1], 0) == 0):
        return before.rstrip("; \t\n\r\f\v")
    return text


def without_tags(text: str) -> str:
    """The text without HTML tags."""
    parts = []
    at = 0
    start = text.find("<")
    while start >= 0:
        name = start + 1 + text.startswith("/", start + 1)
        first = text[name : name + 1]
        if first.isascii() and first.isalpha():
            end = text.find(">", name)
            if end < 0:
                break
            parts.append(text[at:start])
            at = start = end + 1
        else:
            start += 1
        start = text.find("<", start)
    return "".join([*parts, text[at:]])


def without_links(text: str) -> str:
    """Markdown prose with links replaced by their words."""
    parts = []
    at = 0
    start = text.find("[")
    while start >= 0 and (close := text.find("]", start)) >= 0:
        end = close
        if close > start + 1 and text.startswith(("(", "["), close + 1):
            end = text.find(")" if text[close + 1] == "(" else "]", close + 1)
            if end < 0:
                break
            parts += [text[at:start], text[start + 1 : close]]
            at = end + 1
        start = text.find("[", end + 1)
    return "".join([*parts, text[at:]])


def is_capital(letter: str) -> bool:
    """Whether a character is a capital letter, by Unicode 17."""
    if letter.isascii():
        return letter.isupper()
    return lower_case(letter) != letter and letter not in _TITLE_CASE


def is_constant_name(name: str) -> bool:
    """Whether a name has capital letters and no small ones; of small letters only ASCII ones are known."""
    if name.isascii():
        return name.isupper()
    return lower_case(name) != name and not any("a" <= letter <= "z" for letter in name)
