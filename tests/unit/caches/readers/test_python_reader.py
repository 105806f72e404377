"""Python modules: what is for their users, by the file alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.readers.source_reader import Unreadable
from support.pages import is_within, numbered, read

MODULE = '''"""Turn widgets.

Usage::

    turn(3)

Title
=====
"""
from typing import overload

# How fast, at most.
FASTEST: int = 9  # turns a second
_HIDDEN = 1
helper = object()

type Speed = int | str


@overload
def turn(speed: int) -> int: ...
@overload
def turn(speed: str) -> str: ...
def turn(
    speed,  # how fast
    *, back: bool = False,
):
    """Turn it, see :class:`~widgets.Widget`.

    :param speed: how ``fast``
    :raises ValueError: too fast
    """
    return f"{f"nested {speed}"}"


class Widget[T](Base, metaclass=Meta):
    r"""A \\d widget.

    Args:
        size (int): how large,
            in metres
        **rest: more

    >>> Widget(1)
    Widget
    """

    size: int = 1
    """Its size."""

    def __init__(self, size: int) -> None: ...
    def __repr__(self): ...
    def _private(self): ...

    @property
    def area(self) -> int:
        """Parameters
        ----------
        none
            at all
        """
    @area.setter
    def area(self, value): ...

    class Part:
        def stop(self): "Stop."


def _inner(): ...
if True:
    def late(): "Later."
'''


def test_a_module_is_its_public_declarations_with_the_lines_of_its_file() -> None:
    assert (
        numbered(read(MODULE, "widgets/turning.py", "python-1"))
        == """1|# widgets.turning
1|
1|Turn widgets.
2|
3|Usage:
4|
5|```python
5|turn(3)
5|```
6|
7|**Title**
8|
12|```python
12|# How fast, at most.
13|FASTEST: int = 9  # turns a second
17|type Speed = int | str
17|```
18|
21|## widgets.turning.turn()
21|
21|```python
21|@overload def turn(speed: int) -> int
23|@overload def turn(speed: str) -> str
24|def turn(speed, *, back: bool = False)
24|```
25|
28|Turn it, see `Widget`.
29|
30|- `speed`: how `fast`
31|- raises `ValueError`: too fast
32|
36|## class widgets.turning.Widget
36|
36|```python
36|class Widget[T](Base, metaclass=Meta)
36|```
36|
37|A \\d widget.
38|
39|**Args:**
39|
40|- `size (int)`: how large,
41|  in metres
42|- `**rest`: more
43|
44|```python
44|>>> Widget(1)
45|Widget
45|```
46|
48|```python
48|size: int = 1
48|```
48|
49|Its size.
50|
51|### Widget.__init__()
51|
51|```python
51|def __init__(self, size: int) -> None
51|```
52|
56|### Widget.area
56|
56|```python
56|@property def area(self) -> int
56|```
56|
57|**Parameters**
58|
59|none
60|  at all
61|
65|### class Widget.Part
65|
65|```python
65|class Part
65|```
65|
66|#### Widget.Part.stop()
66|
66|```python
66|def stop(self)
66|```
66|
66|Stop.
67|
71|## widgets.turning.late()
71|
71|```python
71|def late()
71|```
71|
71|Later.
"""
    )


def test_what_a_package_imports_from_its_modules_has_the_name_of_the_package() -> None:
    texts = {
        "pkg/__init__.py": "from ._core import Client as HttpClient\nif CHECKED:\n    from ._core.more import *\n",
        "pkg/_core/__init__.py": "from .client import Client\nfrom .client import unused\n",
    }
    client = read("class Client: ...\nclass Other: ...\ndef unused(): ...\n", "pkg/_core/client.py", "python-1", texts)
    more = read(
        "__all__ = ['a']\n__all__ += ('B',)\ndef a(): ...\nB = 1\ndef c(): ...\n",
        "pkg/_core/more.py",
        "python-1",
        texts,
    )

    assert [line for line in client.text.split("\n") if line.startswith("#")] == [
        "# pkg._core.client",
        "## class pkg.HttpClient",
    ]
    assert [line for line in more.text.split("\n") if line.startswith("#")] == ["# pkg._core.more", "## pkg.a()"]
    assert "B = 1" in more.text


def test_a_module_that_is_no_utf8_or_huge_is_unreadable() -> None:
    with pytest.raises(Unreadable, match=r"is not UTF-8 \(byte 1\): convert it"):
        read(b"#\xff", "a.py", "python-1")
    with pytest.raises(Unreadable, match="has more than 10 MB"):
        read(b"#" * (11 << 20), "a.py", "python-1")


PIECES = st.lists(
    st.sampled_from(
        (
            *(
                "def f(",
                "):\n",
                "class A",
                ":\n",
                '    """',
                "Args:\n",
                "x: y\n",
                "::\n",
                "\n",
                "    ",
                ">>> 1",
                "```",
                "@a\n",
            ),
            *(
                "from . import *\n",
                "__all__ = [",
                "'a'",
                "]",
                " = 1",
                "# c\n",
                "type X = 1\n",
                "\\",
                "..  note:: x",
                "====\n",
            ),
        )
    ),
    max_size=40,
).map(lambda parts: "".join(parts).encode())


@given(st.one_of(st.binary(max_size=200), PIECES))
def test_whatever_is_given_there_is_a_page_or_a_reason(source: bytes) -> None:
    try:
        page = read(source, "a/b.py", "python-1", {"a/__init__.py": "from .b import *"})
    except Unreadable:
        return

    assert is_within(page, source)


@pytest.mark.parametrize(
    "unit", ["(", "[", "class A:\n ", "if 1:\n ", "x = 1\n", '"""', "def f(): ...\n", "# c\n", "@", "lambda:"]
)
def test_nesting_and_repetition_are_bounded(unit: str) -> None:
    source = (unit * 10_000).encode()

    assert is_within(read(source, "a.py", "python-1"), source)


def test_the_description_of_a_distribution_is_read_from_its_metadata() -> None:
    page = read(
        "Metadata-Version: 2.4\nName: widgets\nVersion: 2.1\nSummary: Turns.\n"
        "Description-Content-Type: text/markdown\n\n# Widgets\n\nTurn *them*.\n",
        "widgets-2.1.dist-info/METADATA",
        "metadata-1",
    )

    assert page.title == "widgets 2.1"
    assert numbered(page) == "4|widgets 2.1: Turns.\n4|\n7|# Widgets\n8|\n9|Turn *them*.\n"


def test_a_description_in_restructuredtext_is_read_as_such_and_includes_nothing() -> None:
    page = read(
        "Name: widgets\nVersion: 2.1\n\nWidgets\n=======\n\n.. include:: secret.txt\n\nTurn ``them``.\n",
        "widgets-2.1.dist-info/METADATA",
        "metadata-1",
        {"secret.txt": "hidden"},
    )

    assert page.text.startswith("# Widgets\n")
    assert page.text.endswith("\nTurn `them`.\n")
    assert "hidden" not in page.text


@given(st.one_of(st.binary(max_size=200), st.text(alphabet="ab: \n\t#-`", max_size=200).map(str.encode)))
def test_whatever_metadata_is_given_there_is_a_page_or_a_reason(source: bytes) -> None:
    try:
        page = read(source, "a-1.dist-info/METADATA", "metadata-1")
    except Unreadable:
        return

    assert is_within(page, source)
