"""What sections are worth to a query, added up from the lists of its terms. Pure.

Terms are looked at in the order of the most that they can give (the max-score method): once all the others together
cannot lift a section to a share of the best, sections that none of the first terms holds are not scored.
"""

from __future__ import annotations

from _operator import add
from bisect import bisect_right
from itertools import compress, repeat

from holdfast.caches.segments.step_lists import steps_at
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.caches.search.question import Question
    from holdfast.caches.segments.step_lists import StepList, TermImpacts

SECTION, DOCUMENT = "section", "document"


class WeighedTerm(NamedTuple):
    """A term of a query, what the query makes of it, and its lists."""

    term: str
    weight: int
    impacts: TermImpacts

    @property
    def most(self) -> int:
        """The most that the term gives to a section itself."""
        return self.weight * self.impacts.highest


class Scores:
    """The scores of the sections that match; `firsts` has the first section of each document and, last, their number.

    A section matches when it is in a list of sections. What matches has the impacts of all its terms, and those that
    its document has of any.
    """

    def __init__(self, question: Question, terms: Sequence[WeighedTerm], firsts: Sequence[int]) -> None:
        self.question = question
        self._terms, self._firsts = terms, firsts
        self._by_most = sorted(terms, key=lambda weighed: -weighed.most)
        # What documents have is looked up where it can count: most of those that have something are not among the best.
        lists = [(weight, impacts.documents) for _, weight, impacts in terms if impacts.documents.count]
        self._documents = [(_multiples(weight), steps) for weight, steps in lists]
        self._all: dict[int, int] | None = None

    @property
    def scores(self) -> Mapping[int, int]:
        """Of every section that matches, what the query is worth to it."""
        if self._all is None:
            self._all, _ = self.leading(0)
        return self._all

    @property
    def most(self) -> int:
        """The most that a section has itself, at most: what its document has is not counted."""
        return sum([weighed.most for weighed in self._by_most])

    def leading(self, tenths: int, best: int = 0) -> tuple[dict[int, int], int]:
        """The scores of sections that match, among them all that have at least so many tenths of the best, or of
        `best` where that is more; and how many sections match."""
        lists = self._by_most
        found: dict[int, int] = {}
        shared = 0  # the most that the document of a section that is not found yet has, at most
        if tenths:
            found, shared = self._of_strongest()
            best = max([best, *found.values()])
        met = _Met(self._firsts[-1])
        most = self.most
        for at, weighed in enumerate(lists):
            if 10 * most < tenths * best:  # all that a section has itself which none of the lists so far has
                if 10 * (most + shared) >= tenths * best:
                    found.update(self._lifted(met, tenths * best - 10 * most))
                return found, met.with_others([each.impacts.sections for each in lists[at:]])
            own = weighed.impacts.sections
            numbers, steps = met.add(own.numbers, own.steps)
            if numbers:
                scored = self._scored(at, numbers, steps)
                best = max([best, *scored.values()])
                least = tenths * best - 10 * shared
                if least > 0:
                    scored = {number: score for number, score in scored.items() if 10 * score >= least}
                self._add_shared(scored)
                best = max([best, *scored.values()])
                found.update(scored)
            most -= weighed.most
        return found, met.count

    def _of_strongest(self) -> tuple[dict[int, int], int]:
        """The scores of the sections in those documents that have most, and what the other documents have at most."""
        strong: set[int] = set()
        others = 0
        for _, weight, impacts in self._terms:
            if not impacts.sections.count and impacts.documents.count:
                others += weight * max(impacts.documents.steps)  # of links: it says nothing of what is asked
            elif impacts.documents.count:
                places, highest = impacts.strongest
                strong.update(places)
                others += weight * highest
        numbers = [number for extent in self._extents(sorted(strong)) for number in extent]
        return self._wholly_scored(numbers), others

    def _scored(self, at: int, numbers: Sequence[int], steps: bytes) -> dict[int, int]:
        """What sections have themselves, given their steps in one list: of that and of those after it."""
        lists = self._by_most
        totals = map(_multiples(lists[at].weight).__getitem__, steps)
        for later in lists[at + 1 :]:
            more = map(_multiples(later.weight).__getitem__, later.impacts.sections.steps_of(numbers))
            totals = map(add, totals, more)
        return dict(zip(numbers, totals, strict=True))

    def _lifted(self, met: _Met, tenths: int) -> dict[int, int]:
        """The scores of sections that were not met, in documents that have so many tenths."""
        lifting = [place for place, value in _shared(self._documents).items() if 10 * value >= tenths]
        numbers = [number for extent in self._extents(sorted(lifting)) for number in met.new_of(extent)]
        return self._wholly_scored(numbers)

    def _wholly_scored(self, numbers: Sequence[int]) -> dict[int, int]:
        """The scores of those sections that match."""
        if not numbers:
            return {}
        totals: Iterable[int] = repeat(0, len(numbers))
        for _, weight, impacts in self._by_most:
            more = map(_multiples(weight).__getitem__, impacts.sections.steps_of(numbers))
            totals = map(add, totals, more)
        scored = {number: total for number, total in zip(numbers, totals, strict=True) if total}
        self._add_shared(scored)
        return scored

    def _add_shared(self, scores: dict[int, int]) -> None:
        """Add to sections what their documents have."""
        if sum([steps.count for _, steps in self._documents]) <= len(scores):
            shared = _shared(self._documents)
            for extent, value in zip(self._extents(shared), shared.values(), strict=True):
                for number in extent:
                    if number in scores:
                        scores[number] += value
            return
        numbers = list(scores)
        places = [after - 1 for after in map(bisect_right, repeat(self._firsts), numbers)]
        totals: Iterable[int] = scores.values()
        for multiples, steps in self._documents:
            totals = map(add, totals, map(multiples.__getitem__, steps.steps_of(places)))
        scores.update(zip(numbers, list(totals), strict=True))

    def _extents(self, places: Iterable[int]) -> list[range]:
        """The sections of documents."""
        firsts = self._firsts
        extents = [range(firsts[place], firsts[place + 1]) for place in places]
        if sum(map(len, extents)) > firsts[-1]:
            raise ValueError("documents that share sections: a misleading index")
        return extents

    def document_of(self, number: int) -> int:
        """The place of a section's document."""
        return bisect_right(self._firsts, number) - 1

    def reasons(self, number: int) -> list[tuple[str, str, int]]:
        """(term, where, impact) of what makes up a section's score: what it has itself, what its document has."""
        place = self.document_of(number)
        found = []
        for term, weight, impacts in self._terms:
            for where, steps, wanted in ((SECTION, impacts.sections, number), (DOCUMENT, impacts.documents, place)):
                if step := steps.step(wanted):
                    found.append((term, where, weight * step))
        return found


