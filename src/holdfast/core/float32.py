"""Single-precision numbers: scores are ranked and printed as f32, on every machine alike."""

from __future__ import annotations

from struct import Struct

_SINGLE = Struct("<f")


class Float32(float):
    """A float whose value is exactly representable in single precision, and is printed as such."""

    __slots__ = ()


def to_float32(number: float) -> Float32:
    """The nearest single-precision value, ties to even."""
    return Float32(_SINGLE.unpack(_SINGLE.pack(number))[0])


def divide(numerator: int, denominator: int) -> Float32:
    """f32(numerator) / f32(denominator), rounded once: 53 bits are enough that rounding twice changes nothing."""
    return to_float32(to_float32(numerator) / to_float32(denominator))


def shortest_text(value: Float32) -> str:
    """The shortest decimal that reads back as the same f32; of several, the one closest to the value.

    Plain notation from 1e-6 up to below 1e13, with at least one digit after the point; `9.99999e-7` below and
    `1e13` above. Scores are finite and not negative, so neither sign nor infinity has a spelling here.
    """
    if value == 0.0:
        return "0.0"
    digits, exponent = _shortest_digits(value)
    point = len(digits) + exponent  # where the decimal point stands, counted from the first digit
    if exponent >= 0 and point <= 13:
        return digits + "0" * exponent + ".0"
    if 0 < point <= 13:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    fraction = "." + digits[1:] if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1}"


def _shortest_digits(value: Float32) -> tuple[str, int]:
    """Digits and power of ten of the shortest decimal inside the interval that rounds to `value`."""
    numerator, denominator = value.as_integer_ratio()
    # No decimal of up to six digits is nearer than the nearest of six: most values need more, and begin there.
    start = 6 if _is_far(f"{value:.5e}", value) else 0
    for precision in range(start, 9):
        mantissa, _, power = f"{value:.{precision}e}".partition("e")
        digits = mantissa.replace(".", "")
        exponent = int(power) - precision
        # Just above a power of two the interval is lopsided: the nearest decimal may miss where the next one up fits.
        for candidate in (int(digits), int(digits) + 1):
            if _is_far(f"{candidate}e{exponent}", value):
                continue
            if _reads_back(candidate, exponent, numerator, denominator):
                text = str(candidate)
                stripped = text.rstrip("0")
                return stripped, exponent + len(text) - len(stripped)
    raise AssertionError("nine digits always identify an f32")


def _is_far(decimal: str, value: Float32) -> bool:
    """Whether a decimal is certainly no spelling of a value: farther off than half a step at its widest, 2**-24."""
    return abs(float(decimal) - value) > value * 6e-8


def _reads_back(digits: int, exponent: int, numerator: int, denominator: int) -> bool:
    """Whether digits * 10**exponent rounds to numerator/denominator as an f32, decided in exact integers."""
    # numerator/denominator = mantissa * 2**power with 2**23 <= mantissa < 2**24 (subnormals do not occur as scores).
    power = numerator.bit_length() - denominator.bit_length() - 23
    if (numerator << max(0, -power)) < (denominator << max(0, power)) << 23:
        power -= 1
    mantissa = (numerator << max(0, -power)) // (denominator << max(0, power))
    # In units of 2**(power-2): the value is 4*mantissa, the bounds lie half a step up and half a step down.
    low = 4 * mantissa - (1 if mantissa == 1 << 23 else 2)
    high = 4 * mantissa + 2
    scaled_up: int = digits * 10 ** max(0, exponent) << max(0, 2 - power)
    scale: int = 10 ** max(0, -exponent) << max(0, power - 2)
    if mantissa % 2 == 0:  # a tie rounds to the even mantissa, so the bounds belong to it
        return low * scale <= scaled_up <= high * scale
    return low * scale < scaled_up < high * scale
