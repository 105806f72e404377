"""The one JSON encoder and the one decoder.

Encoding is compact (`,` and `:`), keys in the order given, non-ASCII unescaped, f32 numbers in their shortest form;
a final newline is added by whoever writes a line. `pretty` indents by two spaces.

The decoder reads through the interpreter's own C scanner. `import json` would load `re` and `enum`, a third of the
time a cold command has (docs/decisions/0006-cold-start.md), for the same scanner.
"""

from __future__ import annotations

from _json import encode_basestring, encode_basestring_ascii, make_scanner

from holdfast.core.float32 import Float32, shortest_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Json = Any  # None, bool, int, float, str, or lists, tuples and dicts of these
    JsonValue = None | bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]


def encode(value: object) -> str:
    """One compact line, without the newline."""
    if type(value) is dict:
        return "{" + ",".join([_quoted(key) + ":" + encode(item) for key, item in value.items()]) + "}"
    if type(value) is list or type(value) is tuple:
        return "[" + ",".join([encode(item) for item in value]) + "]"
    return _scalar(value)


def encode_pretty(value: object, indent: str = "\n") -> str:
    """The same value with two spaces a level; empty containers stay on one line."""
    inner = indent + "  "
    if type(value) is dict and value:
        items = [_quoted(key) + ": " + encode_pretty(item, inner) for key, item in value.items()]
        return "{" + inner + ("," + inner).join(items) + indent + "}"
    if (type(value) is list or type(value) is tuple) and value:
        return "[" + inner + ("," + inner).join([encode_pretty(item, inner) for item in value]) + indent + "]"
    return encode(value)


def _scalar(value: object) -> str:
    if type(value) is str:
        return _quoted(value)
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


def _quoted(text: str) -> str:
    """A JSON string. A lone surrogate has no UTF-8 form, so only a string that holds one is written in escapes."""
    quoted: str = encode_basestring(text)
    if not quoted.isascii():
        try:
            quoted.encode()
        except UnicodeEncodeError:
            escaped: str = encode_basestring_ascii(text)
            return escaped
    return quoted


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
    """Whether a JSON text holds more values than so many, told without making one of them.

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
