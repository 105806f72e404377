"""reStructuredText as Markdown: titles, code, notes, roles, lists, with the lines of the file."""

from __future__ import annotations

import pytest

from holdfast.caches.line_map import source_line
from holdfast.caches.readers.rst_reader import read_rst
from holdfast.caches.readers.source_reader import Page
from holdfast.caches.readers.text_reader import read_text
from support.sources import HeldFiles

SOURCE = """\
.. _widgets-guide:

=======
Widgets
=======

.. module:: widgets
   :synopsis: Things.

.. comment of two
   lines

Widgets are :class:`~widgets.base.Widget` objects. See the :ref:`install guide
<widgets-install>`, :doc:`/topics/forms` and `the site <https://example.org/>`_
with ``pip install``, or PyPI_.

.. _PyPI: https://pypi.example/

Install
=======

Run this::

    $ pip install widgets

      now

Then:

#. Open it.
   Wait.

   .. code-block:: python

      import widgets

* one
* two

.. class:: Widget(name, *, size=1)
           Widget(other)

   A thing.

   :param name: what it is called

   .. versionadded:: 2.1

   .. method:: draw()

      Draws.

      .. note::
         Slow.

.. toctree::
   :maxdepth: 2

   other
   more
"""

EXPECTED = """\
# Widgets

Widgets are `Widget` objects. See the
install guide, [/topics/forms](/topics/forms) and [the site](https://example.org/)
with `pip install`, or [PyPI](https://pypi.example/).

# Install

Run this:

```
$ pip install widgets

  now
```

Then:

1. Open it.
   Wait.

   ```python
   import widgets
   ```

- one
- two

`class Widget(name, *, size=1)`
`Widget(other)`

A thing.

- **param name**: what it is called

**Added in version 2.1**

`draw()`

Draws.

**Note**

Slow.
"""


def read(text: str, files: dict[str, str] | None = None) -> Page:
    return read_rst(text.encode(), "docs/guide.rst", HeldFiles(files))


def test_a_page_becomes_markdown() -> None:
    expected = EXPECTED.replace("# Install", "## Install")
    assert read(SOURCE.replace("=======\nWidgets\n=======", "Widgets\n*******")).text == expected


def test_an_overlined_title_is_another_style_than_an_underlined_one() -> None:
    assert read(SOURCE).text == EXPECTED.replace("# Install", "## Install")


def test_every_line_stands_for_the_line_it_was_made_of() -> None:
    page = read(SOURCE)
    sources = SOURCE.split("\n")
    for number, line in enumerate(page.text.split("\n"), 1):
        words = [
            word for word in ("Widgets are", "Open it", "Wait.", "import widgets", "Draws.", "Slow.") if word in line
        ]
        for word in words:
            assert word in sources[source_line(page.lines, number) - 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".. |v| replace:: 1.2\n\nSince |v|, |other|.\n", "Since 1.2, |other|.\n"),
        (".. admonition:: Be careful\n\n   Really.\n", "**Be careful**\n\nReally.\n"),
        (".. warning:: Hot\n   and loud\n", "**Warning**\n\nHot\nand loud\n"),
        (".. deprecated:: 3.0 Use ``x``.\n", "**Deprecated since version 3.0**: Use `x`.\n"),
        (".. image:: a.png\n   :alt: x\n\ntext\n", "text\n"),
        ("..\n\n   quoted\n", "quoted\n"),
        ("term\n    What it *is*.\n\n    More.\n\nnext\n", "- term\n  What it *is*.\n\n  More.\n\nnext\n"),
        (
            "=====  =====\na      b\n=====  =====\n1      2\n=====  =====\n\nx\n",
            "```\n=====  =====\na      b\n=====  =====\n1      2\n=====  =====\n```\n\nx\n",
        ),
        ("+---+\n| a |\n+---+\n", "```\n+---+\n| a |\n+---+\n```\n"),
        (">>> 1 + 1\n2\n\nyes\n", "```pycon\n>>> 1 + 1\n2\n```\n\nyes\n"),
        (":orphan:\n\ntext\n", "text\n"),
        ("a [1]_ b\n\n.. [1] the *note*\n", "a [1] b\n\n[1] the *note*\n"),
        ("a\n\u3000\nb\n", "a\n\u3000\nb\n"),
        (".. [#a] see :term:`x\n   <y>`\n   too\n\nb\n", "[#a] see\nx\ntoo\n\nb\n"),
        ("one\n\n----\n\ntwo\n", "one\n\ntwo\n"),
        (".. highlight:: console\n\nSee::\n\n  $ x\n", "See:\n\n```console\n$ x\n```\n"),
        ("| a line\n| another\n", "a line\nanother\n"),
        ("# not a title\n", "\\# not a title\n"),
        (".. unknown-thing::\n\n   kept\n", "kept\n"),
        (":py:func:`!a.b` and :c:macro:`X` and :guilabel:`OK`\n", "`a.b` and `X` and OK\n"),
        ("``open", "``open\n"),
        ("`open", "`open\n"),
    ],
)
def test_each_construct(text: str, expected: str) -> None:
    assert read(text).text == expected


def test_files_are_included_where_they_can_be_had() -> None:
    files = {
        "docs/a.py": "import a\n\n# begin\nx = 1\n# end\n",
        "parts/note.txt": "Part\n----\n\nof it\n",
        "docs/loop.rst": "again\n\n.. include:: loop.rst\n",
    }
    text = ".. literalinclude:: a.py\n   :start-after: begin\n   :end-before: end\n\n.. include:: /parts/note.txt\n"
    page = read(text, files)
    assert page.text == "```python\nx = 1\n```\n\n# Part\n\nof it\n"
    assert {source_line(page.lines, number) for number in (5, 7)} == {5}
    assert read(".. include:: nowhere.rst\n").text == "`.. include:: nowhere.rst`\n"
    assert read(".. include:: loop.rst\n", files).text.count("again") == 8


def test_a_text_file_with_directives_is_read_so_too() -> None:
    assert read_text(SOURCE.encode(), "docs/guide.txt", HeldFiles()).text == read(SOURCE).text


def test_a_line_of_white_space_beyond_ascii_underlines_nothing() -> None:
    assert read("Words\n\u2028").text.startswith("Words\n")
