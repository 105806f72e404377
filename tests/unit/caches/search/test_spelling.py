"""Words that no section holds are read as ones that differ by one letter."""

from __future__ import annotations

import pytest

from holdfast.caches.search.spelling import as_written, can_be_repaired, nearest, one_away


def test_every_string_one_step_away_is_tried_once() -> None:
    found = one_away("ab")
    assert {"b", "a", "ba", "cab", "acb", "abc", "xb", "ax", "a_", "a0"} <= found
    assert "ab" not in found
    # 2 deletions, 1 swap, 2 * 36 replacements, 3 * 37 insertions of which `aab` and `abb` come twice; `ba` is none.
    assert len(found) == 2 + 1 + 2 * 36 + 3 * 37 - 2


def test_one_letter_alone_is_not_deleted() -> None:
    assert "" not in one_away("a")


@pytest.mark.parametrize(
    ("typed", "read"),
    [("contaner", "container"), ("contaienr", "container"), ("conntainer", "container"), ("kontainer", "container")],
)
def test_an_insertion_a_swap_a_deletion_or_a_replacement_is_mended(typed: str, read: str) -> None:
    assert nearest(typed, {"container": 300, "content": 10}.get) == read  # type: ignore[arg-type]


def test_the_word_of_most_sections_is_taken_and_among_equals_the_greater() -> None:
    units = {"card": 200, "cart": 100, "carp": 100, "car": 500}
    assert nearest("carx", lambda term: units.get(term, 0)) == "cart"


def test_what_nothing_is_beside_is_not_read_as_anything() -> None:
    assert nearest("container", lambda _term: 0) is None


def test_forms_of_a_word_are_looked_up_by_its_stem() -> None:
    assert nearest("renderinf", lambda term: 100 if term == "render" else 0) == "rendering"


@pytest.mark.parametrize(("word", "can"), [("abcd", True), ("a_b1", True), ("abc", False), ("1abc", False)])
def test_words_of_four_letters_and_more_are_looked_at(word: str, can: bool) -> None:
    assert can_be_repaired(word) is can


def test_words_too_long_or_in_other_letters_or_joined_are_not_looked_at() -> None:
    assert not any(map(can_be_repaired, ["a" * 25, "größe", "a.bc", "well-known", "c++x", "ภาษาไทย"]))
    assert can_be_repaired("a" * 24)


def test_of_the_forms_of_a_term_the_one_with_the_letters_that_were_typed_is_told() -> None:
    known = {"usestat": 100}
    assert nearest("usestaet", lambda term: known.get(term, 0)) == "usestate"
    assert nearest("usestatx", lambda term: known.get(term, 0)) == "usestat"


@pytest.mark.parametrize(
    ("word", "read", "texts", "told"),
    [
        ("middlewear", "middlewar", ["Middleware wraps a route."], "middleware"),
        ("middlewear", "middlewar", ["Nothing of it.", "Use a middleware."], "middleware"),
        ("middlewear", "middlewar", ["midnight", "middle_war"], "middlewar"),
        ("lsit", "list", ["Lists: a list, lists."], "list"),
        ("tokeen", "tokene", ["Tokens. Tokens, and a token."], "token"),
        ("renderxng", "renderng", ["renders", "rendering"], "renderng"),
        ("useStatx", "usestat", ["useState, `useState` and useStates"], "usestate"),
    ],
)
def test_a_form_that_the_best_sections_have_is_told_and_not_a_stem(
    word: str, read: str, texts: list[str], told: str
) -> None:
    assert as_written(word, read, texts) == told
