"""Plain text is given as it is, under the title that its first line may be."""

from __future__ import annotations

import pytest

from holdfast.caches.readers.source_reader import Page
from holdfast.caches.readers.text_reader import read_text
from support.sources import HeldFiles


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Release notes\n\nAll of them.\n", "Release notes"),
        ("\n  Release notes\n\nAll.\n", "Release notes"),
        ("Release notes\n=============\n\nAll.\n", ""),
        ("This is a sentence.\n\nMore.\n", ""),
        ("two\nlines\n", ""),
        ("-----\n\nx\n", ""),
        ("", ""),
    ],
)
def test_the_first_line_is_the_title_where_it_looks_like_one(text: str, title: str) -> None:
    assert read_text(text.encode(), "a.txt", HeldFiles()) == Page(text, title, ())


def test_controls_are_left_out() -> None:
    assert read_text(b"a\x1b[31mb\x07\tc\n", "a.txt", HeldFiles()).text == "a[31mb\tc\n"
