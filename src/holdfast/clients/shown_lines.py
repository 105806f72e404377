"""The lines of a configuration that change, as they may be shown: without a person's own values, which may be keys.

Most lines that change are ours. Where a line of a person changes with them, because a comma is added to it or the
whole file is one line, its strings are left out.
"""

from __future__ import annotations

from difflib import unified_diff
from json import dumps
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

LEFT_OUT = "…"


def changed_lines(before: str, after: str, old: str, new: str, own: Collection[str]) -> str:
    """A unified diff without context; `old` and `new` are what the texts are called, `own` the strings to show."""
    shown = []
    for place, row in enumerate(unified_diff(_lines(before), _lines(after), old, new, n=0, lineterm="")):
        bare = row.rstrip("\r")
        shown.append(bare if place < 2 or row.startswith("@") else bare[0] + _shown(bare[1:], own))
    return "".join([row + "\n" for row in shown])


def entry_strings(entry: object) -> set[str]:
    """Every string in an entry."""
    if isinstance(entry, dict):
        return {text for each in entry.values() for text in entry_strings(each)}
    if isinstance(entry, list):
        return {text for each in entry for text in entry_strings(each)}
    return {entry} if isinstance(entry, str) else set()


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _shown(line: str, own: Collection[str]) -> str:
    """A line with the strings left out that stand where values do and are not ours."""
    parts, at = [], 0
    while at < len(line):
        mark = line[at]
        if mark not in "\"'":
            parts.append(mark)
            at += 1
            continue
        end = at + 1
        while end < len(line) and line[end] != mark:
            end += 2 if line[end] == "\\" else 1
        text, rest = line[at + 1 : end], line[end + 1 :].lstrip(" \t")
        is_key = rest.startswith((":", "="))
        is_own = any(text == each or text == _escaped(each) for each in own)
        parts.append(f"{mark}{text if is_key or is_own else LEFT_OUT}{mark}")
        at = end + 1
    return "".join(parts)


def _escaped(text: str) -> str:
    return dumps(text, ensure_ascii=False)[1:-1]
