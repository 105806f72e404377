"""Where a citation lies in the content of its document. Pure.

A citation names lines of the source. Where a reader made the content, several of its lines may stand for one of the
source: an included file, the signature of a function. Of all places whose first and last line stand for the cited ones,
the one is meant whose text has the cited hash.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from hashlib import sha256

from holdfast.caches.line_map import source_line
from holdfast.caches.search.source_lines import split_lines
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.citations import Citation, State

    Extent = tuple[int, int]  # characters from and to

# Bytes that are hashed for one document at most: where thousands of lines stand for one, not all pairs are tried.
_MOST_HASHED = 256 << 20
# Runs of this many neighbouring sections, which an answer gives as one, are tried first.
_NEXT_SECTIONS = 64
# What a pair costs beside its bytes.
_PAIR_COST = 512


class FoundPlace(NamedTuple):
    """Whether a citation holds, and the characters it means; None where it does not hold."""

    state: State
    extent: Extent | None


class CitedPlaces:
    """The lines of one document, by their own numbers and by those of the source."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._map = document.origin.lines if document.origin is not None else ()
        self.lines, self.starts = split_lines(document.content)
        self._digests: dict[Extent, str] = {}
        self._by_line: dict[int, list[int]] | None = None  # line of the source -> lines that stand for it
        self._named: list[int] = []  # lines of the source that any line maps to, ascending
        self._pairs: dict[tuple[int, int | None, int, int | None], _Pairs] = {}
        self._sections: dict[int, int] | None = None
        self._left = _MOST_HASHED

    @property
    def line_count(self) -> int:
        """The last line of the source that is known of."""
        if not self._map:
            return len(self.lines)
        self._standing_for(1)
        return self._named[-1]

    def cited(self, line: int) -> int:
        """The line of the source that a line maps to."""
        return source_line(self._map, line)

    def begin(self, cited: int) -> int | None:
        """The line to begin at when reading from a line of the source on: the first that maps to it, else to the next
        line that has one; the very first for line 1. None beyond the last."""
        if not self._map or cited <= 1:
            return cited if 1 <= cited <= len(self.lines) else None
        if standing := self._standing_for(cited):
            return standing[0]
        at = bisect_right(self._named, cited)
        return self._standing_for(self._named[at])[0] if at < len(self._named) else None

    def find(self, citation: Citation) -> FoundPlace:
        """Whether these lines still have the text that the citation hashed."""
        if not self._map:
            extent = citation.extent(self.lines, self.starts)
            if extent is None:
                return FoundPlace("no such lines", None)
            return FoundPlace("holds", extent) if self._digest(extent) == citation.digest else CHANGED
        key = citation.first, citation.from_column, citation.last, citation.to_column
        if key not in self._pairs:
            self._pairs[key] = _Pairs(self._hashed(citation))
        pairs = self._pairs[key]
        found = pairs.find(citation.digest)
        if found is None:
            return CHANGED if pairs.seen else FoundPlace("no such lines", None)
        return FoundPlace("holds", self._at_the_end(citation, *found))

    def _at_the_end(self, citation: Citation, start: int, end: int) -> Extent:
        """The cited extent, or an equal text at the document's very end, where the citation may mean that too.

        So the rest of a document is never taken for an earlier part, and a caller that reads on gets to the end.
        """
        content, length = self._document.content, end - start
        after = self.starts[-2] + len(self.lines[-1])
        begin = after - length
        if end == after or content[begin:after] != content[start:end]:
            return start, end
        is_meant = begin in self._starts(citation) and after in self._ends(citation)
        return (begin, after) if is_meant else (start, end)

    def _standing_for(self, cited: int) -> list[int]:
        if self._by_line is None:
            self._by_line = {}
            for line in range(1, len(self.lines) + 1):
                self._by_line.setdefault(source_line(self._map, line), []).append(line)
            self._named = sorted(self._by_line)
        return self._by_line.get(cited, [])

    def _begun(self) -> dict[int, int]:
        """Where each section begins and ends."""
        if self._sections is None:
            from holdfast.caches.search.sections import document_outline

            self._sections = {section.start: section.end for section in document_outline(self._document).sections}
        return self._sections

    def _digest(self, extent: Extent) -> str:
        if extent not in self._digests:
            self._digests[extent] = sha256(self._text(*extent)).hexdigest()[:12]
        return self._digests[extent]

    def _text(self, start: int, end: int) -> bytes:
        return self._document.content[start:end].encode()

    def _starts(self, citation: Citation) -> list[int]:
        column = citation.from_column
        lines = self._standing_for(citation.first)
        if column is not None:
            lines = [line for line in lines if 1 <= column <= len(self.lines[line - 1])]
        return [self.starts[line - 1] + (column or 1) - 1 for line in lines]

    def _ends(self, citation: Citation) -> list[int]:
        column = citation.to_column
        lines = self._standing_for(citation.last)
        if column is None:
            return [self.starts[line - 1] + len(self.lines[line - 1]) for line in lines]
        return [self.starts[line - 1] + column for line in lines if 1 <= column <= len(self.lines[line - 1])]

    def _hashed(self, citation: Citation) -> Iterator[tuple[str, Extent]]:
        """Digests of what may be meant: first of sections, then of what begins where they do and ends with the document
        or with one of the next sections, then of all else."""
        starts, ends = self._starts(citation), self._ends(citation)
        # Lines may be empty, what lies between columns may not.
        after = bisect_left if citation.from_column is citation.to_column is None else bisect_right
        begun = self._begun() if len(starts) > 1 or len(ends) > 1 else {}
        possible = set(ends)
        first = [start for start in starts if start in begun]
        for start in first:
            if begun[start] in possible:
                yield self._digest((start, begun[start])), (start, begun[start])
        if len(first) > 1:
            ended = sorted(possible.intersection(begun.values()))
            for start in first:
                yield from self._from(start, ends[max(after(ends, start), len(ends) - 1) :])
            for start in first:
                yield from self._from(start, ended[(at := bisect_right(ended, start)) : at + _NEXT_SECTIONS])
        known = set(first)
        for start in [*first, *[start for start in starts if start not in known]]:
            yield from self._from(start, ends[after(ends, start) :])

    def _from(self, start: int, ends: Sequence[int]) -> Iterator[tuple[str, Extent]]:
        """Digests of what lies between a start and each of these ends, as far as what may be hashed goes."""
        hashed, place = sha256(), start
        for end in ends:
            self._left -= end - place + _PAIR_COST
            if self._left < 0:
                return
            hashed.update(self._text(place, end))
            place = end
            yield hashed.copy().hexdigest()[:12], (start, end)


CHANGED = FoundPlace("changed", None)


class _Pairs:
    """Places of a document that one citation may mean, hashed as far as was needed."""

    def __init__(self, hashed: Iterator[tuple[str, Extent]]) -> None:
        self._hashed = hashed
        self.seen: dict[str, Extent] = {}

    def find(self, digest: str) -> Extent | None:
        """The first of them whose text has this hash."""
        if digest not in self.seen:
            for known, extent in self._hashed:
                self.seen.setdefault(known, extent)
                if known == digest:
                    break
        return self.seen.get(digest)
