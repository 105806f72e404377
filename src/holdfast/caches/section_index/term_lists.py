"""The two lists of a term, from where it was counted: what sections have of it, and what documents have. Pure.

Occurrences are counted in quarters: a word that is part of an identifier counts one, any other four. The list of
sections has the step of each section that holds the term, the list of documents what all sections of a document share;
impacts.py says how they are made of the fields. Frequent terms are frequent in bodies alone, so bodies are worked out
list by list without a step of the interpreter for each number, and what other fields add is put right afterwards.
"""

from __future__ import annotations

from array import array
from collections import Counter
from operator import add, getitem, mul, sub

from holdfast.caches.search.impacts import (
    MANY,
    FieldSteps,
    document_step,
    evidence_step,
    named_step,
    section_step,
    unit,
)
from holdfast.caches.search.word_terms import QUARTERS
from holdfast.caches.sorted_runs import looked_up
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The fields of runs; `WEAK` is added for those whose occurrences count a quarter.
TITLE, PATH, LINKS, HEADINGS, BODY = range(5)
WEAK = 8
OF_SECTIONS = frozenset((HEADINGS, BODY, HEADINGS | WEAK, BODY | WEAK))
# What is counted more often has its step computed rather than looked up.
_USUAL = 12 * QUARTERS
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


class TermLists(NamedTuple):
    """Ascending numbers of sections and of documents, a step for each; how many sections hold the term."""

    sections: Sequence[int]
    section_steps: bytes
    documents: Sequence[int]
    document_steps: bytes
    holding: int


class _Counts(NamedTuple):
    """How often sections, and documents in all their bodies, hold a term; a count is worth so many quarters."""

    sections: Mapping[int, int]
    documents: Mapping[int, int]
    worth: int


