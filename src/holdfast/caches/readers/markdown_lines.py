"""Lines of Markdown without comments, and with the files that they include. Pure, and linear in their length."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.caches.readers.included_text import DEEPEST, IncludedText
from holdfast.caches.readers.markdown_includes import (
    Inclusion,
    Marker,
    included_by,
    is_snippet_block,
    marker_of,
    snippet_of,
)
from holdfast.caches.readers.page_text import Row, longest_ticks
from holdfast.caches.search.sections import front_matter

_BLANKS = " \t"
_DEEPEST_QUOTE = 16
_OPEN, _CLOSE = "<!--", "-->"


def markdown_rows(rows: Sequence[Row], included: IncludedText, depth: int = 0) -> list[Row]:
    """Lines without comments, and with what they include; blank ones at the beginning are left out."""
    rows = without_comments(rows)
    found: list[Row] = []
    fence = ""
    at = 0
    while at < len(rows):
        text, source = rows[at]
        bare = text.lstrip(_BLANKS)
        first, at = at, at + 1
        margin = text[: len(text) - len(bare)]
        markers: list[tuple[Marker | None, int]] = []
        if depth < DEEPEST and "8<" in text and is_snippet_block(text):
            end = next((number for number in range(at, len(rows)) if is_snippet_block(rows[number][0])), len(rows))
            if end < len(rows):
                markers = [(snippet_of(line), number) for line, number in rows[at:end]]
            at, margin = end + 1, ""
        elif depth < DEEPEST and (bare[:2] in _BEGINNINGS or "-8<-" in text):
            markers = [(marker_of(text), source)]
        inclusions = [(one, included_by(one, included), number) for one, number in markers if one is not None]
        if not inclusions or (fence and not any(inclusion for _, inclusion, _ in inclusions)):
            fence = fence_after(text, fence)
            found += rows[first:at]
            continue
        for marker, inclusion, number in inclusions:
            if inclusion is None:
                included.missing(marker.path)
            else:
                lines = _lines_of(inclusion, fence, included, depth)
                found += [(margin + line if line else "", number) for line in lines]
    begin = next((number for number, (text, _) in enumerate(found) if text.strip(_BLANKS)), len(found))
    return found[begin:]


def _lines_of(inclusion: Inclusion, fence: str, included: IncludedText, depth: int) -> list[str]:
    """What is included as it is written: Markdown as a page is read, code between fences unless it is already."""
    lines = inclusion.lines
    if fence:
        return lines
    if inclusion.is_markdown:
        body, _ = front_matter(lines or [""])
        return [text for text, _ in markdown_rows([(line, 0) for line in lines[body:]], included, depth + 1)]
    mark = "`" * max(3, 1 + max([longest_ticks(line) for line in lines], default=0))
    return [mark + inclusion.language, *lines, mark]


_BEGINNINGS = frozenset(["{*", "{!", "{{", "<<", "--", ";-"])


def fence_after(line: str, fence: str) -> str:
    """The marks of the fence that is open after a line, where this one was open before it; empty for none."""
    if (fence not in line) if fence else ("```" not in line and "~~~" not in line):
        return fence  # nearly every line
    bare = line.strip(_BLANKS)
    for _ in range(_DEEPEST_QUOTE):
        if not bare.startswith("> "):
            break
        bare = bare[2:].lstrip(_BLANKS)
    if fence:
        return "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
    mark = bare[:1]
    if mark not in ("`", "~"):
        return ""
    width = len(bare) - len(bare.lstrip(mark))
    return mark * width if width > 2 and not (mark == "`" and mark in bare[width:]) else ""


def without_comments(rows: Sequence[Row], opening: str = _OPEN, closing: str = _CLOSE) -> list[Row]:
    """Lines without the text between two marks, code excepted; an opening mark that is never closed stays.

    A line that held nothing else is left out, and one of two blank lines that are left around it.
    """
    if not any(opening in text for text, _ in rows):
        return list(rows)
    last = max([number for number, (text, _) in enumerate(rows) if closing in text], default=-1)
    found: list[Row] = []
    fence = ""
    inside = cut = False  # within a comment; lines were left out, and nothing was written since
    for number, (text, source) in enumerate(rows):
        if not inside:
            before = fence
            fence = fence_after(text, fence)
            if before or fence or opening not in text:
                if cut and not text.strip(_BLANKS) and (not found or not found[-1][0].strip(_BLANKS)):
                    continue
                cut = False
                found.append((text, source))
                continue
        if not inside and text[:4].strip(_BLANKS) == "" and not text.lstrip(_BLANKS).startswith(opening):
            found.append((text, source))  # indented code
            continue
        was_inside = inside
        kept, inside = _without(text, inside, (opening, closing), closes_later=number < last)
        if kept.strip(_BLANKS):
            found.append((kept.rstrip(_BLANKS), source))
            cut = False
        elif kept == text and not was_inside:
            found.append((text, source))
        else:
            cut = True
    return found


def _without(text: str, inside: bool, marks: tuple[str, str], *, closes_later: bool) -> tuple[str, bool]:
    """A line without comments, and whether it ends inside of one."""
    opening, closing = marks
    kept: list[str] = []
    at = 0
    while True:
        if inside:
            end = text.find(closing, at)
            if end < 0:
                return "".join(kept), True
            at, inside = end + len(closing), False
        begin = _outside_code(text, opening, at)
        if begin < 0 or (text.find(closing, begin + len(opening)) < 0 and not closes_later):
            return "".join([*kept, text[at:]]), False
        kept.append(text[at:begin])
        at, inside = begin + len(opening), True


def _outside_code(text: str, mark: str, at: int) -> int:
    """The index of a mark outside the code spans of the line; -1 where there is none."""
    found = text.find(mark, at)
    while found >= 0:
        tick = text.find("`", at, found)
        if tick < 0:
            return found
        width = 1
        while text[tick + width : tick + width + 1] == "`":
            width += 1
        end = text.find("`" * width, tick + width)
        at = tick + width if end < 0 else end + width
        if at > found:
            found = text.find(mark, at)
    return -1
