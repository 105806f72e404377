"""Label lines: lines of a text that name, mark or set something, and tell a reader nothing. Pure.

A label, an anchor, a comment or a tag alone, a rule, an option, a directive without an argument. A section of nothing
else is no answer, so it leads into what follows.
"""

from __future__ import annotations

from holdfast.caches.heading_text import is_tag
from holdfast.core.unicode_text import WHITE_SPACE

_FIRST = frozenset("<.(:-*_")
_OPTION = frozenset("abcdefghijklmnopqrstuvwxyz-")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
# Directives that say something about the text around them, whatever their argument is.
_SETTINGS = frozenset(["index", "currentmodule", "module", "highlight", "contents", "toctree"])


def is_label(bare: str) -> bool:
    """Whether a line that was stripped, and is not empty, is a label line."""
    first = bare[0]
    if first not in _FIRST:
        return False  # most lines
    if first == "<":
        return _is_markup(bare)
    if first == ".":
        return bare.startswith(".. ") and _is_directive(bare[3:].lstrip(WHITE_SPACE))
    if first == "(":
        return bare.endswith(")=") and len(bare) > 3 and _NAME.issuperset(bare[1:-2])
    if first == ":":
        if bare.startswith(":::"):
            return True
        name, colon, value = bare[1:].partition(":")
        return bool(colon and name) and _OPTION.issuperset(name) and value[:1] in ("", " ", "\t")
    return len(bare) > 2 and not bare.strip(first)  # a rule


def _is_markup(bare: str) -> bool:
    """Whether a line is one comment, one tag, or an anchor with its end."""
    if bare.startswith("<!--"):
        return bare.endswith("-->") and len(bare) > 6
    if not bare.endswith(">"):
        return False
    if bare[:2] in ("<a", "<A"):
        bare = bare.removesuffix("</a>").removesuffix("</A>").rstrip(WHITE_SPACE)
    tag, _, after = bare[1:].partition(">")
    return not after and "<" not in tag and is_tag(tag)


def _is_directive(rest: str) -> bool:
    """Whether what follows `.. ` is a label, a setting, or a directive alone."""
    if rest.startswith("_") and rest.endswith(":"):
        return True
    name, marks, argument = rest.partition("::")
    return bool(marks and name) and (not argument or name in _SETTINGS)


def next_telling(lines: list[str], at: int, until: int) -> int:
    """The first line from `at` on that is neither blank nor a label line; `until` where there is none before it."""
    while at < until:
        bare = lines[at].strip(WHITE_SPACE)
        if bare and not is_label(bare):
            break
        at += 1
    return at


def next_text(lines: list[str], at: int, until: int) -> int:
    """The first line from `at` on that is not blank; `until` where there is none before it."""
    while at < until and not lines[at].strip(WHITE_SPACE):
        at += 1
    return at


def after_text(lines: list[str], until: int) -> int:
    """The line after the last one before `until` that is not blank."""
    while until > 0 and not lines[until - 1].strip(WHITE_SPACE):
        until -= 1
    return until
