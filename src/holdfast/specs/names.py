"""Names of specs: one folder name, and nothing that leads elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.core.unicode_text import lower_case
from holdfast.specs.white_space import WHITE_SPACE

_MAX_BYTES = 255
_MOST_ALIKE, _SHORTEST_WORD = 3, 3
_BETWEEN = re.compile(r"""[ \t\n\r\-_.,;:!?'"`()\[\]{}/\\]""").split
# What a person could not see in a listing: controls, invisible and bidi marks, private characters, no characters.
_UNSEEN = (
    *((0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x061C, 0x061C), (0x180E, 0x180E), (0x200B, 0x200F)),
    *((0x202A, 0x202E), (0x2060, 0x206F), (0xE000, 0xF8FF), (0xFDD0, 0xFDEF), (0xFFF9, 0xFFFB), (0xFFFE, 0xFFFF)),
    *((0xE0000, 0xE007F), (0xF0000, 0x10FFFF)),
)


def is_spec_name(name: str) -> bool:
    """Whether a text can be the name of a spec's folder."""
    return bool(name) and name not in (".", "..") and not any(mark in name for mark in "/\\\0") and _fits(name)


def is_new_spec_name(name: str) -> bool:
    """Whether a new spec may be called so: a visible folder that lists, prints and types well."""
    return is_spec_name(name) and name[0] not in ".- " and name[-1] != " " and all(map(_is_seen, name))


def names_like(names: Sequence[str], text: str) -> list[str]:
    """The names, three at most and the likest first, that share words with a text; a word of few names counts more."""
    asked = [word for word in _words(text) if len(word) >= _SHORTEST_WORD]
    shared = {
        name: [word for word in _words(name) if any(word.startswith(each) or each.startswith(word) for each in asked)]
        for name in names
    }
    every = [word for words in shared.values() for word in words]
    worth = {name: sum([1 / every.count(word) for word in words]) for name, words in shared.items() if words}
    best = sorted(worth, key=lambda name: (-worth[name], name))[:_MOST_ALIKE]
    return [name for name in best if 2 * worth[name] >= worth[best[0]]]


def _words(text: str) -> list[str]:
    """The words of a text in lower case, what is between its ASCII signs, each once."""
    return [word for word in dict.fromkeys(_BETWEEN(lower_case(text))) if word]


def _is_seen(character: str) -> bool:
    if character in WHITE_SPACE:
        return character == " "
    return not any(first <= ord(character) <= last for first, last in _UNSEEN)


def _fits(name: str) -> bool:
    try:
        return len(name.encode()) <= _MAX_BYTES
    except UnicodeEncodeError:
        return False
