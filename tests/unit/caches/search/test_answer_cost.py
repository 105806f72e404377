"""What the parts of an answer cost at most, counted by the real tokenizer."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rs_bpe.bpe import openai

from holdfast.caches.search.answer_cost import _WORDS, AnswerCost, most_of_hex

COUNT = openai.o200k_base().count


@pytest.mark.parametrize("word", _WORDS)
def test_no_word_of_a_header_has_more_tokens_than_it_is_counted_as(word: str) -> None:
    assert COUNT(" " + word) <= _WORDS[word]


@pytest.mark.parametrize("pair", [one + other for one, other in product("abcdef", repeat=2)])
def test_two_letters_of_a_hash_are_one_token(pair: str) -> None:
    assert COUNT(pair) == 1


@given(st.text("0123456789abcdef", min_size=12, max_size=12))
def test_a_hash_never_has_more_tokens_than_it_is_counted_as(digits: str) -> None:
    assert COUNT("@" + digits) <= 1 + most_of_hex(digits) <= 13


@given(
    counts=st.tuples(*[st.integers(0, 10**7)] * 4),
    meets=st.integers(0, 100),
    name=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
    digits=st.text("0123456789abcdef", min_size=8, max_size=8),
)
def test_a_header_is_never_counted_too_low(counts: tuple[int, ...], meets: int, name: str, digits: str) -> None:
    given, matching, used, budget = counts
    where = f"{name} {digits} · receipt {digits}"
    sections, tokens = f"{given:,} of {matching:,} matching sections", f"{used:,} of {budget:,} tokens"
    cost = AnswerCost("o200k_base")
    for line in (
        f"{sections}, {tokens}, meets {meets / 100:.2f} of the question · {where}",
        f"Nothing here seems to answer this: the nearest meets 0.12 of the question. {sections}, {tokens} · {where}",
        f"Nothing here matches the question, {tokens} · {where}",
    ):
        assert COUNT(line + "\n") <= cost.line(line)
