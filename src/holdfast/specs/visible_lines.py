"""Which lines of a Markdown text a reader sees as text: not those in code fences or HTML comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from holdfast.specs.white_space import trimmed

_OPEN, _CLOSE = "<!--", "-->"
_MARKER = re.compile(r"[ \t]*+([-*+]|[0-9]{1,9}+[.)])(?=[ \t])").match  # of a list item


def visible_lines(lines: Sequence[str], unclosed: list[int] | None = None) -> Iterator[tuple[int, str]]:
    """Each line outside fences and comments, with its number from 0. Takes one pass, however long the lines are.

    A fence that is never closed reaches the end of the text, or of the list item it is in, and so does a comment
    that starts a line; one that opens in the middle of a line counts only if it is closed, so that a task may speak of
    `<!--`. To `unclosed`, if given, the numbers of the lines are added that open a fence which nothing closes.
    """
    last_close = max((number for number, line in enumerate(lines) if _CLOSE in line), default=-1)
    items: list[int] = []  # where the text of each enclosing list item begins, the outermost first
    fence, opened, item = "", 0, 0  # the fence that is open, its line, and where the text of its list item begins
    in_comment = False
    for number, line in enumerate(lines):
        if in_comment:
            in_comment = _CLOSE not in line
            continue
        if fence:
            if not item or _indent(line) >= item or not trimmed(line):
                fence = "" if _closes(line, fence) else fence
                continue
            if unclosed is not None:
                unclosed.append(opened)
        _enter_items(line, items)
        if fence := _fence(line):
            opened, item = number, items[-1] if items else 0
        elif _OPEN not in line:
            yield number, line
        elif trimmed(line).startswith(_OPEN):
            in_comment = _CLOSE not in line[line.index(_OPEN) + 2 :]  # `<!-->` is a whole comment
        else:
            yield number, line
            in_comment = number < last_close and _leaves_a_comment_open(line)
    if fence and unclosed is not None:
        unclosed.append(opened)


def _enter_items(line: str, items: list[int]) -> None:
    """Leave the list items that end before a line, and enter the one that it begins."""
    if not trimmed(line):
        return
    indent = _indent(line)
    while items and indent < items[-1]:
        items.pop()
    if marker := _MARKER(line):
        text = _indent(line[marker.end() :])
        items.append(indent + len(marker[1]) + (text if text <= 4 else 1))


def _indent(line: str) -> int:
    """How many columns of blanks and tabs a line begins with."""
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def _fence(line: str) -> str:
    """The run of backticks or tildes that opens a fence on this line, or nothing."""
    if "```" not in line and "~~~" not in line:
        return ""
    text = trimmed(line)
    if text[:2] in ("- ", "* ", "+ "):
        text = trimmed(text[2:])
    mark = text[:1]
    if mark not in ("`", "~") or not text.startswith(mark * 3):
        return ""
    rest = text.lstrip(mark)
    # A backtick after the run makes it code within a line.
    return "" if mark == "`" and "`" in rest else mark * (len(text) - len(rest))


def _closes(line: str, fence: str) -> bool:
    text = trimmed(line)
    return text.startswith(fence) and not text.strip(fence[0])


def _leaves_a_comment_open(line: str) -> bool:
    start = line.rindex(_OPEN)
    in_code = line.count("`", 0, start) % 2 == 1
    return not in_code and _CLOSE not in line[start + 2 :]
