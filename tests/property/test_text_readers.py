"""Readers of texts: whatever the bytes are, a page with a map into its source, or a word on why there is none."""

from __future__ import annotations

import pytest
from benchmarks.hostile_texts import HOSTILE
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.line_map import source_line
from holdfast.caches.readers.generators import GENERATORS
from holdfast.caches.readers.reader_table import READERS, read_source
from holdfast.caches.readers.source_reader import Site, SourceReader, Unreadable
from support.examples import examples
from support.sources import HeldFiles

KINDS = ("markdown-", "mdx-", "rst-", "asciidoc-", "text-")
GENERATORS_OF = {generator.reader: generator for generator in GENERATORS}
# Of generators whose pages hold the same, one.
ALIKE = {(generator.extensions[0], generator.traits): generator.reader for generator in GENERATORS}
TEXT_READERS = [reader for reader in READERS if reader.name.startswith(KINDS) or reader.name in ALIKE.values()]
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
        *('!!! note "x"', "??? tip", '=== "tab"', "/// note | x", "///", ":::tip[x]", ":::", "::: a.b", "> [!NOTE]"),
        *("{{ a.b }}", "{% if a %}", "{% endif %}", "{% raw %}", "{% endraw %}", "{% for a in b %}", "{% endfor %}"),
        *("{% data variables.a.b %}", "{% include a.md %}", "{{< note >}}", "{{< /note >}}", "{{% x %}}", "{{#x y}}"),
        *("[a][b]", "[b]: c", "[[a|b]]", "{#id}", "{: .a}", "<Part />", "import Part from './a.md'", "```{note}"),
        *("ifdef::a[]", "endif::[]", 'ifeval::["{a}" == "b"]', "[verse]", "a::", "+", "NAME", "----", "[[a.b]]"),
    ]
)


def extension(reader: SourceReader) -> str:
    """The ending of the names of a reader's sources."""
    if reader.name in GENERATORS_OF:
        return GENERATORS_OF[reader.name].extensions[0]
    return reader.extensions[0] if reader.extensions else ".py"


def files_of(reader: SourceReader, texts: dict[str, str] | None = None) -> HeldFiles:
    """What a page may include, in the site that the reader is for."""
    return HeldFiles(texts, Site(reader.name, "") if reader.name in GENERATORS_OF else None)


FILES = {"a.md": 'text\n--8<-- "a.md"\n', "a.py": "x = 1\n", "a.rst": "B\n=\n\n.. include:: a.rst\n", "a.adoc": "x\n"}


@pytest.mark.parametrize("reader", TEXT_READERS, ids=lambda reader: reader.name)
@settings(max_examples=examples(80), deadline=None)
@given(text=st.lists(PIECES | st.text(max_size=12), max_size=40).map("\n".join))
def test_every_line_of_a_page_stands_for_one_of_the_source(reader: SourceReader, text: str) -> None:
    data = text.replace("\0", "").encode(errors="replace")
    try:
        page = read_source(reader, data, "docs/page" + extension(reader), files_of(reader, FILES))
    except Unreadable:  # a page of nothing but references to Python that is not there is left out whole
        assert ":::" in text or ".. auto" in text
        return
    lines = page.text.split("\n")[:-1]
    assert page.text == "" or page.text.endswith("\n")
    count = max(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1, 1)
    assert all(1 <= source_line(page.lines, number) <= count for number in range(1, len(lines) + 1))
    assert "\r" not in page.text
    assert read_source(reader, data, "docs/page" + extension(reader), files_of(reader, FILES)) == page


@pytest.mark.parametrize("reader", TEXT_READERS, ids=lambda reader: reader.name)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.binary(max_size=200))
def test_any_bytes_make_a_page_or_are_unreadable(reader: SourceReader, data: bytes) -> None:
    try:
        read_source(reader, data, "page" + extension(reader), files_of(reader))
    except Unreadable:
        pass


FAMILIES = {".md": "mdx-", ".rst": "rst-", ".adoc": "asciidoc-"}


def shapes(reader: SourceReader) -> tuple[str, ...]:
    """What is repeated for a reader."""
    kind = FAMILIES[extension(reader)] if reader.name in GENERATORS_OF else reader.name.rstrip("0123456789")
    return HOSTILE.get(kind, ())


@pytest.mark.parametrize(
    ("reader", "piece"),
    [
        (reader, piece)
        for reader in READERS
        if reader in TEXT_READERS or reader.name not in GENERATORS_OF
        for piece in shapes(reader)
    ],
    ids=lambda value: value.name if isinstance(value, SourceReader) else repr(value),
)
def test_nested_and_repeated_ten_thousand_times_it_is_still_a_page(reader: SourceReader, piece: str) -> None:
    deep = "".join([" " * (number % 500) + piece for number in range(2_000)]) if piece.endswith("\n") else ""
    for text in (piece * 10_000, deep):
        try:
            page = read_source(reader, f"{text}\nend\n".encode(), "page" + extension(reader), files_of(reader, FILES))
        except Unreadable:  # what is no text of its kind
            assert reader.name.startswith(("notebook-", "openapi-"))
            continue
        assert len(page.text) < 40 * (len(text) + 100)
