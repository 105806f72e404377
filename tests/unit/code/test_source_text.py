"""Scanners over source text: what they cut, and that they see the end of whatever they are given."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from holdfast.code.analysis import source_text
from holdfast.code.analysis.analyser import analyse
from holdfast.code.analysis.facts import first_sentence
from holdfast.contexts.manifests import readme_summary

CASES: dict[Callable[[str], str], dict[str, str]] = {
    source_text.without_visibility: {
        "pub fn go()": "go()",
        "pub(crate) struct A(pub u8)": "struct A(u8)",
        "pub(in a": "pub(in a",
        "public fnord": "public fnord",
    },
    source_text.without_definition: {
        "def self.go(a)": "go(a)",
        "def go; end": "go",
        "class Legend": "class Legend",
        "end": "",
        "define x": "define x",
    },
    source_text.without_tags: {"<p>Text</p> 1 < 2 <b": "Text 1 < 2 <b", "a <1> b": "a <1> b"},
    source_text.without_links: {
        "see [the page](http://x) and [1]": "see the page and [1]",
        "[](x) [a](b": "[](x) [a](b",
        "[[a](b)": "[a",
    },
}


@pytest.mark.parametrize(
    ("scanner", "text", "expected"),
    [(scanner, text, expected) for scanner, cases in CASES.items() for text, expected in cases.items()],
)
def test_a_scanner_cuts_what_it_knows_and_leaves_the_rest(
    scanner: Callable[[str], str], text: str, expected: str
) -> None:
    assert scanner(text) == expected


def test_words_are_cut_whole() -> None:
    assert source_text.without_words("public publicly static_x static", {"public", "static"}) == " publicly static_x "
    assert source_text.words_of("a-b $c größe(1)") == ["a", "b", "c", "größe", "1"]
    assert source_text.package_words("@scope/a-b $c") == ["scope", "a-b", "$c"]


@pytest.mark.parametrize(
    "unit", ["[", "[[a ", "]", "<a", "<", "@a(", "@", "pub(", "pub ", "(", " ", "end ", "def ", "[a]("]
)
@pytest.mark.parametrize("scanner", CASES)
def test_a_scanner_takes_one_pass(scanner: Callable[[str], str], unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert len(scanner(text)) <= len(text)
    assert len(scanner(text + ")x")) <= len(text) + 2
    assert len(scanner(text + "]x")) <= len(text) + 2


def test_case_is_the_same_on_every_python() -> None:
    assert [source_text.is_capital(letter) for letter in ("A", "a", "É", "é", "ǅ", "\ua7ce", "_", "")] == [
        *(True, False, True, False, False, True, False, False)
    ]
    assert [source_text.is_constant_name(name) for name in ("MAX", "Max", "GRÖSSE", "größe", "_", "_1")] == [
        *(True, False, True, False, False, False)
    ]


def test_a_readme_of_brackets_and_a_docstring_of_tags_are_read_to_the_end() -> None:
    for unit in ("[", "[a](", "[[a]", "(", "\n ", " \n", "<a", "<a ", "**"):
        readme_summary("Some words here " + unit * (200_000 // len(unit)))
    for unit in ("<a", "\n ", "* ", "-\n", ". ", "@", "[", "\n@ ", "\n\t-"):
        first_sentence(unit * (400_000 // len(unit)))


# name -> (what stands before, what is repeated, what stands behind)
FILES = {
    "a.py": ('"""', "<a", '"""\n'),
    "a.cs": ("public class A { public int F(", "[[a ", ") { } }"),
    "a.rb": ("def a(b =", " ", " 1)\nend\n"),
    "a.java": ("class A { ", "@a( ", "int f() { } }"),
    "a.rs": ("", "pub(", " fn f() {}"),
    "a.ts": ("const a = ", "require(", "1;\n"),
    "a.go": ("package a\n", "// a\n", "func A() {}\n"),
    "a.php": ("<?php\nuse", " ", "A;\n"),
    "a.kt": ("", "@a(", "fun f() {}\n"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_mean_source_file_is_analysed_to_the_end(name: str) -> None:
    before, repeated, behind = FILES[name]
    data = (before + repeated * (100_000 // len(repeated)) + behind).encode()
    assert analyse(name, data).name == name
