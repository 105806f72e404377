"""The text in the bytes of a source, with the line ends and characters that a page may have. Pure."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE

from holdfast.caches.readers.source_reader import Unreadable

# A longer text is a data file, not a page that anyone reads.
MOST_BYTES = 16 << 20
# Controls but tabs and line ends: they say nothing, and steer terminals.
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])


def decoded(data: bytes) -> str:
    """The text with LF at the end of each line and without controls. Raises Unreadable for what is no text."""
    if len(data) > MOST_BYTES:
        raise Unreadable(f"has {len(data):,} bytes, more than the {MOST_BYTES:,} that a text may have")
    text = _decoded(data)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate(_CONTROLS) if _has_controls(text) else text


def _decoded(data: bytes) -> str:
    try:
        if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            return data.decode("utf-16")
        text = data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8 (byte {error.start}): convert it") from None
    if "\0" in text:
        raise Unreadable(f"is no text: it holds a NUL (byte {data.index(0)})")
    return text


def _has_controls(text: str) -> bool:
    return any(map(text.__contains__, map(chr, _CONTROLS)))
