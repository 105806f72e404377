"""What is compared: a method has read the pages of one cache and answers questions within each budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from benchmarks.quality.judged_sets import Lines
from benchmarks.quality.measures import BUDGETS, EVERYTHING
from holdfast import search
from holdfast.caches.search.sections import outline
from holdfast.caches.source_formats import format_of
from holdfast.caches.tokenizers import counter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast import Cache


class Method(Protocol):
    """One way to answer."""

    def answers(self, query: str) -> Mapping[int, Sequence[Lines]]:
        """The lines given for a query, best first, within each of the budgets and without any."""


class Product:
    """`search`, as everyone calls it."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def answers(self, query: str) -> dict[int, list[Lines]]:
        return {
            budget: [Lines(hit.id.lower(), hit.first, hit.last) for hit in search(self._cache, query, budget).sections]
            for budget in (*BUDGETS, EVERYTHING)
        }


class CutSection(NamedTuple):
    """A section as the product cuts it, with what else its ranking sees: title, headings and path of the page."""

    document: int
    lines: Lines
    title: str
    headings: str
    path: str
    body: str
    tokens: int


def cut_sections(cache: Cache, tokenizer: str) -> list[CutSection]:
    """All sections of a cache by id and line, for methods that cut nothing themselves."""
    found = []
    count = counter(tokenizer)
    for number, document in enumerate(cache.documents()):
        source = format_of(document.source)
        title, sections = outline(document.content, source)
        path = source.stem(document.source)
        for section in sections:
            body = document.content[section.start : section.end]
            lines = Lines(document.id, section.first, section.last)
            found.append(CutSection(number, lines, title, " ".join(section.heading), path, body, count(body)))
    return found
