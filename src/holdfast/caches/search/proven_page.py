"""A document that was proven, and what answers tell of its sections, each worked out once. Pure.

A server asks the same documents again and again; what is here depends on the document and on nothing that is asked.
"""

from __future__ import annotations

from hashlib import sha256

from holdfast.caches.search.citations import cite_section
from holdfast.caches.search.section_label import (
    entry_line,
    header_line,
    header_text,
    heading_path,
    path_of,
    untold_parts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.question import Question
    from holdfast.caches.search.section import Section
    from holdfast.caches.search.section_label import Untold


class CodeChanged(Exception):
    """A source file is no longer the one that was asked."""


class CitedText:
    """A section, or neighbours as one, as an answer cites and names it.

    `header` is the marked line of a table's header, where the text begins inside the table. `costs` is a
    store for token counts, by a name.
    """

    __slots__ = (
        "_name",
        "_title",
        "_untold",
        "citation",
        "content",
        "costs",
        "declares",
        "digest",
        "header",
        "is_named",
        "part",
        "section",
        "test",
    )

    def __init__(self, document: Document, title: str, prefix: str, section: Section) -> None:
        self.section = section
        self.is_named = False  # given by its line alone
        self.part = 0  # which of several sections that begin on one line it is, where it was named
        # Of source: what the section declares, and the test of its file.
        self.declares: str | None = None
        self.test = ""
        self.content = document.content[section.start : section.end]
        self.digest = sha256(self.content.encode()).hexdigest()
        self._name, self._title = document.name, title
        self.citation = cite_section(prefix + self._name, section, self.digest)
        header = header_text(document.content, section)
        self.header = header_line(section.cited_header, header) if header else ""
        self.costs: dict[object, int] = {}
        self._untold: Untold | None = None

    @property
    def name(self) -> str:
        """The name of its document, as citations have it."""
        return self.citation.rpartition("#L")[0]

    @property
    def untold(self) -> Untold:
        """Title and heading, without what the text or the document's name tell."""
        if self._untold is None:
            self._untold = untold_parts(self._name, self._title, self.section.heading, self.content)
        return self._untold

    def label(self, place: int, is_new: tuple[bool, bool] = (True, True)) -> str:
        """The line above the text; `is_new` says whether title and heading are shown for the first time."""
        return entry_line(str(place), self.citation, path_of(self.untold, is_new))

    def outline_path(self, *, with_title: bool = True) -> str:
        """Title and headings, all of them."""
        return heading_path(*titled(self._title, self.section.heading, with_title=with_title))

    def outline_label(self, place: int, tokens: int, *, with_title: bool = True) -> str:
        """The line of an outline, which has no text below it."""
        path = self.outline_path(with_title=with_title)
        return f"{entry_line(str(place), self.citation, path)} · {tokens:,} tokens"


class ProvenPage:
    """One document. Its sections are asked for by their place in it; `prefix` goes before its name in citations."""

    __slots__ = ("_cited", "document", "prefix", "title")

    def __init__(self, document: Document, title: str, prefix: str = "") -> None:
        self.document, self.title, self.prefix = document, title, prefix
        self._cited: dict[tuple[int, int], CitedText] = {}

    def cited(self, at: int, section_at: Callable[[int], Section]) -> CitedText:
        """One section; `section_at` is asked where it was not met before."""
        found = self._cited.get((at, at))
        if found is None:
            found = self._cited[at, at] = self._made(section_at(at))
        return found

    def named(self, cited: CitedText) -> CitedText:
        """The same section, to be given by its line alone."""
        key = -1 - cited.section.start, cited.section.end
        found = self._cited.get(key)
        if found is None:
            found = self._cited[key] = self._made(cited.section)
            found.is_named = True
        return found

    def claim(self, question: Question) -> str:  # noqa: ARG002  # as source code takes it
        """Nothing: no context is about documentation."""
        return ""

    def _made(self, section: Section) -> CitedText:
        return CitedText(self.document, self.title, self.prefix, section)

    def joined(self, first: int, last: int) -> CitedText:
        """Adjacent sections as one; both were met before."""
        found = self._cited.get((first, last))
        if found is None:
            start, end = self._cited[first, first].section, self._cited[last, last].section
            cited = start.cited_lines[0], end.cited_lines[1], start.cited_header
            whole = start._replace(last=end.last, end=end.end, to_column=end.to_column, cited=cited)
            found = self._cited[first, last] = self._made(whole)
        return found


def titled(title: str, heading: Sequence[str], *, with_title: bool) -> tuple[str, Sequence[str]]:
    """A title and headings as an entry shows them; without the title where an earlier entry of the page has shown
    it."""
    if with_title:
        return title, heading
    return "", heading[1:] if title in heading[:1] else heading
