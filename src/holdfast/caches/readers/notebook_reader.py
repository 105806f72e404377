"""Jupyter notebooks: text cells as they are, code cells as fences, what they printed in short. Pure."""

from __future__ import annotations

import re

from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.jsx_prose import without_tags
from holdfast.caches.readers.lined_values import Lined, read_json
from holdfast.caches.readers.page_text import PageText, Row
from holdfast.caches.readers.source_reader import Page, SourceFiles, Unreadable
from holdfast.core.unicode_text import WHITE_SPACE, lower_case

_MOST_LINES, _LONGEST = 40, 400  # of what a cell printed
_MARKS = {"2": "##", "3": "###", "4": "####", "5": "#####", "6": "######"}
_STEERED = re.compile("\x1b\\[[0-9;]{0,20}[A-Za-z]|\\[[0-9]{1,2}(?:;[0-9]{1,2}){0,3}m")
_MAGIC_LANGUAGES = frozenset(
    "bash sh html javascript js latex markdown perl ruby sql svg r cython writefile".split(" ")
)


def read_notebook(data: bytes, name: str, files: SourceFiles) -> Page:  # noqa: ARG001 - what every reader takes
    """The page of a notebook. Raises Unreadable."""
    notebook = read_json(decoded(data))
    cells = notebook.get("cells").items()
    if not cells:  # notebooks of the third format have sheets
        cells = [cell for sheet in notebook.get("worksheets").items() for cell in sheet.get("cells").items()]
    if not isinstance(notebook.value, dict) or ("cells" not in notebook.value and "worksheets" not in notebook.value):
        raise Unreadable("is not a notebook: it has no cells")
    metadata = notebook.get("metadata")
    language = metadata.get("language_info").get("name").text() or metadata.get("kernelspec").get("language").text()
    page = PageText()
    for cell in cells:
        kind = cell.get("cell_type").text()
        if kind == "markdown":
            page.verbatim(without_tags(cell.get("source").rows(), is_jsx=False))
        elif kind == "heading":
            marks = _MARKS.get(cell.get("level").text(), "#")
            page.block([f"{marks} {text}" for text, _ in cell.get("source").rows()[:1]], cell.get("source").line)
        elif kind == "code":
            _write_code(page, cell, language or "python")
    return page.page(metadata.get("title").text().strip(WHITE_SPACE))


def _write_code(page: PageText, cell: Lined, language: str) -> None:
    source = cell.get("source") if cell.get("source").value else cell.get("input")
    code = source.rows()
    first = code[0][0] if code else ""
    if first.startswith("%%"):
        magic = lower_case(first[2:].partition(" ")[0])
        language = magic if magic in _MAGIC_LANGUAGES else language
    page.fence(code, lower_case(language) if language.isascii() and len(language) < 20 else "")
    # Most files have the output before the code. The page has it after the code, and its source lines never go back.
    last = code[-1][1] if code else 1
    printed = [(text, max(source, last)) for text, source in _printed(cell)]
    if printed:
        page.block(["Output:"], printed[0][1])
        page.fence(printed, "text")


def _printed(cell: Lined) -> list[Row]:
    """What a cell printed, as text and in short."""
    rows: list[Row] = []
    for output in cell.get("outputs").items():
        kind = output.get("output_type").text()
        if kind == "error":
            rows.append((f"{output.get('ename').text()}: {output.get('evalue').text()}".split("\n")[0], output.line))
            continue
        given = output.get("text") if kind == "stream" else output.get("data").get("text/plain")
        given = given if given.value else output.get("text")
        found = [(_plain(text), source) for text, source in given.rows()]
        if len(found) == 1 and found[0][0].startswith("<") and found[0][0].endswith(">"):
            continue  # a picture, by the name of its class
        rows += found
    rows = [row for row in rows if row[0].strip(WHITE_SPACE)] if len(rows) < 2 else rows
    if len(rows) > _MOST_LINES:
        rest = len(rows) - _MOST_LINES
        rows = [*rows[:_MOST_LINES], (f"… {rest:,} more lines", rows[_MOST_LINES][1])]
    return [(text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …", source) for text, source in rows]


def _plain(text: str) -> str:
    """A line as a terminal shows it in the end, without its colours."""
    text = text.rstrip("\r").rpartition("\r")[2]
    return _STEERED.sub("", text).expandtabs(8).rstrip(" ")
