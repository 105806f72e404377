"""Plain text: as it is, and titled by its first line where that looks like a title. Pure."""

from __future__ import annotations

from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.page_text import page_of
from holdfast.caches.readers.rst_reader import rst_page
from holdfast.caches.readers.source_reader import Page, SourceFiles
from holdfast.caches.source_formats import is_restructured
from holdfast.core.unicode_text import WHITE_SPACE

# Characters; and what a title does not end in.
_LONGEST_TITLE = 80
_NO_END = ".,;:!?"


def read_text(data: bytes, name: str, files: SourceFiles) -> Page:
    """The page; as reStructuredText where a directive or a label is at the margin. Raises Unreadable."""
    text = decoded(data)
    if is_restructured(text):
        return rst_page(text, name, files)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return page_of([(line, number) for number, line in enumerate(lines, 1)], _title(lines))


def _title(lines: list[str]) -> str:
    """The first line with text, where it is a paragraph of its own; empty where Markdown takes it for a heading
    anyway."""
    first = next((number for number, line in enumerate(lines) if line.strip(WHITE_SPACE)), None)
    if first is None:
        return ""
    title = lines[first].strip(WHITE_SPACE)
    below = lines[first + 1].strip(WHITE_SPACE) if first + 1 < len(lines) else ""
    has_letters = title.strip("=-#*_~+<>|/\\ \t0123456789") != ""
    if below or not has_letters or title[0] == "#" or title[-1] in _NO_END or len(title) > _LONGEST_TITLE:
        return ""
    return title
