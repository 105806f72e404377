"""Terms: the words of a text as ranking counts them. Pure; docs/formats/search.md has the rules in full.

A word is a run of letters, digits and marks. Words joined by `.`, `_` or `-` also count as one (`os.path`,
`max_depth`), and a word in mixed case counts whole and in its parts (`useEffect`: useeffect, use, effect). All are in
lower case, plain English words without their inflection. What separates words is a table of our own and not the
interpreter's, so every supported Python finds the same terms.
"""

from __future__ import annotations

from holdfast.caches.search.stemmer import stem
from holdfast.core.unicode_text import lower_case, split_at_white_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# A longer run of word characters is no word anyone types: it counts by its beginning.
LONGEST = 64
STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no "
    "not of on or our should so such than that the their them then there these they this to us vs was we were what "
    "when where which who why will with would you your".split(" ")
)

_JOINTS = "._-"
_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SMALL = frozenset("abcdefghijklmnopqrstuvwxyz")
# Beyond ASCII every character is part of a word but these: punctuation, symbols and separators, as ranges.
_SEPARATORS = (
    *((0x80, 0xA9), (0xAB, 0xAC), (0xAE, 0xB1), (0xB4, 0xB4), (0xB6, 0xB8), (0xBB, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7)),
    *((0x2C2, 0x2C5), (0x37E, 0x37E), (0x387, 0x387), (0x55A, 0x55F), (0x589, 0x58A), (0x5BE, 0x5BE), (0x5C0, 0x5C0)),
    *((0x5C3, 0x5C3), (0x5C6, 0x5C6), (0x5F3, 0x5F4), (0x606, 0x60F), (0x61B, 0x61B), (0x61D, 0x61F), (0x66A, 0x66D)),
    *((0x6D4, 0x6D4), (0x700, 0x70D), (0x964, 0x965), (0x970, 0x970), (0xDF4, 0xDF4), (0xE3F, 0xE3F), (0xE4F, 0xE4F)),
    *((0xE5A, 0xE5B), (0x10FB, 0x10FB), (0x1360, 0x1368), (0x1680, 0x1680), (0x16EB, 0x16ED), (0x17D4, 0x17DB)),
    *((0x1800, 0x180A), (0x2000, 0x200B), (0x2010, 0x205F), (0x207A, 0x207E), (0x208A, 0x208E), (0x20A0, 0x20CF)),
    *((0x2100, 0x2101), (0x2103, 0x2106), (0x2108, 0x2109), (0x2114, 0x2114), (0x2116, 0x2118), (0x211E, 0x2123)),
    *((0x2190, 0x245F), (0x2500, 0x2BFF), (0x2E00, 0x2E7F), (0x2FF0, 0x3004), (0x3008, 0x3020), (0x3030, 0x3030)),
    *((0x303D, 0x3040), (0x30A0, 0x30A0), (0x30FB, 0x30FB), (0xFD3E, 0xFD3F), (0xFE10, 0xFE19), (0xFE30, 0xFE6F)),
    *((0xFF01, 0xFF0F), (0xFF1A, 0xFF20), (0xFF3B, 0xFF40), (0xFF5B, 0xFF65), (0xFFE0, 0xFFFD), (0x1F000, 0x1FBEF)),
)
# Marks that only say how to join or direct letters are passed over.
_IGNORED = frozenset("\u00ad\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff")
# Scripts written without blanks: a run of these counts by pairs of neighbours.
_UNSPACED = (
    (0x3041, 0x3096),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def _ascii_table() -> str:
    word = _CAPITALS | _SMALL | frozenset("0123456789" + _JOINTS)
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


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


_ASCII = _ascii_table()
_TABLE = _Table()


def raw_words(text: str) -> list[str]:
    """The words of a text as they are written, joints kept; `terms_of` says what each counts as."""
    return split_at_white_space(text.translate(_ASCII if text.isascii() else _TABLE))


def terms_of(word: str) -> tuple[str, ...]:
    """Every term that one of the `raw_words` counts as, each once: the whole first, then its parts."""
    if word.isascii() and word.isalnum() and word.islower():
        return (stem(word[:LONGEST]),)
    trimmed = word.strip(_JOINTS)
    if not trimmed:
        return ()
    found: dict[str, None] = {}
    parts = trimmed.replace("_", ".").replace("-", ".").split(".")
    if len(parts) > 1 and len(trimmed) <= LONGEST:
        found[lower_case(trimmed)] = None
    for part in parts:
        if part:
            for term in _part_terms(part):
                found[term] = None
    return tuple(found)


def _part_terms(part: str) -> Iterable[str]:
    if not part.isascii() and any(_within(ord(character), _UNSPACED) for character in part):
        return _unspaced_terms(part)
    terms = [stem(lower_case(part[:LONGEST]))]
    # Which letters are capitals depends on the interpreter beyond ASCII; code is written in ASCII.
    if part.isascii() and not part.islower() and len(part) <= LONGEST:
        humps = _humps(part)
        if len(humps) > 1:
            terms += [stem(lower_case(hump)) for hump in humps]
    return terms


def _humps(part: str) -> list[str]:
    """The parts of an ASCII word: `useEffect` -> use, Effect; `HTTPServer2` -> HTTP, Server2; in one case, one."""
    humps = []
    start = 0
    for at in range(1, len(part)):
        here, before = part[at], part[at - 1]
        if here in _CAPITALS and (before not in _CAPITALS or part[at + 1 : at + 2] in _SMALL):
            humps.append(part[start:at])
            start = at
    humps.append(part[start:])
    return humps


def _unspaced_terms(part: str) -> list[str]:
    terms: list[str] = []
    start = 0
    for end in range(1, len(part) + 1):
        inside = _within(ord(part[start]), _UNSPACED)
        if end < len(part) and _within(ord(part[end]), _UNSPACED) == inside:
            continue
        run = part[start:end]
        if not inside:
            terms += _part_terms(run)
        elif len(run) == 1:
            terms.append(run)
        else:
            terms += [run[at : at + 2] for at in range(len(run) - 1)]
        start = end
    return terms


def query_terms(query: str) -> list[str]:
    """What a query asks for, each term once, in the order of the query; stop words only when there is nothing else."""
    terms: dict[str, None] = {}
    stops: dict[str, None] = {}
    for word in raw_words(query):
        wanted = stops if is_stop_word(word) else terms
        for term in terms_of(word):
            wanted[term] = None
    return list(terms or stops)


def is_stop_word(word: str) -> bool:
    """Whether a raw word says nothing of what a text is about."""
    return lower_case(word.strip(_JOINTS)) in STOP_WORDS
