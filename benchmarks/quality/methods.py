"""What is compared: a method has read the pages of one cache, ranks their sections and answers questions."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple, Protocol

from benchmarks.quality.judged_sets import Lines
from benchmarks.quality.measures import DEPTH, Answer
from holdfast import search
from holdfast.caches.search.proven_page import ProvenPage
from holdfast.caches.search.question import ask_source
from holdfast.caches.search.section_ranking import SHARE, ranking
from holdfast.caches.search.sections import document_outline
from holdfast.caches.source_formats import document_format
from holdfast.caches.tokenizers import counter

if TYPE_CHECKING:
    from holdfast import Cache
    from holdfast.caches.search.search_result import SearchResult
    from holdfast.caches.search.search_source import Matches
    from holdfast.caches.search.section import Section


class Method(Protocol):
    """One way to answer."""

    def pages(self, query: str) -> list[str]:
        """The first pages of the ranking."""

    def answer(self, query: str, budget: int | None) -> Answer:
        """The answer within a budget, or where none is named."""


class Product:
    """`search`, as everyone calls it."""

    def __init__(self, cache: Cache, cut: CutCache) -> None:
        self._cache, self._cut = cache, cut

    def pages(self, query: str) -> list[str]:
        return self._cut.pages_of(self._cut.found_by_the_product(query))

    def answer(self, query: str, budget: int | None) -> Answer:
        return self._cut.answer_of(search(self._cache, query, budget))


class CutSection(NamedTuple):
    """A section as the product cuts it, with what else its ranking sees: title, headings and path of the page."""

    place: int
    title: str
    headings: str
    path: str
    body: str


class CutCache:
    """Documents cut as the product cuts them, for methods that only rank: its `SearchSource` but what matches."""

    lists = range(0)  # no source code

    def __init__(self, cache: Cache, tokenizer: str) -> None:
        self._cache = cache
        self.cache_version, self.tokenizer = cache.manifest.cache_version, tokenizer
        self.sections: list[CutSection] = []
        self.tokens: list[int] = []
        self._documents = list(cache.documents())
        self._cut: list[Section] = []
        self._ends: dict[tuple[str, int], int] = {}  # id and first line of a section -> its last line
        self._titles: list[str] = []
        count = self.count = counter(tokenizer)
        for place, document in enumerate(self._documents):
            source = document_format(document)
            title, sections = document_outline(document)
            self._titles.append(title)
            for section in sections:
                body = document.content[section.start : section.end]
                path = source.stem(document.source)
                self.sections.append(CutSection(place, title, " ".join(section.heading), path, body))
                self.tokens.append(count(body))
                self._cut.append(section)
                first, last = section.cited_lines
                name = document.id.lower()
                self._ends[name, first] = max(last, self._ends.get((name, first), 0))

    @property
    def document_count(self) -> int:
        return len(self._documents)

    def text_weight(self, _number: int) -> int | None:
        """Nothing is known without counting, as of documents without an index."""
        return None

    def found_by_the_product(self, query: str) -> Matches:
        """The sections that the product itself finds."""
        index = self._cache._sections
        if index is None:
            search(self._cache, query)
            index = self._cache._sections
        assert index is not None
        return index.matches(ask_source(query, index))

    def pages_of(self, matches: Matches) -> list[str]:
        """The first pages of the order of some matches."""
        scores, _ = matches.leading(SHARE)
        pages: dict[str, None] = {}
        for ranked in ranking(scores, matches.document_of):
            pages[self.id_of(matches.document_of(ranked.number)).lower()] = None
            if len(pages) == DEPTH:
                break
        return list(pages)

    def answer_of(self, result: SearchResult) -> Answer:
        """What an answer of the product gives and names."""
        given = [self.lines(hit.id, hit.first, hit.last) for hit in result.sections]
        named = [self.lines(one["id"], one["line"], self._ends[one["id"].lower(), one["line"]]) for one in result.more]
        return Answer(given, named, result.tokens_used)

    def lines(self, name: str, first: int, last: int) -> Lines:
        """Lines of a document as judgments name them."""
        return Lines(name.lower(), first, last)

    def section(self, number: int) -> Section:
        return self._cut[number]

    def name_tokens(self, number: int) -> int:  # noqa: ARG002  # as every source takes it
        return 0

    def id_of(self, place: int) -> str:
        return self._documents[place].id

    def page(self, place: int) -> ProvenPage:
        return ProvenPage(self._documents[place], self._titles[place])

    def place_of(self, name: str) -> int | None:
        return next((place for place, document in enumerate(self._documents) if document.id == name), None)

    def extent(self, place: int) -> tuple[int, int]:
        first, end = [bisect_left(self.sections, at, key=lambda one: one.place) for at in (place, place + 1)]
        return first, end
