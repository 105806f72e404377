"""Every reader there is, and which one reads a source."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from holdfast.caches.readers.generators import GENERATORS, PLAIN, Generator
from holdfast.caches.readers.page_text import capitalized
from holdfast.caches.readers.source_reader import Page, SourceFiles, SourceReader
from holdfast.caches.source_formats import read_markdown
from holdfast.core.unicode_text import lower_case

_HERE = "holdfast.caches.readers."
# By their first ending, what reads the pages of generators.
_PAGES = {
    ".md": "markdown_reader:read_markdown_source",
    ".adoc": "asciidoc_reader:read_asciidoc",
    ".rst": "rst_reader:read_rst",
}

READERS: tuple[SourceReader, ...] = (
    SourceReader("markdown-2", (".md", ".markdown"), _HERE + "markdown_reader:read_markdown_source"),
    SourceReader("mdx-2", (".mdx",), _HERE + "markdown_reader:read_mdx"),
    SourceReader("rst-1", (".rst", ".rest"), _HERE + "rst_reader:read_rst"),
    SourceReader("asciidoc-2", (".adoc", ".asciidoc"), _HERE + "asciidoc_reader:read_asciidoc"),
    SourceReader("text-1", (".txt", ".text"), _HERE + "text_reader:read_text"),
    SourceReader("html-1", (".html", ".htm", ".xhtml"), _HERE + "html_reader:read_html"),
    SourceReader("notebook-2", (".ipynb",), _HERE + "notebook_reader:read_notebook"),
    SourceReader(
        "openapi-1",
        (".json", ".yaml", ".yml"),
        _HERE + "openapi_reader:read_openapi",
        recognises=_HERE + "openapi_reader:is_openapi",
    ),
    # Found by who finds packages, not by their names.
    SourceReader("python-1", (), _HERE + "python_reader:read_python"),
    SourceReader("metadata-1", (), _HERE + "metadata_reader:read_metadata"),
    SourceReader("dts-1", (), _HERE + "dts_reader:read_declarations"),
    # Pages of documentation generators, found by the generator's own file.
    *[SourceReader(generator.reader, (), _HERE + _PAGES[generator.extensions[0]]) for generator in GENERATORS],
)
# The names of files that stand for their folder.
_INDEXES = frozenset(("index", "readme", "page", "default"))
# Those who look into a file before they take it for theirs.
RECOGNISING = frozenset([reader.name for reader in READERS if reader.recognises])


def reader_of(name: str, generator: Generator = PLAIN) -> SourceReader | None:
    """The reader of a source by its name; None where nothing reads it. Where it `recognises`, `is_of_kind` decides.

    A page of a generator has the generator's own reader.
    """
    lowered = lower_case(name)
    if generator.extensions and lowered.endswith(generator.extensions):
        return reader_named(generator.reader)
    for reader in READERS:
        if lowered.endswith(reader.extensions):
            return reader
    return None


def reader_named(name: str) -> SourceReader | None:
    """The reader of this name; None where there is none."""
    return next((reader for reader in READERS if reader.name == name), None)


def is_of_kind(reader: SourceReader, data: bytes) -> bool:
    """Whether these bytes are of the kind that a reader reads; a source that is not is no document, and no fault."""
    return not reader.recognises or bool(_loaded(reader.recognises)(data))


def read_source(reader: SourceReader, data: bytes, name: str, files: SourceFiles) -> Page:
    """What a reader makes of a source, with a title unless its first heading is that of the page. Raises Unreadable."""
    page: Page = _loaded(reader.read)(data, name, files)
    if page.title or page.text.startswith("# "):
        return page
    headings, _ = read_markdown(page.text.split("\n"), 0)
    titles = [heading.text for heading in headings if heading.level == 1]
    opening = page.text.partition("\n")[0]
    if len(titles) > 1 and opening[:2] == opening[-2:] == "**" and "**" not in opening[2:-2]:
        return page._replace(title=opening[2:-2])  # a notebook, whose parts have the headings of level 1
    return page if titles and headings[0].level == 1 else page._replace(title=titles[0] if titles else name_words(name))


def name_words(name: str) -> str:
    """The path of a file as a title: its name without ending and number, or that of its folder for an index."""
    *folders, file = name.split("/")
    stem = file.rpartition(".")[0] or file
    if folders and lower_case(stem).lstrip("_") in _INDEXES:
        stem = folders[-1]
    words = " ".join(stem.lstrip("0123456789-_. ").replace("-", " ").replace("_", " ").split(" ")) or stem
    return capitalized(words)


def _loaded(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
