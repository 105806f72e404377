"""A search that reads and counts every document, without an index: slow, and what the index must agree with. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from holdfast.caches.cache_format import Document
from holdfast.caches.search.impacts import (
    LENGTHS,
    LINKED,
    MANY,
    FieldSteps,
    document_step,
    evidence_step,
    linked_step,
    named_step,
    section_step,
)
from holdfast.caches.search.link_texts import find_links, incoming, link_words
from holdfast.caches.search.proven_page import ProvenPage
from holdfast.caches.search.question import Question
from holdfast.caches.search.section import Section
from holdfast.caches.search.sections import bodies, document_outline, read_fields
from holdfast.caches.search.under import documents_under
from holdfast.caches.search.word_terms import QUARTERS, WEAK_QUARTERS, length_of, word_terms
from holdfast.caches.tokenizers import counter
from holdfast.core.record import NamedTuple

Impacts = dict[tuple[str, str], int]  # (term, "section" or "document") -> impact, in the order of the question


class _Field(NamedTuple):
    """A field: how long it is, and how often it has each raw word."""

    length: int
    words: Mapping[str, int]


class _DocumentFields(NamedTuple):
    """The fields of one document with sections; its first section has the number `first`."""

    first: int
    title: _Field
    path: _Field
    links: _Field
    headings: list[_Field]
    bodies: list[_Field]
    text: _Field  # all bodies as one


class DocumentSource:
    """The `SearchSource` of documents alone, which come in id order, counted by a tokenizer that needs no extra.

    `links` has the words of the texts by which others link to each document; they are looked for where it is None.
    `places` has the place of each section's document, `tokens` the tokens of its content.
    """

    lists = range(0)

    def __init__(
        self,
        documents: Sequence[Document],
        cache_version: str,
        tokenizer: str,
        links: Sequence[Sequence[str]] | None = None,
    ) -> None:
        self._documents, self.cache_version, self.tokenizer = documents, cache_version, tokenizer
        if links is None:
            pages = [find_links(document.source, document.content) for document in documents]
            links = [link_words(texts) for texts in incoming([document.id for document in documents], pages)]
        self.places: list[int] = []
        self.tokens: list[int] = []
        self._sections: list[Section] = []
        self._fields: list[_DocumentFields] = []
        count_tokens = counter(tokenizer)
        for place, document in enumerate(documents):
            read = read_fields(document)
            if read.sections:
                held = bodies(document.content, read.sections)
                self._fields.append(
                    _DocumentFields(
                        *(len(self._sections), _field(read.title), _field(read.path), _field(links[place])),
                        *(list(map(_field, read.headings)), list(map(_field, held))),
                        _field(list(chain.from_iterable(held))),
                    )
                )
                self._sections += read.sections
                self.places += [place] * len(read.sections)
                self.tokens += [
                    count_tokens(document.content[section.start : section.end]) for section in read.sections
                ]
        self._words: dict[str, list[tuple[str, int]]] = {}  # term -> raw words that count as it, and how much
        for word in dict.fromkeys(
            [word for each in self._fields for field in _all_fields(each) for word in field.words]
        ):
            wholes, strong, weak = word_terms(word)
            for terms, quarters in ((wholes + strong, QUARTERS), (weak, WEAK_QUARTERS)):
                for term in terms:
                    self._words.setdefault(term, []).append((word, quarters))
        self._steps = {field: FieldSteps(field) for field in LENGTHS}

    @property
    def document_count(self) -> int:
        return len(self._documents)

    @property
    def section_count(self) -> int:
        return len(self._sections)

    def _quarters(self, term: str, field: _Field) -> int:
        """How often a field has a term."""
        return sum([quarters * field.words.get(word, 0) for word, quarters in self._words.get(term, ())])

    def _step(self, term: str, name: str, field: _Field) -> int:
        """The step of a term in a field; 0 where the field has not the term."""
        quarters = self._quarters(term, field)
        return self._steps[name][quarters][field.length] if quarters else 0

    def holding(self, term: str) -> int:
        """How many sections hold a term in their body or headings, or in their document's title or path."""
        holding = 0
        if term in self._words:
            for document in self._fields:
                shared = self._quarters(term, document.title) or self._quarters(term, document.path)
                for headings, body in zip(document.headings, document.bodies, strict=True):
                    holding += bool(shared or self._quarters(term, headings) or self._quarters(term, body))
        return holding

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        """All of them: each is counted when it is asked for."""
        return terms

    def matches(self, question: Question) -> _FoundMatches:
        """The sections that match."""
        return _FoundMatches(question, self)

    def impacts(self, weights: Mapping[str, int]) -> dict[int, Impacts]:
        """By number, what weighed terms are worth to the sections that match.

        A section matches by its body or its headings, the first of a document also by its title or path.
        """
        found: dict[int, Impacts] = {}
        for each in self._fields:
            found |= self._of_document(each, weights)
        return found

    def _of_document(self, document: _DocumentFields, weights: Mapping[str, int]) -> dict[int, Impacts]:
        impacts: dict[int, Impacts] = {document.first + at: {} for at in range(len(document.bodies))}
        matching = set()
        for term, weight in weights.items():
            title, path = self._step(term, "title", document.title), self._step(term, "path", document.path)
            links = self._step(term, "links", document.links)
            evidence = evidence_step(self._step(term, "document", document.text))
            many = self._quarters(term, document.text) >= MANY and len(document.bodies) > 1
            shared = document_step(named_step(title, path, links), evidence, many)
            if term == LINKED:
                shared = linked_step(document.links.length)
            for number, headings, body in zip(impacts, document.headings, document.bodies, strict=True):
                own = (self._step(term, "body", body), self._step(term, "headings", headings))
                step = section_step(*own, title, path, links, evidence, many) if any(own) else 0
                if not step and number == document.first and (title or path):
                    step = 1  # found by its title or path: it matches, and no more
                if step:
                    matching.add(number)
                    impacts[number][term, "section"] = weight * step
                if shared:
                    impacts[number][term, "document"] = weight * shared
        return {number: found for number, found in impacts.items() if number in matching}

    def section(self, number: int) -> Section:
        """The section of this number: its document, lines and headings."""
        return self._sections[number]

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
        document = self._documents[place]
        return ProvenPage(document, document_outline(document).title, prefix)

    def prefix(self, place: int) -> str:  # noqa: ARG002  # as every source takes it
        """Nothing: one cache is asked."""
        return ""

    def within(self, under: str, cache: str) -> Callable[[int], bool]:
        """What tells whether a document is under a folder or a pattern."""
        return documents_under(under, cache, self.document_count, self.id_of)

    def extent(self, place: int) -> tuple[int, int]:
        """The number of a document's first section, and of the first after its last."""
        return bisect_left(self.places, place), bisect_left(self.places, place + 1)


class _FoundMatches:
    """The `Matches` of documents that were read."""

    def __init__(self, question: Question, source: DocumentSource) -> None:
        self.question = question
        self._places = source.places
        self._impacts = source.impacts(question.terms)
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


def _field(words: Sequence[str]) -> _Field:
    return _Field(length_of(words), Counter(words))


def _all_fields(document: _DocumentFields) -> list[_Field]:
    return [document.title, document.path, document.links, *document.headings, document.text]
