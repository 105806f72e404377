"""What a search needs to know of a cache, and who gives it: its index, or its documents. Types only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from holdfast.caches.search.proven_page import ProvenPage
from holdfast.caches.search.question import Question
from holdfast.caches.search.section import Section


class Matches(Protocol):
    """The sections that match a query, by number; sections are numbered by id and line over the whole cache."""

    @property
    def question(self) -> Question:
        """What the query asks."""
        ...

    @property
    def scores(self) -> Mapping[int, int]:
        """Of every section that matches, what the query is worth to it."""
        ...

    @property
    def most(self) -> int:
        """Upper-bound estimate of the best score; only orders the sources."""
        ...

    def leading(self, tenths: int, best: int = 0) -> tuple[Mapping[int, int], int]:
        """Scores of matching sections, including every one with at least `tenths` tenths of the best, or of `best`
        where that is more; and the number of matching sections."""
        ...

    def document_of(self, number: int) -> int:
        """The place of a section's document in id order."""
        ...

    def reasons(self, number: int) -> list[tuple[str, str, int]]:
        """Why a section has its score: (term, field, impact), which add up to it, in the order of the query."""
        ...


class NumbersByNumber(Protocol):
    """What is looked up by the number of a section."""

    def __getitem__(self, number: int, /) -> int: ...


class SectionCounts(Protocol):
    """What a term's weight comes from: of one cache, or added up over several."""

    @property
    def section_count(self) -> int:
        """How many sections there are."""
        ...

    def holding(self, term: str) -> int:
        """How many sections hold a term in their body or headings, or in their document's title or path."""
        ...

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        """Prefilter: drops terms that are certainly absent (no false negatives)."""
        ...


class SearchSource(SectionCounts, Protocol):
    """One cache, as `make_result` asks it. Places are those of documents in id order.

    The index and the documents give the same, so that an answer does not depend on which of them was asked.
    """

    @property
    def cache_version(self) -> str: ...

    @property
    def tokenizer(self) -> str: ...

    @property
    def document_count(self) -> int: ...

    @property
    def lists(self) -> range:
        """The sections of which an answer gives two with their text, and names the others by a line each."""
        ...

    @property
    def tokens(self) -> NumbersByNumber:
        """Of every section, the tokens of its content."""
        ...

    def matches(self, question: Question) -> Matches:
        """The sections that match; terms of the question that no section holds are passed over."""
        ...

    def section(self, number: int) -> Section:
        """The section of this number: its document, lines and headings."""
        ...

    def name_tokens(self, number: int) -> int:
        """The tokens of a section's `section_label`, where the tokenizer needs an extra; 0 elsewhere."""
        ...

    def text_weight(self, number: int) -> int | None:
        """What a section's text weighs as lines of an answer (`tokenizers.line_counter`); None where it is not known
        without counting."""
        ...

    def id_of(self, place: int) -> str:
        """The id of a document."""
        ...

    def page(self, place: int, prefix: str = "") -> ProvenPage:
        """A document with sections as it is on disk now, proven by its hash; `prefix` goes before its name."""
        ...

    def prefix(self, place: int) -> str:
        """The prefix of a document's name in citations: its cache's name where several are searched, else empty."""
        ...

    def within(self, under: str, cache: str) -> Callable[[int], bool]:
        """What tells of a place whether its document is under a folder or a pattern; `cache` is the cache's name, which
        may stand before it."""
        ...

    def extent(self, place: int) -> tuple[int, int]:
        """The number of a document's first section, and of the first after its last."""
        ...
