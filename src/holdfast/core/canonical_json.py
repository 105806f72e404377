"""The one JSON encoder and the one decoder.

Encoding is compact (`,` and `:`), keys in the order given, non-ASCII unescaped, f32 numbers in their shortest form;
the caller that writes a line adds its final newline. `pretty` indents by two spaces.

The decoder reads through the interpreter's own C scanner. `import json` would load `re` and `enum`, a third of the
time a cold command has (docs/decisions/0006-cold-start.md), for the same scanner.
"""

from __future__ import annotations

from _json import encode_basestring, encode_basestring_ascii, make_scanner

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    Json = Any  # None, bool, int, float, str, or lists, tuples and dicts of these
    JsonValue: TypeAlias = "bool | int | float | str | TextParts | Sequence[JsonValue] | Mapping[str, JsonValue] | None"


# A part of a long line has at most `_MANY` pieces and ends after a text of `_LONG` characters.
_MANY, _LONG = 256, 1 << 14

# ASCII texts beyond this length are quoted in another way.
_WORTH_A_LOOK = 512
# Bytes that stand for themselves in a JSON string, and how others usually do, the backslash first.
_PLAIN = bytes([*range(0x20, 0x22), *range(0x23, 0x5C), *range(0x5D, 0x100)])
_ESCAPES = ((b"\\", "\\\\"), (b'"', '\\"'), (b"\n", "\\n"), (b"\r", "\\r"), (b"\t", "\\t"))


class Float32(float):
    """A float whose value is exactly representable in single precision, and is printed as such."""

    __slots__ = ()


class TextParts(NamedTuple):
    """A text as parts of its UTF-8, none cut inside a character; they are taken once. Its JSON form is one string."""

    parts: Iterable[bytes]


def encode(value: object) -> str:
    """One compact line, without the newline."""
    line = _Line(None)
    line.add(value)
    return "".join(line.pieces)


def encode_parts(value: object) -> list[bytes]:
    """The same line in UTF-8 and in parts: a long one is never held twice, a short one is one part."""
    parts: list[bytes] = []
    line = _Line(parts)
    line.add(value)
    line.flush()
    return parts


class _Line:
    """Writes a value as pieces of text, and makes parts of those, where parts are wanted, before they are many."""

    __slots__ = ("_names", "_numbers", "_parts", "pieces")

    def __init__(self, parts: list[bytes] | None) -> None:
        self.pieces: list[str] = []
        self._parts = parts
        self._names: dict[str, str] = {}  # each key as it is written: an answer repeats the same few
        self._numbers: dict[Float32, str] = {}

    def add(self, value: object) -> None:
        kind = type(value)
        if kind is dict:
            self._add_members(value)  # type: ignore[arg-type]  # the line above
        elif kind is list or kind is tuple:
            self._add_items(value)  # type: ignore[arg-type]  # the same
        elif kind is Float32:
            self.pieces.append(self._number(value))  # type: ignore[arg-type]  # the same
        elif isinstance(value, TextParts):
            self.pieces.append('"')
            for part in value.parts:
                self.pieces.append(quoted(part.decode())[1:-1])
                self.flush()
            self.pieces.append('"')
        else:
            self.pieces.append(_scalar(value))

    def _add_members(self, members: dict[str, object]) -> None:
        pieces, names = self.pieces, self._names
        mark = "{"
        for key, item in members.items():
            name = names.get(key) or names.setdefault(key, quoted(key) + ":")
            pieces += (mark, name)
            mark = ","
            if type(item) is str:
                pieces.append(quoted(item))
                if len(item) > _LONG:
                    self.flush()
            elif type(item) is int:
                pieces.append(int.__repr__(item))
            else:
                self.add(item)
        pieces.append("}" if members else "{}")

    def _add_items(self, items: Sequence[object]) -> None:
        mark = "["
        for item in items:
            self.pieces.append(mark)
            self.add(item)
            mark = ","
            if len(self.pieces) > _MANY:
                self.flush()
        self.pieces.append("]" if items else "[]")

    def _number(self, value: Float32) -> str:
        return self._numbers.get(value) or self._numbers.setdefault(value, shortest_text(value))

    def flush(self) -> None:
        """Make a part of the pieces so far."""
        if self._parts is not None:
            self._parts.append("".join(self.pieces).encode())
            self.pieces.clear()


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
    if type(value) is str:
        return quoted(value)
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
    if len(text) > _WORTH_A_LOOK and text.isascii():
        return _quoted_document(text)
    quoted: str = encode_basestring(text)
    if not quoted.isascii():
        try:
            quoted.encode()
        except UnicodeEncodeError:
            escaped: str = encode_basestring_ascii(text)
            return escaped
    return quoted


def all_quoted(texts: Sequence[str]) -> list[str]:
    """JSON strings: where no text holds a mark, without looking at each."""
    return [f'"{text}"' for text in texts] if are_plain(texts) else list(map(quoted, texts))


def are_plain(texts: Iterable[str]) -> bool:
    """Whether each text becomes a JSON string by adding quotes: ASCII, without anything to escape."""
    joined = "".join(texts)
    return joined.isascii() and not joined.encode().translate(None, _PLAIN)


def _quoted_document(text: str) -> str:
    """The same for a long ASCII text: looking up which marks it holds, then replacing those, is twice as fast."""
    marks = text.encode().translate(None, _PLAIN)
    if marks.translate(None, b'\\"\n\r\t'):  # controls that are rare
        quoted: str = encode_basestring(text)
        return quoted
    for mark, escape in _ESCAPES:
        if mark in marks:
            text = text.replace(mark.decode(), escape)
    return f'"{text}"'


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
