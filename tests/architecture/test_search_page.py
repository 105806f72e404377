"""The tables that docs/formats/search.md repeats are those of the source: either can be written from the other."""

from __future__ import annotations

from pathlib import Path

from holdfast.caches.search import question, word_terms
from holdfast.caches.search.stemmer import stem

PAGE = (Path(__file__).parents[2] / "docs/formats/search.md").read_text(encoding="utf-8")


def block_after(words: str) -> list[str]:
    """The words of the first indented block after some text of the page."""
    lines = PAGE[PAGE.index(words) :].split("\n")
    first = next(number for number, line in enumerate(lines) if line.startswith("    "))
    block = []
    for line in lines[first:]:
        if line and not line.startswith("    "):
            break
        block += line.split()
    return block


def ranges(table: tuple[tuple[int, int], ...]) -> list[str]:
    return [f"{first:X}-{last:X}" if first != last else f"{first:X}" for first, last in table]


def test_what_separates_words() -> None:
    assert block_after("**Raw words**") == ranges(word_terms._SEPARATORS)


def test_what_is_passed_over() -> None:
    told = {0xAD, *range(0x200C, 0x2010), 0x2060, 0xFE0E, 0xFE0F, 0xFEFF}
    assert {ord(character) for character in word_terms._IGNORED} == told
    assert "U+00AD, U+200C to U+200F, U+2060, U+FE0E, U+FE0F and U+FEFF" in PAGE


def test_scripts_without_blanks() -> None:
    assert block_after("Runs of Han and kana") == ranges(word_terms._BY_PAIRS + word_terms._BY_TRIPLES)


def test_stop_words_and_frame_words() -> None:
    assert set(block_after("Stop words are left out")) == word_terms.STOP_WORDS
    assert {stem(word) for word in block_after("of a frame word")} == question.FRAME_WORDS
