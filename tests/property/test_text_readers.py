"""Readers of texts: whatever the bytes are, a page with a map into its source, or a word on why there is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.line_map import source_line
from holdfast.caches.readers.reader_table import READERS, read_source
from holdfast.caches.readers.source_reader import SourceReader, Unreadable
from support.examples import examples
from support.sources import HeldFiles

OTHERS = ("html-", "notebook-", "openapi-")  # each has properties of its own
TEXT_READERS = [reader for reader in READERS if reader.extensions and not reader.name.startswith(OTHERS)]
PIECES = st.sampled_from(
    [
        *("# A", "text", "", "", "  ", "---", "+++", "title: x", "```", "~~~", "    code", "<!--", "-->", "`x`", "{/*"),
        *(
            "*/}",
            "import x from 'y'",
            "export const a = {",
            "}",
            "<Tab label='x'>",
            "</Tab>",
            "<Tab",
            ">",
            "{",
            "<a",
            "&lt;",
        ),
        *(".. note::", ".. code-block:: py", "   body", "Title", "=====", "-----", "::", ".. _a:", ".. a", "* item"),
        *(
            "== T",
            "----",
            "====",
            "|===",
            "[source,py]",
            "NOTE: x",
            "include::a.md[]",
            ":a: b",
            "{a}",
            "////",
            "....",
            "--",
        ),
        *(
            '--8<-- "a.md"',
            "{* a.py *}",
            ".. include:: a.rst",
            ".. literalinclude:: a.py",
            "+---+",
            "| a |",
            "\t",
            "\r",
            "\f",
            "\u2028",
        ),
        *(
            ":ref:`a <b>`",
            "|a|_",
            ".. |a| replace:: b",
            "`a <b>`_",
            "**b**",
            "    - x",
            "1. y",
            ":field: z",
            "   :option:",
            ">>> x",
        ),
    ]
)
FILES = {"a.md": 'text\n--8<-- "a.md"\n', "a.py": "x = 1\n", "a.rst": "B\n=\n\n.. include:: a.rst\n", "a.adoc": "x\n"}


@pytest.mark.parametrize("reader", TEXT_READERS, ids=lambda reader: reader.name)
@settings(max_examples=examples(80), deadline=None)
@given(text=st.lists(PIECES | st.text(max_size=12), max_size=40).map("\n".join))
def test_every_line_of_a_page_stands_for_one_of_the_source(reader: SourceReader, text: str) -> None:
    data = text.replace("\0", "").encode(errors="replace")
    page = read_source(reader, data, "docs/page" + reader.extensions[0], HeldFiles(FILES))
    lines = page.text.split("\n")[:-1]
    assert page.text == "" or page.text.endswith("\n")
    count = max(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1, 1)
    assert all(1 <= source_line(page.lines, number) <= count for number in range(1, len(lines) + 1))
    assert "\r" not in page.text
    assert read_source(reader, data, "docs/page" + reader.extensions[0], HeldFiles(FILES)) == page


@pytest.mark.parametrize("reader", TEXT_READERS, ids=lambda reader: reader.name)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.binary(max_size=200))
def test_any_bytes_make_a_page_or_are_unreadable(reader: SourceReader, data: bytes) -> None:
    try:
        read_source(reader, data, "page" + reader.extensions[0], HeldFiles())
    except Unreadable:
        pass


DEEP = {
    "markdown-": ["<!--", "> ", "- ", "`", "{* a.py *}\n", "<!-- x -->", "--8<--\n"],
    "mdx-": ["<a>", "<a\n", "{", "{/*", "<Tab x={", "</a>", "export const a = {\n", "`<a>"],
    "rst-": [".. note::\n", "   ", "* ", ":a:`", "`a <b>`_ ", "|a|", "| ", "=\n", ".. note:: x\n   ", "\n\n::\n\n  "],
    "asciidoc-": ["====\n", "* ", "*", "{a}", "[[a]]", "|===\n", "include::a.adoc[]\n", "//", "<<a,", "link:a["],
    "text-": [".. note::\n", "=\n"],
}
MARKS = [*"#*-=`<>[]{}|.:_~+", "  ", "```\n", "x\n"]  # for a reader that has no pieces of its own there


@pytest.mark.parametrize(
    ("reader", "piece"),
    [(reader, piece) for reader in TEXT_READERS for piece in DEEP.get(reader.name.rstrip("0123456789"), MARKS)],
    ids=lambda value: value.name if isinstance(value, SourceReader) else repr(value),
)
def test_nested_and_repeated_ten_thousand_times_it_is_still_a_page(reader: SourceReader, piece: str) -> None:
    deep = "".join([" " * (number % 500) + piece for number in range(2_000)]) if piece.endswith("\n") else ""
    for text in (piece * 10_000, deep):
        page = read_source(reader, f"{text}\nend\n".encode(), "page" + reader.extensions[0], HeldFiles(FILES))
        assert len(page.text) < 40 * (len(text) + 100)
