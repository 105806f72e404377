"""A full scan: every document is read and counted, without an index. Slow, and what the index must agree with. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
from holdfast.caches.search.section import Section
from holdfast.caches.search.sections import bodies, read_fields
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


class ScannedCorpus:
    """All sections of a cache, numbered by id and line; how many hold a term, and what terms are worth to each.

    `places` has the place of each section's document in id order, `tokens` the tokens of its content.
    """

    def __init__(
        self, sections: list[Section], places: list[int], tokens: list[int], documents: Sequence[_DocumentFields]
    ) -> None:
        self.sections, self.places, self.tokens = sections, places, tokens
        self._documents = documents
        self._words: dict[str, list[tuple[str, int]]] = {}  # term -> raw words that count as it, and how much
        for word in dict.fromkeys([word for each in documents for field in _all_fields(each) for word in field.words]):
            wholes, strong, weak = word_terms(word)
            for terms, quarters in ((wholes + strong, QUARTERS), (weak, WEAK_QUARTERS)):
                for term in terms:
                    self._words.setdefault(term, []).append((word, quarters))
        self._steps = {field: FieldSteps(field) for field in LENGTHS}

    @property
    def section_count(self) -> int:
        return len(self.sections)

    def _quarters(self, term: str, field: _Field) -> int:
        """How often a field has a term."""
        return sum([quarters * field.words.get(word, 0) for word, quarters in self._words.get(term, ())])

    def _step(self, term: str, name: str, field: _Field) -> int:
        """The step of a term in a field; 0 where the field has not the term."""
        quarters = self._quarters(term, field)
        return self._steps[name].of(quarters)[field.length] if quarters else 0

    def holding(self, term: str) -> int:
        """How many sections hold a term in their body or headings, or in their document's title or path."""
        holding = 0
        if term in self._words:
            for document in self._documents:
                shared = self._quarters(term, document.title) or self._quarters(term, document.path)
                for headings, body in zip(document.headings, document.bodies, strict=True):
                    holding += bool(shared or self._quarters(term, headings) or self._quarters(term, body))
        return holding

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        """All of them: each is counted when it is asked for."""
        return terms

    def impacts(self, weights: Mapping[str, int]) -> dict[int, Impacts]:
        """By number, what weighed terms are worth to the sections that match.

        A section matches by its body or its headings, the first of a document also by its title or path.
        """
        found: dict[int, Impacts] = {}
        for each in self._documents:
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


def scan(documents: Iterable[Document], links: Sequence[Sequence[str]], tokenizer: str) -> ScannedCorpus:
    """Read every document, given in id order; `links` has the words of the texts by which others link to each."""
    sections: list[Section] = []
    places: list[int] = []
    tokens: list[int] = []
    fields: list[_DocumentFields] = []
    count_tokens = counter(tokenizer)
    for place, document in enumerate(documents):
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
    return ScannedCorpus(sections, places, tokens, fields)


def _field(words: Sequence[str]) -> _Field:
    return _Field(length_of(words), Counter(words))


def _all_fields(document: _DocumentFields) -> list[_Field]:
    return [document.title, document.path, document.links, *document.headings, document.text]
