"""Words and the terms they count as. Pure; docs/formats/search.md has the rules in full.

A raw word is a run of letters, digits, marks and the signs `. _ - + #`, as it is written. It counts as terms in three
groups: wholes (`useeffect`, `os.path`, `c++`, `--reload`, `.net`), strong parts (the words of `fault-tolerance`, the
`reload` of `--reload`) and weak parts (what an identifier is put together from: `us`, `effect`, `os`, `path`). In a
text a whole or a strong part counts four quarters, a weak part one, so that parts never outweigh the whole. All are in
lower case, plain English words without their inflection. Scripts written without blanks count by pairs or triples of
neighbours.

What separates words is a table of our own and not the interpreter's, so every supported Python finds the same terms.
"""

from __future__ import annotations

from itertools import groupby

from holdfast.caches.search.stemmer import stem
from holdfast.core.unicode_text import lower_case, split_at_white_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    # (wholes, strong parts, weak parts): each term once, in the highest group that it is in.
    WordTerms = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

# What one occurrence of a raw word counts, in quarters of a word, for its wholes and strong parts, and for weak parts.
QUARTERS, WEAK_QUARTERS = 4, 1
# A longer run of word characters is no word anyone types: it counts by its beginning.
LONGEST = 64
STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no "
    "not of on or our should so such than that the their them then there these they this to us vs was we were what "
    "when where which who why will with would you your".split(" ")
)

