"""How much a term says for a section: BM25, as integers that come out the same on every machine. Pure.

A term has a unit, and in each field a step, whole numbers:

    unit = 100 idf      idf  = ln((2N + 2) / (2n + 1))      N sections, the term in n of them, links not counted
    step = 64 norm      norm = 2.2 tf / (tf + 1.2 (1 - b) + 1.2 b length / usual length)

each rounded to the nearest and at least 1. A step depends on its document alone (and on what links to that), since the
usual length of a field is fixed: it is computed once, when a cache is built. A term's list of sections and its list of
documents hold what the steps of all fields make together: the best field and a part of the others. The unit is worked
out when a query is asked, from the numbers of one cache or of several; what a query weighs a term by comes from it
(question.py), and a score is the sum of weights times steps. The logarithm is computed with integers to as many places
as it takes to round it correctly; nothing here asks the platform's mathematics.
"""

from __future__ import annotations

RANKING = "bm25-sections-4"
# Not a word, and a term of every question: documents hold it by the texts of links to them, whatever those say.
LINKED = "linked to"
# The usual lengths of fields, in words: title, path, links, headings and body of a section, and document for all bodies
# of a document as one text (docs/decisions/0018-ranking.md has what was measured).
LENGTHS = {"title": 4, "path": 3, "headings": 7, "body": 90, "document": 1000, "links": 16}
# As a receipt states them (docs/decisions/0018-ranking.md has what was tried).
PARAMETERS = {
    "k1": "1.2",
    "b": {"title": "0.75", "path": "0.75", "headings": "0.75", "body": "0.75", "document": "0.75", "links": "0.4"},
    "lengths": LENGTHS,
    "weights": {"title": "1", "path": "1", "headings": "1", "body": "1", "document": "0.3", "links": "0.7"},
    "scale": 64,
    "other_fields": "0.4",
    "weak_parts": "0.25",
    "linked": {"usual": 32, "share": "0.05"},
}

_SCALE = 100
_KEPT_UNITS = 4096
# Both lists of a term hold one byte a step.
HIGHEST_STEP = 0xFF
# A term that a document holds so often, in quarters, speaks for all of its sections.
MANY = 12
# A field's step is 64 weight 2.2 tf / (tf + 1.2 (1 - b) + 1.2 b length / usual), tf being quarters / 4. Multiplied
# until all is whole, these are the factors of quarters * usual above the line, and of quarters * usual, usual and
# length below it.
_CURVES = {"links": (2464, 25, 72, 48)}
_USUAL_CURVE = (704, 5, 6, 18)

_units: dict[tuple[int, int], int] = {}


def unit(sections: int, holding: int) -> int:
    """The unit of a term that `holding` of `sections` sections hold."""
    key = (sections, holding)
    if key not in _units:
        if len(_units) >= _KEPT_UNITS:
            _units.clear()
        _units[key] = max(logarithm(2 * sections + 2, 2 * holding + 1, _SCALE), 1)
    return _units[key]


class FieldSteps(dict[int, "_FieldStepsByLength"]):
    """The steps of one field by how often a term occurs in it and how long it is, each computed once.

    `field` is title, path, links, headings, body, or document for all bodies of a document as one text.
    `FieldSteps(field)[quarters][length]` is the step (1 to 141) of a term that occurs `quarters` / 4 times in a field
    of that length.
    """

    def __init__(self, field: str) -> None:
        super().__init__()
        self._field = field

    def __missing__(self, quarters: int) -> _FieldStepsByLength:
        known = self[quarters] = _FieldStepsByLength(self._field, quarters)
        return known


def curve(field: str) -> tuple[int, int, int, int]:
    """Factors `a`, `b`, `c` and `d` of a field: the step of `quarters` is, rounded to the nearest and at least 1,
    `a quarters / (b quarters + c + d length)`."""
    top, often, base, by_length = _CURVES.get(field, _USUAL_CURVE)
    usual = LENGTHS[field]
    return top * usual, often * usual, base * usual, by_length


class _FieldStepsByLength(dict[int, int]):
    def __init__(self, field: str, quarters: int) -> None:
        super().__init__()
        top, often, fixed, self._by_length = curve(field)
        self._numerator = top * quarters
        self._fixed = often * quarters + fixed

    def __missing__(self, length: int) -> int:
        denominator = self._fixed + self._by_length * length
        value = self[length] = max((2 * self._numerator + denominator) // (2 * denominator), 1)
        return value


def named_step(title: int, path: int, links: int) -> int:
    """What the fields of a document give all of its sections, by their steps (0 where a field has not the term): the
    best and four tenths of the others."""
    best = max(title, path, links)
    return best + 4 * (title + path + links - best) // 10


def evidence_step(document: int) -> int:
    """What the whole document gives, by the step of all its bodies as one text."""
    return 3 * document // 10


def linked_step(words: int) -> int:
    """The step of `LINKED` in the list of documents, of one to which texts of so many words lead."""
    return 128 * words // (words + 32)


def document_step(named: int, evidence: int, many: bool) -> int:
    """The step in a term's list of documents; 0: the document is not listed.

    `many`: the document holds the term at least `MANY` quarters of a time in its bodies, and has several sections.
    """
    return min(named + evidence if many else named, HIGHEST_STEP)


def section_step(body: int, headings: int, title: int, path: int, links: int, evidence: int, many: bool) -> int:
    """The step in a term's list of sections, of one that has it in its body or headings: at least 1.

    Together with the document's step a word counts its best field, four tenths of the others, and the evidence once.
    """
    best = max(body, headings, title, path, links)
    full = best + 4 * (body + headings + title + path + links - best) // 10
    own = full - named_step(title, path, links)
    return min(max(own if many else own + evidence, 1), HIGHEST_STEP)


def logarithm(numerator: int, denominator: int, scale: int) -> int:
    """scale * ln(numerator / denominator), correctly rounded.

    The logarithm of a rational other than 1 is irrational, so it never lies half-way between two whole numbers, and
    some number of bits always decides.
    """
    if numerator == denominator:
        return 0
    bits = 32
    while True:
        value, error = _logarithm(numerator, denominator, bits)
        half = 1 << (bits - 1)
        low, high = (scale * (value - error) + half) >> bits, (scale * (value + error) + half) >> bits
        if low == high:
            return low
        bits *= 2


def _logarithm(numerator: int, denominator: int, bits: int) -> tuple[int, int]:
    """ln(numerator / denominator) in units of 2^-bits, and a bound on the error of that."""
    shift = numerator.bit_length() - denominator.bit_length()
    # numerator / denominator = 2^shift * m with 1/2 < m < 2, and ln m = 2 artanh((m - 1) / (m + 1)).
    if shift >= 0:
        denominator <<= shift
    else:
        numerator <<= -shift
    mantissa, terms = _artanh(numerator - denominator, numerator + denominator, bits)
    two, two_terms = _artanh(1, 3, bits)
    # Each term of a series is cut twice, each by less than one unit, and what follows the last is less than two.
    return 2 * (mantissa + shift * two), 2 * (2 * terms + 2 + abs(shift) * (2 * two_terms + 2))


def _artanh(numerator: int, denominator: int, bits: int) -> tuple[int, int]:
    """The sum of x^k / k over odd k for x = numerator / denominator, and how many terms it took; |x| is at most 1/3."""
    power = (numerator << bits) // denominator
    square_numerator, square_denominator = numerator * numerator, denominator * denominator
    total = k = 0
    while power not in (0, -1):
        total += power // (2 * k + 1)
        power = power * square_numerator // square_denominator
        k += 1
    return total, k + 1
