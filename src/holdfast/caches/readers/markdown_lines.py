"""Lines of Markdown without comments, and with the files that they include. Pure, and linear in their length."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.caches.readers.included_text import DEEPEST, IncludedText
from holdfast.caches.readers.markdown_includes import Inclusion, included_by, is_snippet_block, marker_of, snippet_of
from holdfast.caches.readers.page_text import Row, longest_run
from holdfast.caches.search.sections import front_matter

_BLANKS = " \t"
_DEEPEST_QUOTE = 16
_OPEN, _CLOSE = "<!--", "-->"


def markdown_rows(rows: Sequence[Row], included: IncludedText, depth: int = 0) -> list[Row]:
    """Lines without comments, and with what they include; blank ones at the beginning are left out."""
    page = MarkdownLines(included, depth)
    for text, source in without_comments(rows):
        page.take(text, source)
    found = page.finish()
    first = next((number for number, (text, _) in enumerate(found) if text.strip(_BLANKS)), len(found))
    return found[first:]


class MarkdownLines:
    """Lines taken one after another, with what they include in their place."""

    def __init__(self, included: IncludedText, depth: int) -> None:
        self._included, self._depth = included, depth
        self._rows: list[Row] = []
        self._fence = ""
        self._block: list[Row] | None = None  # of a list of snippets, which may be none in the end

    def take(self, text: str, source: int) -> None:
        """The next line."""
        if self._block is not None:
            self._block.append((text, source))
            if is_snippet_block(text):
                self._end_block(self._block)
            return
        if "8<" in text and is_snippet_block(text) and self._depth < DEEPEST:
            self._block = [(text, source)]
            return
        marker = None
        if self._depth < DEEPEST and (text.lstrip(_BLANKS)[:2] in _BEGINNINGS or "-8<-" in text):
            marker = marker_of(text)
        inclusion = included_by(marker, self._included) if marker is not None else None
        if inclusion is not None:
            self._include(inclusion, text[: len(text) - len(text.lstrip(_BLANKS))], source)
            return
        if not self._fence and marker is not None:
            self._included.missing(marker.path)
            return
        self._fence = fence_after(text, self._fence)
        self._rows.append((text, source))

    def finish(self) -> list[Row]:
        """All of them."""
        if self._block is not None:
            self._rows += self._block
        return self._rows

    def _end_block(self, block: list[Row]) -> None:
        self._block = None
        filled = [row for row in block[1:-1] if row[0].strip(_BLANKS)]
        markers = [snippet_of(text) for text, _ in filled]
        found = [included_by(marker, self._included) if marker is not None else None for marker in markers]
        if self._fence and not any(found):
            self._rows += block
            return
        for inclusion, marker, (_, source) in zip(found, markers, filled, strict=True):
            if inclusion is not None:
                self._include(inclusion, "", source)
            elif marker is not None:
                self._included.missing(marker.path)

    def _include(self, inclusion: Inclusion, margin: str, source: int) -> None:
        lines = inclusion.lines
        if inclusion.is_markdown and not self._fence:
            body, _ = front_matter(lines or [""])
            rows = [(line, source) for line in lines[body:]]
            included = markdown_rows(rows, self._included, depth=self._depth + 1)
            self._rows += [(margin + text if text else "", source) for text, _ in included]
            return
        if not self._fence:
            mark = "`" * max(3, 1 + max([longest_run(line, "`") for line in lines], default=0))
            lines = [mark + inclusion.language, *lines, mark]
        self._rows += [(margin + line if line else "", source) for line in lines]


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