_JOINTS = "._-"
_SIGNS = "+#"
_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SMALL = frozenset("abcdefghijklmnopqrstuvwxyz")
_LETTERS = _CAPITALS | _SMALL
# `c++`, `c#`, `f#`, `obj++`: the most letters before the signs.
_LONGEST_SIGNED = 3
# `.net`, `.gitignore`: the most letters after the dot.
_LONGEST_DOTTED = 12
# Markdown that escapes what needs no escape, as some exporters do.
_ESCAPED = tuple(["\\" + sign for sign in _JOINTS + _SIGNS])
# Beyond ASCII every character is part of a word but these: punctuation, symbols and separators, as ranges.
_SEPARATORS = (
    *((0x80, 0xA9), (0xAB, 0xAC), (0xAE, 0xB1), (0xB4, 0xB4), (0xB6, 0xB8), (0xBB, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7)),
    *((0x2C2, 0x2C5), (0x37E, 0x37E), (0x387, 0x387), (0x55A, 0x55F), (0x589, 0x58A), (0x5BE, 0x5BE), (0x5C0, 0x5C0)),
    *((0x5C3, 0x5C3), (0x5C6, 0x5C6), (0x5F3, 0x5F4), (0x606, 0x60F), (0x61B, 0x61B), (0x61D, 0x61F), (0x66A, 0x66D)),
    *((0x6D4, 0x6D4), (0x700, 0x70D), (0x964, 0x965), (0x970, 0x970), (0xDF4, 0xDF4), (0xE3F, 0xE3F), (0xE4F, 0xE4F)),
    *(
        (0xE5A, 0xE5B),
        (0x104A, 0x104B),
        (0x10FB, 0x10FB),
        (0x1360, 0x1368),
        (0x1680, 0x1680),
        (0x16EB, 0x16ED),
        (0x17D4, 0x17DB),
    ),
    *((0x1800, 0x180A), (0x2000, 0x200B), (0x2010, 0x205F), (0x207A, 0x207E), (0x208A, 0x208E), (0x20A0, 0x20CF)),
    *((0x2100, 0x2101), (0x2103, 0x2106), (0x2108, 0x2109), (0x2114, 0x2114), (0x2116, 0x2118), (0x211E, 0x2123)),
    *((0x2190, 0x245F), (0x2500, 0x2BFF), (0x2E00, 0x2E7F), (0x2FF0, 0x3004), (0x3008, 0x3020), (0x3030, 0x3030)),
    *((0x303D, 0x3040), (0x30A0, 0x30A0), (0x30FB, 0x30FB), (0xFD3E, 0xFD3F), (0xFE10, 0xFE19), (0xFE30, 0xFE6F)),
    *((0xFF01, 0xFF0F), (0xFF1A, 0xFF20), (0xFF3B, 0xFF40), (0xFF5B, 0xFF65), (0xFFE0, 0xFFFD), (0x1F000, 0x1FBEF)),
)
# Marks that only say how to join or direct letters are passed over.
_IGNORED = frozenset("\u00ad\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff")
# Scripts written without blanks: a run of these counts by pairs of neighbours (Han, kana) …
_BY_PAIRS = (
    *((0x3041, 0x3096), (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
)
# … or, where a syllable takes several characters, by triples (Thai, Lao, Burmese, Khmer; their digits are as others).
_BY_TRIPLES = (
    *((0x0E01, 0x0E3A), (0x0E40, 0x0E4E), (0x0E81, 0x0EBD), (0x0EC0, 0x0ECE), (0x1000, 0x103F), (0x104C, 0x108F)),
    *((0x109A, 0x109F), (0x1780, 0x17D3), (0x17DD, 0x17DD), (0xA9E0, 0xA9EF), (0xA9FA, 0xA9FE), (0xAA60, 0xAA7F)),
)


def _ascii_table() -> str:
    word = _LETTERS | frozenset("0123456789" + _JOINTS + _SIGNS)
    return "".join([chr(code) if chr(code) in word else " " for code in range(128)])


class _Table(dict[int, "str | None"]):
    """Character by character: itself in a word, a blank between words; filled as characters are met."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        value: str | None = character
        if code < 128:
            value = _ASCII[code]
        elif character in _IGNORED:
            value = None
        elif _within(code, _SEPARATORS):
            value = " "
        self[code] = value
        return value


class _GramSizes(dict[str, int]):
    """Character by character: 2 or 3 where its script counts by pairs or triples, else 0; filled as they are met."""

    def __missing__(self, character: str) -> int:
        code = ord(character)
        value = 0
        if code >= 128:
            value = 2 if _within(code, _BY_PAIRS) else 3 if _within(code, _BY_TRIPLES) else 0
        self[character] = value
        return value


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


_ASCII = _ascii_table()
_TABLE = _Table()
_GRAM_SIZES = _GramSizes()


def raw_words(text: str) -> list[str]:
    """The words of a text as they are written, signs kept; `word_terms` says what each counts as.

    A text has the raw words of its parts between white space, one after another.
    """
    if "\\" in text:
        for escaped in _ESCAPED:
            text = text.replace(escaped, escaped[1])
    return split_at_white_space(text.translate(_ASCII if text.isascii() else _TABLE))


def word_terms(word: str) -> WordTerms:
    """(wholes, strong parts, weak parts) of one of the `raw_words`: each term once, in the highest group it is in.

    A word that consists of signs has none in any group. One that is too long to be a name has no whole; it counts by
    its parts alone.
    """
    # Most words are nothing but letters and digits.
    if word.isascii() and word.isalnum() and word.islower():
        return (stem(word[:LONGEST]),), (), ()
    if word.isascii() and word.isalnum():
        return _grouped((stem(lower_case(word[:LONGEST])),), (), _hump_terms(word))
    if "+" in word or "#" in word:
        return _signed(word)
    trimmed = word.strip(_JOINTS)
    if not trimmed:
        return (), (), ()
    marked = _marked_name(word, trimmed)
    if marked:
        wholes, strong, weak = word_terms(trimmed)
        return _grouped((marked,), wholes + strong, weak)
    if not word.isascii() and any(map(_GRAM_SIZES.__getitem__, word)):
        return _unspaced(trimmed)
    return _joined(trimmed)


def length_of(words: Sequence[str]) -> int:
    """How long a field of these raw words is: one for each in ASCII, of others as many as their wholes, at least one.

    A sentence of a script without blanks is one raw word; it is as long as its grams are many.
    """
    return len(words) + sum([max(len(word_terms(word)[0]), 1) - 1 for word in words if not word.isascii()])


def all_terms(word: str) -> tuple[str, ...]:
    """Every term that one of the `raw_words` counts as, each once: wholes first, weak parts last."""
    wholes, strong, weak = word_terms(word)
    return wholes + strong + weak


def is_stop_word(word: str) -> bool:
    """Whether a raw word says nothing of what a text is about; `-i` and `.is` are names, whatever they name."""
    trimmed = word.strip(_JOINTS)
    return lower_case(trimmed) in STOP_WORDS and not _marked_name(word, trimmed)


def _grouped(wholes: Iterable[str], strong: Iterable[str], weak: Iterable[str]) -> WordTerms:
    """The groups without duplicates: a term stays in the highest group only."""
    first = dict.fromkeys(wholes)
    second = {term: None for term in strong if term not in first}
    third = {term: None for term in weak if term not in first and term not in second}
    return tuple(first), tuple(second), tuple(third)


def _signed(word: str) -> WordTerms:
    """A word with `+` or `#` in it: a name like `c++`, or words that these signs separate."""
    name = word.lstrip(_SIGNS).rstrip(_JOINTS)
    letters = name.rstrip(_SIGNS)
    if name[len(letters) :] in ("++", "#") and len(letters) <= _LONGEST_SIGNED and _LETTERS.issuperset(letters):
        return _grouped((lower_case(name),), (stem(lower_case(letters)),), ())
    wholes: list[str] = []
    strong: list[str] = []
    weak: list[str] = []
    for piece in word.replace("#", "+").split("+"):
        if piece:
            for all_of, found in zip((wholes, strong, weak), word_terms(piece), strict=True):
                all_of.extend(found)
    return _grouped(wholes, strong, weak)


def _marked_name(word: str, trimmed: str) -> str:
    """The name that a word is together with the sign before it, in lower case: `--reload`, `-v`, `.net`; or none."""
    name = ""
    if word[0] == "-" and trimmed[:1] in _LETTERS:
        if word.startswith("--" + trimmed[0]) and len(trimmed) > 1:
            name = "--" + trimmed
        elif len(trimmed) == 1 and word[1] == trimmed:
            name = "-" + trimmed
    elif word[0] == "." and len(trimmed) <= _LONGEST_DOTTED and word[1:2] in _LETTERS and _LETTERS.issuperset(trimmed):
        name = "." + trimmed
    return lower_case(name[:LONGEST])


def _joined(trimmed: str) -> WordTerms:
    """Words joined by `.`, `_` and `-`, or one alone. Hyphens join words; dots and underscores make a name."""
    pieces = [piece for piece in trimmed.replace("_", ".").replace("-", ".").split(".") if piece]
    terms = [stem(lower_case(piece[:LONGEST])) for piece in pieces]
    humps = [term for piece in pieces for term in _hump_terms(piece)]
    if len(pieces) == 1:
        return _grouped(terms, (), humps)
    is_name = "_" in trimmed or "." in trimmed
    whole = (lower_case(trimmed),) if len(trimmed) <= LONGEST else ()
    if is_name:
        return _grouped(whole, (), [*terms, *humps])
    return _grouped(whole, terms, humps) if whole else _grouped(terms, (), humps)


def _hump_terms(piece: str) -> list[str]:
    """The terms of the parts of a word in mixed case: of `useEffect` us, effect; of a word in one case none."""
    # Which letters are capitals depends on the interpreter beyond ASCII; code is written in ASCII.
    if not piece.isascii() or len(piece) > LONGEST or _CAPITALS.isdisjoint(piece[1:]):
        return []
    humps = _humps(piece)
    return [stem(lower_case(hump)) for hump in humps] if len(humps) > 1 else []


def _humps(piece: str) -> list[str]:
    """The parts of an ASCII word: `useEffect` -> use, Effect; `HTTPServer2` -> HTTP, Server2; in one case, one."""
    humps = []
    start = 0
    for at in range(1, len(piece)):
        here, before = piece[at], piece[at - 1]
        if here in _CAPITALS and (before not in _CAPITALS or piece[at + 1 : at + 2] in _SMALL):
            humps.append(piece[start:at])
            start = at
    humps.append(piece[start:])
    return humps


def _unspaced(trimmed: str) -> WordTerms:
    """A word with characters of a script without blanks: the grams of such runs, and the words between them."""
    wholes: list[str] = []
    strong: list[str] = []
    weak: list[str] = []
    for piece in trimmed.replace("_", ".").replace("-", ".").split("."):
        for size, characters in groupby(piece, _GRAM_SIZES.__getitem__):
            run = "".join(characters)
            if size:
                wholes += [run[at : at + size] for at in range(max(len(run) - size + 1, 1))]
            else:
                for all_of, found in zip((wholes, strong, weak), _joined(run), strict=True):
                    all_of.extend(found)
    return _grouped(wholes, strong, weak)