class _Met:
    """The sections that were met in some lists; `count` is how many they are."""

    def __init__(self, population: int) -> None:
        self._is_new = bytearray(b"\1") * population
        self._met: list[Sequence[int]] = []
        self.count = 0

    def add(self, numbers: Sequence[int], steps: bytes) -> tuple[Sequence[int], bytes]:
        """Those of a list, and their steps, that were not met before; from now on they are."""
        if self.count:
            is_new = steps_at(self._is_new, numbers)
            numbers, steps = list(compress(numbers, is_new)), bytes(compress(steps, is_new))
        self.count += len(numbers)
        self._met.append(numbers)
        marks = self._is_new
        for number in numbers:
            marks[number] = 0
        return numbers, steps

    def new_of(self, numbers: range) -> Iterable[int]:
        """Those of some numbers that were not met."""
        return compress(numbers, self._is_new[numbers.start : numbers.stop])

    def with_others(self, lists: Sequence[StepList]) -> int:
        """How many there are with those of other lists."""
        *others, longest = sorted(lists, key=lambda steps: steps.count)
        for steps in others:
            self.add(steps.numbers, steps.steps)
        if longest.count < self.count:
            return self.count + steps_at(self._is_new, longest.numbers).count(1)
        shared = [len(numbers) - longest.steps_of(numbers).count(0) for numbers in self._met]
        return self.count + longest.count - sum(shared)


def _shared(lists: Iterable[tuple[list[int], StepList]]) -> dict[int, int]:
    """What documents have of all terms, by place. The longest list is taken whole; only the others are walked."""
    total: dict[int, int] = {}
    for multiples, steps in sorted(lists, key=lambda item: -item[1].count):
        places, impacts = steps.numbers, map(multiples.__getitem__, steps.steps)
        if not total:
            total = dict(zip(places, impacts, strict=True))
        else:
            # No place occurs twice in a list, so each is looked up before it is changed; no step of the interpreter.
            total.update(zip(places, map(add, map(total.get, places, repeat(0)), impacts), strict=True))
    return total


def _multiples(weight: int) -> list[int]:
    """step -> impact; the last are remembered, since one search asks for the same again, and several caches do."""
    known = _MULTIPLES.get(weight)
    if known is None:
        if len(_MULTIPLES) >= _MOST_MULTIPLES:
            _MULTIPLES.clear()
        known = _MULTIPLES[weight] = list(range(0, 256 * weight, weight))
    return known


_MULTIPLES: dict[int, list[int]] = {}
_MOST_MULTIPLES = 64
