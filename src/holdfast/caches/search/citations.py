"""Citations: `name#Lfirst-Llast@hash12`, found in a text and checked against documents. Pure.

Where a part of a line is cited, `C` and a column follow the line: `name#L3C120-L3C980@hash12`. The name is written as
the source spells it; a reader accepts every spelling of the id.
"""

from __future__ import annotations

from hashlib import sha256

from holdfast.caches.cache_format import document_id
from holdfast.caches.search.source_lines import split_lines
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Literal

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.section import Section

    State = Literal["holds", "changed", "no such lines", "no such document"]

_HEX = frozenset("0123456789abcdef")
# What may stand around a citation in prose, Markdown and code.
_AROUND = " \t`'\"()[]{}<>|,;*"


class Citation(NamedTuple):
    """A citation in a text: the line of the text (1-based), and what it claims.

    Columns are characters of the first and the last line, 1-based, both included; None where none is written.
    """

    line: int
    id: str
    first: int
    last: int
    digest: str
    from_column: int | None = None
    to_column: int | None = None

    @property
    def text(self) -> str:
        """The citation itself."""
        return f"{self.id}#{_place(self.first, self.from_column)}-{_place(self.last, self.to_column)}@{self.digest}"

    def extent(self, lines: Sequence[str], starts: Sequence[int]) -> tuple[int, int] | None:
        """The characters of a document from and to; None where its lines, or these, have no such columns."""
        if not 1 <= self.first <= self.last <= len(lines):
            return None
        for line, column in ((self.first, self.from_column), (self.last, self.to_column)):
            if column is not None and not 1 <= column <= len(lines[line - 1]):
                return None
        start = starts[self.first - 1] + (self.from_column or 1) - 1
        last = lines[self.last - 1]
        end = starts[self.last - 1] + (len(last) if self.to_column is None else self.to_column)
        return (start, end) if start < end or self.from_column is self.to_column is None else None


class Verdict(NamedTuple):
    """`holds`, `changed` (the lines say something else), `no such lines` or `no such document`."""

    citation: Citation
    state: State


def parse_citation(text: str) -> Citation | None:
    """The citation that a text is, and nothing else; None where it is none."""
    at = text.rfind("#L")
    parsed = _parse_tail(text, at + 2) if at > 0 else None
    if parsed is None or parsed[1] != len(text):
        return None
    return parsed[0]._replace(id=text[:at])


def cite(name: str, first: int, last: int, content: str, from_column: int = 0, to_column: int = 0) -> str:
    """The citation of lines of a document, or of a part of them, that say this; a column 0 is none."""
    return _citation(name, first, last, sha256(content.encode()).hexdigest(), from_column, to_column)


def cite_section(name: str, section: Section, digest: str) -> str:
    """The citation of a section of a document with that name; `digest` is the SHA-256 of the section's content.

    Its lines are those of the source.
    """
    return _citation(name, *section.cited_lines, digest, section.from_column, section.to_column)


def _citation(name: str, first: int, last: int, digest: str, from_column: int, to_column: int) -> str:
    return f"{name}#{_place(first, from_column or None)}-{_place(last, to_column or None)}@{digest[:12]}"


def _place(line: int, column: int | None) -> str:
    return f"L{line}" if column is None else f"L{line}C{column}"


def find_citations(text: str, ids: Collection[str]) -> Iterator[Citation]:
    """Every citation in a text, in order, as it is spelt. A name may hold blanks: the ids say where one begins.

    One without a name is of the document that the one before it names, as in answers.
    """
    named = ""
    for number, line in enumerate(split_lines(text)[0], 1):
        at = line.find("#L")
        begin = 0
        while at >= 0:
            parsed = _parse_tail(line, at + 2)
            if parsed is None:
                at = line.find("#L", at + 2)
                continue
            citation, end = parsed
            named = _id_before(line[begin:at], ids) or named
            yield citation._replace(line=number, id=named)
            begin = end
            at = line.find("#L", end)


def _parse_tail(line: str, at: int) -> tuple[Citation, int] | None:
    """What `first-Llast@hash12` says, columns perhaps included, with no name yet, and where it ends."""
    first, from_column, at = _line_and_column(line, at)
    if first is None or line[at : at + 2] != "-L":
        return None
    last, to_column, at = _line_and_column(line, at + 2)
    digest = line[at + 1 : at + 13]
    if last is None or line[at : at + 1] != "@" or len(digest) != 12 or not _HEX.issuperset(digest):
        return None
    end = at + 13
    if line[end : end + 1] in _HEX:  # a longer hash is none of ours
        return None
    return Citation(1, "", first, last, digest, from_column, to_column), end


def _line_and_column(line: str, at: int) -> tuple[int | None, int | None, int]:
    """The number of a line, the column after it if there is one, and where they end."""
    number, end = _digits(line, at)
    if number is None or line[end : end + 1] != "C":
        return number, None, end
    column, after = _digits(line, end + 1)
    return (number, None, end) if column is None else (number, column, after)


def _digits(line: str, at: int) -> tuple[int | None, int]:
    end = at
    while end < len(line) and end - at < 12 and line[end] in "0123456789":
        end += 1
    return (int(line[at:end]), end) if end > at else (None, end)


def _id_before(before: str, ids: Collection[str]) -> str:
    """The name that ends here: the longest known id, else the text without blanks or brackets."""
    begin = max([before.rfind(mark) for mark in _AROUND]) + 1
    word = before[begin:]
    if document_id(word) in ids:
        return word
    # Known names with blanks or brackets in them: try from each place where a word may begin, the longest first.
    starts = [0, *[at + 1 for at, character in enumerate(before) if character in _AROUND]]
    for start in starts[-64:]:
        if document_id(before[start:]) in ids:
            return before[start:]
    return word


def judge(citations: Iterable[Citation], document_of: Callable[[str], Document | None]) -> list[Verdict]:
    """For each citation, whether its document still has the hashed text in those lines.

    `document_of` takes a name as it was cited, in the source's spelling or the id's.
    A document is asked for once, cut into lines once and let go before the next; the same lines are hashed once.
    """
    from holdfast.caches.search.cited_places import CitedPlaces

    by_id: dict[str, list[tuple[int, Citation]]] = {}
    for number, citation in enumerate(citations):
        by_id.setdefault(citation.id, []).append((number, citation))
    states: dict[int, Verdict] = {}
    for name, cited in by_id.items():
        document = document_of(name)
        places = None if document is None else CitedPlaces(document)
        for number, citation in cited:
            state = "no such document" if places is None else places.find(citation).state
            states[number] = Verdict(citation, state)
    return [states[number] for number in range(len(states))]
