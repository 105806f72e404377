"""Readers of texts: whatever the bytes are, a page with a map into its source, or a word on why there is none."""

from __future__ import annotations

import pytest
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
    return (reader.extensions or GENERATORS_OF[reader.name].extensions)[0]


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


DEEP = {
    "markdown-": ["<!--", "> ", "- ", "`", "{* a.py *}\n", "<!-- x -->", "--8<--\n"],
    "mdx-": ["<a>", "<a\n", "{", "{/*", "<Tab x={", "</a>", "export const a = {\n", "`<a>"],
    "rst-": [".. note::\n", "   ", "* ", ":a:`", "`a <b>`_ ", "|a|", "| ", "=\n", ".. note:: x\n   ", "\n\n::\n\n  "],
    "asciidoc-": ["====\n", "* ", "*", "{a}", "[[a]]", "|===\n", "include::a.adoc[]\n", "//", "<<a,", "link:a["],
    "text-": [".. note::\n", "=\n"],
}
DEEP["asciidoc-"] += [
    "a\n-\n",
    "ifdef::a[]\n",
    "a::\n",
    "--\n",
    "[[",
    "(((",
    "[.a]#",
    "a:b[",
    "{a-b}",
    "+\n",
    "[verse]\n",
]
PAGES = [
    *(
        "!!! note\n    ",
        '=== "a"\n',
        ":::a\n",
        "/// a\n",
        "{{",
        "{%",
        "{% raw %}",
        "{{<",
        "{{% a %}}\n",
        "{% a",
        "{: ",
        "[[",
    ),
    *(
        "[a][b]",
        "][",
        "{@link ",
        "<a href='b'>",
        "<A b='c'>\n",
        "[b]: c\n",
        "```{note}\n",
        "import P from './a.md'\n<P />\n",
    ),
    *("{% for a in b %}\n", "{% data reusables.a %}\n", "{{ a.b }}", "> [!NOTE]\n", "{#", ":a-b:", "{a", "%}"),
]


def shapes(reader: SourceReader) -> list[str]:
    """What is repeated for a reader."""
    if reader.name not in GENERATORS_OF:
        kind = reader.name.rstrip("0123456789")
        return [*DEEP[kind], *(PAGES if kind in ("markdown-", "mdx-") else [])]
    family = {".md": "mdx-", ".rst": "rst-", ".adoc": "asciidoc-"}[extension(reader)]
    return [*DEEP[family], *(PAGES if family == "mdx-" else [])]


@pytest.mark.parametrize(
    ("reader", "piece"),
    [(reader, piece) for reader in TEXT_READERS for piece in shapes(reader)],
    ids=lambda value: value.name if isinstance(value, SourceReader) else repr(value),
)
def test_nested_and_repeated_ten_thousand_times_it_is_still_a_page(reader: SourceReader, piece: str) -> None:
    deep = "".join([" " * (number % 500) + piece for number in range(2_000)]) if piece.endswith("\n") else ""
    for text in (piece * 10_000, deep):
        page = read_source(reader, f"{text}\nend\n".encode(), "page" + extension(reader), files_of(reader, FILES))
        assert len(page.text) < 40 * (len(text) + 100)
