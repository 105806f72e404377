"""Which files become documents, and what reads them."""

from __future__ import annotations

from holdfast.caches.cache_format import make_document
from holdfast.caches.search.sections import read_fields
from holdfast.caches.source_formats import is_document_name


def test_a_document_has_exactly_the_extension_of_markdown() -> None:
    names = [b"a.md", b".hidden.md", b".md", b"a.MD", b"a.md~", b"md", b"a.txt"]
    assert [is_document_name(name) for name in names] == [True, True, False, False, False, False, False]


def test_a_document_that_others_named_otherwise_is_read_as_markdown() -> None:
    fields = read_fields(make_document("guides/setup.adoc", b"# Setup\n\n= not one here\n"))
    assert fields.title == ["Setup"]
    assert [section.heading for section in fields.sections] == [("Setup",)]