class Weights:
    """What turns counts into units and lists."""

    def __init__(self, lengths: FieldLengths) -> None:
        self.firsts = firsts = lengths.firsts
        self.section_count, documents = firsts[-1], len(firsts) - 1
        self.populations = (self.section_count, documents)
        held_by = list(map(sub, firsts[1:], firsts))
        self._place_of = [place for place, held in enumerate(held_by) for _ in range(held)]
        bodies = lengths.bodies
        texts = [sum(bodies[first : first + held]) for first, held in zip(firsts, held_by, strict=False)]
        self._lengths = lengths
        self._of_document = {
            # The average is over sections: a title counts once for each section below it.
            TITLE: FieldSteps("title", sum(map(mul, lengths.titles, held_by)), self.section_count),
            PATH: FieldSteps("path", sum(map(mul, lengths.paths, held_by)), self.section_count),
            LINKS: FieldSteps("links", sum(map(mul, lengths.links, held_by)), self.section_count),
        }
        self._headings = FieldSteps("headings", sum(lengths.headings), self.section_count)
        total = sum(bodies) or 1  # where no section has a word, the tables below say nothing of anyone
        body = FieldSteps("body", total, self.section_count)
        self._evidence = _Evidence(FieldSteps("document", total, documents), texts, held_by)
        in_bodies, in_texts = _Tables(body, bodies), _SectionTables(self._evidence, self._place_of)
        # By what a count is worth: count -> section -> step of its body, and what its document adds to that.
        self._bodies = {1: in_bodies, QUARTERS: _Multiples(in_bodies)}
        self._texts = {1: in_texts, QUARTERS: _Multiples(in_texts)}
        self._alone = bytes(map(add, in_bodies[QUARTERS], in_texts[QUARTERS]))
        self._units: dict[int, int] = {}

    def unit(self, holding: int) -> int:
        """The unit of a term that so many sections hold."""
        if holding not in self._units:
            self._units[holding] = unit(self.section_count, holding)
        return self._units[holding]

    def alone(self, section: int) -> int:
        """The step of a term that occurs once, in that section's body."""
        return self._alone[section]

    def lists(self, values: Mapping[int, bytes]) -> TermLists:
        """The lists of a term, given its packed numbers in each field of the runs."""
        body, weak = values.get(BODY), values.get(BODY | WEAK)
        is_only_body = len(values) == (body is not None) + (weak is not None)
        if body is not None and weak is None:
            numbers = array("I", body)
            places = looked_up(self._place_of, numbers)
            if is_only_body and len(set(places)) == len(places):  # most terms
                return TermLists(numbers, bytes(looked_up(self._alone, numbers)), (), b"", len(numbers))
            counts = _Counts(Counter(numbers), Counter(places), QUARTERS)
        else:
            counts = self._in_quarters(body or b"", weak or b"")
        sections, steps, documents = self._of_bodies(counts)
        if not is_only_body:
            return self._put_right(values, counts, dict(zip(sections, steps, strict=True)), documents)
        return TermLists(sections, steps, *_columns(documents), len(sections))

    def _in_quarters(self, body: bytes, weak: bytes) -> _Counts:
        quarters = {number: QUARTERS * times for number, times in Counter(array("I", body)).items()}
        for number in array("I", weak):
            quarters[number] = quarters.get(number, 0) + 1
        sections = {number: quarters[number] for number in sorted(quarters)} if weak else quarters
        documents: dict[int, int] = {}
        for number, held in sections.items():
            place = self._place_of[number]
            documents[place] = documents.get(place, 0) + held
        return _Counts(sections, documents, 1)

    def _of_bodies(self, counts: _Counts) -> tuple[list[int], bytes, dict[int, int]]:
        """Sections and their steps, and documents and theirs, of a term that no other field holds."""
        sections = list(counts.sections)
        if not sections:
            return [], b"", {}
        in_bodies, in_texts = self._bodies[counts.worth], self._texts[counts.worth]
        places = looked_up(self._place_of, sections)
        own = map(getitem, map(in_bodies.__getitem__, counts.sections.values()), sections)
        shared = map(getitem, map(in_texts.__getitem__, map(counts.documents.__getitem__, places)), sections)
        return sections, bytes(map(add, own, shared)), self._evidence.listed(counts)

    def _put_right(
        self, values: Mapping[int, bytes], counts: _Counts, sections: dict[int, int], documents: dict[int, int]
    ) -> TermLists:
        """The lists of a term that other fields hold too, given those that its bodies make."""
        shared = self._shared(values)
        for place, steps in shared.items():
            documents[place] = document_step(named_step(*steps), documents.get(place, 0), many=True)
        headings = _quarters(values, HEADINGS)
        touched = set(headings)
        firsts = self.firsts
        for place in shared:
            if place in counts.documents:
                touched.update([number for number in range(firsts[place], firsts[place + 1]) if number in sections])
        in_bodies, in_texts = self._bodies[counts.worth], self._texts[counts.worth]
        for number in touched:
            place = self._place_of[number]
            times, in_text = counts.sections.get(number, 0), counts.documents.get(place, 0)
            body = in_bodies[times][number] if times else 0
            heading = 0
            if number in headings:
                heading = self._headings.of(headings[number])[self._lengths.headings[number]]
            evidence = in_texts[in_text][number] if in_text else 0  # 0 where the document's step has it
            sections[number] = section_step(body, heading, *shared.get(place, _NO_STEPS), evidence, many=False)
        holding = len(sections)
        for place, (title, path, _) in shared.items():
            if title or path:
                first, after = firsts[place], firsts[place + 1]
                # By its title or path a document matches in its first section, with the least step.
                holding += sum([number not in sections for number in range(first, after)])
                sections.setdefault(first, 1)
        return TermLists(*_columns(sections), *_columns(documents), holding)

    def _shared(self, values: Mapping[int, bytes]) -> dict[int, tuple[int, int, int]]:
        """place of a document -> the steps of its title, path and links, 0 where they do not hold the term."""
        found: dict[int, list[int]] = {}
        lengths = (self._lengths.titles, self._lengths.paths, self._lengths.links)
        for field in (TITLE, PATH, LINKS):
            steps = self._of_document[field]
            for place, quarters in _quarters(values, field).items():
                if place not in found:
                    found[place] = [0, 0, 0]
                found[place][field] = steps.of(quarters)[lengths[field][place]]
        return {place: (title, path, links) for place, (title, path, links) in found.items()}


