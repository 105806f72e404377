"""A passage: lines of one document, cited, as many as a budget takes. Pure.

The budget bounds the whole text of an answer (`passage_text`), final newline included. What is asked for is given
first, then sections around it; what does not fit is left for the next call, which `next` says the line of.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from holdfast.caches.search.citations import cite, judge
from holdfast.caches.search.passage_text import as_text
from holdfast.caches.search.sections import outline
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.source_formats import format_of
from holdfast.caches.tokenizers import WITHOUT_EXTRA, counter
from holdfast.core.errors import BudgetTooSmall, CacheInvalid, CitationStale
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.citations import Citation
    from holdfast.caches.search.section import Section
    from holdfast.caches.shapes import NearestSection, ReadAnswer, StaleAnswer, StaleState

# The number of tokens stands in the text that it counts: so often it is put in and counted again.
_ROUNDS = 8


class Place(NamedTuple):
    """What is to be read: the document as it was named and, of it, what a citation says or all from a line on."""

    id: str
    citation: Citation | None = None
    line: int = 1
    before: int = 0
    after: int = 0

    @property
    def text(self) -> str:
        """The citation, or what stands for one."""
        if self.citation is not None:
            return self.citation.text
        return self.id if self.line == 1 else f"{self.id}#L{self.line}"


class Count(NamedTuple):
    """How an answer is counted, and within what; `sections` are the tokens that the index has of each section."""

    budget: int
    tokenizer: str
    sections: Sequence[int]


class Origin(NamedTuple):
    """Which cache an answer is from."""

    cache: str
    cache_version: str


def read_passage(document: Document | None, place: Place, count: Count, origin: Origin) -> ReadAnswer | StaleAnswer:
    """The lines of a place with as many sections around as were asked for and fit, or that they are gone.

    BudgetTooSmall when not even the shortest such answer fits.
    """
    if document is None:
        return _stale(place, "no such document", None, count, origin)
    reader = _Reader(document, count, origin)
    cited = place.citation
    if cited is None:
        if not 1 <= place.line <= len(reader.lines):
            return _stale(place, "no such lines", reader.nearest(place.line, ""), count, origin)
        return reader.page(place.line, len(reader.lines))
    state = judge([cited], lambda _: document)[0].state
    if state != "holds":
        return _stale(place, state, reader.nearest(cited.first, cited.digest), count, origin)
    return reader.around(cited.first, cited.last, place.before, place.after)


class _Reader:
    """One document that is read within a budget."""

    def __init__(self, document: Document, count: Count, origin: Origin) -> None:
        self.document, self.count, self.origin = document, count, origin
        self.lines, self.starts = split_lines(document.content)
        self.title, self.sections = outline(document.content, format_of(document.source))
        self.firsts = [section.first for section in self.sections]
        self.lasts = [section.last for section in self.sections]
        self.exact = counter(count.tokenizer) if count.tokenizer in WITHOUT_EXTRA else None
        if self.exact is None and len(count.sections) != len(self.sections):
            raise CacheInvalid("the index counts other sections than the document has: build the cache again")

    def page(self, first: int, last: int) -> ReadAnswer:
        """The lines from the first on, up to the last at most: to the end of a section where one fits, else of a line.

        Blank lines after the last section are no reason for another page.
        """
        ends = [end for end in self.lasts[bisect_left(self.lasts, first) :] if end < last]
        if not ends or self._section_after(ends[-1]) <= last:
            ends.append(last)
        taken = _most(len(ends), lambda number: self._fits(first, ends[number - 1]))
        if taken:
            return self._answer(first, ends[taken - 1])
        # The first section does not fit, so neither do all its lines.
        taken = _most(ends[0] - first, lambda number: self._fits(first, first + number - 1))
        if taken:
            return self._answer(first, first + taken - 1)
        raise _too_small(self._answer(first, first)["tokens_used"])

    def around(self, first: int, last: int, before: int, after: int) -> ReadAnswer:
        """The lines with sections before and after, the nearest first; where the lines alone do not fit, a page."""
        if not self._fits(first, last):
            return self.page(first, last)
        above, below = bisect_left(self.lasts, first), bisect_right(self.firsts, last)
        before, after = min(before, above), min(after, len(self.sections) - below)

        def extent(before: int, after: int) -> tuple[int, int]:
            begin = self.firsts[above - before] if before else first
            return begin, self.lasts[below + after - 1] if after else last

        # Of both sides as many; then of the one that can still grow, first what follows.
        even = _most(max(before, after), lambda n: self._fits(*extent(min(n, before), min(n, after))))
        held, more = min(even, before), min(even, after)
        more += _most(after - more, lambda n: self._fits(*extent(held, more + n)))
        held += _most(before - held, lambda n: self._fits(*extent(held + n, more)))
        return self._answer(*extent(held, more))

    def nearest(self, line: int, digest: str) -> NearestSection | None:
        """The section that says what a hash stands for, else the one at a line or after it, else the last."""
        if not self.sections:
            return None
        at = min(bisect_left(self.lasts, line), len(self.sections) - 1)
        citations = [self._citation(section.first, section.last) for section in self.sections] if digest else []
        same = [number for number, text in enumerate(citations) if text.endswith("@" + digest)]
        chosen = self.sections[min(same, key=lambda number: (abs(number - at), number)) if same else at]
        return {
            "citation": self._citation(chosen.first, chosen.last),
            "title": self.title,
            "heading": chosen.heading,
        }

    def _section_after(self, line: int) -> int:
        """The first line of the first section that begins after a line; beyond the last line when there is none."""
        at = bisect_right(self.firsts, line)
        return self.firsts[at] if at < len(self.sections) else len(self.lines) + 1

    def _next(self, last: int) -> int | None:
        """The line to go on reading at: the next one inside a section, else where the next section begins."""
        at = bisect_left(self.lasts, last + 1)
        if at == len(self.sections):
            return None
        return max(last + 1, self.firsts[at])

    def _text(self, first: int, last: int) -> str:
        start, end = self.starts[first - 1], self.starts[last - 1] + len(self.lines[last - 1])
        return self.document.content[start:end]

    def _citation(self, first: int, last: int) -> str:
        return cite(self.document.name, first, last, self._text(first, last))

    def _fits(self, first: int, last: int) -> bool:
        return self._answer(first, last)["tokens_used"] <= self.count.budget

    def _answer(self, first: int, last: int) -> ReadAnswer:
        document, content = self.document, self._text(first, last)
        at = min(bisect_left(self.lasts, first), len(self.sections) - 1)
        value: ReadAnswer = {
            "citation": cite(document.name, first, last, content),
            "id": document.id,
            "source": document.source,
            "version": document.version,
            "title": self.title,
            "heading": self.sections[at].heading if self.sections else (),
            "lines": (first, last),
            "line_count": len(self.lines),
            "content": content,
            "next": self._next(last),
            "tokens_used": 0,
            "budget": self.count.budget,
            "tokenizer": self.count.tokenizer,
            "cache": self.origin.cache,
            "cache_version": self.origin.cache_version,
        }
        return _counted(value, self.exact or self._bound(first, last))

    def _bound(self, first: int, last: int) -> Callable[[str], int]:
        """Counts a text that holds these lines, without a tokenizer: never too low.

        What makes whole sections has the tokens that were counted when the cache was built; anything else has at most
        as many as bytes, since no token is shorter than one.
        """
        begin, after = bisect_left(self.firsts, first), bisect_right(self.lasts, last)
        known, size = 0, 0
        for section, tokens in zip(self.sections[begin:after], self.count.sections[begin:after], strict=True):
            length = _size(self.document.content, section)
            known += min(tokens, length)
            size += length
        return lambda text: len(text.encode()) - size + known


def _size(content: str, section: Section) -> int:
    return len(content[section.start : section.end].encode())


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """The most that fit, 0 where not even one does; nothing much larger than that is tried."""
    taken, step = 0, 1
    while taken + step <= limit and fits(taken + step):
        taken += step
        step *= 2
    too_many = min(taken + step, limit + 1)
    while too_many - taken > 1:
        middle = (taken + too_many) // 2
        if fits(middle):
            taken = middle
        else:
            too_many = middle
    return taken


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
    place: Place, state: StaleState, nearest: NearestSection | None, count: Count, origin: Origin
) -> StaleAnswer:
    value: StaleAnswer = {
        "error": {"code": CitationStale.code, "message": CitationStale.message},
        "citation": place.text,
        "state": state,
        "nearest": nearest,
        "tokenizer": count.tokenizer,
        "cache": origin.cache,
        "cache_version": origin.cache_version,
    }
    text = as_text(value) + "\n"
    needed = counter(count.tokenizer)(text) if count.tokenizer in WITHOUT_EXTRA else len(text.encode())
    if needed > count.budget:
        raise _too_small(needed)
    return value


def _too_small(needed: int) -> BudgetTooSmall:
    return BudgetTooSmall(needed, "the shortest answer here does not fit")
