"""Words of AsciiDoc as those of Markdown: attributes, links, references, macros. Pure, and linear in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from holdfast.caches.readers.page_text import inline_code

_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = _CAPITALS | frozenset("abcdefghijklmnopqrstuvwxyz")
# Characters: of a macro with its target, of the text in its brackets.
_LONGEST_MACRO, _LONGEST_TEXT, _MOST_INNER = 400, 2000, 4
_ATTRIBUTE = re.compile(r"(?a)(?<![\\$])\{([\w-]{1,60})\}")
_UNKNOWN = re.compile(r"(?a)(?<![\\$@^])\{([A-Za-z][\w-]{0,58})\}")
_ROLE = re.compile(r"(?a)\[[\w.%-]+\]#([^#]*)#")
_REFERENCE = re.compile(r"(?s)`[^`]*`|<{4,}|<<([^<>,]{1,400})(?:,((?:(?!<<|>>).){0,400}))?>>")
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
    "litdd": "--",
    "backslash": "\\",
}
_MACRO_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_TARGET = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.$#/@(),*:?")


def substituted(text: str, attributes: Mapping[str, str]) -> str:
    """A text with the values of the attributes that it names in braces; others stay."""
    if "{" not in text:
        return text
    return _ATTRIBUTE.sub(lambda name: attributes.get(name[1], KNOWN.get(name[1], name[0])), text)


def inline_words(text: str, unknown: Callable[[str], None]) -> str:
    """A text with its macros as links and words; code spans stay as they are.

    An attribute in braces that has no value becomes the words of its name, and `unknown` is called with it.
    """
    if "[" in text or "<<" in text:
        text = _macros(_REFERENCE.sub(_reference, text) if "<<" in text else text)
    if "``" in text and "''" in text:
        text = text.replace("``", '"').replace("''", '"')
    if "`" not in text and "{" not in text and "#" not in text and "((" not in text:
        return text
    parts = text.split("`")
    for number, inner in enumerate(parts):
        if not number % 2:
            parts[number] = _without_marks(inner, unknown)
        elif number < len(parts) - 1 and len(inner) > 2 and inner[0] == inner[-1] == "+":
            parts[number] = inner[1:-1]
    return "`".join(parts)


def _without_marks(text: str, unknown: Callable[[str], None]) -> str:
    """Prose without index terms and the marks of roles, and with words for attributes that have no value."""
    if "(((" in text:
        first, *parts = text.split("(((")
        text = first + "".join([part.partition(")))")[2] if ")))" in part else "(((" + part for part in parts])
    if "((" in text:
        text = text.replace("((", "").replace("))", "") if text.count("((") == text.count("))") else text
    if "]#" in text:
        text = _ROLE.sub(r"\1", text)
    if "{" not in text:
        return text

    def words(name: re.Match[str]) -> str:
        unknown(name[1])
        return name[1].replace("-", " ").replace("_", " ")

    return _UNKNOWN.sub(words, text)


def _reference(found: re.Match[str]) -> str:
    """The words of `<<target,words>>` with a link where it leads to another page; code as it is."""
    target, words = found.groups()
    if target is None:
        return found[0]
    page, words = target.partition("#")[0], target.lstrip("#") if words is None else words.strip(" ")
    return f"[{words}]({page})" if page.endswith(".adoc") else words


def _macros(text: str) -> str:
    """A text whose `link:target[words]` and the like are what they say."""
    if "[" not in text:
        return text
    found: list[str] = []
    at = ticks = 0
    closes = True
    last = text.rfind("`")
    while (bracket := text.find("[", at)) >= 0:
        ticks += text.count("`", at, bracket)
        if ticks % 2 and last > bracket:  # within code
            found.append(text[at : bracket + 1])
            at = bracket + 1
            continue
        after = _after_anchor(text, bracket)
        if after > 0:
            found.append(text[at:bracket])
            at = after
            continue
        end = _closing(text, bracket) if closes else -1
        if end < 0:
            closes = text.find("]", bracket) >= 0
            found.append(text[at : bracket + 1])
            at = bracket + 1
            continue
        begin = bracket
        while begin > at and bracket - begin < _LONGEST_MACRO:
            if text[begin - 1] in _BEFORE and not (text[begin - 1] == "(" and text[begin - 2 : begin - 1] in _LETTERS):
                break  # of the parentheses, those of a method are part of its name
            begin -= 1
        words = text[bracket + 1 : end]
        spec = _macro(text[begin:bracket], _macros(words) if "[" in words else words)
        if spec is None:
            found.append(text[at : bracket + 1])
            at = bracket + 1
        else:
            found.append(text[at:begin] + spec)
            at = end + 1
    found.append(text[at:])
    return "".join(found)


def _after_anchor(text: str, bracket: int) -> int:
    """Where an anchor such as `[[name]]` ends that begins at a bracket; -1 where none does."""
    end = text.find("]]", bracket, bracket + _LONGEST_MACRO) if text.startswith("[[", bracket) else -1
    if end < 0 or " " in text[bracket:end].partition(",")[0]:
        return -1
    return end + 2 + (text[end + 2 : end + 3] == "]")


def _closing(text: str, bracket: int) -> int:
    """Where a bracket is closed, those inside it passed over as long as they are close by; -1 where it is not."""
    end = text.find("]", bracket, bracket + _LONGEST_TEXT)
    inner = text.find("[", bracket + 1, max(end, bracket))
    for _ in range(_MOST_INNER):
        if inner < 0 or end < 0:
            break
        after = text.find("]", end + 1, bracket + _LONGEST_TEXT)
        if after < 0:
            break
        inner, end = text.find("[", inner + 1, after), after
    return end


def _macro(name: str, words: str) -> str | None:
    """What a macro says, or None where it is none."""
    if name.startswith("link:") or name.startswith(_ADDRESSES):
        target = name.removeprefix("link:").removeprefix("++").removesuffix("++")
        spec = words.partition(",window=")[0].partition(",role=")[0].strip('"^ ')
        if "{" in target:  # an address that only the build of the pages knows
            return spec
        return f"[{spec}]({target})" if spec else (f"<{target}>" if "://" in target else target)
    if name.startswith("{") and "}" in name:
        return words.strip('"^ ')
    if name.startswith("linkgit:"):
        return f"[{name[8:]}({words})]({name[8:]}.adoc)" if words else name[8:]
    if name.startswith("xref:"):
        page, _, anchor = name[5:].partition("#")
        page = page.rpartition(":")[2].rpartition("$")[2]
        spec = "" if words.startswith("role=") else words.strip('" ')
        spec = spec or (anchor or page.rpartition("/")[2].removesuffix(".adoc")).rpartition(".")[2].replace("-", " ")
        return f"[{spec}]({page})" if page.endswith(".adoc") else spec
    if name.startswith("menu:"):
        return " > ".join([part for part in (name[5:], *words.split(">")) if part])
    if name.startswith(_DROPPED):
        return ""
    if name.startswith(_SAID):
        return f" ({words})" if name.startswith("footnote:") else words
    kind, colon, target = name.partition(":")
    if (
        colon
        and len(kind) > 1
        and _MACRO_NAME.issuperset(kind)
        and target[:1] in _LETTERS
        and _TARGET.issuperset(target)
    ):
        said = "" if "=" in words else words.strip(" ")
        name, _, member = target.partition("#")
        last = name.replace("$", ".").rpartition(".")[2]
        return said or inline_code(
            last + (f".{member.partition('(')[0]}" if member else "") if last[:1] in _CAPITALS else target
        )
    return None
