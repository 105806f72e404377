"""AsciiDoc as Markdown: titles, source blocks, notes, lists, tables, includes, with the lines of the file."""

from __future__ import annotations

import pytest

from holdfast.caches.line_map import source_line
from holdfast.caches.readers.asciidoc_reader import read_asciidoc
from holdfast.caches.readers.source_reader import Page
from holdfast.caches.source_formats import read_markdown
from support.sources import HeldFiles

SOURCE = """\
= Widgets
Ann Example <ann@example.org>
v1.0, 2026-01-01
:product: Widgets
:url: https://example.org/{product}

// a comment
{product} are at {url}[the site]; see xref:install.adoc#run[*how* to `run`] and <<later,later on>>.
{some-name} stays, `{id}` too.

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
some name stays, `{id}` too.

## Run it

**Start**

```bash
$ widgets {product} <1>

# done
```

1. Starts.

> **Note**

Slow.

> **Warning**

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
        ("javadoc:org.x.Some$Inner[] configprop:a.b[]\n", "`Inner` `a.b`\n"),
        ("{url-x}/a[the site] link:{url-x}[site]\n", "the site site\n"),
        ("xref:m:p.adoc#a.some-words[]\n", "[some words](p.adoc)\n"),
        ("[.red]#red# (((gone)))((kept))\n", "red kept\n"),
        ("[source,yaml]\na: 1\n\nb\n", "```yaml\na: 1\n```\n\nb\n"),
    ],
)
def test_each_construct(text: str, expected: str) -> None:
    assert read(text).text == expected


MANUAL = """\
tool(1)
=======
:manual-for: tool

NAME
----
tool - does [[x]]things

SYNOPSIS
--------
[verse]
'tool' [-z]
     <file>

OPTIONS
-------
`-z`::
`--zero`::
	Terminate with linkgit:other-tool[1].
+
------------
$ tool -z
------------
+
More ``words''.

mode;; one of:
* a
* b

See also:

   tool --all

Levels
~~~~~~
text
"""


def test_a_title_may_be_underlined_as_long_as_it_is() -> None:
    assert (
        read(MANUAL).text
        == """\
# tool(1)

## NAME

tool - does things

## SYNOPSIS

```
tool [-z]
     <file>
```

## OPTIONS

- **`-z`**
- **`--zero`**
  Terminate with [other-tool(1)](other-tool.adoc).

  ```
  $ tool -z
  ```

  More "words".

  - **mode**: one of:
    - a
    - b

See also:

```
   tool --all
```

### Levels

text
"""
    )


def test_a_listing_below_a_line_of_another_length_is_no_title() -> None:
    assert read("Like this:\n----\ncode\n----\n").text == "Like this:\n\n```\ncode\n```\n"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("ifdef::a[]", "yes\n"),
        ("ifdef::b[]", ""),
        ("ifdef::a,b[]", "yes\n"),
        ("ifdef::a+b[]", ""),
        ("ifndef::b[]", "yes\n"),
        ('ifeval::["{a}" == "2"]', "yes\n"),
        ("ifeval::[{a} >= 10]", ""),
        ('ifeval::["{b}" != ""]', ""),
    ],
)
def test_lines_count_by_their_condition(condition: str, expected: str) -> None:
    assert read(f":a: 2\n\n{condition}\nyes\nendif::[]\n").text == expected


def test_a_condition_may_hold_its_text() -> None:
    assert read(":a:\n\nifdef::a[one `x`]\nifdef::b[two]\n").text == "one `x`\n"


def test_what_cannot_be_included_is_left_out_and_reported() -> None:
    files = HeldFiles()
    text = "a {no-value}\n\ninclude::nowhere.adoc[]\n\ninclude::maybe.adoc[opts=optional]\ninclude-code::Gone[]\n\nb"
    assert read_asciidoc(text.encode(), "docs/guide.adoc", files).text == "a no value\n\nb\n"
    assert files.lacks == ["{no-value}", "nowhere.adoc", "Gone (of include-code)"]


def test_includes_choose_by_tags_shift_titles_and_are_found_from_the_file_that_includes() -> None:
    files = {
        "docs/a/b.adoc": "= B\n\ninclude::../c.adoc[tags=x;y]\n",
        "docs/c.adoc": "# tag::x[]\none\n# tag::y[]\ntwo\n# end::y[]\nthree\n# end::x[]\nfour\n",
    }
    assert read("include::a/b.adoc[leveloffset=+1]\n", files).text == "## B\n\none\ntwo\nthree\n"
    assert read("include::c.adoc[tags=x;!y]\n", files).text == "one\nthree\n"


def test_antora_includes_are_in_the_folders_of_their_module() -> None:
    files = {"modules/ROOT/partials/p.adoc": "P\n", "modules/api/examples/e.adoc": "E\n"}
    text = "include::partial$p.adoc[]\n\ninclude::api:example$e.adoc[]\n"
    page = read_asciidoc(text.encode(), "modules/ROOT/pages/sub/page.adoc", HeldFiles(files))
    assert page.text == "P\n\nE\n"


def test_code_that_a_section_names_is_a_fence() -> None:
    code = "/*\n * Copyright\n */\n\npackage a.b;\n\nclass My {}\n"
    files = {"src/main/java/web/mvc/someclients/My.java": code}
    text = "[[web.mvc.some-clients]]\n== Clients\n\ninclude-code::My[]\n"
    assert read(text, files).text == "## Clients\n\n```java\nclass My {}\n```\n"


def test_links_and_code_begin_on_one_line_and_end_on_another() -> None:
    text = "* see link:a.html[the\n  page] or `git\nlog` and\n  linkgit:git-log[1] as `odd' and xref:b.adoc[b].\n"
    page = read(text)
    assert (
        page.text
        == "- see [the\n  page](a.html) or `git\n  log` and\n  [git-log(1)](git-log.adoc) as `odd' and [b](b.adoc).\n"
    )
    assert [source_line(page.lines, number) for number in range(1, 5)] == [1, 2, 3, 4]


def test_a_method_in_a_macro_is_named_with_its_type() -> None:
    assert read("Call (javadoc:a.b.Run#go(java.lang.String...)[]).\n").text == "Call (`Run.go`).\n"


def test_angle_brackets_of_a_title_are_words() -> None:
    files = HeldFiles()
    page = read_asciidoc(b"= a.<tool>.path and `<b>`\n\ntext\n", "a.adoc", files)
    assert page.text == "# a.\\<tool>.path and `<b>`\n\ntext\n"
    assert read_markdown(page.text.split("\n"), 0)[0][0].text == "a.<tool>.path and `<b>`"


def test_marks_of_a_conflict_are_no_reference() -> None:
    text = b"shows a +<<<<<<<+ marker, one side, +>>>>>>>+ and <<part,a _<name>_>>.\n"
    page = read_asciidoc(text, "a.adoc", HeldFiles())
    assert page.text == "shows a +<<<<<<<+ marker, one side, +>>>>>>>+ and a _<name>_.\n"
