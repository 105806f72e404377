"""The source speaks plain English with the field's terms.

Names, comments, docstrings and messages are counted alike, by word, per 1,000 lines of source. A ceiling is lowered
when the count falls and is never raised.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import holdfast

SOURCE = Path(holdfast.__file__).parent
ROOT = Path(__file__).parent.parent.parent
MOST_IN_PAGES = 10  # lines; one of them is a sample of a page that is searched

# An odd word -> (occurrences per 1,000 lines, what to write instead)
CEILINGS: dict[str, tuple[float, str]] = {
    "told": (1.4, "reported, printed, shown; name a variable after what it holds"),
    "whoever": (0.2, "the caller, the reader, the client"),
    "somebody": (0.1, "a user, a caller, another process"),
    "stands": (0.7, "is, means, is written; state the verb"),
    "of which": (0.5, "whose, or a second sentence"),
    "those that": (0.6, "name them: terms that, files that"),
    "so many": (1.5, "n, `count`, at most n"),
}

# The field's term -> what the source would otherwise describe. Remove a row together with the thing it names.
TERMS = {
    "posting list": "the documents or sections that hold a term",
    "LRU": "a store that drops what was not asked for longest",
    "fallback": "what happens where the usual way is not available",
    "spill": "a part of a sort that is written to disk when memory is full",
    "digest": "the hash of some bytes, as a name for them",
    "segment": "a part of an index that is written once",
    "worker pool": "processes that take jobs from one queue",
    "posting": "one document or section in a posting list",
    "token": "what a model reads and a budget counts",
}


@cache
def source() -> dict[str, str]:
    """Every source file by its path."""
    return {
        path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))
    }


@cache
def lower_source() -> dict[str, str]:
    """The same in lower case; an odd word at the start of a sentence counts too."""
    return {name: text.lower() for name, text in source().items()}


def occurrences(word: str) -> list[str]:
    """`file:line` of each occurrence, also as part of a name; in capitals only if the word is."""
    pattern = re.compile(r"[\s_]+".join(word.split()) + "s?(?![A-Za-z])")  # begins with a letter: quick to search for
    return [
        f"{name}:{text.count(chr(10), 0, found.start()) + 1}"
        for name, text in (lower_source() if word.islower() else source()).items()
        for found in pattern.finditer(text)
        if not text[found.start() - 1].isalpha()
    ]


@pytest.mark.parametrize("word", CEILINGS)
def test_an_odd_word_stays_below_its_ceiling(word: str) -> None:
    ceiling, instead = CEILINGS[word]
    found = occurrences(word)
    rate = 1000 * len(found) / sum(text.count("\n") for text in source().values())
    listed = "\n  ".join(found)
    assert rate <= ceiling, f"{word!r} {rate:.2f} times per 1,000 lines; write {instead}. It is in\n  {listed}"


@pytest.mark.parametrize("term", TERMS)
def test_the_terms_of_the_field_are_in_use(term: str) -> None:
    assert occurrences(term), f"nothing is called a {term}: {TERMS[term]}"


def test_the_pages_use_hardly_any_of_the_odd_words() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    odd = re.compile(r"\b(told|whoever|somebody|stands|so many)\b", re.IGNORECASE)
    found = [
        f"{page.relative_to(ROOT)}: {line.strip()[:120]}"
        for page in pages
        for line in page.read_text(encoding="utf-8").splitlines()
        if odd.search(line)
    ]
    assert len(found) <= MOST_IN_PAGES, "\n  ".join(["write plain words in", *found])
