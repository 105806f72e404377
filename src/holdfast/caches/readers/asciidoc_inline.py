"""Words of AsciiDoc as those of Markdown: attributes, links, references, macros. Pure, and linear in the text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
# Characters: of a macro with its target, of what stands in its brackets, of an attribute's name.
_LONGEST_MACRO, _LONGEST_TEXT, _LONGEST_NAME = 400, 2000, 60
_BEFORE = frozenset(" \t\n(>;|\"'")
_ADDRESSES = ("https://", "http://", "mailto:", "ftp://")
_DROPPED = ("image:", "icon:", "indexterm:", "indexterm2:", "anchor:")
_SAID = ("kbd:", "btn:", "footnote:", "pass:", "stem:", "latexmath:", "asciimath:")
# Attributes that every processor knows.
KNOWN = {
    **dict.fromkeys(("empty", "zwsp", "wj"), ""),
    "nbsp": " ",
    "sp": " ",
    "plus": "+",
    "asterisk": "*",
    "backtick": "`",
    "startsb": "[",
    "endsb": "]",
    "vbar": "|",
    "caret": "^",
    "tilde": "~",
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "cpp": "C++",
    "apos": "'",
}


def substituted(text: str, attributes: Mapping[str, str]) -> str:
    """A text with the values of the attributes that it names in braces; others stay."""
    if "{" not in text:
        return text
    kept, *parts = text.split("{")
    found = [kept]
    for part in parts:
        name, closed, _ = part[: _LONGEST_NAME + 1].partition("}")
        value = attributes.get(name, KNOWN.get(name)) if closed and _NAME.issuperset(name) else None
        is_escaped = found[-1].endswith(("\\", "$"))
        found.append("{" + part if value is None or is_escaped else value + part[len(name) + 1 :])
    return "".join(found)


def inline_words(text: str) -> str:
    """A text with its macros as links and words; code spans stay as they are."""
    if "[" not in text and "<<" not in text and "+" not in text:
        return text
    parts = _macros(_references(text)).split("`")
    for number in range(1, len(parts) - 1, 2):
        inner = parts[number]
        if len(inner) > 2 and inner[0] == inner[-1] == "+":
            parts[number] = inner[1:-1]
    return "`".join(parts)


def _references(text: str) -> str:
    if "<<" not in text:
        return text
    kept, *parts = text.split("<<")
    found = [kept]
    ticks = kept.count("`")  # an odd number of them: we are within code
    for part in parts:
        inner, closed, after = part.partition(">>")
        is_code = ticks % 2
        ticks += part.count("`")
        if is_code or not closed or not inner or len(inner) > _LONGEST_MACRO:
            found.append("<<" + part)
            continue
        target, comma, words = inner.partition(",")
        words = words.strip(" ")
        page = target.partition("#")[0]
        told = words if comma else target.lstrip("#")
        found.append((f"[{told}]({page})" if page.endswith(".adoc") else told) + after)
    return "".join(found)


def _macros(text: str) -> str:
    """A text whose `link:target[words]` and the like are what they say."""
    if "[" not in text:
        return text
    found: list[str] = []
    at = ticks = 0
    closes = True
    while (bracket := text.find("[", at)) >= 0:
        ticks += text.count("`", at, bracket)
        if ticks % 2:  # within code
            found.append(text[at : bracket + 1])
            at = bracket + 1
            continue
        end = text.find("]", bracket, bracket + _LONGEST_TEXT) if closes else -1
        if end < 0:
            closes = text.find("]", bracket) >= 0
            found.append(text[at : bracket + 1])
            at = bracket + 1
            continue
        begin = bracket
        while begin > at and bracket - begin < _LONGEST_MACRO and text[begin - 1] not in _BEFORE:
            begin -= 1
        told = _macro(text[begin:bracket], text[bracket + 1 : end])
        if told is None:
            found.append(text[at : bracket + 1])
            at = bracket + 1
        else:
            found.append(text[at:begin] + told)
            at = end + 1
    found.append(text[at:])
    return "".join(found)


def _macro(name: str, words: str) -> str | None:
    """What a macro says, or None where it is none."""
    if name.startswith("link:") or name.startswith(_ADDRESSES):
        target = name.removeprefix("link:").removeprefix("++").removesuffix("++")
        told = words.partition(",window=")[0].partition(",role=")[0].strip('"^ ')
        return f"[{told}]({target})" if told else (f"<{target}>" if "://" in target else target)
    if name.startswith("xref:"):
        page, _, anchor = name[5:].partition("#")
        told = words.partition(",")[0] if words.startswith("role=") else words
        return f"[{told or page or anchor}]({page})" if page.endswith(".adoc") else (told or page or anchor)
    if name.startswith("menu:"):
        return " > ".join([part for part in (name[5:], *words.split(">")) if part])
    if name.startswith(_DROPPED):
        return ""
    if name.startswith(_SAID):
        return f" ({words})" if name == "footnote:" else words
    return None
