"""Several caches searched as one: their sections counted together, in one order. Pure.

The answer is that of one cache with all documents, the name of its cache before each document's. How many sections
there are, and how many hold a term, is added up; a section's score depends on nothing else of other documents. Sections
are numbered cache after cache, and so are the places of documents.
"""

from __future__ import annotations

from bisect import bisect_right

from holdfast.caches.search.asked_caches import AskedCache, combined_version, order_of, prefix_of
from holdfast.caches.search.proven_page import ProvenPage
from holdfast.caches.search.under import documents_under
from holdfast.caches.tokenizers import USUAL, counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from typing import TypeVar, TypeVarTuple

    from holdfast.caches.search.question import Question
    from holdfast.caches.search.search_source import Matches, SearchSource
    from holdfast.caches.search.section import Section

    Asked = TypeVarTuple("Asked")
    Found = TypeVar("Found")


class PartFailed(Exception):
    """What one of several caches raised, and the name of that cache."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(name)
        self.name, self.error = name, error


class JoinedSource:
    """The `SearchSource` of several caches, each by its name.

    Whatever one of them raises comes as `PartFailed`. Caches that count tokens in different ways are counted by the
    usual one: sections of the others are counted again when they are looked at.
    """

    def __init__(self, sources: Mapping[str, SearchSource], without_prefix: Container[str] = ()) -> None:
        self._without_prefix = without_prefix  # the names that citations do not begin with
        # The work tree is last, so that the others have the numbers that they have without it.
        self._names = sorted(sources, key=lambda name: (bool(sources[name].lists), order_of(name)))
        self._sources = [sources[name] for name in self._names]
        self.caches: tuple[AskedCache, ...] = tuple(
            [
                AskedCache(name, source.cache_version, source.tokenizer)
                for name, source in zip(self._names, self._sources, strict=True)
            ]
        )
        self.cache_version = combined_version(self.caches)
        tokenizers = {source.tokenizer for source in self._sources}
        self.tokenizer = tokenizers.pop() if len(tokenizers) == 1 else USUAL
        self.first_numbers, self.first_places = [0], [0]
        for at, source in enumerate(self._sources):
            self.first_numbers.append(self.first_numbers[-1] + self.ask_part(at, _section_count, source))
            self.first_places.append(self.first_places[-1] + source.document_count)
        self.lists = range(
            self.section_count - sum([len(source.lists) for source in self._sources]), self.section_count
        )
        self.tokens = CountedTokens(self._tokens_at)
        self._everywhere = range(len(self._sources))
        self._holders: dict[str, list[int]] = {}  # of terms beside a misspelt one, who may hold them

    @property
    def document_count(self) -> int:
        return self.first_places[-1]

    @property
    def section_count(self) -> int:
        return self.first_numbers[-1]

    def holding(self, term: str) -> int:
        """How many sections hold a term; a section that only links associate with it does not count."""
        at = found = 0
        try:
            for at in self._holders.get(term, self._everywhere):  # it says who failed
                found += self._sources[at].holding(term)
        except Exception as error:
            raise PartFailed(self._names[at], error) from error
        return found

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        """Those of many terms that sections of some cache may hold; which those are is remembered for `holding`."""
        self._holders = {}
        for at, source in enumerate(self._sources):
            for term in self.ask_part(at, source.may_hold, terms):
                self._holders.setdefault(term, []).append(at)
        return self._holders

    def matches(self, question: Question, of_documents: Question | None = None) -> JoinedMatches:
        """The sections that match a question, and what it is worth to each; documentation by a question of its own."""
        own = of_documents or question
        found = [
            self.ask_part(at, source.matches, question if source.lists else own)
            for at, source in enumerate(self._sources)
        ]
        return JoinedMatches(self, question, found)

    def documents(self) -> JoinedSource:
        """The documentation without the source code beside it."""
        others = {name: each for name, each in zip(self._names, self._sources, strict=True) if not each.lists}
        return JoinedSource(others, self._without_prefix)

    def section(self, number: int) -> Section:
        """The section of this number: its document, lines and headings."""
        at, own = self.part_of(number)
        return self.ask_part(at, self._sources[at].section, own)

    def name_tokens(self, number: int) -> int:
        """The tokens of a section's name without its cache's, where the tokenizer needs an extra."""
        at, own = self.part_of(number)
        return self.ask_part(at, self._sources[at].name_tokens, own)

    def text_weight(self, number: int) -> int | None:
        """What a section's text weighs, where the build of its cache counted that by the tokenizer of all."""
        at, own = self.part_of(number)
        source = self._sources[at]
        return self.ask_part(at, source.text_weight, own) if source.tokenizer == self.tokenizer else None

    def id_of(self, place: int) -> str:
        """The id of a document in its cache."""
        at, own = self._part_at(place)
        return self.ask_part(at, self._sources[at].id_of, own)

    def page(self, place: int, _prefix: str = "") -> ProvenPage:
        """A document, proven by its hash, its cache's name before its own."""
        at, own = self._part_at(place)
        source, prefix = self._sources[at], self._prefix_of(at)
        page = self.ask_part(at, source.page, own, prefix)
        if source.lists:
            return page
        # What is remembered of a page was counted by its own cache's tokenizer.
        return page if source.tokenizer == self.tokenizer else ProvenPage(page.document, page.title, prefix)

    def prefix(self, place: int) -> str:
        """The name of a document's cache, as the prefix of the document's name."""
        return self._prefix_of(self._part_at(place)[0])

    def _prefix_of(self, at: int) -> str:
        return "" if self._names[at] in self._without_prefix else prefix_of(self._names[at])

    def within(self, under: str, _cache: str) -> Callable[[int], bool]:
        """What tells whether a document is under a folder or a pattern: in every cache, or in the one named before."""
        tests = [
            self.ask_part(at, documents_under, under, self._names[at], source.document_count, source.id_of)
            for at, source in enumerate(self._sources)
        ]

        def is_within(place: int) -> bool:
            at, own = self._part_at(place)
            return self.ask_part(at, tests[at], own)

        return is_within

    def extent(self, place: int) -> tuple[int, int]:
        """The number of a document's first section, and of the first after its last."""
        at, own = self._part_at(place)
        first, after = self.ask_part(at, self._sources[at].extent, own)
        return self.first_numbers[at] + first, self.first_numbers[at] + after

    def _tokens_at(self, number: int) -> int:
        at, own = self.part_of(number)
        source = self._sources[at]
        if source.tokenizer == self.tokenizer:
            return self.ask_part(at, source.tokens.__getitem__, own)
        return self.ask_part(at, self._count_again, source, own)

    def _count_again(self, source: SearchSource, number: int) -> int:
        place = bisect_right(range(source.document_count), number, key=lambda at: source.extent(at)[0]) - 1
        section = source.section(number)
        return counter(self.tokenizer)(source.page(place).document.content[section.start : section.end])

    def part_of(self, number: int) -> tuple[int, int]:
        """Which cache has a section, and its number there."""
        at = bisect_right(self.first_numbers, number) - 1
        return at, number - self.first_numbers[at]

    def _part_at(self, place: int) -> tuple[int, int]:
        """Which cache has a document, and its place there."""
        at = bisect_right(self.first_places, place) - 1
        return at, place - self.first_places[at]

    def ask_part(self, at: int, give: Callable[[*Asked], Found], *asked: *Asked) -> Found:
        """What one cache gives."""
        try:
            return give(*asked)
        except Exception as error:  # whatever a damaged index leads to: who asked knows what to do
            raise PartFailed(self._names[at], error) from error


