"""A task's prompt: finding its end among the lines of a task, and its sections where it has some."""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.specs.requirement_references import lowered
from holdfast.specs.white_space import WHITE_SPACE, trimmed

MARK = "_Prompt:"
# Words that may open the first section, whatever comes before them.
_OPENING_KEY = re.compile(
    r"(?ai)\b(role|task|context|instructions|requirements|leverage|success|restrictions):"
).finditer
_BREAK = re.compile(r"(?ai)files?:|purpose:").match


def take_prompt(lines: Sequence[str], at: int) -> tuple[str, int]:
    """The prompt that starts on trimmed line `at`, and how many lines it takes up."""
    text = lines[at].partition(MARK)[2]
    if text.endswith("_") and len(text) > 1:
        return trimmed(text[:-1]), 1
    parts = [trimmed(text.removesuffix("_"))]
    end = at + 1
    while end < len(lines) and _continues(lines[end]):
        parts.append(trimmed(lines[end].removesuffix("_")))
        end += 1
    return " ".join(parts), end - at


def _continues(line: str) -> bool:
    return bool(line) and not is_bullet(line) and not _BREAK(line)


def is_bullet(line: str) -> bool:
    """Whether a trimmed line is an item of a list."""
    return len(line) > 1 and line[0] in "-*" and line[1] in WHITE_SPACE


def sections(prompt: str) -> list[tuple[str, str]]:
    """The `Key: value` sections of a prompt that separates them by bars; a part without a key continues the last."""
    if "|" not in prompt:
        return []
    found: list[tuple[str, list[str]]] = []
    parts = [part for part in map(trimmed, prompt.split("|")) if part]
    for place, part in enumerate(parts):
        if place == 0:
            part = part[_last_opening_key(part) :]
        key, colon, value = part.partition(":")
        if key and colon and value:
            key, value = trimmed(key).strip("_"), trimmed(value).strip("_")
            if key and value:
                found.append((key, [value]))
        elif found and (more := trimmed(part.strip("_"))):
            found[-1][1].append(more)
    return [(key, " | ".join(values)) for key, values in found]


def _last_opening_key(part: str) -> int:
    """Where the last known key of a part starts; the part's end when it has none."""
    first: dict[str, int] = {}
    for found in _OPENING_KEY(part):
        first.setdefault(lowered(found[1]), found.start())
    return max(first.values(), default=len(part))
