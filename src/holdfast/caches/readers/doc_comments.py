"""Comments above declarations, as JSDoc and TSDoc mark them, as Markdown. Pure."""

from __future__ import annotations

import re

from holdfast.caches.readers.page_text import PageText, Row, inline_code
from holdfast.core.unicode_text import WHITE_SPACE

_LINK = re.compile(r"\{@(?:link|linkcode|linkplain|see)[ \t]([^{}\n]{1,300})\}")
_NAMED = frozenset(("param", "arg", "argument", "property", "prop", "typeparam", "typeParam", "template", "throws"))
_LEFT_OUT = frozenset(("internal", "public", "beta", "alpha", "export", "type", "category", "module", "see", "name"))


def write_comment(page: PageText, text: str, line: int) -> None:
    """Write a comment that begins at a line of the source; what is not made of words is left out."""
    page.blank()
    code: list[Row] | None = None
    mark = language = ""
    lines = _bare_lines(text)
    for number, one in enumerate(lines):
        bare = one.strip(WHITE_SPACE)
        if code is not None and bare.startswith(mark):
            page.fence(code, language)
            code = None
            if mark != "@":
                continue
        if code is not None:
            code.append((one, line + number))
        elif bare.startswith(("```", "~~~")):
            mark, code, language = bare[:3], [], bare[3:].strip(WHITE_SPACE).partition(" ")[0]
        elif bare == "@example" and _is_bare_code(lines, number + 1):
            page.block(["**Example:**"], line + number)
            mark, code, language = "@", [], "ts"
        else:
            page.line(_tagged(bare) if bare.startswith("@") else _prose(bare), line + number)
    if code is not None:
        page.fence(code, language)
    page.blank()


def _is_bare_code(lines: list[str], at: int) -> bool:
    """Whether what follows, up to the next tag, is code that no fence marks."""
    for one in lines[at:]:
        bare = one.strip(WHITE_SPACE)
        if bare.startswith(("```", "~~~")):
            return False
        if bare.startswith("@"):
            break
    return True


def _bare_lines(text: str) -> list[str]:
    """The lines of a comment without its marks; each maps to its own line."""
    found = []
    for one in text.split("\n"):
        bare = one.strip(" \t\r")
        for mark in ("/**", "/*", "///", "//"):
            if bare.startswith(mark):
                bare = bare[len(mark) :]
                break
        else:
            bare = bare[1:] if bare.startswith("*") and not bare.startswith("*/") else bare
        bare = bare.removesuffix("*/").rstrip(" \t")
        found.append(bare.removeprefix(" "))
    return found


def _prose(bare: str) -> str:
    text = _LINK.sub(lambda found: inline_code(found[1].partition("|")[0].strip(WHITE_SPACE)), bare)
    return f"**{text.lstrip('#').strip(WHITE_SPACE)}**" if text.startswith("#") and text.strip("# ") else text


def _tagged(bare: str) -> str:
    tag, _, rest = bare[1:].partition(" ")
    rest = _prose(rest.strip(WHITE_SPACE))
    if tag in _NAMED:
        if rest.startswith("{"):
            rest = rest.partition("}")[2].lstrip(" ")
        name, _, words = rest.partition(" ")
        return f"- {inline_code(name)}: {words.lstrip('- ')}".rstrip(": ") if tag != "throws" else f"- Throws: {rest}"
    if tag in ("returns", "return"):
        return f"- Returns: {rest.lstrip('- ')}".rstrip(": ")
    if tag in _LEFT_OUT:
        return ""
    return f"**{tag}:** {rest}".rstrip(" ")
