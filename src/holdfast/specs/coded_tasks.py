"""Tasks as spec-kit writes them: `T001 [P] [US1] Add the model in src/models/user.py`."""

from __future__ import annotations

from holdfast.specs.white_space import after_white_space, trimmed

_DIGITS = "0123456789"
_LONGEST_FLAG = 12


def code_end(text: str) -> int:
    """The end of the code a text starts with, `T` and digits, perhaps a letter; 0 without one."""
    if text[:1] != "T":
        return 0
    end = 1
    while end < len(text) and text[end] in _DIGITS:
        end += 1
    if end == 1:
        return 0
    end += text[end : end + 1] in ("a", "b", "c", "d", "e", "f")
    return end if after_white_space(text, end) > end or text[end : end + 1] in (".", ":") else 0


def without_flags(text: str) -> tuple[str, list[str]]:
    """What follows a code without the flags in brackets before it, and the flags."""
    flags = []
    start = after_white_space(text, 0)
    while text[start : start + 1] == "[":
        end = text.find("]", start, start + _LONGEST_FLAG)
        if end < 0:
            break
        flags.append(trimmed(text[start + 1 : end]))
        start = after_white_space(text, end + 1)
    return text[start:], flags


def paths_in(text: str) -> list[str]:
    """The paths a description names: between backticks, or words with a slash and an ending."""
    found = []
    for place, part in enumerate(text.split("`")):
        if place % 2:
            found += [part] if ("/" in part or "." in part) and not any(mark in part for mark in " (){}<>$") else []
        else:
            words = [word.strip("(),.;:") for word in part.split(" ")]
            found += [word for word in words if "/" in word and "." in word.rpartition("/")[2] and "://" not in word]
    return list(dict.fromkeys(found))
