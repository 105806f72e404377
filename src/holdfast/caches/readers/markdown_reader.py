"""Markdown and MDX, of documentation generators too: one page after another through the same steps. Pure, and linear.

Front matter and comments are left out and files included first. Then come the tags of templates, the blocks that a
generator adds, and tags of HTML or JSX; each step takes lines and gives lines that know theirs in the source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import takewhile

from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.generators import AUTODOC, JSX
from holdfast.caches.readers.html_blocks import HtmlBlocks
from holdfast.caches.readers.html_tokens import tokens
from holdfast.caches.readers.included_text import IncludedText, language_of
from holdfast.caches.readers.jsx_prose import without_statements, without_tags
from holdfast.caches.readers.markdown_blocks import MarkdownBlocks
from holdfast.caches.readers.markdown_lines import fence_after, markdown_rows, without_comments
from holdfast.caches.readers.page_text import Row, check_documents, page_of
from holdfast.caches.readers.python_reader import PythonObjects
from holdfast.caches.readers.site_values import SiteValues
from holdfast.caches.readers.source_reader import Page, SourceFiles
from holdfast.caches.readers.template_tags import TemplateRows
from holdfast.caches.search.sections import front_matter

_BLANKS = " \t"
# A link within HTML; what a table of HTML may hold that one of Markdown may not: a table, code, blocks.
_ANCHOR = re.compile(
    r"""<a[ \n](?:[^<>h]|h(?!ref=)){0,400}+href=["']([^"'<>\n]{0,999})["']"""
    r"""[^<>]{0,400}+>((?:[^<]|<(?!/?a[ \n>])){0,999}+)</a>"""
)
_NO_TABLE = re.compile(r"<table|<pre|```|~~~|\n[ \t]*(?:[-*+] |#|:::|[0-9]+\. )")
# What a header says of its page, as most sites show it below the title.
_DESCRIPTION = re.compile(r"(?a)^(?:description|intro)[ ]*[:=][ ]*")
# `import Part from "./_part.mdx"`, whose text `<Part />` is; `import code from "!!raw-loader!./a.js"`, `"./a.js?raw"`.
_IMPORT = re.compile(r"""(?a)^import[ ]+(\w+)[ ]+from[ ]+["']([^"']{1,300})["']""")
_USE = re.compile(
    r"""(?a)^[ \t]*+<(?:Snippet[ ]+file=["']([^"']+)["'][ ]*/>|(\w++)[^<>]*+>(?:\{(\w++)\}</\w++>)?)[ \t]*$"""
)


def read_markdown_source(data: bytes, name: str, files: SourceFiles) -> Page:
    """The page of Markdown. Raises Unreadable."""
    return _page(data, name, files, is_jsx=name.endswith(".mdx"))


def read_mdx(data: bytes, name: str, files: SourceFiles) -> Page:
    """The page of MDX. Raises Unreadable."""
    return _page(data, name, files, is_jsx=True)


def _page(data: bytes, name: str, files: SourceFiles, *, is_jsx: bool) -> Page:
    lines = decoded(data).split("\n")
    if not lines[-1]:
        lines.pop()
    body, title = front_matter(lines or [""])
    site, included = SiteValues(files), IncludedText(name, files)
    traits = site.generator.traits
    is_jsx = is_jsx or JSX in traits
    rows = _introduced(lines[:body], [(line, number) for number, line in enumerate(lines[body:], body + 1)])
    if is_jsx:
        rows = _unfenced(without_statements(_with_parts(rows, included), is_jsx=True))
        rows = without_comments(rows, "{/*", "*/}")
    else:
        rows = _without_html(rows, "pre")
    rows = markdown_rows(rows, included)
    rows = TemplateRows(site, included, {"page.title": title} if title else {}).rows(rows)
    rows = rows if is_jsx else _without_html(rows, "table")
    objects = PythonObjects(included) if AUTODOC in traits and any(":::" in text for text, _ in rows) else None
    rows = MarkdownBlocks(fence_after, None if objects is None else partial(_documented, objects)).rows(rows)
    rows = _spaced(without_tags(rows, is_jsx=is_jsx))
    if objects is not None:
        check_documents(rows, objects.lacks)
    return page_of(rows, site.title(name) or title)


def _introduced(header: Sequence[str], rows: list[Row]) -> list[Row]:
    """Lines below the description in their front matter, as sites show it: below the first heading where one opens."""
    number = next((number for number, line in enumerate(header) if _DESCRIPTION.match(line)), -1)
    if number < 0:
        return rows
    parts = [_DESCRIPTION.sub("", header[number])]
    parts += takewhile(lambda line: line.startswith((" ", "\t")), header[number + 1 :])
    words = " ".join([part.strip(_BLANKS) for part in parts]).lstrip(">|-+ ")
    if len(words) > 1 and words[0] == words[-1] and words[0] in "'\"":
        words = words[1:-1].replace("''", "'") if words[0] == "'" else words[1:-1].replace('\\"', '"')
    opening = next((at for at, (text, _) in enumerate(rows) if text.strip(_BLANKS)), 0)
    at = opening + 1 if rows and rows[opening][0].startswith("# ") else 0
    source = rows[at - 1][1] if at else number + 1
    return [*rows[:at], ("", source), (words, source), ("", source), *rows[at:]]


def _documented(objects: PythonObjects, name: str) -> list[str]:
    """What an object of Python says of itself; docstrings have the blocks of the generator too."""
    rows = [(line, 0) for line in objects.lines(name)]
    return [text for text, _ in MarkdownBlocks(fence_after, None).rows(rows)]


def _without_html(rows: Sequence[Row], name: str) -> list[Row]:
    """Lines with each `<pre>` or `<table>` that begins a line and ends one as a fence or a table of Markdown."""
    ends: dict[int, int] = {}  # by the line that begins an element, the line that ends it; none is in another
    begin = -1
    for number, (text, _) in enumerate(rows):
        begin = number if text.lstrip(_BLANKS).startswith(f"<{name}") else begin
        if f"</{name}>" in text and begin >= 0:
            ends[begin], begin = number, -1
    found: list[Row] = []
    fence = ""
    at = 0
    while at < len(rows):
        text, source = rows[at]
        fence = fence_after(text, fence)
        end = ends.get(at, -1) if not fence else -1
        margin = text[: len(text) - len(text.lstrip(_BLANKS))]
        element = "\n".join([one.removeprefix(margin) for one, _ in rows[at : end + 1]])
        if not element.rstrip(_BLANKS).endswith(f"</{name}>") or (name == "table" and _NO_TABLE.search(element, 1)):
            found.append((text, source))
            at += 1
            continue
        blocks = HtmlBlocks()
        for token in tokens(_ANCHOR.sub(r"[\2](\1)", element), is_xml=False):
            blocks.take(token)
        blocks.finish()
        found += [("", source), *[(margin + one, rows[at + line - 1][1]) for one, line in blocks.page.rows()]]
        found.append(("", rows[end][1]))
        at = end + 1
    return found


def _unfenced(rows: Sequence[Row]) -> list[Row]:
    """Lines without the fences that Docusaurus has around JSX, which formatters shall not touch."""
    found: list[Row] = []
    fence = ""
    is_jsx = False
    for text, source in rows:
        before, fence = fence, fence_after(text, fence)
        is_first = bool(fence) and not before and text.strip("`" + _BLANKS) == "mdx-code-block"
        if is_first or (is_jsx and not fence):
            is_jsx = is_first
        else:
            found.append((text, source))
    return found


def _with_parts(rows: Sequence[Row], included: IncludedText) -> list[Row]:
    """Lines with the texts of files that are imported and stand alone in a line, as components."""
    paths: dict[str, str] = {}
    found: list[Row] = []
    for text, source in rows:
        if text.startswith("import ") and (spec := _IMPORT.match(text)) is not None:
            path = spec[2].rpartition("!")[2]
            is_raw = "raw-loader" in spec[2] or path.endswith("?raw")
            path = path.removesuffix("?raw").removeprefix("@site/").lstrip("@~/")
            if is_raw or path.endswith((".md", ".mdx")):
                paths[spec[1]] = path
        used = _USE.match(text) if "<" in text and ("/>" in text or "}</" in text) else None
        path = "" if used is None else used[1] or paths.get(used[3] or used[2], "")
        lines = included.lines(path, ("", "snippets")) if path else None
        if lines is None:
            if path:
                included.missing(path)
            found.append((text, source))
        elif path.endswith((".md", ".mdx")):
            body, _ = front_matter(lines or [""])
            found += [(line, source) for line in lines[body:]]
        else:
            found += [(line, source) for line in [f"```{language_of(path)}", *lines, "```"]]
    return found


def _spaced(rows: Sequence[Row]) -> list[Row]:
    """Lines with at most one blank between two others and none around them; within fences as they are."""
    found: list[Row] = []
    fence = ""
    for text, source in rows:
        if not fence and not text.strip(_BLANKS) and (not found or not found[-1][0].strip(_BLANKS)):
            continue
        fence = fence_after(text, fence)
        found.append((text, source))
    while found and not found[-1][0].strip(_BLANKS):
        found.pop()
    return found
