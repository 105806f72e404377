"""A full scan: every document is read and counted, without an index. Slow, and what the index must agree with. Pure."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from holdfast.caches.search.impacts import (
    MANY,
    FieldSteps,
    document_step,
    evidence_step,
    named_step,
    section_step,
    unit,
)
from holdfast.caches.search.question import ask
from holdfast.caches.search.sections import bodies, read_fields
from holdfast.caches.search.word_terms import QUARTERS, WEAK_QUARTERS, length_of, word_terms
from holdfast.caches.tokenizers import counter
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.question import Question
    from holdfast.caches.search.section import Section

    Impacts = dict[tuple[str, str], int]  # (term, "section" or "document") -> impact, in the order of the question


class Scanned(NamedTuple):
    """All sections of a cache, numbered by id and line, and what a query is worth to those that match."""

    question: Question
    sections: list[Section]
    places: list[int]  # of each section's document, in id order
    tokens: list[int]
    impacts: dict[int, Impacts]


class _Field(NamedTuple):
    """A field: how long it is, and how often it has each raw word."""

    length: int
    words: Mapping[str, int]


class _DocumentFields(NamedTuple):
    """The fields of one document that has sections, the first of which has the number `first`."""

    first: int
    title: _Field
    path: _Field
    links: _Field
    headings: list[_Field]
    bodies: list[_Field]
    text: _Field  # all bodies as one


class _Corpus:
    """The fields of all documents; how often a term is in a field, in quarters, and how many sections hold it."""

    def __init__(self, documents: Sequence[_DocumentFields], document_count: int) -> None:
        self.documents = documents
        self.section_count = sum([len(each.bodies) for each in documents])
        self._words: dict[str, list[tuple[str, int]]] = {}  # term -> raw words that count as it, and how much
        for word in dict.fromkeys([word for each in documents for field in _all_fields(each) for word in field.words]):
            wholes, strong, weak = word_terms(word)
            for terms, quarters in ((wholes + strong, QUARTERS), (weak, WEAK_QUARTERS)):
                for term in terms:
                    self._words.setdefault(term, []).append((word, quarters))
        count = self.section_count
        self.title = FieldSteps("title", sum([len(each.bodies) * each.title.length for each in documents]), count)
        self.path = FieldSteps("path", sum([len(each.bodies) * each.path.length for each in documents]), count)
        self.links = FieldSteps("links", sum([len(each.bodies) * each.links.length for each in documents]), count)
        self.headings = FieldSteps("headings", sum([f.length for each in documents for f in each.headings]), count)
        self.body = FieldSteps("body", sum([field.length for each in documents for field in each.bodies]), count)
        self.text = FieldSteps("document", sum([each.text.length for each in documents]), document_count)

    def quarters(self, term: str, field: _Field) -> int:
        """How often a field has a term."""
        return sum([quarters * field.words.get(word, 0) for word, quarters in self._words.get(term, ())])

    def step(self, term: str, field: _Field, steps: FieldSteps) -> int:
        """The step of a term in a field; 0 where the field has not the term."""
        quarters = self.quarters(term, field)
        return steps.of(quarters)[field.length] if quarters else 0

    def unit_of(self, term: str) -> int:
        """The unit of a term; 0 where no section holds it in its title, path, headings or body."""
        if term not in self._words:
            return 0
        holding = 0
        for document in self.documents:
            shared = self.quarters(term, document.title) or self.quarters(term, document.path)
            for headings, body in zip(document.headings, document.bodies, strict=True):
                holding += bool(shared or self.quarters(term, headings) or self.quarters(term, body))
        return unit(self.section_count, holding) if holding else 0


def scan(query: str, documents: Iterable[Document], links: Sequence[Sequence[str]], tokenizer: str) -> Scanned:
    """Rank every section of the documents, which come in id order; `links` has the words of the texts by which other
    documents link to each.

    A section matches by its body or its headings, the first of a document also by its title or path.
    """
    sections: list[Section] = []
    places: list[int] = []
    tokens: list[int] = []
    fields: list[_DocumentFields] = []
    count_tokens = counter(tokenizer)
    document_count = 0
    for place, document in enumerate(documents):
        document_count += 1
        read = read_fields(document)
        if read.sections:
            held = bodies(document.content, read.sections)
            fields.append(
                _DocumentFields(
                    *(len(sections), _field(read.title), _field(read.path), _field(links[place])),
                    *(
                        list(map(_field, read.headings)),
                        list(map(_field, held)),
                        _field(list(chain.from_iterable(held))),
                    ),
                )
            )
            sections += read.sections
            places += [place] * len(read.sections)
            tokens += [count_tokens(document.content[section.start : section.end]) for section in read.sections]
    corpus = _Corpus(fields, document_count)
    question = ask(query, corpus.unit_of, corpus.section_count)
    impacts: dict[int, Impacts] = {}
    for each in fields:
        impacts |= _impacts(corpus, each, question.weights)
    return Scanned(question, sections, places, tokens, impacts)


def _impacts(corpus: _Corpus, document: _DocumentFields, weights: Mapping[str, int]) -> dict[int, Impacts]:
    """What a query is worth to those sections of a document that match."""
    impacts: dict[int, Impacts] = {document.first + at: {} for at in range(len(document.bodies))}
    matching = set()
    for term, weight in weights.items():
        title, path = corpus.step(term, document.title, corpus.title), corpus.step(term, document.path, corpus.path)
        links = corpus.step(term, document.links, corpus.links)
        evidence = evidence_step(corpus.step(term, document.text, corpus.text))
        many = corpus.quarters(term, document.text) >= MANY and len(document.bodies) > 1
        shared = document_step(named_step(title, path, links), evidence, many)
        for number, headings, body in zip(impacts, document.headings, document.bodies, strict=True):
            own = (corpus.step(term, body, corpus.body), corpus.step(term, headings, corpus.headings))
            step = section_step(*own, title, path, links, evidence, many) if any(own) else 0
            if not step and number == document.first and (title or path):
                step = 1  # found by its title or path: it matches, and no more
            if step:
                matching.add(number)
                impacts[number][term, "section"] = weight * step
            if shared:
                impacts[number][term, "document"] = weight * shared
    return {number: found for number, found in impacts.items() if number in matching}


def _field(words: Sequence[str]) -> _Field:
    return _Field(length_of(words), Counter(words))


def _all_fields(document: _DocumentFields) -> list[_Field]:
    return [document.title, document.path, document.links, *document.headings, document.text]
