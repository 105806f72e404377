"""Words: lower case, split at Unicode White_Space and nowhere else."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.selection import words

WHITE_SPACE = {
    0x09,
    0x0A,
    0x0B,
    0x0C,
    0x0D,
    0x20,
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
}


def test_every_code_point_separates_exactly_when_it_is_white_space() -> None:
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    found = iter(words("\n".join(f"a{character}b" for character in characters)))
    separating = {ord(character) for character in characters if next(found) == "a" and next(found) == "b"}
    assert (separating, list(found)) == (WHITE_SPACE, [])


@given(st.lists(st.text(st.sampled_from("ab\x1c\x1fÉ")), max_size=5))
def test_information_separators_are_letters_like_others(parts: list[str]) -> None:
    assert words(" ".join(parts)) == [part.lower() for part in parts if part]


def test_nothing_has_no_words() -> None:
    assert words("") == words(" \t\u3000") == []
