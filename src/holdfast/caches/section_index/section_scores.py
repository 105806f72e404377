"""What sections are worth to a query, added up from the impacts of its terms. Pure."""

from __future__ import annotations

from _operator import add
from bisect import bisect_left, bisect_right
from itertools import repeat

from holdfast.caches.search.impacts import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.caches.search.document_search import Impacts
    from holdfast.caches.section_index.section_records import TermImpacts

_TITLE, _HEADINGS, _PATH, _BODY = range(len(FIELDS))


class Scores:
    """The scores of all sections that match; `firsts` has the first section of each document and, last, their number.

    A section matches by its body or its headings, the first of a document also by its title or path. What matches has
    the impacts of all four fields.
    """

    def __init__(self, terms: Sequence[tuple[str, TermImpacts]], firsts: Sequence[int]) -> None:
        self._terms, self._firsts = terms, firsts
        own = [fields[field] for _, fields in terms for field in (_HEADINGS, _BODY) if fields[field][0]]
        own.sort(key=lambda pair: -len(pair[0]))
        self.scores = _added(own)
        # What only the longest list names has no more than its best, so the others are looked at first.
        self.strong: tuple[set[int], int] | None = None
        others = [numbers for numbers, _ in own[1:]]
        if own and sum([len(numbers) for numbers in others]) * 4 < len(own[0][0]):
            self.strong = set().union(*others), max(own[0][1])
        beside = [fields[field] for _, fields in terms for field in (_TITLE, _PATH) if fields[field][0]]
        beside.sort(key=lambda pair: -len(pair[0]))
        shared = _added(beside)
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
                elif number == first:
                    scores[number] = value
                else:
                    continue
                if self.strong is not None:
                    self.strong[0].add(number)

    def document_of(self, number: int) -> int:
        """The place of a section's document."""
        return bisect_right(self._firsts, number) - 1

    def reasons(self, number: int) -> list[tuple[str, str, int]]:
        """Why a section has its score, in the order of the query."""
        return [(term, field, value) for (term, field), value in self.impacts(number).items()]

    def holds(self, number: int) -> Callable[[str], bool]:
        """Whether a term of the query counts for a section."""
        held = {term for term, _ in self.impacts(number)}
        return held.__contains__

    def impacts(self, number: int) -> Impacts:
        """Why a section has its score."""
        place = self.document_of(number)
        found = {}
        for term, fields in self._terms:
            for field, (numbers, impacts) in enumerate(fields):
                wanted = number if field in (_HEADINGS, _BODY) else place
                at = bisect_left(numbers, wanted)
                if at < len(numbers) and numbers[at] == wanted:
                    found[term, FIELDS[field]] = impacts[at]
        return found


def _added(lists: list[tuple[Sequence[int], Sequence[int]]]) -> dict[int, int]:
    """The sum of impacts by number. The first list, the longest, is taken whole; only the others are walked."""
    if not lists:
        return {}
    total = dict(zip(*lists[0], strict=True))
    for numbers, impacts in lists[1:]:
        # No number occurs twice in a list, so each is looked up before it is changed; and no step of the interpreter.
        total.update(zip(numbers, map(add, map(total.get, numbers, repeat(0)), impacts), strict=True))
    return total
