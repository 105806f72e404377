"""Integer BM25: the logarithm is rounded correctly, the rest is arithmetic."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.search.impacts import (
    HIGHEST_STEP,
    FieldSteps,
    document_step,
    evidence_step,
    logarithm,
    named_step,
    section_step,
    unit,
)


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


CURVES = {"body": (Fraction(1), Fraction(3, 4), 90), "links": (Fraction(7, 10), Fraction(2, 5), 16)}


@given(
    field=st.sampled_from(["body", "links"]),
    quarters=st.integers(1, 10**6),
    length=st.integers(1, 10**7),
)
def test_a_field_s_step_is_bm25_in_sixty_fourths(field: str, quarters: int, length: int) -> None:
    weight, b, usual = CURVES[field]
    times, k1 = Fraction(quarters, 4), Fraction(12, 10)
    exact = 64 * weight * (k1 + 1) * times / (times + k1 * (1 - b + b * length / usual))
    step = FieldSteps(field)[quarters][length]
    assert step == max(1, int(exact + Fraction(1, 2)))
    assert 1 <= step <= 141


STEPS = st.integers(0, 141)


@given(STEPS, STEPS, STEPS, STEPS, STEPS, STEPS, st.booleans())
def test_both_lists_together_count_the_best_field_a_part_of_the_others_and_the_evidence_once(
    body: int, headings: int, title: int, path: int, links: int, document: int, many: bool
) -> None:
    named, evidence = named_step(title, path, links), evidence_step(document)
    own = section_step(body, headings, title, path, links, evidence, many)
    shared = document_step(named, evidence, many)
    steps = sorted((body, headings, title, path, links))
    full = steps[-1] + 4 * sum(steps[:-1]) // 10
    assert 1 <= own <= HIGHEST_STEP
    assert 0 <= shared <= HIGHEST_STEP
    if own > 1 and max(own, shared) < HIGHEST_STEP:
        assert own + shared == full + evidence


def test_steps_by_hand() -> None:
    # A field of its usual length: 64 * 2.2 / (1 + 1.2), and a quarter of a time 64 * 0.55 / (0.25 + 1.2).
    assert FieldSteps("title")[4][4] == 64
    assert FieldSteps("title")[1][4] == 24
    # 64 * 0.7 * 2.2 / (1 + 0.72 + 0.48 * 2) of a text twice as long as usual.
    assert FieldSteps("links")[4][32] == 37
    assert named_step(64, 50, 0) == 64 + 20
    assert evidence_step(64) == 19
    assert document_step(84, 19, many=False) == 84
    assert document_step(84, 19, many=True) == 103
    assert section_step(90, 0, 64, 50, 0, 19, many=False) == (90 + 45) - 84 + 19
    assert section_step(90, 0, 64, 50, 0, 19, many=True) == (90 + 45) - 84
    assert section_step(1, 0, 64, 0, 0, 0, many=True) == 1
