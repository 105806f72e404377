"""The one JSON encoder and the one decoder.

Encoding is compact (`,` and `:`), keys in the order given, non-ASCII unescaped, f32 numbers in their shortest form;
the caller that writes a line adds its final newline. `pretty` indents by two spaces.

The decoder reads through the interpreter's own C scanner. `import json` would load `re` and `enum`, a third of the
time a cold command has (docs/decisions/0006-cold-start.md), for the same scanner.
"""

from __future__ import annotations

from _json import encode_basestring, encode_basestring_ascii, make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    Json = Any  # None, bool, int, float, str, or lists, tuples and dicts of these
    JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"


class Float32(float):
    """A float whose value is exactly representable in single precision, and is printed as such."""

    __slots__ = ()


def encode(value: object) -> str:
    """One compact line, without the newline."""
    kind = type(value)
    if kind is str:
        return quoted(value)  # type: ignore[arg-type]  # the line above
    if kind is dict:
        members = [f"{quoted(key)}:{encode(item)}" for key, item in value.items()]  # type: ignore[attr-defined]  # the same
        return "{" + ",".join(members) + "}"
    if kind is list or kind is tuple:
        return "[" + ",".join([encode(item) for item in value]) + "]"  # type: ignore[attr-defined]  # the same
    return _scalar(value)


def encode_pretty(value: object, indent: str = "\n") -> str:
    """The same value with two spaces a level; empty containers stay on one line."""
    inner = indent + "  "
    if type(value) is dict and value:
        items = [
            quoted(key) + ": " + (quoted(item) if type(item) is str else encode_pretty(item, inner))
            for key, item in value.items()
        ]
        return "{" + inner + ("," + inner).join(items) + indent + "}"
    if (type(value) is list or type(value) is tuple) and value:
        return "[" + inner + ("," + inner).join([encode_pretty(item, inner) for item in value]) + indent + "]"
    return encode(value)


def _scalar(value: object) -> str:
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return "null"
    if type(value) is Float32:
        return shortest_text(value)
    if type(value) is int:
        return int.__repr__(value)
    if type(value) is float:
        return float.__repr__(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def quoted(text: str) -> str:
    """A JSON string. A lone surrogate has no UTF-8 form, so only a string that holds one is written in escapes."""
    quoted: str = encode_basestring(text)
    if not quoted.isascii():
        try:
            quoted.encode()
        except UnicodeEncodeError:
            escaped: str = encode_basestring_ascii(text)
            return escaped
    return quoted


def shortest_text(value: Float32) -> str:
    """The shortest decimal that reads back as the same f32; of several, the one closest to the value.

    Plain notation from 1e-6 up to below 1e13, with at least one digit after the point; `9.99999e-7` below and
    `1e13` above. Scores are finite and not negative, so neither sign nor infinity has a spelling here.
    """
    if value == 0.0:
        return "0.0"
    digits, exponent = _shortest_digits(value)
    point = len(digits) + exponent  # index of the decimal point, counted from the first digit
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


class JsonError(ValueError):
    """The text is not JSON, or is nested too deep to read."""


def _reject_constant(name: str) -> None:
    raise JsonError(f"{name} is not JSON")


def _whole_number(digits: str) -> int | float:
    # Beyond a few hundred digits an integer is no id, count or budget; as a float it fails every check for one.
    return int(digits) if len(digits) < 400 else float(digits)


class _Rules:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = staticmethod(_whole_number)
    parse_constant = staticmethod(_reject_constant)


_scan = make_scanner(_Rules)  # type: ignore[arg-type]  # it reads the attributes of any object
_WHITE_SPACE = " \t\n\r"


def decode(data: bytes | str) -> Json:
    """The value of a JSON text in UTF-8, or JsonError; a later duplicate of a key wins."""
    try:
        text = data.decode() if isinstance(data, bytes) else data
        text = text.strip(_WHITE_SPACE)
        value, end = _scan_value(text)
    except StopIteration:
        raise JsonError("a value is missing") from None
    except RecursionError:
        raise JsonError("nested too deep") from None
    except ValueError as error:  # not UTF-8, or not JSON
        raise JsonError(str(error)) from None
    if end != len(text):
        raise JsonError(f"more text after the value, at character {end}")
    return value


def holds_more_values(data: bytes, most: int) -> bool:
    """Whether a JSON text holds more than `most` values, found without decoding it.

    A text of `[],` takes thirty times its length, and seconds, to decode. What it holds is counted by its commas and
    opening brackets outside strings.
    """
    if len(data) <= most:
        return False
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")  # then every quote begins or ends a string
    strings = data.count(b'"') // 2
    if strings > most:
        return True
    outside = b"".join(data.split(b'"')[::2]) if strings else data
    return outside.count(b",") + outside.count(b"[") + outside.count(b"{") > most


def _scan_value(text: str) -> tuple[Json, int]:
    try:
        return _scan(text, 0)
    except SystemError:
        # The scanner's own error class lives in a module it expects to be loaded; bad input can afford that.
        import json.decoder  # noqa: F401  # only to be there

        return _scan(text, 0)
