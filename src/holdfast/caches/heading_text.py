"""The words of a heading or a title, without the markup around them. Pure, and linear in the text."""

from __future__ import annotations

from holdfast.core.unicode_text import WHITE_SPACE, split_at_white_space

# Characters. Beyond this a title is no title; the rest of it is found in the section's text.
LONGEST_TITLE = 400
# What is looked at of a heading: enough for a title within its markup.
_LOOKED_AT = 4096
_BLANKS = " \t"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
# What may follow the name of a tag.
_AFTER_NAME = " \t/"
_IN_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"


def heading_text(raw: str, *, closed: bool = False, code: str = "`") -> str:
    """The words of a heading: without closing marks, an anchor such as `{#name}` at the end, tags and link targets.

    `code` is the mark around verbatim text, which stays as it is; a longer one is seen too.
    """
    text = raw.strip(WHITE_SPACE)
    if closed:
        open_part = text.rstrip("#")
        if not open_part or open_part[-1] in _BLANKS:
            text = open_part.rstrip(WHITE_SPACE)
    if text.endswith("}"):
        at = text.rfind("{")
        if at >= 0 and text[at + 1 : -1].lstrip(WHITE_SPACE)[:1] in ("#", ".", "/"):
            text = text[:at].rstrip(WHITE_SPACE)
    return title_text(text, code=code)


def title_text(raw: str, *, code: str = "`") -> str:
    """The words of a title without tags, comments, the targets of links and backslashes before punctuation.

    Where nothing would be left, as of a title that is one tag, it stays whole.
    """
    text = raw[:_LOOKED_AT]
    if "<" in text or "[" in text or "\\" in text:
        mark = "``" if "``" in text else code
        parts = text.split(mark)
        for number in range(0, len(parts), 2):
            parts[number] = _without_markup(parts[number])
        if not len(parts) % 2:  # the last mark opens nothing: what follows is text
            parts[-1] = _without_markup(parts[-1])
        cleaned = mark.join(parts)
        if cleaned.strip(WHITE_SPACE):
            text = cleaned
    return " ".join(split_at_white_space(text))[:LONGEST_TITLE]


def _without_markup(text: str) -> str:
    if "<" in text:
        text = _without_tags(_without_comments(text))
    if "](" in text:
        text = _without_targets(text)
    return _without_escapes(text) if "\\" in text else text


def _without_comments(text: str) -> str:
    kept, *parts = text.split("<!--")
    for part in parts:
        _, closed, after = part.partition("-->")
        kept += " " + after if closed else "<!--" + part
    return kept


def _without_tags(text: str) -> str:
    kept, *parts = text.split("<")
    for part in parts:
        tag, closed, after = part.partition(">")
        kept += " " + after if closed and is_tag(tag) and kept[-1:] != "\\" else "<" + part
    return kept


def is_tag(inner: str) -> bool:
    """Whether the text between `<` and `>` is a tag; an address is not."""
    name = inner.removeprefix("/")
    return name[:1] in _LETTERS and name.lstrip(_IN_NAME)[:1] in _AFTER_NAME


def _without_targets(text: str) -> str:
    """The text with `[words](target)` and `![words](target)` as their words."""
    kept, *parts = text.split("](")
    for part in parts:
        target, closed, after = part.partition(")")
        at = kept.rfind("[")
        is_link = closed and at >= 0 and "(" not in target and "]" not in kept[at:] and kept[-1:] != "\\"
        if is_link and kept[at - 1 : at] != "\\":
            kept = kept[:at].removesuffix("!") + kept[at + 1 :] + after
        else:
            kept += "](" + part
    return kept


def _without_escapes(text: str) -> str:
    """The text without the backslashes that stand before punctuation of ASCII."""
    kept, *parts = text.split("\\")
    escaped = False  # the backslash before is itself escaped, and escapes nothing
    for part in parts:
        if escaped:
            kept, escaped = kept + part, False
        elif part[:1] in _PUNCTUATION:
            kept += part
        elif part:
            kept += "\\" + part
        else:
            kept, escaped = kept + "\\", True
    return kept