def _section_count(source: SearchSource) -> int:
    return source.section_count


class CountedTokens(dict[int, int]):
    """The tokens of every section by its number, each counted when it is asked for."""

    def __init__(self, count: Callable[[int], int]) -> None:
        self._count = count

    def __missing__(self, number: int) -> int:
        found = self[number] = self._count(number)
        return found


class JoinedMatches:
    """The `Matches` of several caches."""

    def __init__(self, source: JoinedSource, question: Question, found: Sequence[Matches]) -> None:
        self.question = question
        self._source, self._found = source, found
        self._all: dict[int, int] | None = None

    @property
    def scores(self) -> Mapping[int, int]:
        """Of every section that matches, what the query is worth to it."""
        if self._all is None:
            self._all, _ = self.leading(0)
        return self._all

    @property
    def most(self) -> int:
        """About as much as the best has."""
        return max([matches.most for matches in self._found], default=0)

    def leading(self, tenths: int, best: int = 0) -> tuple[dict[int, int], int]:
        """Scores of matching sections, including every one with at least `tenths` tenths of the best; and the number of
        matching sections."""
        found: dict[int, int] = {}
        matching = 0
        scored: list[tuple[int, Mapping[int, int]]] = []
        # The caches that promise most come first: what they have bounds what is looked for in the others.
        for at in sorted(range(len(self._found)), key=lambda at: -self._found[at].most):
            scores, count = self._source.ask_part(at, self._found[at].leading, tenths, best)
            matching += count
            if scores:
                scored.append((self._source.first_numbers[at], scores))
                best = max([best, *scores.values()])
        least = (tenths * best + 9) // 10
        for first, scores in scored:
            found.update([(first + number, score) for number, score in scores.items() if score >= least])
        return found, matching

    def document_of(self, number: int) -> int:
        """The place of a section's document."""
        at, own = self._source.part_of(number)
        return self._source.first_places[at] + self._found[at].document_of(own)

    def reasons(self, number: int) -> list[tuple[str, str, int]]:
        """Why a section has its score."""
        at, own = self._source.part_of(number)
        return self._source.ask_part(at, self._found[at].reasons, own)
