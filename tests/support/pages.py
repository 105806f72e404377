"""What a reader makes of a source, beside the lines of the source that it names."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.caches.line_map import source_line
from holdfast.caches.readers.reader_table import read_source, reader_named, reader_of
from holdfast.caches.readers.source_reader import Page, Site


class Folder:
    """The files of the sources, as a table of texts."""

    site = Site()

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self._texts = dict(texts or {})

    def text(self, path: str) -> str | None:
        return self._texts.get(path)

    def missing(self, what: str) -> None:
        """What a page lacks is not kept."""


def read(source: str | bytes, name: str, reader: str = "", texts: Mapping[str, str] | None = None) -> Page:
    """The page of a source, by the reader of its name or by one that is named."""
    found = reader_named(reader) if reader else reader_of(name)
    assert found is not None
    return read_source(found, source.encode() if isinstance(source, str) else source, name, Folder(texts))


def numbered(page: Page) -> str:
    """The lines of a page, each after the line of the source that it stands for."""
    lines = page.text.split("\n")[:-1]
    return "".join([f"{source_line(page.lines, number)}|{line}\n" for number, line in enumerate(lines, 1)])


def is_within(page: Page, source: bytes) -> bool:
    """Whether a page names lines that its source has, and its text is lines that can be written."""
    count = source.count(b"\n") + source.count(b"\r") + 1
    page.text.encode()
    return (not page.text or page.text.endswith("\n")) and all(
        1 <= source_line(page.lines, number) <= count for number in range(1, page.text.count("\n") + 1)
    )
