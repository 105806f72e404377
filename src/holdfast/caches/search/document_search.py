"""A search that reads every document: slow, and what the index must agree with. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from holdfast.caches.cache_format import Document
from holdfast.caches.search.full_scan import ScannedCorpus
from holdfast.caches.search.proven_page import ProvenPage
from holdfast.caches.search.question import Question
from holdfast.caches.search.search_source import Matches
from holdfast.caches.search.section import Section


class DocumentSource:
    """The `SearchSource` of documents alone, which come in id order, counted by a tokenizer that needs no extra."""

    lists = range(0)

    def __init__(self, documents: Sequence[Document], cache_version: str, tokenizer: str) -> None:
        self._documents = documents
        self._scanned: ScannedCorpus | None = None
        self.cache_version, self.tokenizer = cache_version, tokenizer

    @property
    def document_count(self) -> int:
        return len(self._documents)

    @property
    def _corpus(self) -> ScannedCorpus:
        if self._scanned is None:
            from holdfast.caches.search.full_scan import scan
            from holdfast.caches.search.link_texts import find_links, incoming, link_words

            pages = [find_links(document.source, document.content) for document in self._documents]
            links = [link_words(texts) for texts in incoming([document.id for document in self._documents], pages)]
            self._scanned = scan(self._documents, links, self.tokenizer)
        return self._scanned

    @property
    def tokens(self) -> Sequence[int]:
        """Of every section, the tokens of its content."""
        return self._corpus.tokens

    @property
    def section_count(self) -> int:
        return self._corpus.section_count

    def holding(self, term: str) -> int:
        """How many sections hold a term."""
        return self._corpus.holding(term)

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        """All of them."""
        return self._corpus.may_hold(terms)

    def matches(self, question: Question) -> Matches:
        """The sections that match."""
        return _FoundMatches(question, self._corpus)

    def section(self, number: int) -> Section:
        """The section of this number: its document, lines and headings."""
        return self._corpus.sections[number]

    def name_tokens(self, number: int) -> int:  # noqa: ARG002  # as every source takes it
        """Nothing: the tokenizer needs no extra."""
        return 0

    def text_weight(self, number: int) -> int | None:  # noqa: ARG002  # as every source takes it
        """Nothing: no build counted it."""
        return None

    def id_of(self, place: int) -> str:
        """The id of a document."""
        return self._documents[place].id

    def page(self, place: int, prefix: str = "") -> ProvenPage:
        """A document."""
        from holdfast.caches.search.proven_page import ProvenPage
        from holdfast.caches.search.sections import document_outline

        document = self._documents[place]
        return ProvenPage(document, document_outline(document).title, prefix)

    def prefix(self, place: int) -> str:  # noqa: ARG002  # as every source takes it
        """Nothing: one cache is asked."""
        return ""

    def within(self, under: str, cache: str) -> Callable[[int], bool]:
        """What tells whether a document is under a folder or a pattern."""
        from holdfast.caches.search.under import documents_under

        return documents_under(under, cache, self.document_count, self.id_of)

    def extent(self, place: int) -> tuple[int, int]:
        """The number of a document's first section, and of the first after its last."""
        places = self._corpus.places
        return bisect_left(places, place), bisect_left(places, place + 1)


class _FoundMatches:
    """The `Matches` of documents that were read."""

    def __init__(self, question: Question, corpus: ScannedCorpus) -> None:
        self.question = question
        self._places = corpus.places
        self._impacts = corpus.impacts(question.terms)
        self.scores = {number: sum(impacts.values()) for number, impacts in self._impacts.items()}

    @property
    def most(self) -> int:
        """The score of the best."""
        return max(self.scores.values(), default=0)

    def leading(self, tenths: int, best: int = 0) -> tuple[dict[int, int], int]:  # noqa: ARG002  # as all matches take it
        """All of them, and how many there are."""
        return self.scores, len(self.scores)

    def document_of(self, number: int) -> int:
        """The place of a section's document."""
        return self._places[number]

    def reasons(self, number: int) -> list[tuple[str, str, int]]:
        """Why a section has its score."""
        return [(term, field, value) for (term, field), value in self._impacts.get(number, {}).items()]
