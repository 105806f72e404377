"""What sections are worth to a query, added up from the lists of its terms. Pure."""

from __future__ import annotations

from _operator import add
from bisect import bisect_left, bisect_right
from itertools import repeat

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.caches.search.question import Question
    from holdfast.caches.section_index.section_records import StepList, TermImpacts

SECTION, DOCUMENT = "section", "document"


class WeighedTerm(NamedTuple):
    """A term of a query, what the query makes of it, and its lists."""

    term: str
    weight: int
    impacts: TermImpacts


class Scores:
    """The scores of all sections that match; `firsts` has the first section of each document and, last, their number.

    A section matches when it is in a list of sections. What matches has the impacts of all its terms, and those that
    its document has of any.
    """

    def __init__(self, question: Question, terms: Sequence[WeighedTerm], firsts: Sequence[int]) -> None:
        self.question = question
        self._terms, self._firsts = terms, firsts
        self.scores = _added([(weight, impacts.sections) for _, weight, impacts in terms])
        shared = _added([(weight, impacts.documents) for _, weight, impacts in terms if impacts.documents[0]])
        scores = self.scores
        walked = 0
        for place, value in shared.items():
            first, end = firsts[place], firsts[place + 1]
            walked += end - first
            if end < first or walked > firsts[-1]:
                raise ValueError("documents that share sections: a misleading index")
            for number in range(first, end):
                if number in scores:
                    scores[number] += value

    def document_of(self, number: int) -> int:
        """The place of a section's document."""
        return bisect_right(self._firsts, number) - 1

    def reasons(self, number: int) -> list[tuple[str, str, int]]:
        """(term, where, impact) of what makes up a section's score: what it has itself, what its document has."""
        place = self.document_of(number)
        found = []
        for term, weight, (_, sections, documents) in self._terms:
            for where, steps, wanted in ((SECTION, sections, number), (DOCUMENT, documents, place)):
                if step := _step(steps, wanted):
                    found.append((term, where, weight * step))
        return found

    def holds(self, number: int) -> Callable[[str], bool]:
        """Whether a section, or its document, has anything of a term of the query."""
        held = {term for term, _, _ in self.reasons(number)}
        return held.__contains__


def _step(steps: StepList, wanted: int) -> int:
    """The step of a number; 0 when it is not listed."""
    numbers, values = steps
    at = bisect_left(numbers, wanted)
    return values[at] if at < len(numbers) and numbers[at] == wanted else 0


def _added(lists: Iterable[tuple[int, StepList]]) -> dict[int, int]:
    """The sum of impacts by number. The first list, the longest, is taken whole; only the others are walked."""
    ordered = sorted(lists, key=lambda item: -len(item[1][0]))
    total: dict[int, int] = {}
    for weight, (numbers, steps) in ordered:
        impacts = map([weight * step for step in range(256)].__getitem__, steps)
        if not total:
            total = dict(zip(numbers, impacts, strict=True))
        else:
            # No number occurs twice in a list, so each is looked up before it is changed; no step of the interpreter.
            total.update(zip(numbers, map(add, map(total.get, numbers, repeat(0)), impacts), strict=True))
    return total
