"""The two lists of a term, from where it was counted: what sections have of it, and what documents have. Pure.

Occurrences are counted in quarters: a word that is part of an identifier counts one, any other four. The list of
sections has the step of each section that holds the term, the list of documents what all sections of a document share;
impacts.py says how they are made of the fields. Frequent terms are frequent in bodies alone, so bodies are worked out
list by list without a step of the interpreter for each number, and what other fields add is put right afterwards.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from operator import add, getitem, itemgetter, sub

from holdfast.caches.search.impacts import FieldSteps, document_step, linked_step, named_step, section_step
from holdfast.caches.search.word_terms import QUARTERS
from holdfast.caches.segments.postings import TermLists
from holdfast.caches.segments.step_tables import Evidence, StepTables
from holdfast.core.record import NamedTuple

# The fields; `WEAK` is added for those whose occurrences count a quarter.
TITLE, PATH, LINKS, HEADINGS, BODY = range(5)
WEAK = 8
# Steps are changed one by one where so many times more stay.
_FEW = 8
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


class _Quarters(NamedTuple):
    """How many quarters of a term sections hold, and documents in all their bodies."""

    sections: Mapping[int, int]
    documents: Mapping[int, int]


class Impacts:
    """Computes the two lists of a term from its occurrences (BM25 steps by field)."""

    def __init__(self, lengths: FieldLengths) -> None:
        self.firsts = firsts = lengths.firsts
        self.section_count, documents = firsts[-1], len(firsts) - 1
        self.populations = (self.section_count, documents)
        held_by = list(map(sub, firsts[1:], firsts))
        self.place_of = [place for place, held in enumerate(held_by) for _ in range(held)]
        bodies = lengths.bodies
        texts = [sum(bodies[first : first + held]) for first, held in zip(firsts, held_by, strict=False)]
        self._lengths = lengths
        self._of_document = {
            TITLE: FieldSteps("title"),
            PATH: FieldSteps("path"),
            LINKS: FieldSteps("links"),
        }
        self._document_lengths = {TITLE: lengths.titles, PATH: lengths.paths, LINKS: lengths.links}
        self._headings = FieldSteps("headings")
        body = FieldSteps("body")
        evidence = Evidence(FieldSteps("document"), texts, held_by)
        # By quarters: section -> step of its body, and what its document adds to that; document -> what it adds to all
        # of its sections.
        self._bodies, self._texts = StepTables(body.of, bodies), StepTables(evidence.apart, self.place_of)
        self._listed = StepTables(evidence.listed, range(documents))
        self.alone = bytes(map(add, self._bodies[QUARTERS], self._texts[QUARTERS]))

    def lists(self, values: Mapping[int, Sequence[int]]) -> TermLists:
        """The lists of a term, given the numbers of where it occurs in each field."""
        body, weak = values.get(BODY, ()), values.get(BODY | WEAK, ())
        if body and not weak:
            places = looked_up(self.place_of, body)
            if len(values) == 1 and len(set(places)) == len(places):  # most terms
                return TermLists(body, bytes(looked_up(self.alone, body)), (), b"", len(body))
            counts = _Quarters(_in_quarters(body), _in_quarters(places))
        else:
            counts = self._with_weak(body, weak)
        found = self._of_bodies(counts)
        if len(values) > (BODY in values) + (BODY | WEAK in values):
            return self._put_right(values, counts, found)
        return found

    def linked(self) -> TermLists:
        """The lists of `LINKED`, which documents alone have."""
        steps = bytes(map(linked_step, self._lengths.links))
        return TermLists((), b"", list(compress(range(len(steps)), steps)), steps.translate(None, b"\0"), 0)

    def _with_weak(self, body: Sequence[int], weak: Sequence[int]) -> _Quarters:
        quarters = _in_quarters(body)
        for number in weak:
            quarters[number] = quarters.get(number, 0) + 1
        sections = {number: quarters[number] for number in sorted(quarters)}
        documents: dict[int, int] = {}
        for number, held in sections.items():
            place = self.place_of[number]
            documents[place] = documents.get(place, 0) + held
        return _Quarters(sections, documents)

    def _of_bodies(self, counts: _Quarters) -> TermLists:
        """The lists of a term that no other field holds."""
        if not counts.sections:
            return TermLists((), b"", (), b"", 0)
        sections = list(counts.sections)
        own = map(getitem, map(self._bodies.__getitem__, counts.sections.values()), sections)
        in_documents = map(counts.documents.__getitem__, looked_up(self.place_of, sections))
        shared = map(getitem, map(self._texts.__getitem__, in_documents), sections)
        steps = bytes(map(add, own, shared))
        listed = map(self._listed.__getitem__, counts.documents.values())
        said = bytes(map(getitem, listed, counts.documents))
        documents = list(compress(counts.documents, said))
        return TermLists(sections, steps, documents, said.translate(None, b"\0"), len(sections))

    def _put_right(self, values: Mapping[int, Sequence[int]], counts: _Quarters, of_bodies: TermLists) -> TermLists:
        """The lists of a term that other fields hold too, given those that its bodies make."""
        sections, documents = of_bodies.sections, of_bodies.documents
        by_field = _by_field(values)
        shared = self._shared(by_field)
        headings = by_field.get(HEADINGS, {})
        touched = set(headings)
        firsts = self.firsts
        named: dict[int, int] = {}
        for place, (title, path, links) in shared.items():
            at = bisect_left(documents, place) if documents else 0
            evidence = of_bodies.document_steps[at] if at < len(documents) and documents[at] == place else 0
            named[place] = document_step(named_step(title, path, links), evidence, many=True)
            start = bisect_left(sections, firsts[place])
            touched.update(sections[start : bisect_left(sections, firsts[place + 1], start)])
        steps: dict[int, int] = {}
        for number in touched:
            place = self.place_of[number]
            times, in_text = counts.sections.get(number, 0), counts.documents.get(place, 0)
            body = self._bodies[times][number] if times else 0
            heading = 0
            if number in headings:
                heading = self._headings.of(headings[number])[self._lengths.headings[number]]
            evidence = self._texts[in_text][number] if in_text else 0  # 0 where the document's step has it
            title, path, links = shared.get(place, _NO_STEPS)
            steps[number] = section_step(body, heading, title, path, links, evidence, many=False)
        sections, section_steps = _changed(sections, of_bodies.section_steps, steps)
        holding = len(sections)
        found: dict[int, int] = {}
        for place, (title, path, _) in shared.items():
            if title or path:
                first, after = firsts[place], firsts[place + 1]
                start = bisect_left(sections, first)
                holding += after - first - bisect_left(sections, after, start) + start
                if start == len(sections) or sections[start] != first:
                    found[first] = 1  # by its title or path a document matches in its first section, and no more
        if found:
            sections, section_steps = _changed(sections, section_steps, found)
        return TermLists(sections, section_steps, *_changed(documents, of_bodies.document_steps, named), holding)

    def _shared(self, by_field: Mapping[int, Mapping[int, int]]) -> dict[int, list[int]]:
        """place of a document -> the steps of its title, path and links, 0 where they do not hold the term."""
        found: dict[int, list[int]] = {}
        for field, quarters in by_field.items():
            if field == HEADINGS:
                continue
            steps, lengths = self._of_document[field], self._document_lengths[field]
            for place, held in quarters.items():
                if place not in found:
                    found[place] = [0, 0, 0]
                found[place][field] = steps.of(held)[lengths[place]]
        return found


def _in_quarters(numbers: Sequence[int]) -> dict[int, int]:
    return {number: QUARTERS * times for number, times in Counter(numbers).items()}


def looked_up(table: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """What a table holds at these places, without a step of the interpreter a place."""
    return itemgetter(*places)(table) if len(places) > 1 else (table[places[0]],)


def _by_field(values: Mapping[int, Sequence[int]]) -> dict[int, dict[int, int]]:
    """field -> number -> the quarters that the field has there; of bodies nothing."""
    found: dict[int, dict[int, int]] = {}
    for of_runs, numbers in values.items():
        field, worth = (of_runs & ~WEAK, 1) if of_runs & WEAK else (of_runs, QUARTERS)
        if field != BODY:
            if field not in found:
                found[field] = {}
            quarters = found[field]
            for number in numbers:
                quarters[number] = quarters.get(number, 0) + worth
    return found


def _changed(numbers: Sequence[int], steps: bytes, changes: Mapping[int, int]) -> tuple[Sequence[int], bytes]:
    """Ascending numbers and their steps, once those of some were changed and some were added."""
    if not changes:
        return numbers, steps
    if _FEW * len(changes) > len(numbers):
        steps_of = {**dict(zip(numbers, steps, strict=True)), **changes}
        ordered = sorted(steps_of)
        return ordered, bytes(map(steps_of.__getitem__, ordered))
    made, made_steps = list(numbers), bytearray(steps)
    for number, step in changes.items():
        at = bisect_left(made, number)
        if at < len(made) and made[at] == number:
            made_steps[at] = step
        else:
            made.insert(at, number)
            made_steps.insert(at, step)
    return made, bytes(made_steps)
