"""Text from files, names and arguments as it may be put on a terminal: nothing in it can steer one.

A terminal obeys escape sequences (ESC, the C1 controls), overwrites on CR and BS, and turns text around at bidi
controls. Everything that reaches a terminal passes through here: what a view shows, what is said on stderr, and JSON
that is printed there. What is piped is untouched.
"""

from __future__ import annotations

_TAB, _NEWLINE, _DELETE = 0x09, 0x0A, 0x7F
_CONTROL_PICTURES = 0x2400  # U+2400 shows NUL, and so on up to U+241F; each is as wide as a letter
_DELETE_PICTURE = 0x2421
_REPLACEMENT = 0xFFFD
_BEYOND_ASCII = (
    *range(0x80, 0xA0),  # C1: among them CSI and OSC in one character
    *(0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x2070)),  # bidi controls
    *(0x2028, 0x2029, 0xFEFF),  # separators of lines and paragraphs, the byte order mark
    *range(0xD800, 0xE000),  # lone surrogates, which have no UTF-8 form
)
_tables: list[dict[int, int] | dict[int, str]] = []


def display_text(text: str) -> str:
    """The text with every control shown instead of obeyed; newlines and tabs stay."""
    return text.translate(_made()[0])


def display_line(text: str) -> str:
    """The same as one line: a newline is shown too, so that a name cannot pass for the line after it."""
    if text.isprintable():  # nothing that is shown in another way is
        return text
    return text.translate(_made()[1])


def display_json(text: str) -> str:
    """JSON with the characters a terminal would obey written as escapes: it still means the same."""
    return text.translate(_made()[2])


def _made() -> list[dict[int, int] | dict[int, str]]:
    """The three tables; made when first asked for, since an answer that is piped needs none."""
    if not _tables:
        line: dict[int, int] = {code: _CONTROL_PICTURES + code for code in range(0x20) if code != _TAB}
        line[_DELETE] = _DELETE_PICTURE
        line.update(dict.fromkeys(_BEYOND_ASCII, _REPLACEMENT))
        text = {code: shown for code, shown in line.items() if code != _NEWLINE}
        # Of what is below U+0020 the encoder has escaped all but the newlines between values.
        escapes = {code: f"\\u{code:04x}" for code in (_DELETE, *_BEYOND_ASCII)}
        _tables.extend((text, line, escapes))
    return _tables
