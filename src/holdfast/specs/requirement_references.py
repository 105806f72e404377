"""The requirements that a task names, in the forms that people write: `1.2`, `Requirement 1 (why)`, `REQ-3.1`, `US-2`.

Kiro writes the label in the user's language. A name is reduced to the number or code that `requirement_ids` gives a
requirement, so that the two can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from holdfast.specs.checkbox_lines import number_end
from holdfast.specs.white_space import trimmed

# Every criterion of the spec.
ALL = "*"
# Between the ends of a range of ids.
RANGE = ".."
# Words before the number of a requirement that are no part of its id.
WORDS = (
    *("requirement", "requirements", "req", "reqs", "r"),
    *("\u8981\u4ef6", "\u8981\u6c42", "\u9700\u6c42", "\uc694\uad6c\uc0ac\ud56d"),
)
_STORIES = (
    *("us", "user story", "story", "\u30e6\u30fc\u30b6\u30fc\u30b9\u30c8\u30fc\u30ea\u30fc"),
    *("\u7528\u6237\u6545\u4e8b", "\uc0ac\uc6a9\uc790 \uc2a4\ud1a0\ub9ac"),
)
_LABELS = (
    *(*WORDS, "validates", "anforderungen", "exigences", "requisitos", "requisiti"),
    "\u0442\u0440\u0435\u0431\u043e\u0432\u0430\u043d\u0438\u044f",
    *("\u5bfe\u5fdc\u8981\u4ef6", "\u5bf9\u5e94\u9700\u6c42"),
)
_ALL_WORDS = ("all", "all requirements", "\u6240\u6709", "\u5168\u90e8", "\u3059\u3079\u3066", "\u5168\u3066")
_SEPARATORS = re.compile("[,;&\uff0c\u3001\uff1b]| and ").split
_DASHES = re.compile("[\u2013\u2014\uff5e\u301c~]| to ")
_REMARKS = re.compile("\\([^()]*+\\)?|\uff08[^\uff08\uff09]*+\uff09?")
# What is before a number, the number, and what more a code has: `FR-011-102`, `FR-005a`.
_NUMBERED = re.compile(r"([^0-9]*+)([0-9]++(?:\.[0-9]++)*+)((?:-[0-9]++)*+[a-z]?+(?![A-Za-z]))?").match
_MARKUP = " _*`[].\u3002"
CODE_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LONGEST_CODE = 5
_SMALL = {ord(letter): ord(letter) + 32 for letter in CODE_LETTERS}  # ASCII letters in lower case


def labelled(line: str) -> str | None:
    """What follows the label of a line such as `_Requirements: 1.1_`; None for a line without such a label."""
    text = line.lstrip(_MARKUP + "-")
    for colon in (":", "\uff1a"):
        label, found, names = text.partition(colon)
        if found and lowered(label.strip(_MARKUP)) in _LABELS:
            return names
    return None


def names_in(text: str) -> list[str]:
    """The ids that a list of references names, each once; what is no reference is left out."""
    names = _SEPARATORS(_DASHES.sub("-", _REMARKS.sub("", text)))
    return list(dict.fromkeys([name for name in map(reference, names) if name]))


def reference(text: str) -> str:
    """One reference as an id or a range of ids; empty when a text begins with none."""
    text = text.strip(_MARKUP)
    if lowered(text) in _ALL_WORDS:
        return ALL
    first, dash, last = text.rpartition("-")
    end = number_end(trimmed(last))
    if dash and end and number_end(trimmed(first)[-1:]) and (start := id_of(first)).endswith(trimmed(first)[-1]):
        return f"{start}{RANGE}{trimmed(last)[:end]}"
    return id_of(text)


def id_of(text: str) -> str:
    """The id that a text begins with: a number, or a code such as `FR-1`; words for a requirement are dropped."""
    found = _NUMBERED(text)
    if found is None:
        return ""
    before, number, more = found.groups()
    word = lowered(before).rstrip(" -#:")
    if not word or word in WORDS:
        return number
    if word in _STORIES:
        return f"US{number}"
    code = before.rstrip("- ")
    is_code = 0 < len(code) <= _LONGEST_CODE and CODE_LETTERS.issuperset(code)
    return f"{code}-{number}{more or ''}" if is_code else ""


def comparable(name: str) -> str:
    """An id as it is compared: `FR-001` and `FR-1` are one."""
    code, dash, number = name.partition("-")
    return f"{code}-{number.lstrip('0')}" if dash and code and CODE_LETTERS.issuperset(code) else name


def lowered(text: str) -> str:
    """The text with its ASCII letters in lower case."""
    return text.translate(_SMALL)


def whole_words(*words: str) -> Callable[[str], list[str]]:
    """What finds some words in a text in lower case, none as a part of a longer one."""
    listed = "|".join(map(re.escape, words))
    return re.compile(rf"(?<![a-z0-9_-])(?:{listed})(?:(?<=\.)|(?![a-z0-9_-]))").findall


MUSTS = whole_words("shall", "must")
