"""Integer BM25: the logarithm is rounded correctly, the rest is arithmetic."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.search.impacts import Steps, logarithm, unit


class TestTheLogarithm:
    """`scale * ln(n / d)`, correctly rounded."""

    @given(numerator=st.integers(1, 10**18), denominator=st.integers(1, 10**18), scale=st.sampled_from([1, 100, 2**40]))
    def test_it_is_the_nearest_whole_number(self, numerator: int, denominator: int, scale: int) -> None:
        getcontext().prec = 80
        exact = (Decimal(numerator) / Decimal(denominator)).ln() * scale
        found = logarithm(numerator, denominator, scale)
        assert abs(exact - found) <= Decimal("0.5")

    @pytest.mark.parametrize(("numerator", "denominator", "expected"), [(1, 1, 0), (7, 7, 0), (2, 1, 69), (1, 2, -69)])
    def test_simple_values(self, numerator: int, denominator: int, expected: int) -> None:
        assert logarithm(numerator, denominator, 100) == expected

    def test_more_bits_are_taken_where_few_do_not_decide(self) -> None:
        # ln(1 + 10^-40) * 10^40 is just below 1; 32 bits see nothing of it.
        assert logarithm(10**40 + 1, 10**40, 10**40) == 1


@pytest.mark.parametrize(
    ("sections", "holding", "expected"), [(1, 1, 29), (10, 0, 309), (10, 10, 5), (10**6, 10**6, 1)]
)
def test_a_term_in_fewer_sections_is_worth_more_and_none_is_worth_nothing(
    sections: int, holding: int, expected: int
) -> None:
    assert unit(sections, holding) == expected


@given(
    times=st.integers(1, 10**6),
    length=st.integers(1, 10**7),
    total=st.integers(1, 10**9),
    sections=st.integers(1, 10**6),
)
def test_a_step_is_bm25_in_hundredths_and_fits_a_byte(times: int, length: int, total: int, sections: int) -> None:
    k1, b = Fraction(12, 10), Fraction(3, 4)
    exact = 100 * (k1 + 1) * times / (times + k1 * (1 - b + b * length * sections / total))
    step = Steps(total, sections).of(times)[length]
    assert step == max(1, int(exact + Fraction(1, 2)))
    assert 1 <= step <= 220
