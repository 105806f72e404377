"""What is compared: a method has read the pages of one cache and answers questions within each budget."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple, Protocol

from benchmarks.quality.judged_sets import Lines
from benchmarks.quality.measures import BUDGETS, ROOMY
from holdfast import search
from holdfast.caches.search.proven_page import ProvenPage
from holdfast.caches.search.question import ask_source
from holdfast.caches.search.sections import document_outline
from holdfast.caches.source_formats import document_format
from holdfast.caches.tokenizers import counter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast import Cache
    from holdfast.caches.search.question import Question
    from holdfast.caches.search.search_result import SearchResult
    from holdfast.caches.search.section import Section


class Method(Protocol):
    """One way to answer."""

    def answers(self, query: str) -> Mapping[int, Sequence[Lines]]:
        """The lines given for a query, best first, within each of the budgets and with room for many."""


class Product:
    """`search`, as everyone calls it."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def answers(self, query: str) -> dict[int, list[Lines]]:
        return {budget: lines_of(search(self._cache, query, budget)) for budget in (*BUDGETS, ROOMY)}


def lines_of(result: SearchResult) -> list[Lines]:
    """The lines that an answer gives, best first."""
    return [Lines(hit.id.lower(), hit.first, hit.last) for hit in result.sections]


class CutSection(NamedTuple):
    """A section as the product cuts it, with what else its ranking sees: title, headings and path of the page."""

    place: int
    title: str
    headings: str
    path: str
    body: str


class CutCache:
    """Documents cut as the product cuts them, for methods that only rank: its `SearchSource` but what matches."""

    def __init__(self, cache: Cache, tokenizer: str) -> None:
        self._cache = cache
        self.cache_version, self.tokenizer = cache.manifest.cache_version, tokenizer
        self.sections: list[CutSection] = []
        self.tokens: list[int] = []
        self._documents = list(cache.documents())
        self._cut: list[Section] = []
        self._titles: list[str] = []
        count = counter(tokenizer)
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

    @property
    def document_count(self) -> int:
        return len(self._documents)

    def text_weight(self, _number: int) -> int | None:
        """Nothing is known without counting, as of documents without an index."""
        return None

    def asked_by_the_product(self, query: str) -> Question:
        """What the product takes a query for: its terms choose the sentences of pointers, whoever ranked."""
        index = self._cache._sections
        assert index is not None, "the product was asked first"
        return ask_source(query, index)

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
