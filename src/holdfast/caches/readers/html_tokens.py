"""The tags and texts of HTML, in order, each with its line. Pure; linear in the text, however it is nested.

Tags, comments, raw texts and character references are found as the HTML standard tokenizes them. What is left out is
what no text shows: comments, declarations, scripts and styles. A tag that is never closed ends the text, as it does in
a browser. The same on every interpreter, which the standard library's parser is not (docs/decisions/0027).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from holdfast.core.unicode_text import lower_case

# A tag, or text: "<", "</", "/>" or, for a text, ""; the tag's name; its attributes as written, or the text; and
# its line.
HtmlToken = tuple[str, str, str, int]

_SPACES = r" \t\n\f"
_ATTRIBUTE_TEXT = (
    rf"([^{_SPACES}/>][^{_SPACES}/>=]*+)(?:[{_SPACES}]*+=[{_SPACES}]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^{_SPACES}>]*+)))?+"
)
_ATTRIBUTE = re.compile(_ATTRIBUTE_TEXT)
_TAG = re.compile(rf"<(/?)([a-zA-Z][^{_SPACES}/>]*+)((?:[{_SPACES}/]*+{_ATTRIBUTE_TEXT})*+[{_SPACES}/]*+)>").match
_COMMENT_END = re.compile("--!?>")
# Longer numbers are no characters, and too long for the interpreter to read.
_HUGE = re.compile("&#(?:[xX][0-9a-fA-F]{7,}+|[0-9]{8,}+);?")
# What these elements hold is text to their own end tag; only of the second kind is it shown, with its references.
_RAW = frozenset("script style xmp iframe noembed noframes noscript".split(" "))
_RAW_SHOWN = frozenset(("title", "textarea"))
_END = re.compile(rf"</([a-zA-Z]++)(?=[{_SPACES}/>])")


def tokens(text: str, *, is_xml: bool) -> Iterator[HtmlToken]:
    """What a text holds, in order. In XML a tag may close itself; in HTML that means nothing."""
    at, searched, line, counted = 0, 0, 1, 0
    size = len(text)
    while at < size:
        opening = text.find("<", searched)
        opening = size if opening < 0 else opening
        tag = _TAG(text, opening)
        after = tag.end() if tag is not None else _after_other(text, opening)
        if after < 0:  # a "<" that is nothing but itself
            searched = opening + 1
            continue
        if opening > at:
            line, counted = line + text.count("\n", counted, at), at
            yield "", "", characters(text[at:opening]), line
        at = searched = after
        if tag is None:
            continue
        line, counted = line + text.count("\n", counted, opening), opening
        slash, name, value = tag[1], lower_case(tag[2]), tag[3]
        is_empty = is_xml and not slash and value.endswith("/")
        yield "</" if slash else "/>" if is_empty else "<", name, value, line
        if (name in _RAW or name in _RAW_SHOWN) and not slash and not is_empty:
            after = next((end.start() for end in _END.finditer(text, at) if lower_case(end[1]) == name), size)
            if name in _RAW_SHOWN and after > at:
                line, counted = line + text.count("\n", counted, at), at
                yield "", "", characters(text[at:after]), line
            at = searched = after


def _after_other(text: str, opening: int) -> int:
    """Where a comment, declaration or broken tag ends; -1 where it is none."""
    if opening == len(text):
        return opening
    following = text[opening + 1 : opening + 2]
    if text.startswith("<!--", opening):
        if text.startswith((">", "->"), opening + 4):
            return text.find(">", opening) + 1
        closing = _COMMENT_END.search(text, opening + 4)
        return closing.end() if closing is not None else len(text)
    if following in ("!", "?") or (following == "/" and opening + 2 < len(text)):
        end = text.find(">", opening)
        if following == "/" and _is_letter(text[opening + 2 : opening + 3]):
            return len(text)
        return end + 1 if end >= 0 else len(text)
    return len(text) if _is_letter(following) else -1


def _is_letter(character: str) -> bool:
    return "a" <= character <= "z" or "A" <= character <= "Z"


def characters(text: str) -> str:
    """A text with its character references resolved."""
    if "&" not in text:
        return text
    return unescape(_HUGE.sub("\ufffd", text) if "&#" in text else text)


def attributes(value: str) -> dict[str, str]:
    """The attributes of a tag; of two of one name the first counts."""
    found: dict[str, str] = {}
    for one in _ATTRIBUTE.finditer(value):
        found.setdefault(lower_case(one[1]), characters(one[2] or one[3] or one[4] or ""))
    return found