def _quarters(values: Mapping[int, bytes], field: int) -> dict[int, int]:
    """number -> the quarters that a field has there."""
    quarters: dict[int, int] = {}
    for of_runs, worth in ((field, QUARTERS), (field | WEAK, 1)):
        if of_runs in values:
            for number in array("I", values[of_runs]):
                quarters[number] = quarters.get(number, 0) + worth
    return quarters


def _columns(steps: Mapping[int, int]) -> tuple[Sequence[int], bytes]:
    numbers = sorted(steps)
    return numbers, bytes(map(steps.__getitem__, numbers))


class _Tables(dict[int, "Sequence[int]"]):
    """quarters -> number -> step of a field as long as that number's."""

    def __init__(self, steps: FieldSteps, lengths: Sequence[int]) -> None:
        super().__init__()
        self._steps, self._lengths = steps, lengths

    def __missing__(self, quarters: int) -> Sequence[int]:
        by_length = self._steps.of(quarters)
        made: Sequence[int] = _Computed(by_length, self._lengths)  # type: ignore[assignment]  # all that is asked of it
        if quarters <= _USUAL:
            made = bytes(map(by_length.__getitem__, self._lengths))
        self[quarters] = made
        return made


class _SectionTables(dict[int, "Sequence[int]"]):
    """quarters in a document -> section of it -> what those add to the step of that section."""

    def __init__(self, evidence: _Evidence, place_of: Sequence[int]) -> None:
        super().__init__()
        self._evidence, self._place_of = evidence, place_of

    def __missing__(self, quarters: int) -> Sequence[int]:
        by_place = _Apart(self._evidence, quarters)
        made: Sequence[int] = _Computed(by_place, self._place_of)  # type: ignore[assignment]  # all that is asked of it
        if quarters <= _USUAL:
            made = bytes(map(by_place.__getitem__, self._place_of))
        self[quarters] = made
        return made


class _Evidence:
    """What documents say for their sections by holding a term, whichever section it is in."""

    def __init__(self, steps: FieldSteps, lengths: Sequence[int], held_by: Sequence[int]) -> None:
        self._steps, self._lengths, self._held_by = steps, lengths, held_by

    def of(self, quarters: int, place: int) -> int:
        """What a document says that holds a term so often."""
        return evidence_step(self._steps.of(quarters)[self._lengths[place]])

    def is_listed(self, quarters: int, place: int) -> bool:
        """Whether the document's list says it, for all of its sections, and not each section that holds the term."""
        return quarters >= MANY and self._held_by[place] > 1

    def listed(self, counts: _Counts) -> dict[int, int]:
        """What the list of documents says of a term, that is not 0."""
        worth = counts.worth
        if max(counts.documents.values()) * worth < MANY:
            return {}
        often = [(place, times * worth) for place, times in counts.documents.items() if times * worth >= MANY]
        found = {place: self.of(times, place) for place, times in often if self.is_listed(times, place)}
        return {place: step for place, step in found.items() if step}


class _Apart(dict[int, int]):
    """place of a document that holds a term so often -> what its sections that hold it have of that."""

    def __init__(self, evidence: _Evidence, quarters: int) -> None:
        super().__init__()
        self._evidence, self._quarters = evidence, quarters

    def __missing__(self, place: int) -> int:
        is_listed = self._evidence.is_listed(self._quarters, place)
        self[place] = said = 0 if is_listed else self._evidence.of(self._quarters, place)
        return said


class _Multiples(dict[int, "Sequence[int]"]):
    """times -> what as many times four quarters give."""

    def __init__(self, by_quarters: Mapping[int, Sequence[int]]) -> None:
        super().__init__()
        self._by_quarters = by_quarters

    def __missing__(self, times: int) -> Sequence[int]:
        self[times] = made = self._by_quarters[QUARTERS * times]
        return made


class _Computed:
    """Stands for a table that would not be looked into often enough."""

    def __init__(self, values: Mapping[int, int], keys: Sequence[int]) -> None:
        self._values, self._keys = values, keys

    def __getitem__(self, number: int) -> int:
        return self._values[self._keys[number]]
