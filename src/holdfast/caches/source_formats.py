"""Source formats: which files become documents, and what reads their structure. Pure.

A format is one row of FORMATS: to add one, write what reads its headings and breaks, and add the row.
"""

from __future__ import annotations

from holdfast.caches.search.markdown import read_markdown
from holdfast.caches.search.restructured import is_restructured, read_restructured
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.caches.search.headings import Heading

    # Given a text, its lines and the first of them after the front matter: its headings, and the lines before which a
    # long section may be cut.
    ReadMarkup = Callable[[str, list[str], int], tuple[list[Heading], list[int]]]


class SourceFormat(NamedTuple):
    """A kind of source: the extension of its names, and what reads its markup, in time linear in the text."""

    extension: str
    read: ReadMarkup

    def stem(self, source: str) -> str:
        """The path of a source without its extension."""
        return source.removesuffix(self.extension)


def _read_md(text: str, lines: list[str], body: int) -> tuple[list[Heading], list[int]]:
    # Documentation is often given as .md whatever its markup is: a directive or a label says that it is the other one.
    return (read_restructured if is_restructured(text) else read_markdown)(lines, body)


MARKDOWN = SourceFormat(".md", _read_md)
FORMATS = (MARKDOWN,)


def is_document_name(name: bytes) -> bool:
    """Whether a file becomes a document: its extension is exactly that of a format, and not all of its name."""
    return any(name.endswith(each.extension.encode()) and name != each.extension.encode() for each in FORMATS)


def format_of(source: str) -> SourceFormat:
    """The format of a document by its source; Markdown where no extension fits, as in caches that others built."""
    for each in FORMATS:
        if source.endswith(each.extension):
            return each
    return MARKDOWN
