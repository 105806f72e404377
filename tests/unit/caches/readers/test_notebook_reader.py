"""Jupyter notebooks: text as it is, code as fences, what was printed in short; lines of the file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.readers.source_reader import Unreadable
from support.pages import is_within, numbered, read


def _notebook(*cells: dict[str, Any], indent: int | None = 1, language: str = "python") -> str:
    book = {"cells": list(cells), "metadata": {"language_info": {"name": language}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=indent)


TEXT = {
    "cell_type": "markdown",
    "metadata": {},
    "source": ["# Turning\n", "\n", "```\n", "a\n", "\n", "\n", "b\n", "```"],
}
CODE = {
    "cell_type": "code",
    "execution_count": 1,
    "metadata": {},
    "outputs": [
        {"name": "stdout", "output_type": "stream", "text": ["\u001b[31m1\u001b[0m\n", "50%\r100%\n"]},
        {"data": {"image/png": "iVBOR", "text/plain": ["<Figure size 640x480>"]}, "output_type": "display_data"},
        {"data": {"text/html": "<b>", "text/plain": ["[1,\n", " 2]"]}, "output_type": "execute_result"},
        {"ename": "ValueError", "evalue": "too fast\nfar", "output_type": "error", "traceback": ["x"]},
    ],
    "source": ["%matplotlib inline\n", "turn(3)"],
}


def test_cells_are_text_fences_and_what_they_printed() -> None:
    source = _notebook(TEXT, CODE, {"cell_type": "raw", "source": "\\newpage"})
    page = read(source, "a.ipynb")

    assert (
        page.text
        == """# Turning

```
a


b
```

```python
%matplotlib inline
turn(3)
```

Output:

```text
1
100%
[1,
 2]
ValueError: too fast
```
"""
    )
    lines = source.split("\n")
    for entry in numbered(page).split("\n")[:-1]:
        number, _, text = entry.partition("|")
        if text in ("# Turning", "a", "b", "turn(3)", "%matplotlib inline"):
            assert json.dumps(text)[1:-1] in lines[int(number) - 1]


def test_a_notebook_on_one_line_stands_for_that_line() -> None:
    assert numbered(read(_notebook(TEXT, indent=None), "a.ipynb")).split("\n")[:2] == ["1|# Turning", "1|"]


def test_the_language_is_that_of_the_kernel_or_of_the_cell() -> None:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "source": one, "outputs": []} for one in ("x <- 1", "%%bash\nls")
    ]

    assert read(_notebook(*cells, language="R"), "a.ipynb").text == "```r\nx <- 1\n```\n\n```bash\n%%bash\nls\n```\n"


def test_what_was_printed_at_length_is_cut_and_says_so() -> None:
    output = {"output_type": "stream", "text": "".join([f"{number}\n" for number in range(1000)]) + "x" * 1000}
    page = read(_notebook({"cell_type": "code", "source": "f()", "outputs": [output]}), "a.ipynb")

    assert page.text.endswith("39\n… 961 more lines\n```\n")


def test_a_notebook_of_the_third_format_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Part"]},
        {"cell_type": "code", "input": ["x = 1"], "outputs": [{"output_type": "pyout", "text": ["1"]}]},
    ]
    book = {"metadata": {}, "nbformat": 3, "worksheets": [{"cells": cells}]}

    assert read(json.dumps(book), "a.ipynb").text == "## Part\n\n```python\nx = 1\n```\n\nOutput:\n\n```text\n1\n```\n"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", "is not JSON"),
        ("<html>", "is not JSON"),
        ("[" * 100_000, "is not JSON: nested too deep"),
        ("{}", "is not a notebook: it has no cells"),
        ("[]", "is not a notebook: it has no cells"),
        ('{"cells": NaN}', "is not JSON: NaN is not JSON"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_what_is_no_notebook_is_told(source: str | bytes, words: str) -> None:
    with pytest.raises(Unreadable, match=words.replace("[", r"\[")):
        read(source, "a.ipynb")


def test_huge_numbers_and_odd_values_are_passed_over() -> None:
    cell = '{"cell_type": "markdown", "source": ["a\\ud800", 1, null, {"b": 2}], "n": ' + "9" * 100_000 + "}"

    assert read('{"cells": [' + cell + ', 1, null, "x", []]}', "a.ipynb").text == "a?1null\n"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from("cells cell_type source outputs text data text/plain output_type metadata input".split()),
            inner,
        )
    ),
    max_leaves=30,
)


@given(st.one_of(st.binary(max_size=200), VALUES.map(lambda value: json.dumps({"cells": value}, indent=1).encode())))
def test_whatever_is_given_there_is_a_page_or_a_reason(source: bytes) -> None:
    try:
        page = read(source, "a.ipynb")
    except Unreadable:
        return

    assert is_within(page, source)


def test_a_notebook_of_several_parts_is_titled_by_the_bold_line_that_it_begins_with() -> None:
    cells = [
        {"cell_type": "markdown", "source": one} for one in ("**Chapter 4 - Models**\n\nText.", "# Setup", "# Use")
    ]
    assert read(_notebook(*cells), "04_models.ipynb").title == "Chapter 4 - Models"
