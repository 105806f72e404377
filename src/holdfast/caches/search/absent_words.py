"""Words of a question that a cache does not contain: which are reported, each with the nearest that it does. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.caches.search.question import FRAME_WORDS, Question
from holdfast.caches.search.spelling import as_written
from holdfast.caches.search.word_terms import all_terms, raw_words, word_terms
from holdfast.core.close_match import close_match
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import lower_case

MOST_REPORTED = 3
# Characters of one word or name that are shown.
_LONGEST = 40
# A question of few words is about each of them, if that is not a short one.
_FEW, _SHORT = 4, 4
# How like a word without a part in common is to be taken for the nearest, 0 to 1.
_LIKE = 0.75
_JOINTS = "._-"


class NotHere(NamedTuple):
    """A word that no section contains; `nearest` is one that some does, or empty; `read`: it was ranked as that."""

    word: str
    nearest: str
    read: bool


def not_here(question: Question, texts: Sequence[str], *, weak: bool) -> list[NotHere]:
    """What is reported: names, words that were read as others, other words.

    `texts` are those of the best sections, where the nearest are looked for. A word that is no name is reported in a
    short question, and where nothing answers well. Words that hyphens join are not reported where a text has them side
    by side.
    """
    read = [NotHere(word[:_LONGEST], as_written(word, near, texts), read=True) for word, near in question.read_as]
    few = len(question.expected) <= _FEW
    reported = [each for each in question.absent if each.is_name or weak or (few and len(each.word) > _SHORT)]
    plain = [" ".join(raw_words(lower_case(text))).replace("-", " ") for text in texts] if reported else []
    names: list[NotHere] = []
    others: list[NotHere] = []
    for word, is_name in reported:
        apart = f" {lower_case(word).replace('-', ' ')} "
        if "-" not in word.strip("-") or not any(apart in f" {text} " for text in plain):
            absent = NotHere(word[:_LONGEST], nearest_name(word, texts)[:_LONGEST], read=False)
            (names if is_name else others).append(absent)
    return [*names, *read, *others][:MOST_REPORTED]


def nearest_name(word: str, texts: Sequence[str]) -> str:
    """The name in the texts that has most parts in common with a word, of several the one most like it; else a word
    that is very like it; else nothing."""
    parts = set(all_terms(word)) - FRAME_WORDS
    alike: dict[int, dict[str, str]] = {}  # parts in common -> in lower case -> as written
    for written in dict.fromkeys([each.rstrip(_JOINTS) for text in texts for each in raw_words(text)]):
        common = len(parts.intersection(all_terms(written)))
        _, strong, weak = word_terms(written)
        if strong or weak or not common:  # one of its parts alone is no name
            alike.setdefault(common, {}).setdefault(lower_case(written), written)
    most = max(alike, default=0)
    names = alike.get(most, {})
    return names.get(close_match(lower_case(word), names, cutoff=0.0 if most else _LIKE), "")
