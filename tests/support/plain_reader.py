"""A reader for tests: text as it stands, `include NAME` replaced by that file, and `refuse` refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.line_map import make_line_map
from holdfast.caches.readers.source_reader import Page, SourceReader, Unreadable

if TYPE_CHECKING:
    from holdfast.caches.readers.source_reader import SourceFiles

READER = SourceReader("plaintest-1", (".plain",), f"{__name__}:read")


def read(data: bytes, name: str, files: SourceFiles) -> Page:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8 (byte {error.start})") from None
    if text.startswith("refuse"):
        raise Unreadable("refuses to be read")
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("include "):
            lines += [(number, each) for each in (files.text(line[8:]) or "nothing").split("\n")]
        else:
            lines.append((number, line))
    title = name.upper() if "titled" in text else ""
    return Page("\n".join([line for _, line in lines]), title, make_line_map([number for number, _ in lines]))
