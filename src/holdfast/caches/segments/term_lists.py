"""The two lists of a term, from where it was counted: what sections have of it, and what documents have. Pure.

Occurrences are counted in quarters: a word that is part of an identifier counts one, any other four. The list of
sections has the step of each section that holds the term, the list of documents what all sections of a document share;
impacts.py says how they are made of the fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress, pairwise
from operator import itemgetter, sub

from holdfast.caches.search.impacts import (
    MANY,
    FieldSteps,
    document_step,
    evidence_step,
    linked_step,
    named_step,
    section_step,
)
from holdfast.caches.search.word_terms import QUARTERS, WEAK_QUARTERS
from holdfast.caches.segments.postings import TermLists
from holdfast.core.record import NamedTuple

# The fields; `WEAK` is added for those whose occurrences count a quarter.
TITLE, PATH, LINKS, HEADINGS, BODY = range(5)
WEAK = 8
_NO_STEPS = (0, 0, 0)


class FieldLengths(NamedTuple):
    """The words of each field: of documents in title, path and links, of sections in headings and body.

    `firsts` has the number of each document's first section and, last, of all.
    """

    titles: Sequence[int]
    paths: Sequence[int]
    links: Sequence[int]
    headings: Sequence[int]
    bodies: Sequence[int]
    firsts: Sequence[int]


class Impacts:
    """Computes the two lists of a term from its occurrences (BM25 steps by field)."""

    def __init__(self, lengths: FieldLengths) -> None:
        self._lengths, self._firsts, bodies = lengths, lengths.firsts, lengths.bodies
        self._section_counts = list(map(sub, self._firsts[1:], self._firsts))
        self._place_of = [place for place, count in enumerate(self._section_counts) for _ in range(count)]
        self._texts = [sum(bodies[first:after]) for first, after in pairwise(self._firsts)]
        self._body, self._headings, self._document = map(FieldSteps, ("body", "headings", "document"))
        self._named = tuple(map(FieldSteps, ("title", "path", "links")))
        # What a section has that holds a term once, where no other section of its document and no other field does.
        once, of_text = self._body.of(QUARTERS), self._document.of(QUARTERS)
        texts = map(self._texts.__getitem__, self._place_of)
        self._alone = [once[own] + evidence_step(of_text[text]) for own, text in zip(bodies, texts, strict=True)]

    def lists(self, values: Mapping[int, Sequence[int]]) -> TermLists:
        """The lists of a term, given the numbers of where it occurs in each field."""
        if len(values) == 1 and BODY in values:
            body = values[BODY]
            if len(set(looked_up(self._place_of, body))) == len(body):  # most terms
                return TermLists(body, bytes(looked_up(self._alone, body)), (), b"", len(body))
        bodies, place_of = _quarters(values, BODY), self._place_of
        texts: dict[int, int] = {}
        for number, quarters in bodies.items():
            place = place_of[number]
            texts[place] = texts.get(place, 0) + quarters
        named = self._named_steps(values)
        shared: dict[int, int] = {}  # what documents say by all their bodies for the sections that hold the term
        documents: dict[int, int] = {}
        for place, quarters in texts.items():
            evidence = evidence_step(self._document.of(quarters)[self._texts[place]])
            many = quarters >= MANY and self._section_counts[place] > 1
            shared[place] = 0 if many else evidence
            if step := document_step(named_step(*named.get(place, _NO_STEPS)), evidence, many):
                documents[place] = step
        for place in named.keys() - texts.keys():
            documents[place] = named_step(*named[place])
        sections = self._section_steps(bodies, _quarters(values, HEADINGS), named, shared)
        holding = len(sections)
        found: dict[int, int] = {}
        for place, (title, path, _) in named.items():
            if title or path:
                extent = range(self._firsts[place], self._firsts[place + 1])
                holding += sum([number not in sections for number in extent])
                if extent.start not in sections:
                    found[extent.start] = 1  # by its title or path a document matches in its first section, and no more
        return TermLists(*_ordered(sections | found), *_ordered(documents), holding)

    def linked(self) -> TermLists:
        """The lists of `LINKED`, which documents alone have."""
        steps = bytes(map(linked_step, self._lengths.links))
        return TermLists((), b"", list(compress(range(len(steps)), steps)), steps.translate(None, b"\0"), 0)

    def _section_steps(
        self,
        bodies: Mapping[int, int],
        headings: Mapping[int, int],
        named: Mapping[int, tuple[int, int, int]],
        shared: Mapping[int, int],
    ) -> dict[int, int]:
        """number -> step of each section that holds the term in its body or headings."""
        lengths, step_of, place_of = self._lengths.bodies, self._body.of, self._place_of
        found: dict[int, int] = {}
        for number, quarters in bodies.items():
            place = place_of[number]
            body = step_of(quarters)[lengths[number]]
            found[number] = (
                section_step(body, 0, *named[place], shared[place], many=False)
                if place in named
                else body + shared[place]
            )
        for number, quarters in headings.items():
            place = place_of[number]
            body = step_of(bodies[number])[lengths[number]] if number in bodies else 0
            heading = self._headings.of(quarters)[self._lengths.headings[number]]
            of_document = named.get(place, _NO_STEPS)
            found[number] = section_step(body, heading, *of_document, shared.get(place, 0), many=False)
        return found

    def _named_steps(self, values: Mapping[int, Sequence[int]]) -> dict[int, tuple[int, int, int]]:
        """place of a document -> the steps of its title, path and links, 0 where they do not hold the term."""
        found: dict[int, list[int]] = {}
        for field, steps in enumerate(self._named):
            lengths = self._lengths[field]
            for place, quarters in _quarters(values, field).items():
                found.setdefault(place, [0, 0, 0])[field] = steps.of(quarters)[lengths[place]]
        return {place: (title, path, links) for place, (title, path, links) in found.items()}


def _quarters(values: Mapping[int, Sequence[int]], field: int) -> dict[int, int]:
    """number -> the quarters that a field has there."""
    found = {number: QUARTERS * times for number, times in Counter(values.get(field, ())).items()}
    for number in values.get(field | WEAK, ()):
        found[number] = found.get(number, 0) + WEAK_QUARTERS
    return found


def _ordered(steps: Mapping[int, int]) -> tuple[list[int], bytes]:
    """Ascending numbers, and the step of each."""
    numbers = sorted(steps)
    return numbers, bytes(map(steps.__getitem__, numbers))


def looked_up(table: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """What a table holds at these places, without a step of the interpreter a place."""
    return itemgetter(*places)(table) if len(places) > 1 else (table[places[0]],)
