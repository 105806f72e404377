"""A passage: lines of one document, cited, as many as a budget takes. Pure.

The budget bounds the whole text of an answer (`passage_text`), final newline included. What is asked for is given
first, then sections around it; what does not fit is left for the next call, which `next` says the line of or, inside a
line, a citation of what is left.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from hashlib import sha256

from holdfast.caches.cache_format import Document
from holdfast.caches.search.citations import Citation, cite
from holdfast.caches.search.cited_places import CitedPlaces
from holdfast.caches.search.known_citations import KnownCitations
from holdfast.caches.search.long_lines import end_of_words
from holdfast.caches.search.passage_text import as_text
from holdfast.caches.search.section import Section
from holdfast.caches.search.sections import Outline, document_outline
from holdfast.caches.shapes import NearestSection, ReadAnswer, StaleAnswer, StaleState
from holdfast.caches.tokenizers import WITHOUT_EXTRA, counter
from holdfast.core.errors import BudgetTooSmall, CacheInvalid, CitationStale
from holdfast.core.largest_fit import largest_fit
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE

# The token count is part of the text that it counts: it is put in and counted again at most this often.
_ROUNDS = 8
# Characters: less of a line is not worth a page.
_LEAST = 40


class Place(NamedTuple):
    """What is to be read: the document as it was named and, of it, what a citation says or the section at a line.

    `before` and `after` are sections around it; with `fill` all from the line on is read, as far as the budget goes.
    What the caller has by a citation in `known` is not sent again.

    Lines are those of the source.
    """

    id: str
    citation: Citation | None = None
    line: int = 1
    before: int = 0
    after: int = 0
    fill: bool = False
    known: tuple[str, ...] = ()
    symbol: str = ""  # of source: what is declared there, in place of a line
    part: int = 0  # which of the sections that begin on the line, from 1; 0: all of them

    @property
    def text(self) -> str:
        """The citation, or the text used instead of one."""
        if self.citation is not None:
            return self.citation.text
        if self.symbol:
            return f"{self.id}#{self.symbol}"
        if self.part:
            return f"{self.id}#L{self.line}.{self.part}"
        return self.id if self.line == 1 else f"{self.id}#L{self.line}"


class Count(NamedTuple):
    """How an answer is counted, and within what; `sections` are the tokens that the index has of each section."""

    budget: int
    tokenizer: str
    sections: Sequence[int]


class FromCache(NamedTuple):
    """The cache that an answer is from, and the prefix of its documents' names in citations."""

    cache: str
    cache_version: str
    prefix: str = ""


def read_passage(
    document: Document | None, place: Place, count: Count, cache: FromCache, outline: Outline | None = None
) -> ReadAnswer | StaleAnswer:
    """The lines of a place with as many sections around as were asked for and fit, or that they are gone.

    Title and sections are those of the `outline`, else what the document's format says. BudgetTooSmall when not even
    the shortest such answer fits.
    """
    if document is None:
        return _stale(place, "no such document", None, count, cache)
    reader = _Reader(document, count, cache, outline or document_outline(document))
    cited = place.citation
    if cited is None:
        line = reader.places.begin(place.line)
        if line is None:
            return _stale(place, "no such lines", reader.nearest(place.line, ""), count, cache)
        if place.fill:
            return reader.page(reader.starts[line - 1], reader.line_end(len(reader.lines)))
        part = reader.section_at(line, place.line, place.part)
        if part is None:
            return _stale(place, "no such lines", reader.nearest(place.line, ""), count, cache)
        extent = part
    else:
        state, found = reader.places.find(cited)
        if found is None:
            nearest = reader.nearest(cited.first, cited.digest, cited.from_column or 1)
            return _stale(place, "changed" if state == "changed" else "no such lines", nearest, count, cache)
        extent = found
    if place.known and not place.before and not place.after and (held := reader.held(*extent, place.known)) is not None:
        return reader.named(*extent, held)
    return reader.around(*extent, place.before, place.after)


