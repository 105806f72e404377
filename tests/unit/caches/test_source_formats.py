"""A source format is one row of one table."""

from __future__ import annotations

import pytest

from holdfast.caches import source_formats
from holdfast.caches.cache_format import make_document
from holdfast.caches.search.sections import read_fields
from holdfast.caches.source_formats import MARKDOWN, Heading, SourceFormat, format_of, is_document_name


def test_a_document_has_exactly_the_extension_of_a_format() -> None:
    names = [b"a.md", b".hidden.md", b".md", b"a.MD", b"a.md~", b"md", b"a.txt"]
    assert [is_document_name(name) for name in names] == [True, True, False, False, False, False, False]


def test_a_document_that_others_named_otherwise_is_read_as_markdown() -> None:
    assert [format_of(source) for source in ("a/b.md", "b.markdown", "")] == [MARKDOWN] * 3


def test_a_row_in_the_table_is_all_that_a_format_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(text: str, lines: list[str], body: int) -> tuple[list[Heading], list[int]]:
        return [Heading(number, number + 1, 1, line[2:]) for number, line in enumerate(lines) if line[:2] == "= "], []

    monkeypatch.setattr(source_formats, "FORMATS", (MARKDOWN, SourceFormat(".adoc", read)))
    fields = read_fields(make_document("guides/setup.adoc", b"= Setup\n\n# not one here\n"))
    assert (is_document_name(b"setup.adoc"), fields.path, fields.title) == (True, ["guides", "setup"], ["Setup"])
    assert [section.heading for section in fields.sections] == [("Setup",)]
