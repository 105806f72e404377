"""The words of a question, as an agent would search for them. Pure."""

from __future__ import annotations

import re

from holdfast.caches.search.question import FRAME_WORDS
from holdfast.caches.search.stemmer import stem
from holdfast.caches.search.word_terms import is_stop_word

_WORD = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z][\w.]*\w|\w+")
_NAME = re.compile(r"[a-z0-9][A-Z]|\w_\w|^[A-Z]{2,}|^[A-Z]\w+[A-Z]")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+")
_SHORTEST = 3


def search_words(question: str) -> list[str]:
    """Each word that says something, once, in the question's order; a long one without its ending, as people grep."""
    found: dict[str, None] = {}
    for word in _WORD.findall(question):
        bare = word.strip("-.")
        if len(bare) < _SHORTEST or is_stop_word(bare.lower()) or stem(bare.lower()) in FRAME_WORDS:
            continue
        found[bare if is_name(bare) else stem(bare.lower())] = None
    return list(found)


def longest_words(question: str, most: int = 4) -> list[str]:
    """The longest words that say something, ready for a regular expression."""
    return [re.escape(word) for word in sorted(search_words(question), key=lambda word: (-len(word), word))[:most]]


def is_name(word: str) -> bool:
    """Whether a word is written as names of code are."""
    return bool(_NAME.search(word))


def names(question: str) -> list[str]:
    """The names of code in a question; of a question about callers or uses its last word."""
    found = [word.strip("-.") for word in _WORD.findall(question)]
    return [word for word in found if is_name(word)] or found[-1:]


def paths(question: str) -> list[str]:
    """The paths in a question."""
    return _PATH.findall(question)
