"""What the stemmer takes off, and what it leaves alone."""

from __future__ import annotations

import pytest

from holdfast.caches.search.stemmer import stem


@pytest.mark.parametrize(
    ("words", "common"),
    [
        ("render renders rendered rendering", "render"),
        ("list lists listed listing", "list"),
        ("use uses used using", "us"),
        ("query queries queried", "query"),
        ("configure configures configured configuring", "configur"),
        ("stop stops stopped stopping", "stop"),
        ("class classes", "class"),
        ("index indexes", "index"),
        ("call calls called calling", "call"),
        ("type types typed typing", "typ"),
        ("need needs needed", "need"),
        ("dependency dependencies", "dependency"),
    ],
)
def test_the_forms_of_a_word_meet(words: str, common: str) -> None:
    assert {stem(word) for word in words.split()} == {common}


@pytest.mark.parametrize("word", ["string", "thing", "status", "analysis", "speed", "red", "is", "os", "ring", "bus"])
def test_what_only_looks_inflected_is_left_alone(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize("word", ["", "a", "é", "naïves", "x1s", "日本"])
def test_what_is_not_plain_english_is_left_alone(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("الكتاب", "كتاب"),
        ("والكتاب", "كتاب"),
        ("بالكتاب", "كتاب"),
        ("كتابها", "كتاب"),
        ("المعلومات", "معلوم"),
        ("معلومة", "معلوم"),
        # Three letters are left, or nothing is taken off.
        ("ولد", "ولد"),
        ("الى", "الى"),
        ("مائة", "مائ"),
    ],
)
def test_arabic_words_lose_one_prefix_and_one_suffix(word: str, expected: str) -> None:
    assert stem(word) == expected