class _Reader:
    """One document that is read within a budget."""

    def __init__(self, document: Document, count: Count, cache: FromCache, outline: Outline) -> None:
        self.document, self.count, self.cache = document, count, cache
        self.places = CitedPlaces(document)
        self.lines, self.starts = self.places.lines, self.places.starts
        self.title, self.sections = outline
        self.begins = [section.start for section in self.sections]
        self.ends = [section.end for section in self.sections]
        self.exact = counter(count.tokenizer) if count.tokenizer in WITHOUT_EXTRA else None
        if self.exact is None and len(count.sections) != len(self.sections):
            raise CacheInvalid("the index counts other sections than the document has: build the cache again")

    def page(self, start: int, end: int) -> ReadAnswer:
        """The characters from the first on, up to the end at most: to the end of a section where one fits, else of a
        line, else of a sentence or a word.

        Blank lines after the last section are no reason for another page.
        """
        ends = [each for each in self.ends[bisect_right(self.ends, start) :] if each < end]
        if not ends or self._section_after(ends[-1]) < end:
            ends.append(end)
        taken = largest_fit(len(ends), lambda number: self._fits(start, ends[number - 1]))
        if taken:
            return self._answer(start, ends[taken - 1])
        # The first section does not fit, so neither do all its lines.
        line = self._line_at(start)
        lines = range(line, self._line_at(ends[0]))
        taken = largest_fit(len(lines), lambda number: self._fits(start, self.line_end(lines[number - 1])))
        if taken:
            return self._answer(start, self.line_end(lines[taken - 1]))
        # Nor does its first line.
        text = self.document.content[start : min(ends[0], self.line_end(line))]
        taken = largest_fit(len(text) - 1, lambda number: self._fits(start, start + number))
        if taken >= _LEAST:
            # What is left is cited, and another hash may cost more: so an earlier end is tried, a few times.
            cut = taken
            for _ in range(_ROUNDS):
                cut = end_of_words(text, cut - 1)
                if cut < _LEAST // 2 or self._fits(start, start + cut):
                    break
            return self._answer(start, start + (cut if self._fits(start, start + cut) else taken))
        raise _too_small(self._answer(start, start + min(_LEAST, len(text)))["tokens_used"])

    def around(self, start: int, end: int, before: int, after: int) -> ReadAnswer:
        """The characters with sections before and after, the nearest first; where they alone do not fit, a page."""
        if not self._fits(start, end):
            return self.page(start, end)
        above, below = bisect_right(self.ends, start), bisect_left(self.begins, end)
        before, after = min(before, above), min(after, len(self.sections) - below)

        def extent(before: int, after: int) -> tuple[int, int]:
            begin = self.begins[above - before] if before else start
            return begin, self.ends[below + after - 1] if after else end

        # Of both sides as many; then of the one that can still grow, first what follows.
        even = largest_fit(max(before, after), lambda n: self._fits(*extent(min(n, before), min(n, after))))
        held, more = min(even, before), min(even, after)
        more += largest_fit(after - more, lambda n: self._fits(*extent(held, more + n)))
        held += largest_fit(before - held, lambda n: self._fits(*extent(held + n, more)))
        return self._answer(*extent(held, more))

    def section_at(self, line: int, cited: int, part: int) -> tuple[int, int] | None:
        """The characters of the sections that begin on a line of the source, or of a part of them; where none does, of
        the one that has the line or follows it, else of the last. None where there is no such part."""
        begun = [number for number, section in enumerate(self.sections) if section.cited_lines[0] == cited]
        if part:
            chosen = begun[part - 1 : part]
            return (self.begins[chosen[0]], self.ends[chosen[0]]) if chosen else None
        if not self.sections:
            return self.starts[line - 1], self.line_end(len(self.lines))
        first = begun[0] if begun else min(bisect_right(self.ends, self.starts[line - 1]), len(self.sections) - 1)
        last = first
        while last + 1 in begun:
            last += 1
        return self.begins[first], self.ends[last]

    def held(self, start: int, end: int, known: Sequence[str]) -> str | None:
        """The citation by which a caller has these characters; None where they are new."""
        digest = sha256(self.document.content[start:end].encode()).hexdigest()
        return KnownCitations(known).find(self.document, start, end, digest, self.cache.prefix)

    def named(self, start: int, end: int, held: str) -> ReadAnswer:
        """The answer without what the caller has by a citation."""
        value = self._answer(start, end)
        value["content"], value["next"], value["known"], value["tokens_used"] = "", None, held, 0
        value = _counted(value, self.exact or (lambda text: len(text.encode())))
        if value["tokens_used"] > self.count.budget:
            raise _too_small(value["tokens_used"])
        return value

    def nearest(self, line: int, digest: str, column: int = 1) -> NearestSection | None:
        """The section with the hashed text, else the one at a place or after it, else the last."""
        if not self.sections:
            return None
        begun = self.places.begin(max(line, 1))
        place = len(self.document.content) if begun is None else self.starts[begun - 1] + column - 1
        at = min(bisect_right(self.ends, place), len(self.sections) - 1)
        citations = [self._citation(section.start, section.end) for section in self.sections] if digest else []
        same = [number for number, text in enumerate(citations) if text.endswith("@" + digest)]
        chosen = self.sections[min(same, key=lambda number: (abs(number - at), number)) if same else at]
        return {
            "citation": self._citation(chosen.start, chosen.end),
            "title": self.title,
            "heading": chosen.heading,
        }

    def line_end(self, line: int) -> int:
        """Where a line ends; it counts from 1."""
        return self.starts[line - 1] + len(self.lines[line - 1])

    def _line_at(self, place: int) -> int:
        """The number of the line that a character is in, or that ends there."""
        return bisect_right(self.starts, place, hi=len(self.lines))

    def _section_after(self, place: int) -> int:
        """Where the first section begins that does after a place; beyond the text when there is none."""
        at = bisect_left(self.begins, place)
        return self.begins[at] if at < len(self.sections) else len(self.document.content) + 1

    def _next(self, end: int) -> int | str | None:
        """Where to go on reading: inside a section that was not given whole, else where the next section begins."""
        at = bisect_right(self.ends, end)
        if at == len(self.sections):
            return None
        place = max(end, self.begins[at])
        line = self._line_at(place)
        if place == end:
            rest = self.document.content[place : self.line_end(line)].lstrip(WHITE_SPACE)
            line, place = (line, self.line_end(line) - len(rest)) if rest else (line + 1, self.starts[line])
        cited = self.places.cited(line)
        if place == self.starts[line - 1] and self.places.begin(cited) == line:
            return cited
        return self._citation(place, self.line_end(len(self.lines)))

    def _citation(self, start: int, end: int) -> str:
        """The citation of these characters, with a column where a line is not cited whole."""
        first, last = self._line_at(start), self._line_at(end)
        begun, ended = start - self.starts[first - 1], end - self.starts[last - 1]
        columns = begun + 1 if begun else 0, ended if end < self.line_end(last) else 0
        lines = self.places.cited(first), self.places.cited(last)
        name = self.cache.prefix + self.document.name
        return cite(name, *lines, self.document.content[start:end], *columns)

    def _fits(self, start: int, end: int) -> bool:
        return self._answer(start, end)["tokens_used"] <= self.count.budget

    def _answer(self, start: int, end: int) -> ReadAnswer:
        document = self.document
        at = min(bisect_right(self.ends, start), len(self.sections) - 1)
        value: ReadAnswer = {
            "citation": self._citation(start, end),
            "id": self.cache.prefix + document.id,
            "source": document.source,
            "version": document.version,
            "title": self.title,
            "heading": self.sections[at].heading if self.sections else (),
            "lines": (self.places.cited(self._line_at(start)), self.places.cited(self._line_at(end))),
            "line_count": self.places.line_count,
            "content": document.content[start:end],
            "next": self._next(end),
            "tokens_used": 0,
            "budget": self.count.budget,
            "tokenizer": self.count.tokenizer,
            "cache": self.cache.cache,
            "cache_version": self.cache.cache_version,
        }
        return _counted(value, self.exact or self._bound(start, end))

    def _bound(self, start: int, end: int) -> Callable[[str], int]:
        """Counts a text that holds these characters, without a tokenizer: never too low.

        What makes whole sections has the tokens that were counted when the cache was built; anything else has at most
        as many as bytes, since no token is shorter than one.
        """
        begin, after = bisect_left(self.begins, start), bisect_right(self.ends, end)
        known, size = 0, 0
        for section, tokens in zip(self.sections[begin:after], self.count.sections[begin:after], strict=True):
            length = _size(self.document.content, section)
            known += min(tokens, length)
            size += length
        return lambda text: len(text.encode()) - size + known


