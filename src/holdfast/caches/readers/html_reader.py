"""HTML: the main content of a page, without navigation and frames around it. Pure."""

from __future__ import annotations

import re

from holdfast.caches.readers.html_blocks import HtmlBlocks
from holdfast.caches.readers.html_tokens import tokens
from holdfast.caches.readers.page_text import page_of
from holdfast.caches.readers.source_reader import Page, SourceFiles, Unreadable
from holdfast.core.unicode_text import lower_case

_BEGINNING = 1024  # where a page says its encoding, if it does
_CHARSET = re.compile(rb"[cC][hH][aA][rR][sS][eE][tT][ \t\n]{0,9}=[ \t\n]{0,9}[\"']?([a-zA-Z0-9_-]{1,40})")
# What a page has, or a part of one that shows templates, and a template has not.
_PAGE = re.compile("(?i)<(?:!doctype|html|body|pre|code)[ \t\n>]")
# Encodings whose tables are the same in every interpreter, by the names that pages give them.
_ENCODINGS = {
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8"), "utf-8"),
    **dict.fromkeys(("iso-8859-1", "latin1", "us-ascii", "ascii", "windows-1252", "cp1252"), "cp1252"),
    **{f"windows-{number}": f"cp{number}" for number in range(1250, 1259)},
    **{f"iso-8859-{number}": f"iso8859-{number}" for number in (2, 3, 4, 5, 7, 9, 13, 15)},
    "koi8-r": "koi8-r",
}


def read_html(data: bytes, name: str, files: SourceFiles) -> Page:  # noqa: ARG001 - what every reader takes
    """The page. Raises Unreadable."""
    text = _decoded(data).replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    if ("{{" in text or "{%" in text) and not _PAGE.search(text):
        raise Unreadable("is a template, not a page")
    blocks = HtmlBlocks()
    for token in tokens(text, is_xml=lower_case(name).endswith(".xhtml") or text.startswith("<?xml")):
        blocks.take(token)
    blocks.finish()
    rows = _main(blocks)
    has_title = any(text.startswith("# ") for text, _ in rows[:20]) or not rows
    return page_of(rows, "" if has_title else blocks.title)


def _main(blocks: HtmlBlocks) -> list[tuple[str, int]]:
    """The lines of the page that are its content: one article, else main, else all articles, else what is named so."""
    found = {
        kind: [rows for first, after in places if (rows := blocks.page.rows(first, after))]
        for kind, places in blocks.parts.items()
    }
    if len(found["article"]) == 1 and len(found["article"][0]) * 2 >= max(map(len, found["main"]), default=0):
        return found["article"][0]
    for kind in ("main", "article", "content"):
        if found[kind]:
            joined = found[kind][0]
            for rows in found[kind][1:]:
                joined.append(("", joined[-1][1]))
                joined += rows
            return joined
    return blocks.page.rows()


def _decoded(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise Unreadable(f"is not UTF-16 (byte {error.start})") from None
    declared = _CHARSET.search(data[:_BEGINNING])
    label = lower_case(declared[1].decode()) if declared is not None else "utf-8"
    encoding = _ENCODINGS.get(label)
    try:
        return data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        if encoding is None:
            raise Unreadable(f"is in the encoding {label}: save it as UTF-8") from None
        if encoding != "utf-8":
            return data.decode(encoding, "replace")
        raise Unreadable(f"is not UTF-8 (byte {error.start})") from None
