"""Text as every interpreter sees it: what has a UTF-8 form, what white space is, and lower case by Unicode 17.

An interpreter carries the Unicode version it was built with (14 for Python 3.11, 15.1 for 3.13), and `split()`,
`strip()`, `isspace()` or `lower()` ask its tables. Nothing may depend on those (docs/decisions/0003-words.md). This
module alone may ask; tests/architecture/test_unicode_tables.py looks for others.

White space is the set below, whatever the interpreter says. Letters that got a lower case since the oldest of those
versions are listed here, and so are the characters whose role around a capital sigma changed: `Σ` becomes `ς` at the
end of a word, and where a word ends depends on which characters are letters with case and which are ignored. The tables
were derived by comparing every code point with an implementation of Unicode 17.0.0; tests/unit/core/test_lower_case.py
states the rule for each range.
"""

from __future__ import annotations

# Unicode's White_Space, and the four information separators, which count as white space when a line is trimmed but do
# not separate words (see `caches.selection`).
SEPARATORS = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
INFORMATION_SEPARATORS = "\x1c\x1d\x1e\x1f"
WHITE_SPACE = SEPARATORS + INFORMATION_SEPARATORS

# (first capital, last capital, first small letter): pairs added by Unicode 16 and 17.
_NEW_PAIRS = (
    (0x1C89, 0x1C89, 0x1C8A),
    (0xA7CB, 0xA7CB, 0x0264),
    (0xA7CC, 0xA7CC, 0xA7CD),
    (0xA7CE, 0xA7CE, 0xA7CF),
    (0xA7D2, 0xA7D2, 0xA7D3),
    (0xA7D4, 0xA7D4, 0xA7D5),
    (0xA7DA, 0xA7DA, 0xA7DB),
    (0xA7DC, 0xA7DC, 0x019B),
    (0x10D50, 0x10D65, 0x10D70),
    (0x16EA0, 0x16EB8, 0x16EBB),
)

# Cased since Unicode 15, 16 or 17, beside the pairs above.
_NEWLY_CASED = ((0xA7CF, 0xA7CF), (0x1DF25, 0x1DF2A))
# U+0295 lost its case in Unicode 16.
_NO_LONGER_CASED = ((0x0295, 0x0295),)

# Case-ignorable since Unicode 15, 16 or 17.
_NEWLY_IGNORED = (
    *((0x0897, 0x0897), (0x0ECE, 0x0ECE), (0x1ACF, 0x1ADD), (0x1AE0, 0x1AEB), (0xA7F1, 0xA7F1), (0x10D4E, 0x10D4E)),
    *((0x10D69, 0x10D6D), (0x10D6F, 0x10D6F), (0x10EC5, 0x10EC5), (0x10EFA, 0x10EFF), (0x11241, 0x11241)),
    *((0x113BB, 0x113C0), (0x113CE, 0x113CE), (0x113D0, 0x113D0), (0x113D2, 0x113D2), (0x113E1, 0x113E2)),
    *((0x11B60, 0x11B60), (0x11B62, 0x11B64), (0x11B66, 0x11B66), (0x11DD9, 0x11DD9), (0x11F00, 0x11F01)),
    *((0x11F36, 0x11F3A), (0x11F40, 0x11F40), (0x11F42, 0x11F42), (0x11F5A, 0x11F5A), (0x13439, 0x13440)),
    *((0x13447, 0x13455), (0x1611E, 0x16129), (0x1612D, 0x1612F), (0x16D40, 0x16D42), (0x16D6B, 0x16D6C)),
    *((0x16FF2, 0x16FF3), (0x1E030, 0x1E06D), (0x1E08F, 0x1E08F), (0x1E4EB, 0x1E4EF), (0x1E5EE, 0x1E5EF)),
    *((0x1E6E3, 0x1E6E3), (0x1E6E6, 0x1E6E6), (0x1E6EE, 0x1E6EF), (0x1E6F5, 0x1E6F5), (0x1E6FF, 0x1E6FF)),
)
# U+1171E became a spacing mark in Unicode 16.
_NO_LONGER_IGNORED = ((0x1171E, 0x1171E),)

_SIGMA = "\u03a3"


def split_at_white_space(text: str) -> list[str]:
    """The parts of a text between white space, none of them empty.

    The interpreter's own split is many times as fast as any other. That it knows exactly `WHITE_SPACE` is proven for
    every supported Python by tests/unit/core/test_unicode_text.py.
    """
    return text.split()


def is_unicode(text: str) -> bool:
    """Whether the text has a UTF-8 form: no lone surrogates, which is how undecodable bytes arrive."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_path(text: str) -> bool:
    """Whether the system accepts the text as a path: a lone surrogate encodes a byte, or nothing at all."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _characters(*groups: tuple[tuple[int, ...], ...]) -> frozenset[str]:
    return frozenset(chr(code) for ranges in groups for run in ranges for code in range(run[0], run[1] + 1))


def _missing_pairs() -> dict[str, str]:
    """The pairs this interpreter does not know."""
    pairs = {chr(c): chr(c - first + small) for first, last, small in _NEW_PAIRS for c in range(first, last + 1)}
    return {capital: small for capital, small in pairs.items() if capital.lower() != small}


_PAIRS = _missing_pairs()
_IGNORED = _characters(_NEWLY_IGNORED)
_NOT_IGNORED = _characters(_NO_LONGER_IGNORED)
_CASED = _characters(_NEWLY_CASED, _NEW_PAIRS) | frozenset(_PAIRS.values())
_NOT_CASED = _characters(_NO_LONGER_CASED)
_AROUND_SIGMA = _IGNORED | _NOT_IGNORED | _CASED | _NOT_CASED
# All but the last byte of each new capital in UTF-8: four short patterns that a scan of the bytes finds quickly.
_PAIR_MARKS = sorted({capital.encode()[:-1] for capital in _PAIRS})


def lower_case(text: str) -> str:
    """The full lower-case mapping of Unicode 17, final sigma included, independent of the locale."""
    if text.isascii():
        return text.lower()
    if _SIGMA in text and not _AROUND_SIGMA.isdisjoint(text):
        text = _settle_sigmas(text)
    encoded = text.encode("utf-8", "surrogatepass")
    if any(mark in encoded for mark in _PAIR_MARKS):
        text = "".join([_PAIRS.get(character, character) for character in text])
    return text.lower()


def _settle_sigmas(text: str) -> str:
    """Each capital sigma replaced by the small one that its place in the word asks for."""
    characters = list(text)
    for position, character in enumerate(characters):
        if character == _SIGMA:
            before = _first_that_counts(text, range(position - 1, -1, -1))
            after = _first_that_counts(text, range(position + 1, len(text)))
            ends_a_word = before is not None and _is_cased(before) and not (after is not None and _is_cased(after))
            characters[position] = "\u03c2" if ends_a_word else "\u03c3"
    return "".join(characters)


def _first_that_counts(text: str, positions: range) -> str | None:
    return next((text[at] for at in positions if not _is_ignored(text[at])), None)


def _is_ignored(character: str) -> bool:
    if character in _IGNORED:
        return True
    if character in _NOT_IGNORED:
        return False
    # Only an ignored character keeps `a` before the sigma in view and hides it behind a blank.
    return f"a{character}{_SIGMA}".lower().endswith("\u03c2") and not _is_word_end_after(character)


def _is_cased(character: str) -> bool:
    if character in _CASED:
        return True
    if character in _NOT_CASED:
        return False
    return _is_word_end_after(character)


def _is_word_end_after(character: str) -> bool:
    return f" {character}{_SIGMA}".lower().endswith("\u03c2")
