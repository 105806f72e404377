from __future__ import annotations

import json

import pytest

from holdfast.core.canonical_json import encode
from holdfast.core.display_text import display_json, display_line, display_text

STEERING = [
    *(chr(code) for code in range(0x20) if chr(code) not in "\t\n"),
    *("\x7f", *(chr(code) for code in range(0x80, 0xA0))),
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029",
    *("\ud800", "\udcff", "\udfff"),
]


@pytest.mark.parametrize("character", STEERING, ids=lambda character: f"U+{ord(character):04X}")
def test_what_would_steer_a_terminal_is_shown_as_one_harmless_character(character: str) -> None:
    shown = display_text(f"a{character}b")
    assert (shown[0], shown[2], len(shown)) == ("a", "b", 3)
    assert shown[1] not in STEERING
    assert display_line(character) == shown[1]
    assert json.loads(display_json(encode([character]))) == [character]
    assert not set(display_json(encode([character]))) & set(STEERING)


def test_a_text_keeps_its_lines_and_a_line_stays_one() -> None:
    assert display_text("a\n\tb") == "a\n\tb"
    assert display_line("a\n\tb") == "a␊\tb"


@pytest.mark.parametrize("text", ["plain", "naïve café", "שלום", "日本語", "👩‍👩‍👧 e\u0301", '{"a": "[red]"}'])
def test_all_other_text_is_as_it_was(text: str) -> None:
    assert [display_text(text), display_line(text), display_json(text)] == [text] * 3
