"""Lines with a checkbox: which characters a box may hold, what is a box at all, and why a line with one is no task."""

from __future__ import annotations

from holdfast.specs.layouts import NUMBERED, TaskForm
from holdfast.specs.shapes import Status, WhyNoTask
from holdfast.specs.white_space import WHITE_SPACE, after_white_space, trimmed

STATUS: dict[str, Status] = {
    " ": "pending",
    "~": "pending",  # queued, where a tool knows that
    "-": "in-progress",
    "x": "completed",
    "X": "completed",
}
_BOXES = " -xX"
_DIGITS = "0123456789"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def after_checkbox(line: str, form: TaskForm = NUMBERED) -> int:
    """The position after the box of a checkbox line, or 0."""
    if "[" not in line:
        return 0
    marker = after_white_space(line, 0)
    box = after_white_space(line, marker + 1)
    if box == marker + 1 or line[marker : marker + 1] not in ("-", "*"):
        return 0
    opening, status, closing = line[box : box + 1], line[box + 1 : box + 2], line[box + 2 : box + 3]
    known = status in STATUS if form.queued else status and status in _BOXES
    return box + 3 if opening == "[" and known and closing == "]" else 0


def emptied(text: str, form: TaskForm = NUMBERED) -> str:
    """A text with every box empty: equal for two task lists that differ only in how far the work is."""
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if after := after_checkbox(line, form):
            lines[place] = f"{line[: after - 2]} {line[after - 1 :]}"
    return "\n".join(lines)


def looks_like_a_box(line: str) -> bool:
    """Whether a person meant a line that is no checkbox line to be one: `-[ ] a`, `+ [x] a`, `1. [ ] a`, `- [] a`."""
    start = after_white_space(line, 0)
    marker = start
    if line[marker : marker + 1] in ("-", "*", "+"):
        marker += 1
    else:
        marker = _digits_end(line, marker)
        if marker == start or line[marker : marker + 1] not in (".", ")"):
            return False
        marker += 1
    box = after_white_space(line, marker)
    end = line.find("]", box, box + 5)
    if line[box : box + 1] != "[" or end < 0:
        return False
    mark, rest = trimmed(line[box + 1 : end]), line[end + 1 :]
    if len(mark) > 1 or rest[:1] in ("(", "[", ":"):  # a link, or the text of one
        return False
    if mark and mark in _LETTERS + _DIGITS and mark not in "xX":
        # `[1] a paper` is none; `[y] 2. a task` is.
        return bool(number_end(trimmed(rest)))
    return bool(trimmed(rest))


def is_ticked(text: str) -> bool:
    """Whether the box of a line that has one says that it is done."""
    box = text.partition("[")[2].partition("]")[0]
    return trimmed(box) in ("x", "X", "\u2713", "\u2714")


def why_no_task(text: str) -> WhyNoTask:
    """Why a trimmed line with a box is no task."""
    after = after_checkbox(text)
    if not after or text[after : after + 1] not in WHITE_SPACE or not text[after:]:
        return "malformed"
    said = trimmed(text[after:])
    bare = said.lstrip("*_`(")
    coded = bare[:1] in _LETTERS and bare[:1] != "" and _digits_end(bare, 1) > 1
    return "malformed" if not said or number_end(bare) or coded else "unnumbered"


def number_end(text: str) -> int:
    """The end of the number `d(.d)*` a text starts with."""
    end = _digits_end(text, 0)
    while end and text[end : end + 1] == "." and (more := _digits_end(text, end + 1)) > end + 1:
        end = more
    return end


def _digits_end(text: str, start: int) -> int:
    while start < len(text) and text[start] in _DIGITS:
        start += 1
    return start
