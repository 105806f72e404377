"""What words count as: whole, in parts, without inflection, the same on every Python."""

from __future__ import annotations

import pytest

from holdfast.caches.search.stemmer import stem
from holdfast.caches.search.terms import query_terms, raw_words, terms_of


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("useEffect", ("useeffect", "us", "effect")),
        ("os.path", ("os.path", "os", "path")),
        ("max_depth", ("max_depth", "max", "depth")),
        ("HTTPServer", ("httpserver", "http", "server")),
        ("React.useState", ("react.usestate", "react", "usestat", "us", "stat")),
        ("pre-bundling", ("pre-bundling", "pr", "bundl")),
        ("__init__", ("init",)),
        ("422", ("422",)),
        ("3.11", ("3.11", "3", "11")),
        ("Rendering", ("render",)),
        ("---", ()),
        ("Straße", ("straße",)),
        ("ΣΊΣΥΦΟΣ", ("σίσυφος",)),
        ("שלום", ("שלום",)),
        ("日本語", ("日本", "本語")),
        ("語", ("語",)),
        ("useRef日本", ("useref", "us", "ref", "日本")),
    ],
)
def test_a_word_counts_whole_and_in_its_parts(word: str, terms: tuple[str, ...]) -> None:
    assert terms_of(word) == terms


def test_words_are_runs_of_letters_digits_and_marks_with_their_joints() -> None:
    text = "It’s “quoted” — e.g. (foo)/bar, a\u00adb x\u200dy; ok! `code` مرحبا، हिन्दी। 終わり。"
    assert raw_words(text) == [
        *("It", "s", "quoted", "e.g.", "foo", "bar", "ab", "xy", "ok", "code", "مرحبا", "हिन्दी", "終わり"),
    ]


def test_an_endless_word_counts_by_its_beginning() -> None:
    assert [len(term) for term in terms_of("x" * 5_000_000)] == [64]
    assert [len(term) for term in terms_of("a." * 1_000_000)] == [1]


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
    ("query", "terms"),
    [
        ("how to render a list of items", ["render", "list", "item"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("lists of lists", ["list"]),
        ("", []),
        ("?!", []),
        ("why does useEffect run", ["useeffect", "us", "effect", "run"]),
    ],
)
def test_a_query_asks_for_each_term_once_and_for_stop_words_only_alone(query: str, terms: list[str]) -> None:
    assert query_terms(query) == terms
