"""How much a term in a field says for a section: BM25, as integers that come out the same on every machine. Pure.

An impact is 1000 times idf times norm, rounded to the nearest and at least 1:

    idf  = ln((2N + 2) / (2n + 1))            N sections, the term in n of them, in whichever field
    norm = 2.2 tf / (tf + 0.3 + 0.9 length / average length)      which is BM25 with k1 = 1.2 and b = 0.75

Both are held to 2^-20. The logarithm is computed with integers to as many places as it takes to round it correctly;
nothing here asks the platform's mathematics.
"""

from __future__ import annotations

RANKING = "bm25-sections-1"
FIELDS = ("title", "headings", "path", "body")
# As a receipt states them. Every field counts alike: each is a BM25 of its own, and a short field weighs more by its
# norm already (docs/decisions/0041-ranking.md has what was tried).
PARAMETERS = {"k1": "1.2", "b": "0.75", "scale": 1000, "fields": {field: 1 for field in FIELDS}}

_SCALE = 1000
_PLACES = 20
_HALF = 1 << (2 * _PLACES - 1)
HIGHEST = 0xFFFF  # as much as an index can hold; BM25 reaches it beyond 10^12 sections


def inverse_frequency(sections: int, holding: int) -> int:
    """idf in units of 2^-20, correctly rounded."""
    return natural_logarithm(2 * sections + 2, 2 * holding + 1, _PLACES)


def norm(times: int, length: int, total_length: int, population: int) -> int:
    """The norm in units of 2^-20 of a term that occurs `times` in a field of `length` words, rounded half up.

    `total_length` is the sum over the `population` of fields that the average is taken of.
    """
    numerator = 22 * times * total_length << _PLACES
    denominator = 10 * times * total_length + 3 * total_length + 9 * length * population
    return (2 * numerator + denominator) // (2 * denominator)


def impact(idf: int, norm_value: int) -> int:
    """The impact of a term with that idf at a place with that norm."""
    return min(max((_SCALE * idf * norm_value + _HALF) >> (2 * _PLACES), 1), HIGHEST)


class Norms:
    """The norms of one field, each computed once."""

    def __init__(self, total_length: int, population: int) -> None:
        self._total, self._population = total_length, population
        self._known: dict[int, dict[int, int]] = {}

    def of(self, times: int) -> dict[int, int]:
        """length -> norm of a term that occurs so often, computed when first asked for."""
        if times not in self._known:
            self._known[times] = _NormsByLength(times, self._total, self._population)
        return self._known[times]


class _NormsByLength(dict[int, int]):
    def __init__(self, times: int, total_length: int, population: int) -> None:
        super().__init__()
        self._arguments = times, total_length, population

    def __missing__(self, length: int) -> int:
        times, total_length, population = self._arguments
        value = self[length] = norm(times, length, total_length, population)
        return value


def natural_logarithm(numerator: int, denominator: int, places: int) -> int:
    """ln(numerator / denominator) in units of 2^-places, correctly rounded.

    The logarithm of a rational other than 1 is irrational, so it never lies half-way between two units, and some number
    of guard bits always decides.
    """
    if numerator == denominator:
        return 0
    guard = 32
    while True:
        value, error = _logarithm(numerator, denominator, places + guard)
        low = (value - error + (1 << (guard - 1))) >> guard
        high = (value + error + (1 << (guard - 1))) >> guard
        if low == high:
            return low
        guard *= 2


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
