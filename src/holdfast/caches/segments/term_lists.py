"""The two lists of a term, from where it was counted: what sections have of it, and what documents have. Pure.

Occurrences are counted in quarters: a word that is part of an identifier counts one, any other four. The list of
sections has the step of each section that holds the term, the list of documents what all sections of a document share;
impacts.py says how they are made of the fields. Frequent terms are frequent in bodies alone, so bodies are worked out
list by list without a step of the interpreter for each number, and what other fields add is put right afterwards.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import compress
from operator import add, eq, getitem, itemgetter, sub

from holdfast.caches.search.impacts import FieldSteps, document_step, named_step, section_step
from holdfast.caches.search.word_terms import QUARTERS
from holdfast.caches.segments.postings import TermLists
from holdfast.caches.segments.step_tables import Evidence, StepTables, WholeTables
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

# The fields; `WEAK` is added for those whose occurrences count a quarter.
TITLE, PATH, LINKS, HEADINGS, BODY = range(5)
WEAK = 8
NUMBER = 4  # bytes of a packed number
# Documents that hold a term again are worked out one by one where so many times more hold it once.
_FEW_AGAIN = 32
# Steps are changed one by one where so many times more stay.
_FEW = 8
_NO_STEPS = (0, 0, 0)
# A word of a title stands in these, often once and in no other document.
_OF_ITS_OWN = frozenset((TITLE, PATH, HEADINGS, BODY))


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


class _Counts:
    """How often sections, and documents in all their bodies, hold a term; a count is worth so many quarters."""

    def __init__(self, sections: Mapping[int, int], documents: Mapping[int, int], worth: int) -> None:
        self.sections, self.documents, self.worth = sections, documents, worth

    def in_section(self, number: int) -> int:
        """How often a section holds it."""
        return self.sections.get(number, 0)

    def in_document(self, place: int) -> int:
        """How often a document holds it."""
        return self.documents.get(place, 0)


class _Sorted:
    """The same from the numbers of sections, ascending, one for each occurrence."""

    worth = QUARTERS

    def __init__(self, numbers: array[int], firsts: Sequence[int]) -> None:
        self.numbers, self._firsts = numbers, firsts

    def in_section(self, number: int) -> int:
        """How often a section holds it."""
        start = bisect_left(self.numbers, number)
        return bisect_right(self.numbers, number, start) - start

    def in_document(self, place: int) -> int:
        """How often a document holds it."""
        start, end = self.extent(place)
        return end - start

    def extent(self, place: int) -> tuple[int, int]:
        """Where among the numbers those of a document begin and end."""
        start = bisect_left(self.numbers, self._firsts[place])
        return start, bisect_left(self.numbers, self._firsts[place + 1], start)


class Impacts:
    """Computes the two lists of a term from its occurrences (BM25 steps by field)."""

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
            TITLE: FieldSteps("title"),
            PATH: FieldSteps("path"),
            LINKS: FieldSteps("links"),
        }
        self._document_lengths = {TITLE: lengths.titles, PATH: lengths.paths, LINKS: lengths.links}
        self._headings = FieldSteps("headings")
        body = FieldSteps("body")
        evidence = Evidence(FieldSteps("document"), texts, held_by)
        in_bodies, in_texts = StepTables(body.of, bodies), StepTables(evidence.apart, self._place_of)
        listed = StepTables(evidence.listed, range(documents))
        # By what a count is worth: count -> section -> step of its body, and what its document adds to that; count ->
        # document -> what it adds to all of its sections.
        self._bodies = {1: in_bodies, QUARTERS: WholeTables(in_bodies)}
        self._texts = {1: in_texts, QUARTERS: WholeTables(in_texts)}
        self._listed = {1: listed, QUARTERS: WholeTables(listed)}
        self._alone = bytes(map(add, in_bodies[QUARTERS], in_texts[QUARTERS]))

    def alone(self, section: int) -> int:
        """The step of a term that occurs once, in that section's body."""
        return self._alone[section]

    def lists(self, values: Mapping[int, bytes]) -> TermLists:
        """The lists of a term, given its packed numbers in each field."""
        if len(values) > 1 and values.keys() <= _OF_ITS_OWN and max(map(len, values.values())) == NUMBER:
            found = self._of_one_section(values)
            if found is not None:
                return found
        body, weak = values.get(BODY), values.get(BODY | WEAK)
        counts: _Counts | _Sorted
        if body is not None and weak is None:
            numbers = array("I", body)
            count = len(numbers)
            # One look-up of the same places in two tables.
            get = itemgetter(*numbers) if count > 1 else _only(numbers[0])
            places = get(self._place_of)
            repeated = count - len(set(places))
            if not repeated:  # most terms
                found = TermLists(numbers, bytes(get(self._alone)), (), b"", count)
                if len(values) == 1:
                    return found
                counts = _Sorted(numbers, self.firsts)
            elif _FEW_AGAIN * repeated < count:
                counts = _Sorted(numbers, self.firsts)
                found = self._of_few(counts, set(compress(places, map(eq, places, places[1:]))))
            else:
                counts = _Counts(Counter(numbers), Counter(places), QUARTERS)
                found = self._of_bodies(counts)
        else:
            counts = self._in_quarters(body or b"", weak or b"")
            found = self._of_bodies(counts)
        if len(values) > (body is not None) + (weak is not None):
            return self._put_right(values, counts, found)
        return found

    def named_alone(self, field: int, place: int) -> int:
        """The step of a document that holds a term once, in its title or its path, and nowhere else."""
        return self._of_document[field].of(QUARTERS)[self._document_lengths[field][place]]

    def _of_one_section(self, values: Mapping[int, bytes]) -> TermLists | None:
        """The lists of a term that stands once in each of several fields, all of one document; None where they are of
        several, or no section holds it."""
        at = {field: int.from_bytes(numbers, "little") for field, numbers in values.items()}
        number = at.get(BODY, at.get(HEADINGS, -1))
        place = self._place_of[number] if number >= 0 else -1
        named = [named for field, named in at.items() if field in self._of_document]
        if at.get(HEADINGS, number) != number or any(each != place for each in named):
            return None
        title, path = [self.named_alone(field, place) if field in at else 0 for field in (TITLE, PATH)]
        heading = self._headings.of(QUARTERS)[self._lengths.headings[number]] if HEADINGS in at else 0
        body = self._bodies[QUARTERS][1][number] if BODY in at else 0
        evidence = self._texts[QUARTERS][1][number] if BODY in at else 0
        step = section_step(body, heading, title, path, 0, evidence, many=False)
        if not named:
            return TermLists((number,), bytes([step]), (), b"", 1)
        first, after = self.firsts[place], self.firsts[place + 1]
        shared = bytes([document_step(named_step(title, path, 0), 0, many=True)])
        if number == first:
            return TermLists((number,), bytes([step]), (place,), shared, after - first)
        return TermLists((first, number), bytes([1, step]), (place,), shared, after - first)

    def _of_few(self, counts: _Sorted, again: Collection[int]) -> TermLists:
        """What `_of_bodies` gives, where few documents hold the term more than once: the places of those are given."""
        sections = array("I", dict.fromkeys(counts.numbers))
        steps = bytearray(looked_up(self._alone, sections))
        documents: dict[int, int] = {}
        bodies, texts, listed = self._bodies[QUARTERS], self._texts[QUARTERS], self._listed[QUARTERS]
        for place in sorted(again):
            start, end = counts.extent(place)
            held = counts.numbers[start:end]
            shared = texts[len(held)]
            at = bisect_left(sections, held[0])
            for number, times in Counter(held).items():
                steps[at] = bodies[times][number] + shared[number]
                at += 1
            if said := listed[len(held)][place]:
                documents[place] = said
        return TermLists(sections, bytes(steps), list(documents), bytes(documents.values()), len(sections))

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

    def _of_bodies(self, counts: _Counts) -> TermLists:
        """The lists of a term that no other field holds."""
        if not counts.sections:
            return TermLists((), b"", (), b"", 0)
        sections = list(counts.sections)
        in_bodies, in_texts = self._bodies[counts.worth], self._texts[counts.worth]
        own = map(getitem, map(in_bodies.__getitem__, counts.sections.values()), sections)
        in_documents = map(counts.documents.__getitem__, looked_up(self._place_of, sections))
        shared = map(getitem, map(in_texts.__getitem__, in_documents), sections)
        steps = bytes(map(add, own, shared))
        listed = map(self._listed[counts.worth].__getitem__, counts.documents.values())
        said = bytes(map(getitem, listed, counts.documents))
        documents = list(compress(counts.documents, said))
        return TermLists(sections, steps, documents, said.translate(None, b"\0"), len(sections))

    def _put_right(self, values: Mapping[int, bytes], counts: _Counts | _Sorted, of_bodies: TermLists) -> TermLists:
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
        in_bodies, in_texts = self._bodies[counts.worth], self._texts[counts.worth]
        for number in touched:
            place = self._place_of[number]
            times, in_text = counts.in_section(number), counts.in_document(place)
            body = in_bodies[times][number] if times else 0
            heading = 0
            if number in headings:
                heading = self._headings.of(headings[number])[self._lengths.headings[number]]
            evidence = in_texts[in_text][number] if in_text else 0  # 0 where the document's step has it
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


def looked_up(table: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """What a table holds at these places, without a step of the interpreter a place."""
    return itemgetter(*places)(table) if len(places) > 1 else (table[places[0]],)


def _only(number: int) -> Callable[[Sequence[int]], tuple[int, ...]]:
    return lambda table: (table[number],)


def _by_field(values: Mapping[int, bytes]) -> dict[int, dict[int, int]]:
    """field -> number -> the quarters that the field has there; of bodies nothing."""
    found: dict[int, dict[int, int]] = {}
    for of_runs, numbers in values.items():
        field, worth = (of_runs & ~WEAK, 1) if of_runs & WEAK else (of_runs, QUARTERS)
        if field != BODY:
            if field not in found:
                found[field] = {}
            quarters = found[field]
            for number in array("I", numbers):
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
