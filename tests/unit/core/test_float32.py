"""Scores as text: the shortest decimal that reads back as the same f32."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.selection import divide, to_float32
from holdfast.core.canonical_json import Float32, shortest_text


@pytest.mark.parametrize(
    ("numerator", "denominator", "text"),
    [
        (0, 7, "0.0"),
        (1, 1, "1.0"),
        (1, 3, "0.33333334"),
        (2, 3, "0.6666667"),
        (3, 1, "3.0"),
        (1, 10001, "0.00009999"),
        (1, 100_000, "0.00001"),
        (1, 1_000_000, "0.000001"),
        (1, 1_000_001, "9.99999e-7"),
        (1, 3_000_000, "3.3333333e-7"),
        (1, 4096, "0.00024414062"),
        (1, 131_072, "0.0000076293945"),
        (16_777_217, 1, "16777216.0"),
        (9_999_999, 1, "9999999.0"),
        (10**12, 1, "1000000000000.0"),
        (10**13, 1, "1e13"),
        (123_456_789_012_345, 1, "1.2345679e14"),
    ],
)
def test_a_score_is_printed_in_its_shortest_form(numerator: int, denominator: int, text: str) -> None:
    assert shortest_text(divide(numerator, denominator)) == text


FLOATS = st.floats(min_value=2.0**-100, max_value=2.0**100, width=32).map(Float32)


@given(FLOATS)
def test_the_text_reads_back_as_the_same_f32(value: Float32) -> None:
    assert to_float32(float(shortest_text(value))) == value


@given(FLOATS)
def test_no_text_with_fewer_digits_reads_back(value: Float32) -> None:
    digits = shortest_text(value).split("e")[0].replace(".", "").strip("0")
    for fewer in range(1, len(digits)):
        nearest = f"{value:.{fewer - 1}e}"
        assert to_float32(float(nearest)) != value


@given(st.integers(min_value=-126, max_value=127))
def test_powers_of_two_keep_their_lopsided_interval(power: int) -> None:
    value = Float32(2.0**power)
    below, above = struct.unpack(
        "<2f", struct.pack("<2I", *(struct.unpack("<I", struct.pack("<f", value))[0] + d for d in (-1, 1)))
    )
    assert below < float(shortest_text(value)) < above
    assert to_float32(float(shortest_text(value))) == value


@given(st.integers(0, 2**40), st.integers(1, 2**40))
def test_division_rounds_both_sides_to_f32_and_then_once_more(numerator: int, denominator: int) -> None:
    """Quotes the rule: `score` = f32(matches)/f32(words)."""
    from fractions import Fraction

    exact = Fraction(to_float32(numerator)) / Fraction(to_float32(denominator))
    value = divide(numerator, denominator)
    neighbours = struct.unpack("<I", struct.pack("<f", value))[0]
    for other in (neighbours - 1, neighbours + 1):
        if 0 <= other < 0x7F800000:
            (nearby,) = struct.unpack("<f", struct.pack("<I", other))
            assert abs(Fraction(value) - exact) <= abs(Fraction(nearby) - exact)
