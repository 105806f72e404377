"""MDX: Markdown without imports, exports, tags and comments; the text of components stays. Pure, and linear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.included_text import IncludedText
from holdfast.caches.readers.jsx_tags import braces_end, tag_at
from holdfast.caches.readers.markdown_reader import fence_after, markdown_rows, without_comments
from holdfast.caches.readers.page_text import page_of
from holdfast.caches.search.sections import front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.readers.page_text import Row
    from holdfast.caches.readers.source_reader import Page, SourceFiles

_BLANKS = " \t"
# Characters of a statement or an expression that are looked through for its end.
_LONGEST = 20_000
# What follows a `<` that begins no tag.
_OTHERS = frozenset(["", " ", "\n", "=", "<", "-", "!", *"0123456789"])
_STATEMENTS = ("import ", "import{", "export ", "export{")


def read_mdx(data: bytes, name: str, files: SourceFiles) -> Page:
    """The page. Raises Unreadable."""
    lines = decoded(data).split("\n")
    if not lines[-1]:
        lines.pop()
    body, title = front_matter(lines or [""])
    rows = [(line, number) for number, line in enumerate(lines[body:], body + 1)]
    rows = without_comments(rows, "{/*", "*/}")
    found: list[Row] = []
    depth = Depth()
    for is_code, block in _blocks(rows):
        found += depth.unindented(block) if is_code else _prose(block, depth)
    return page_of(markdown_rows(_spaced(found), IncludedText(name, files)), title)


class Depth:
    """How far the text inside components is indented: what it begins with is taken off."""

    def __init__(self) -> None:
        self._margins: list[int] = []  # of each open component, that of its text; -1: not known yet

    def open(self) -> None:
        """A component begins."""
        self._margins.append(-1)

    def close(self) -> None:
        """A component ends."""
        if self._margins:
            self._margins.pop()

    def unindented(self, rows: Sequence[Row]) -> list[Row]:
        """Lines without the margin that they have by standing inside components."""
        if not self._margins:
            return list(rows)
        found = []
        for text, source in rows:
            bare = text.lstrip(_BLANKS)
            indent = len(text) - len(bare)
            if bare and self._margins[-1] < 0:
                self._margins[-1] = indent
            found.append((text[min(indent, max(self._margins[-1], 0)) :], source))
        return found


def _blocks(rows: Sequence[Row]) -> Iterator[tuple[bool, list[Row]]]:
    """The lines in stretches of code between fences, fences included, and of all else."""
    fence = ""
    block: list[Row] = []
    for text, source in rows:
        before = fence
        fence = fence_after(text, fence)
        if fence and not before:
            yield False, block
            block = []
        block.append((text, source))
        if before and not fence:
            yield True, block
            block = []
    yield bool(fence), block


def _prose(rows: Sequence[Row], depth: Depth) -> list[Row]:
    """Lines without statements and tags."""
    rows = _without_statements(rows)
    text = "\n".join([text for text, _ in rows])
    if "<" not in text and "{" not in text:
        return depth.unindented(rows)
    return _Prose(text, [source for _, source in rows], depth).lines()


class _Prose:
    """A text that is written again without its tags, line by line."""

    def __init__(self, text: str, sources: Sequence[int], depth: Depth) -> None:
        self._text, self._sources, self._depth = text, sources, depth
        self._found: list[Row] = []
        self._number = 0  # of the line that is being put together
        self._kept: list[str] = []  # what it has so far
        self._begin = 0  # where what it goes on with begins
        self._is_cut = self._is_begun_by_tag = self._has_words = False
        # What may be looked through in vain: where tags are never closed, the rest is taken as it is.
        self._left = 2 * len(text) + 10 * _LONGEST

    def lines(self) -> list[Row]:
        """All of them; a line that held nothing but tags is left out."""
        text, place = self._text, 0
        lost: set[int] = set()
        while place < len(text):
            one = text[place]
            if one == "\n":
                self._end_line(place)
                place += 1
                self._begin = place
            elif one == "`":
                place = _code_end(text, place, lost)
            elif one in "<{" and self._left > 0:
                place = self._tag(place) if one == "<" else self._expression(place)
            else:
                place += 1
        self._end_line(len(text))
        return self._found

    def _tag(self, place: int) -> int:
        tag = tag_at(self._text, place)
        if tag is None:
            self._left -= (
                min(_LONGEST, len(self._text) - place) if self._text[place + 1 : place + 2] not in _OTHERS else 1
            )
            return place + 1
        self._kept.append(self._text[self._begin : place])
        self._has_words |= bool(self._kept[-1].strip(_BLANKS))
        is_first = not self._has_words
        self._is_begun_by_tag |= is_first
        if tag.title and is_first:
            follows = self._text[tag.end : tag.end + 1] not in ("", "\n")
            self._kept.append(f"**{tag.title}**{' ' if follows else ''}")
            self._has_words = True
        self._is_cut = True
        for _ in range(self._text.count("\n", place, tag.end)):
            self._begin = place
            self._end_line(place)
            self._is_cut = True
        self._begin = tag.end
        if tag.closes:
            self._depth.close()
        elif not tag.is_empty:
            self._depth.open()
        return tag.end

    def _expression(self, place: int) -> int:
        until = min(len(self._text), place + _LONGEST)
        end = braces_end(self._text, place, until)
        if end < 0:
            self._left -= until - place
            return place + 1
        if not _is_blank(self._text[place:end]):
            return place + 1
        self._kept.append(self._text[self._begin : place])
        self._is_cut, self._begin = True, end
        return end

    def _end_line(self, until: int) -> None:
        line = "".join([*self._kept, self._text[self._begin : until]])
        if line.strip(_BLANKS) or not self._is_cut:
            source = self._sources[self._number]
            if self._is_begun_by_tag:
                self._found.append((line.strip(_BLANKS), source))
            else:
                self._found += self._depth.unindented([(line.rstrip(_BLANKS) if self._is_cut else line, source)])
        self._kept = []
        self._is_cut = self._is_begun_by_tag = self._has_words = False
        self._number += 1


def _is_blank(expression: str) -> bool:
    """Whether an expression in braces is white space."""
    return not expression.strip("{}\"'` ")


def _code_end(text: str, at: int, lost: set[int]) -> int:
    """Where a code span ends that begins at a place, within its line; after its mark where none does.

    Marks so wide that none follows are `lost`.
    """
    width = 1
    while text[at + width : at + width + 1] == "`":
        width += 1
    end = -1 if width in lost else text.find("`" * width, at + width)
    if end < 0:
        lost.add(width)
        return at + width
    return at + width if "\n" in text[at:end] else end + width


def _without_statements(rows: Sequence[Row]) -> list[Row]:
    """Lines without imports and exports, which begin at the margin and end where their brackets are closed."""
    found: list[Row] = []
    at = 0
    most = _LONGEST
    while at < len(rows):
        if not rows[at][0].startswith(_STATEMENTS):
            found.append(rows[at])
            at += 1
            continue
        end = _statement_end(rows, at, most)
        if end is None:  # never closed: its line alone, and the next ones are looked through less far
            end, most = at + 1, most // 2
        at = end
    return found


def _statement_end(rows: Sequence[Row], at: int, most: int) -> int | None:
    """The line after a statement: the first blank one, or the end of the block, at which no bracket is open.

    None where none is found within `most` characters.
    """
    depth = length = 0
    first_blank = None
    for number in range(at, len(rows)):
        text = rows[number][0]
        length += len(text) + 1
        if not text.strip(_BLANKS):
            if depth <= 0:
                return number
            first_blank = number if first_blank is None else first_blank
        elif number > at and depth <= 0 and not text.startswith(_STATEMENTS) and text[0] not in " \t)]}<":
            return number
        for opening, closing in ("{}", "()", "[]"):
            depth += text.count(opening) - text.count(closing)
        if length > most:
            return None
    return len(rows) if depth <= 0 else first_blank


def _spaced(rows: Sequence[Row]) -> list[Row]:
    """Lines with at most one blank between two others; within fences as they are."""
    found: list[Row] = []
    fence = ""
    for text, source in rows:
        if not fence and not text.strip(_BLANKS) and found and not found[-1][0].strip(_BLANKS):
            continue
        fence = fence_after(text, fence)
        found.append((text, source))
    while found and not found[-1][0].strip(_BLANKS):
        found.pop()
    return found