def _size(content: str, section: Section) -> int:
    return len(content[section.start : section.end].encode())


def _counted(value: ReadAnswer, count: Callable[[str], int]) -> ReadAnswer:
    """The answer with the tokens of its text, that number included."""
    budget, used = value["budget"], 0
    for _ in range(_ROUNDS):
        tokens = count(as_text(value) + "\n")
        if tokens <= used:
            break
        value["tokens_used"] = used = tokens
        if tokens > budget:  # a longer number would not make it fit
            break
    return value


def _stale(
    place: Place, state: StaleState, nearest: NearestSection | None, count: Count, cache: FromCache
) -> StaleAnswer:
    value: StaleAnswer = {
        "error": {"code": CitationStale.code, "message": CitationStale.message},
        "citation": place.text,
        "state": state,
        "nearest": nearest,
        "tokenizer": count.tokenizer,
        "cache": cache.cache,
        "cache_version": cache.cache_version,
    }
    text = as_text(value) + "\n"
    needed = counter(count.tokenizer)(text) if count.tokenizer in WITHOUT_EXTRA else len(text.encode())
    if needed > count.budget:
        raise _too_small(needed)
    return value


def _too_small(needed: int) -> BudgetTooSmall:
    return BudgetTooSmall(needed, "the shortest answer here does not fit")
