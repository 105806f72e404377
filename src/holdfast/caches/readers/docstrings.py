"""Docstrings as Markdown: what Sphinx, Google and numpy styles mark becomes lists, bold words and fences. Pure.

Line by line, so that each still maps to its source line: a line is changed or left out, and fences are added.
Headings become bold words, since the sections of the page are its modules, classes and functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from holdfast.caches.readers.page_text import PageText, Row, inline_code
from holdfast.core.unicode_text import WHITE_SPACE

_ROLE = re.compile(r":[a-zA-Z][a-zA-Z0-9:+_-]{0,40}:`([^`\n]{1,300})`")
_LITERAL = re.compile("``([^`\n]{1,500})``")
_FIELD = re.compile(r":([a-zA-Z]{1,20})(?: ([^:\n]{1,200}))?:(?: |$)").match
_DIRECTIVE = re.compile(r"\.\. ([a-zA-Z][a-zA-Z0-9:_-]{0,40})::[ \t]*").match
_GOOGLE_ITEM = re.compile(r"\*{0,2}[a-zA-Z_][a-zA-Z0-9_., *]{0,80}(?: ?\([^\n]{0,200}\))?:(?= |$)").match
_PARAMETERS = frozenset(("param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "ivar", "cvar", "var"))
_RETURNED = {"return": "Returns", "returns": "Returns", "rtype": "Return type", "yield": "Yields", "yields": "Yields"}
_RAISED = frozenset(("raises", "raise", "except", "exception"))
_CODE_DIRECTIVES = frozenset(("code-block", "code", "sourcecode", "testcode", "ipython", "parsed-literal", "doctest"))
_SECTIONS = frozenset(
    "Args:|Arguments:|Parameters:|Returns:|Return:|Yields:|Yield:|Raises:|Raise:|Attributes:|Example:|Examples:|Note:|"
    "Notes:|Warning:|Warnings:|Warns:|Todo:|References:|Usage:|Keyword Args:|Other Parameters:|See Also:|Methods:|Tip:|"
    "Important:".split("|")
)
_ITEMISED = frozenset(("Args:", "Arguments:", "Parameters:", "Raises:", "Attributes:", "Keyword Args:", "Methods:"))


def write_docstring(page: PageText, rows: list[Row]) -> None:
    """Write a docstring, given as its dedented lines with their lines of the source."""
    page.blank()
    at = 0
    items = -1  # the margin of a section whose items are lines of their own
    while at < len(rows):
        text, source = rows[at]
        bare = text.strip(WHITE_SPACE)
        margin = len(text) - len(text.lstrip(" "))
        if not bare:
            page.blank()
            at += 1
            continue
        if bare.startswith((">>> ", ">>>\t")) or bare == ">>>":
            at = _fence(page, rows, at, _until(rows, at, _is_blank), "python")
            continue
        if bare.startswith(("```", "~~~")):
            # One that is not closed ends with the docstring.
            mark = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            language = bare[len(mark) :].strip(WHITE_SPACE).partition(" ")[0]
            at = 1 + _fence(page, rows, at + 1, _until(rows, at + 1, partial(_is_end, mark)), language)
            continue
        if (found := _DIRECTIVE(bare)) is not None:
            name, rest = found[1], bare[found.end() :]
            if name in _CODE_DIRECTIVES:
                after = _until(rows, at + 1, partial(_is_left_of, margin))
                at = _fence(page, rows, _until(rows, at + 1, _is_no_option), after, rest or "python")
                continue
            page.blank()
            page.line(f"**{_directive_words(name)}** {_plain(rest)}".rstrip(" "), source)
            at += 1
            continue
        if at + 1 < len(rows) and _is_underline(rows[at + 1][0], bare):
            page.block([f"**{bare}**"], source)
            items = margin - 1 if rows[at + 1][0].strip(WHITE_SPACE)[0] == "-" else -1
            at += 2
            continue
        if bare in _SECTIONS:
            page.block([f"**{bare}**"], source)
            items = margin if bare in _ITEMISED else -1
            at += 1
            continue
        items = items if margin > items else -1
        if bare.endswith("::"):
            if bare != "::":
                page.line(_plain(bare[:-1]), source)
            at = _fence(page, rows, at + 1, _until(rows, at + 1, partial(_is_left_of, margin)), "python")
            continue
        page.line(_prose(bare, margin, items), source)
        at += 1
    page.blank()


def _prose(bare: str, margin: int, items: int) -> str:
    if bare.startswith("#"):
        return f"**{bare.lstrip('#').strip(WHITE_SPACE)}**" if bare.lstrip("#")[:1] == " " else f"\\{bare}"
    field = _FIELD(bare) if bare[0] == ":" else None
    if field is not None:
        kind, words, rest = field[1], field[2] or "", _plain(bare[field.end() :])
        if kind in _PARAMETERS and words:
            *types, name = words.split(" ")
            return f"- {inline_code(name)}{' (' + ' '.join(types) + ')' if types else ''}: {rest}".rstrip(" ")
        if kind == "type":
            return f"- type of {inline_code(words)}: {rest}"
        if kind in _RAISED:
            return f"- raises {inline_code(words)}: {rest}".rstrip(" ")
        if kind in _RETURNED and not words:
            return f"- {_RETURNED[kind]}: {rest}".rstrip(" ")
        return _plain(bare)
    if items >= 0 and (item := _GOOGLE_ITEM(bare)) is not None:
        return f"- {inline_code(item[0][:-1])}: {_plain(bare[item.end() :].lstrip(' '))}".rstrip(" ")
    if bare[0] in "-*+" and bare[1:2] == " ":
        return " " * min(margin // 2 * 2, 6) + _plain(bare)
    return ("  " if margin else "") + _plain(bare)


def _plain(text: str) -> str:
    """A line without the roles that name what its words are."""
    if "`" not in text:
        return text
    text = _ROLE.sub(lambda found: inline_code(_role_words(found[1])), text)
    return _LITERAL.sub(lambda found: inline_code(found[1]), text)


def _role_words(text: str) -> str:
    words = text.partition(" <")[0] if text.endswith(">") else text
    return words.lstrip("!").rpartition(".")[2] if words.startswith("~") else words.lstrip("!")


def _directive_words(name: str) -> str:
    known = {"versionadded": "Added in", "versionchanged": "Changed in", "deprecated": "Deprecated since"}
    return known.get(name) or f"{name.replace('-', ' ')}:"


def _is_underline(text: str, title: str) -> bool:
    bare = text.strip(WHITE_SPACE)
    return len(bare) > 2 and bare[0] in "=-~^" and not bare.strip(bare[0]) and len(bare) * 2 >= len(title)


def _until(rows: list[Row], at: int, ends: Callable[[str], bool]) -> int:
    return next((number for number in range(at, len(rows)) if ends(rows[number][0])), len(rows))


def _is_blank(text: str) -> bool:
    return not text.strip(WHITE_SPACE)


def _is_left_of(margin: int, text: str) -> bool:
    """Whether a line ends what is indented more than a margin."""
    return bool(text.strip(WHITE_SPACE)) and len(text) - len(text.lstrip(" ")) <= margin


def _is_no_option(text: str) -> bool:
    return not text.lstrip(" ").startswith(":")


def _is_end(mark: str, text: str) -> bool:
    return text.strip(WHITE_SPACE).startswith(mark)


def _fence(page: PageText, rows: list[Row], first: int, after: int, language: str) -> int:
    code = dedented(rows[first:after])
    page.fence(code, language if language.replace("-", "").isascii() and len(language) < 20 else "")
    return max(after, first)


def dedented(rows: list[Row]) -> list[Row]:
    """Lines without the indentation that all of them have."""
    margins = [len(text) - len(text.lstrip(" ")) for text, _ in rows if text.strip(WHITE_SPACE)]
    margin = min(margins, default=0)
    return [(text[margin:], source) for text, source in rows]
