"""Citations: `name#Lfirst-Llast@hash12`, found in a text and checked against documents. Pure.

The name is written as the source spells it; whoever reads one takes every spelling of the id.
"""

from __future__ import annotations

from hashlib import sha256

from holdfast.caches.cache_format import document_id
from holdfast.caches.search.sections import split_lines
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Literal

    from holdfast.caches.cache_format import Document

    State = Literal["holds", "changed", "no such lines", "no such document"]

_HEX = frozenset("0123456789abcdef")
# What may stand around a citation in prose, Markdown and code.
_AROUND = " \t`'\"()[]{}<>|,;*"


class Citation(NamedTuple):
    """A citation as it stands in a text: the line of the text (1-based), and what it claims."""

    line: int
    id: str
    first: int
    last: int
    digest: str

    @property
    def text(self) -> str:
        """The citation itself."""
        return f"{self.id}#L{self.first}-L{self.last}@{self.digest}"


class Verdict(NamedTuple):
    """`holds`, `changed` (the lines say something else), `no such lines` or `no such document`."""

    citation: Citation
    state: State


def parse_citation(text: str) -> Citation | None:
    """The citation that a text is, and nothing else; None where it is none."""
    at = text.rfind("#L")
    parsed = _parse_tail(text, at + 2) if at > 0 else None
    if parsed is None or parsed[3] != len(text):
        return None
    return Citation(1, text[:at], *parsed[:3])


def cite(name: str, first: int, last: int, content: str) -> str:
    """The citation of lines of a document that say this."""
    return f"{name}#L{first}-L{last}@{sha256(content.encode()).hexdigest()[:12]}"


def find_citations(text: str, ids: Collection[str]) -> Iterator[Citation]:
    """Every citation in a text, in order, as it is spelt. A name may hold blanks: the ids say where one begins."""
    for number, line in enumerate(split_lines(text)[0], 1):
        at = line.find("#L")
        begin = 0
        while at >= 0:
            parsed = _parse_tail(line, at + 2)
            if parsed is None:
                at = line.find("#L", at + 2)
                continue
            first, last, digest, end = parsed
            yield Citation(number, _id_before(line[begin:at], ids), first, last, digest)
            begin = end
            at = line.find("#L", end)


def _parse_tail(line: str, at: int) -> tuple[int, int, str, int] | None:
    """The numbers and the hash of `first-Llast@hash12`, and where they end."""
    first, at = _digits(line, at)
    if first is None or line[at : at + 2] != "-L":
        return None
    last, at = _digits(line, at + 2)
    digest = line[at + 1 : at + 13]
    if last is None or line[at : at + 1] != "@" or len(digest) != 12 or not _HEX.issuperset(digest):
        return None
    end = at + 13
    if line[end : end + 1] in _HEX:  # a longer hash is none of ours
        return None
    return first, last, digest, end


def _digits(line: str, at: int) -> tuple[int | None, int]:
    end = at
    while end < len(line) and end - at < 12 and line[end] in "0123456789":
        end += 1
    return (int(line[at:end]), end) if end > at else (None, end)


def _id_before(before: str, ids: Collection[str]) -> str:
    """The name that ends here: the longest of a known id, else whatever stands there without blanks or brackets."""
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
    """Of each citation, whether its document still says in those lines what its hash stands for.

    `document_of` takes a name as it was cited, in the source's spelling or the id's.
    A document is asked for once, cut into lines once and let go before the next; the same lines are hashed once.
    """
    by_id: dict[str, list[tuple[int, Citation]]] = {}
    for number, citation in enumerate(citations):
        by_id.setdefault(citation.id, []).append((number, citation))
    states: dict[int, Verdict] = {}
    for name, cited in by_id.items():
        said = _Said(document_of(name))
        for number, citation in cited:
            states[number] = Verdict(citation, said.state(citation))
    return [states[number] for number in range(len(states))]


class _Said:
    """What the lines of one document say."""

    def __init__(self, document: Document | None) -> None:
        self._content = None if document is None else document.content
        self._lines, self._starts = split_lines(self._content or "")
        self._digests: dict[tuple[int, int], str] = {}

    def state(self, citation: Citation) -> State:
        if self._content is None:
            return "no such document"
        first, last = citation.first, citation.last
        if not 1 <= first <= last <= len(self._lines):
            return "no such lines"
        if (first, last) not in self._digests:
            end = self._starts[last - 1] + len(self._lines[last - 1])
            self._digests[first, last] = sha256(self._content[self._starts[first - 1] : end].encode()).hexdigest()[:12]
        return "holds" if self._digests[first, last] == citation.digest else "changed"
