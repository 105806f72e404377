"""Words of AsciiDoc as those of Markdown: attributes, links, references, macros. Pure, and linear in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from holdfast.caches.readers.page_text import inline_code

_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = _CAPITALS | frozenset("abcdefghijklmnopqrstuvwxyz")
# Code; an anchor; a macro or anything else in brackets, which may hold some of their own.
_BRACKETS = re.compile(
    r"`[^`]*`|\[\[\[?[^\[\] ,]{0,400}(?:,[^\[\]]{0,400})?\]\]\]?"
    r"|(?<![^ \t\n(>;|\"'\[\]])((?:[^ \t\n(>;|\"'`\[\]]|(?<=[A-Za-z])\(){0,400}+)"
    r"\[(?!\[[^\[\] ]{0,400}\]\])((?:[^\[\]]|\[[^\[\]]{0,400}\]){0,2000}+)\]"
)
_ATTRIBUTE = re.compile(r"(?a)(?<![\\$])\{([\w-]{1,60})\}")
_UNKNOWN = re.compile(r"(?a)(?<![\\$@^])\{([A-Za-z][\w-]{0,58})\}")
_ROLE = re.compile(r"(?a)\[[\w.%-]+\]#([^#]*)#")
_REFERENCE = re.compile(r"(?s)`[^`]*`|<{4,}|<<([^<>,]{1,400})(?:,((?:(?!<<|>>).){0,400}))?>>")
_ADDRESSES = ("https://", "http://", "mailto:", "ftp://")
_DROPPED = ("image:", "icon:", "indexterm:", "indexterm2:", "anchor:")
_SAID = ("kbd:", "btn:", "footnote:", "pass:", "stem:", "latexmath:", "asciimath:")
# Attributes that every processor knows.
KNOWN = {
    **dict.fromkeys(("empty", "blank", "zwsp", "wj"), ""),
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
    """A text without anchors, whose `link:target[words]` and the like are what they say; code as it is."""
    return _BRACKETS.sub(_bracketed, text) if "[" in text else text


def _bracketed(found: re.Match[str]) -> str:
    name, words = found.groups()
    if name is None:
        return "" if found[0][0] == "[" else found[0]
    words = _macros(words)
    said = _macro(name, words)
    return f"{name}[{words}]" if said is None else said


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
