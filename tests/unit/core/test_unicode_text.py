"""White space is a set of our own, and the interpreter's split knows exactly that."""

from __future__ import annotations

import sys

from holdfast.core.unicode_text import INFORMATION_SEPARATORS, SEPARATORS, WHITE_SPACE, split_at_white_space


def test_this_interpreter_splits_at_exactly_our_white_space() -> None:
    apart = {chr(code) for code in range(sys.maxunicode + 1) if len(split_at_white_space(f"a{chr(code)}b")) == 2}
    assert apart == set(WHITE_SPACE)


def test_white_space_is_that_of_unicode_and_the_four_information_separators() -> None:
    assert (len(SEPARATORS), len(INFORMATION_SEPARATORS), len(set(WHITE_SPACE))) == (25, 4, 29)


def test_this_interpreter_trims_exactly_our_white_space() -> None:
    trimmed = {chr(code) for code in range(sys.maxunicode + 1) if not chr(code).strip()}
    assert trimmed == {chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()} == set(WHITE_SPACE)


def test_this_interpreter_ends_lines_at_the_characters_that_always_ended_them() -> None:
    ends = {chr(code) for code in range(sys.maxunicode + 1) if len(f"a{chr(code)}b".splitlines()) == 2}
    assert ends == set("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
