"""Lines with a checkbox: which characters a box may hold, what is a box at all, and why a line with one is no task."""

from __future__ import annotations

import re

from holdfast.specs.layouts import NUMBERED, TaskForm
from holdfast.specs.shapes import Status, WhyNoTask
from holdfast.specs.white_space import WHITE_SPACE, trimmed

STATUS: dict[str, Status] = {
    " ": "pending",
    "~": "pending",  # queued, where a tool knows that
    "-": "in-progress",
    "x": "completed",
    "X": "completed",
}
_OTHER_MARKS = "0123456789abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ"
_BOX = re.compile(rf"[{WHITE_SPACE}]*+[-*][{WHITE_SPACE}]++\[([ xX~-])\]").match
_LIKE_A_BOX = re.compile(
    rf"[{WHITE_SPACE}]*+(?:[-*+]|[0-9]++[.)])[{WHITE_SPACE}]*+\[([^\]]{{0,3}}+)\](?![(\[:])(.*+)", re.DOTALL
).match
_NUMBER = re.compile(r"[0-9]++(?:\.[0-9]++)*+").match
# `E2E`, `i18n` and `20-minute` are words.
_NUMBER_OR_CODE = re.compile(r"(?![A-Za-z][0-9]++[A-Za-z]|[0-9]++-[a-z])[A-Za-z]?[0-9]").match


def after_checkbox(line: str, form: TaskForm = NUMBERED) -> int:
    """The position after the box of a checkbox line, or 0."""
    found = _BOX(line) if "[" in line else None
    return found.end() if found and (found[1] != "~" or form.queued) else 0


def emptied(text: str, form: TaskForm = NUMBERED) -> str:
    """A text with every box empty: equal for two task lists that differ only in how far the work is."""
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if after := after_checkbox(line, form):
            lines[place] = f"{line[: after - 2]} {line[after - 1 :]}"
    return "\n".join(lines)


def looks_like_a_box(line: str) -> bool:
    """Whether a person meant a line that is no checkbox line to be one: `-[ ] a`, `+ [x] a`, `1. [ ] a`, `- [] a`."""
    found = _LIKE_A_BOX(line)
    mark = trimmed(found[1]) if found else "??"
    if found is None or len(mark) > 1:
        return False
    rest = trimmed(found[2])
    # `[1] a paper` is none; `[y] 2. a task` is.
    return bool(number_end(rest) if mark and mark in _OTHER_MARKS else rest)


def is_ticked(text: str) -> bool:
    """Whether the box of a line that has one says that it is done."""
    return trimmed(text.partition("[")[2].partition("]")[0]) in ("x", "X", "\u2713", "\u2714")


def why_no_task(text: str) -> WhyNoTask:
    """Why a trimmed line with a box is no task."""
    after = after_checkbox(text)
    if not after or text[after : after + 1] not in WHITE_SPACE or not trimmed(text[after:]):
        return "malformed"
    return "malformed" if _NUMBER_OR_CODE(trimmed(text[after:]).lstrip("*_`(")) else "unnumbered"


def number_end(text: str) -> int:
    """The end of the number `d(.d)*` a text starts with."""
    found = _NUMBER(text)
    return found.end() if found else 0
