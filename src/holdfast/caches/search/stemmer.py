"""A light stemmer of our own: it takes off what grammar adds (plural, past, `-ing`) and leaves what makes another word.

`rendering lists` meets `render a list`, and little else meets by accident. Rules, top-down; V is a word with a vowel
(`y` after the first letter counts as one):

    -ies, -ied   -> -y      of four letters and more before: queries, tried stay at three letters
    -sses, -shes, -ches, -xes, -zes  lose -es
    -s           is lost    unless it is -ss, -us, -is or `'s`
    -ing, -ed    are lost   after V; -eed stays; then a doubled consonant but l, s, z is written once
    -e           is lost    after two letters and more, so that `use`, `used` and `using` meet

Arabic writes the article, some prepositions and "and" as prefixes, number and possession as suffixes: of a word that
begins with an Arabic letter one of each is lost, where three letters and more are left.

Pure.
"""

from __future__ import annotations

# A word that ends in another letter is left as it is.
INFLECTED = "sdge"
_VOWELS = frozenset("aeiouy")
_SIBILANTS = ("sses", "shes", "ches", "xes", "zes")
_ARABIC_FIRST, _ARABIC_LAST = "\u0621", "\u064a"
_ARABIC_PREFIXES = ("وال", "بال", "كال", "فال", "لل", "ال", "و")
_ARABIC_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي")
# Letters that a prefix or suffix must leave.
_ARABIC_LEFT = 3


def stem(word: str) -> str:
    """The word without its inflection: plain lower-case English letters, or Arabic; any other is left as it is."""
    if len(word) < 3:
        return word
    last = word[-1]
    if last not in INFLECTED or not word.isascii() or not word.isalpha():
        return _arabic(word) if _ARABIC_FIRST <= word[0] <= _ARABIC_LAST else word
    if last == "s":
        word = _singular(word)
        last = word[-1]
    if last == "d" and word.endswith("ed") and not word.endswith("eed"):
        word = word[:-3] + "y" if word.endswith("ied") and len(word) > 4 else _base(word, word[:-2])
    elif last == "g" and word.endswith("ing"):
        word = _base(word, word[:-3])
    if word[-1] == "e" and len(word) > 2:
        word = word[:-1]
    return word


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(_SIBILANTS):
        return word[:-2]
    if word[-2] in "sui" or len(word) < 4:
        return word
    return word[:-1]


def _base(word: str, base: str) -> str:
    """What is left when an ending falls, or the word itself when that is no word."""
    if len(base) < 2 or (base[0] not in "aeiou" and _VOWELS.isdisjoint(base[1:])):
        return word
    if len(base) > 2 and base[-1] == base[-2] and base[-1] not in "lszaeiouy":
        return base[:-1]
    return base


def _arabic(word: str) -> str:
    for prefix in _ARABIC_PREFIXES:
        if word.startswith(prefix) and len(word) >= len(prefix) + _ARABIC_LEFT:
            word = word[len(prefix) :]
            break
    for suffix in _ARABIC_SUFFIXES:
        if word.endswith(suffix) and len(word) >= len(suffix) + _ARABIC_LEFT:
            return word[: -len(suffix)]
    return word
