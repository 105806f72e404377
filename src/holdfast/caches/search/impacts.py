"""How much a term in a field says for a section: BM25, as integers that come out the same on every machine. Pure.

An impact is `unit` times `step`, two whole numbers that are computed once, when a cache is built:

    unit = 100 idf      idf  = ln((2N + 2) / (2n + 1))      N sections, the term in n of them, in whichever field
    step = 100 norm     norm = 2.2 tf / (tf + 0.3 + 0.9 length / average length)

each rounded to the nearest and at least 1. That is BM25 with k1 = 1.2 and b = 0.75, in ten-thousandths. The logarithm
is computed with integers to as many places as it takes to round it correctly; nothing here asks the platform's
mathematics.
"""

from __future__ import annotations

RANKING = "bm25-sections-1"
FIELDS = ("title", "headings", "path", "body")
# As a receipt states them. Every field counts alike: each is a BM25 of its own, and a short field weighs more by its
# norm already (docs/decisions/0018-ranking.md has what was tried).
PARAMETERS = {"k1": "1.2", "b": "0.75", "scale": 10000, "weights": dict.fromkeys(FIELDS, 1)}

_SCALE = 100
# Steps end at 220 and fit a byte; units fit two, unless there were more sections than 2^900.
HIGHEST_UNIT = 0xFFFF


def unit(sections: int, holding: int) -> int:
    """The unit of a term that so many of the sections hold."""
    return min(max(logarithm(2 * sections + 2, 2 * holding + 1, _SCALE), 1), HIGHEST_UNIT)


class Steps:
    """The steps of one field, each computed once; `total` is the sum of its lengths over all sections."""

    def __init__(self, total: int, sections: int) -> None:
        self._total, self._sections = total, sections
        self._known: dict[int, _StepsByLength] = {}

    def of(self, times: int) -> dict[int, int]:
        """length of the field -> step of a term that occurs so often in it."""
        if times not in self._known:
            self._known[times] = _StepsByLength(times, self._total, self._sections)
        return self._known[times]


class _StepsByLength(dict[int, int]):
    def __init__(self, times: int, total: int, sections: int) -> None:
        super().__init__()
        self._arguments = times, total, sections

    def __missing__(self, length: int) -> int:
        times, total, sections = self._arguments
        numerator = _SCALE * 22 * times * total
        denominator = 10 * times * total + 3 * total + 9 * length * sections
        value = self[length] = max((2 * numerator + denominator) // (2 * denominator), 1)
        return value


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
