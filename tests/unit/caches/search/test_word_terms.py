"""What words count as: whole, in strong and in weak parts, without inflection, the same on every Python."""

from __future__ import annotations

import pytest

from holdfast.caches.search.word_terms import all_terms, is_stop_word, length_of, raw_words, word_terms


@pytest.mark.parametrize(
    ("word", "wholes", "strong", "weak"),
    [
        ("rendering", "render", "", ""),
        ("Rendering", "render", "", ""),
        ("422", "422", "", ""),
        ("x1s", "x1s", "", ""),
        ("useEffect", "useeffect", "", "us effect"),
        ("HTTPServer", "httpserver", "", "http server"),
        ("os.path", "os.path", "", "os path"),
        ("max_depth", "max_depth", "", "max depth"),
        ("3.11", "3.11", "", "3 11"),
        ("__init__", "init", "", ""),
        ("React.useState", "react.usestate", "", "react usestat us stat"),
        ("fault-tolerance", "fault-tolerance", "fault toleranc", ""),
        ("pre-bundledHooks", "pre-bundledhooks", "pr bundledhook", "bundl hook"),
        ("re-read_only", "re-read_only", "", "re read only"),
        ("a.a", "a.a", "", "a"),
        ("C++", "c++", "c", ""),
        ("C#", "c#", "c", ""),
        ("F#.", "f#", "f", ""),
        ("obj++", "obj++", "obj", ""),
        ("#include", "includ", "", ""),
        ("###", "", "", ""),
        ("a+bits", "a bit", "", ""),
        ("C++11", "c 11", "", ""),
        ("long#", "long", "", ""),
        ("C+", "c", "", ""),
        (".NET", ".net", "net", ""),
        (".gitignore", ".gitignore", "gitignor", ""),
        ("...and", "and", "", ""),
        (".averyverylongname", "averyverylongnam", "", ""),
        (".a1", "a1", "", ""),
        ("node.js", "node.js", "", "nod js"),
        ("--reload", "--reload", "reload", ""),
        ("--no-reload", "--no-reload", "no-reload no reload", ""),
        ("--maxWorkers", "--maxworkers", "maxworker", "max worker"),
        ("-v", "-v", "v", ""),
        ("-V.", "-v", "v", ""),
        ("-vv", "vv", "", ""),
        ("--x", "x", "", ""),
        ("---x", "x", "", ""),
        ("-3", "3", "", ""),
        ("---", "", "", ""),
        ("Straße", "straße", "", ""),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", "", ""),
        ("שלום", "שלום", "", ""),
        ("日本語", "日本 本語", "", ""),
        ("語", "語", "", ""),
        ("useRef日本", "useref 日本", "", "us ref"),
        ("日本_語.md", "日本 語 md", "", ""),
    ],
)
def test_a_word_counts_whole_and_in_its_parts(word: str, wholes: str, strong: str, weak: str) -> None:
    assert word_terms(word) == (tuple(wholes.split()), tuple(strong.split()), tuple(weak.split()))
    assert all_terms(word) == (*wholes.split(), *strong.split(), *weak.split())


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("ภาษาไทย", ["ภาษ", "าษา", "ษาไ", "าไท", "ไทย"]),
        ("ไป", ["ไป"]),
        ("ก", ["ก"]),
        ("ພາສາ", ["ພາສ", "າສາ"]),
        ("ភាសា", ["ភាស", "ាសា"]),
        ("မြန်မာ", ["မြန", "ြန်", "န်မ", "်မာ"]),
        ("API๒ภาษา", ["api๒", "ภาษ", "าษา"]),
        ("日本ภาษา", ["日本", "ภาษ", "าษา"]),
        ("သွား၊လာ။", ["သွာ", "ွား", "လာ"]),
    ],
)
def test_thai_lao_khmer_and_burmese_count_by_triples(text: str, terms: list[str]) -> None:
    found = [word_terms(word) for word in raw_words(text)]
    assert [term for wholes, _, _ in found for term in wholes] == terms
    assert all((strong, weak) == ((), ()) for _, strong, weak in found)


def test_words_are_runs_of_letters_digits_and_marks_with_their_signs() -> None:
    text = "It’s “quoted” — e.g. (foo)/bar, a\u00adb x\u200dy; ok! `code` C++/C# مرحبا، हिन्दी। 終わり。"
    assert raw_words(text) == [
        *("It", "s", "quoted", "e.g.", "foo", "bar", "ab", "xy", "ok", "code", "C++", "C#"),
        *("مرحبا", "हिन्दी", "終わり"),
    ]


def test_a_backslash_that_escapes_a_sign_is_not_there() -> None:
    assert raw_words(r"read\-only max\_depth node\.js C\# C\+\+ a\b") == [
        *("read-only", "max_depth", "node.js", "C#", "C++", "a", "b")
    ]


@pytest.mark.parametrize("word", ["the", "The", "_is_", "...and", "to."])
def test_stop_words_are_told_whatever_is_around_them(word: str) -> None:
    assert is_stop_word(word)


@pytest.mark.parametrize("word", ["-i", "--no", ".is", "c#", "list", "---"])
def test_options_and_names_are_no_stop_words(word: str) -> None:
    assert not is_stop_word(word)


def test_an_endless_word_counts_by_its_beginning_or_its_parts() -> None:
    assert word_terms("x" * 5_000_000) == (("x" * 64,), (), ())
    assert word_terms("X" * 5_000_000) == (("x" * 64,), (), ())
    assert word_terms("aB" * 40) == (("ab" * 32,), (), ())
    assert word_terms("a." * 1_000_000) == ((), (), ("a",))
    assert word_terms("a-" * 1_000_000) == (("a",), (), ())
    assert word_terms("a+" * 1_000_000) == (("a",), (), ())
    assert word_terms("--" + "a" * 100) == (("--" + "a" * 62,), ("a" * 64,), ())


def test_a_sentence_without_blanks_is_as_long_as_its_grams_are_many() -> None:
    assert length_of(raw_words("C++ --- useEffect a+b")) == 4
    assert length_of(["größe", "日本語", "ภาษาไทย", "日", "•"]) == 1 + 2 + 5 + 1 + 1
