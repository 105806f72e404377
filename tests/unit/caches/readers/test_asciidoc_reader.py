"""AsciiDoc as Markdown: titles, source blocks, notes, lists, tables, includes, with the lines of the file."""

from __future__ import annotations

import pytest

from holdfast.caches.line_map import source_line
from holdfast.caches.readers.asciidoc_reader import read_asciidoc
from holdfast.caches.readers.source_reader import Page
from support.sources import HeldFiles

SOURCE = """\
= Widgets
Ann Example <ann@example.org>
v1.0, 2026-01-01
:product: Widgets
:url: https://example.org/{product}

// a comment
{product} are at {url}[the site]; see xref:install.adoc#run[*how* to `run`] and <<later,later on>>.
{unknown} stays.

////
not
shown
////

[[run]]
== Run it

.Start
[source,bash]
----
$ widgets {product} <1>

# done
----
<1> Starts.

NOTE: Slow.

[WARNING]
====
Hot.
====

* one
** two
. first
+
more

term:: what it is

[cols="1,1"]
|===
|Name |Meaning

|a
|first
goes on
|b |second
|===

image::x.png[]

ifdef::secret[]
hidden
endif::[]
ifndef::secret[]
shown
endif::[]
"""

EXPECTED = """\
# Widgets

Widgets are at [the site](https://example.org/Widgets); see [*how* to `run`](install.adoc) and later on.
{unknown} stays.

## Run it

**Start**

```bash
$ widgets {product} <1>

# done
```

1. Starts.

**Note**

Slow.

**Warning**

Hot.

- one
  - two
1. first

more

- **term**: what it is

| Name | Meaning |
|---|---|
| a | first goes on |
| b | second |

shown
"""


def read(text: str, files: dict[str, str] | None = None) -> Page:
    return read_asciidoc(text.encode(), "docs/guide.adoc", HeldFiles(files))


def test_a_page_becomes_markdown() -> None:
    assert read(SOURCE).text == EXPECTED


def test_every_line_stands_for_the_line_it_was_made_of() -> None:
    page, sources = read(SOURCE), SOURCE.split("\n")
    for number, line in enumerate(page.text.split("\n")[:-1], 1):
        for word in ("stays", "Run it", "# done", "Starts", "Slow", "Hot", "two", "what it is", "second", "shown"):
            if word in line:
                assert word in sources[source_line(page.lines, number) - 1]


def test_files_are_included_where_they_can_be_had() -> None:
    files = {
        "docs/A.java": "// tag::main[]\nrun();\n// end::main[]\nstop();\n",
        "docs/part.adoc": "Part of it.\n",
        "docs/loop.adoc": "again\n\ninclude::loop.adoc[]\n",
    }
    page = read(
        ":here: part\n\n[source,java]\n----\ninclude::A.java[tag=main]\n----\n\ninclude::{here}.adoc[]\n", files
    )
    assert page.text == "```java\nrun();\n```\n\nPart of it.\n"
    assert source_line(page.lines, 5) == 8
    assert read("include::A.java[lines=2..2]\n", files).text == "run();\n"
    assert read("include::nowhere.adoc[]\n").text == "include::nowhere.adoc[]\n"
    assert read("include::loop.adoc[]\n", files).text.count("again") == 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("link:a.html[A] kbd:[Ctrl] and `link:b[c]`\n", "[A](a.html) Ctrl and `link:b[c]`\n"),
        ("https://example.org[] and [plain] text\n", "<https://example.org> and [plain] text\n"),
        ("`+x+` y +\nz\n", "`x` y\nz\n"),
        ("----\nnever closed\n", "```\nnever closed\n```\n"),
        ("+++\ntext\n", "+++\ntext\n"),
        ("++++\n<b>raw</b>\n++++\ntext\n", "text\n"),
        ("====== Deep\n", "###### Deep\n"),
        ("<<open\n", "<<open\n"),
        ("a:b[\n", "a:b[\n"),
        ("|===\n|only\n|===\n", "| only |\n|---|\n"),
    ],
)
def test_each_construct(text: str, expected: str) -> None:
    assert read(text).text == expected
