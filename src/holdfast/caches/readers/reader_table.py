"""Every reader there is, and which one reads a source."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from holdfast.caches.readers.source_reader import SourceReader
from holdfast.core.unicode_text import lower_case

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.caches.readers.source_reader import Page, SourceFiles

_HERE = "holdfast.caches.readers."

READERS: tuple[SourceReader, ...] = (
    SourceReader("markdown-1", (".md", ".markdown"), _HERE + "markdown_reader:read_markdown_source"),
    SourceReader("mdx-1", (".mdx",), _HERE + "mdx_reader:read_mdx"),
    SourceReader("rst-1", (".rst", ".rest"), _HERE + "rst_reader:read_rst"),
    SourceReader("asciidoc-2", (".adoc", ".asciidoc"), _HERE + "asciidoc_reader:read_asciidoc"),
    SourceReader("text-1", (".txt", ".text"), _HERE + "text_reader:read_text"),
    SourceReader("html-1", (".html", ".htm", ".xhtml"), _HERE + "html_reader:read_html"),
    SourceReader("notebook-1", (".ipynb",), _HERE + "notebook_reader:read_notebook"),
    SourceReader(
        "openapi-1",
        (".json", ".yaml", ".yml"),
        _HERE + "openapi_reader:read_openapi",
        recognises=_HERE + "openapi_reader:is_openapi",
    ),
    # Found by who finds packages, not by their names.
    SourceReader("python-1", (), _HERE + "python_reader:read_python"),
    SourceReader("metadata-1", (), _HERE + "metadata_reader:read_metadata"),
    SourceReader("dts-1", (), _HERE + "dts_reader:read_declarations", "analysis"),
)
# Those who look into a file before they take it for theirs.
RECOGNISING = frozenset([reader.name for reader in READERS if reader.recognises])


def reader_of(name: str) -> SourceReader | None:
    """The reader of a source by its name; None where nothing reads it. Where it `recognises`, `is_of_kind` decides."""
    lowered = lower_case(name)
    for reader in READERS:
        if lowered.endswith(reader.extensions):
            return reader
    return None


class ReaderNames(dict[str, str]):
    """What `reader_of` finds, by the part of a name that decides: its last dot and what follows, or its last character.

    It is the name of the reader, empty for none; each is looked for once.
    """

    def __missing__(self, ending: str) -> str:
        reader = reader_of(ending)
        self[ending] = found = "" if reader is None else reader.name
        return found


def reader_named(name: str) -> SourceReader | None:
    """The reader of this name; None where there is none."""
    return next((reader for reader in READERS if reader.name == name), None)


def is_of_kind(reader: SourceReader, data: bytes) -> bool:
    """Whether these bytes are of the kind that a reader reads; a source that is not is no document, and no fault."""
    return not reader.recognises or bool(_loaded(reader.recognises)(data))


def read_source(reader: SourceReader, data: bytes, name: str, files: SourceFiles) -> Page:
    """What a reader makes of a source. Raises Unreadable."""
    page: Page = _loaded(reader.read)(data, name, files)
    return page


def _loaded(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
