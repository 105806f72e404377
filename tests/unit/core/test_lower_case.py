"""Lower case by Unicode 17, whatever the interpreter's own version."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.unicode_text import lower_case


@pytest.mark.parametrize(
    ("text", "lowered"),
    [
        ("ASCII", "ascii"),
        ("ÀÉ", "àé"),
        ("İ", "i̇"),
        ("\u1c89", "\u1c8a"),
        ("\ua7cb", "\u0264"),
        ("\ua7cc", "\ua7cd"),
        ("\ua7ce", "\ua7cf"),
        ("\ua7d2", "\ua7d3"),
        ("\ua7d4", "\ua7d5"),
        ("\ua7da", "\ua7db"),
        ("\ua7dc", "\u019b"),
        ("\U00010d50\U00010d65", "\U00010d70\U00010d85"),
        ("\U00016ea0\U00016eb8", "\U00016ebb\U00016ed3"),
    ],
)
def test_a_capital_gets_its_small_letter(text: str, lowered: str) -> None:
    assert lower_case(text) == lowered
    assert lower_case(f"x{text}x") == f"x{lowered}x"


@pytest.mark.parametrize(
    ("text", "lowered"),
    [
        ("ΟΔΟΣ", "οδος"),
        ("ΟΔΟΣ.Α", "οδοσ.α"),
        ("Σ", "σ"),
        # A letter that got its case since: the sigma before it does not end the word, the one after it does.
        ("ΑΣ\ua7ce", "ασ\ua7cf"),
        ("\ua7ceΣ", "\ua7cfς"),
        ("\U00010d50Σ", "\U00010d70ς"),
        # A mark that is ignored since: the letter behind it is still seen.
        ("Α\u0897Σ", "α\u0897ς"),
        ("ΑΣ\U0001e030Α", "ασ\U0001e030α"),
        # U+0295 is a letter without case since Unicode 16, U+1171E a mark that is no longer ignored.
        ("\u0295Σ", "\u0295σ"),
        ("Α\U0001171eΣ", "α\U0001171eσ"),
    ],
)
def test_a_capital_sigma_is_final_exactly_at_the_end_of_a_word(text: str, lowered: str) -> None:
    assert lower_case(text) == lowered


@given(st.text(st.characters(max_codepoint=0x1C7F, exclude_categories=["Cs", "Cn"])))
def test_where_the_interpreter_knows_every_character_it_agrees(text: str) -> None:
    known = "".join(character for character in text if character not in "\u0295\u0897\u0ece\u1acf")
    if not any("\u1ab0" <= character <= "\u1aff" for character in known):
        assert lower_case(known) == known.lower()
