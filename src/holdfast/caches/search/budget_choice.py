"""Which of the sections that match are given, within a budget, and in what order. Pure.

The ranking is by score, then by id and line. It is walked twice: first no document gives more than `TURN` sections, so
that one page whose title matches does not crowd out the others; then whatever still fits is taken. A section that does
not fit is skipped, never cut: a later, smaller one may still fit. What was taken is given best first, but neighbours
in one document stand together, in the order of the document.
"""

from __future__ import annotations

from heapq import nlargest

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

TURN = 3
# As many as a usual budget needs are put in order first; the rest only if budget is left that something could fit.
_FIRST = 256


class Choice(NamedTuple):
    """The numbers of the sections taken, in the order they are given, and what was considered."""

    numbers: list[int]
    tokens_used: int
    considered: int
    excluded_by_budget: int


def choose(
    scores: Mapping[int, int],
    tokens: Sequence[int],
    document_of: Callable[[int], int],
    budget: int,
    limit: int | None = None,
    *,
    strong: tuple[Collection[int], int] | None = None,
    fitting: Callable[[int], Sequence[int]] | None = None,
) -> Choice:
    """Take from the sections that have a score; sections are numbered by id and line.

    `tokens` and `document_of` say by number how large a section is and which document it is of. What else is known
    saves work: `strong` has sections and a score that no other section exceeds; `fitting` gives the sections that have
    at most so many tokens.
    """
    taken: dict[int, int] = {}  # number -> document
    turns: dict[int, int] = {}
    left = budget

    def walk(numbers: Iterable[int], turn: int | None) -> None:
        nonlocal left
        for number in numbers:
            if len(taken) == limit:
                return
            if tokens[number] <= left and number not in taken:
                document = document_of(number)
                if turn is None or turns.get(document, 0) < turn:
                    taken[number] = document
                    turns[document] = turns.get(document, 0) + 1
                    left -= tokens[number]

    first, least = _best(scores, strong)
    walk(first, TURN)
    rest: list[int] = []
    if len(first) < len(scores) and len(taken) != limit:
        small = fitting(left) if fitting is not None else scores
        if len(small) * 4 < len(scores):
            rest = ranked({number: scores[number] for number in small if scores.get(number, least) < least})
        else:
            rest = ranked({n: score for n, score in scores.items() if score < least and tokens[n] <= left})
        walk(rest, TURN)
    walk(first, None)
    walk(rest, None)
    excluded = len(scores) - len(taken)
    if len(taken) == limit:
        excluded = sum([tokens[number] > left for number in scores if number not in taken])
    return Choice(_in_order(taken, scores), budget - left, len(scores), excluded)


def ranked(scores: Mapping[int, int]) -> list[int]:
    """Numbers by score, the highest first, equal ones by number."""
    return sorted(scores, key=lambda number: (-scores[number], number))


def _best(scores: Mapping[int, int], strong: tuple[Collection[int], int] | None) -> tuple[list[int], int]:
    """The best sections in order, and the score that all of them and no others reach."""
    if len(scores) <= 2 * _FIRST:
        return ranked(scores), 0
    if strong is not None:
        among, bound = strong
        above = {number: scores[number] for number in among if scores[number] > bound}
        if len(above) >= _FIRST:
            scores = above
    least = nlargest(_FIRST, scores.values())[-1]
    return ranked({number: score for number, score in scores.items() if score >= least}), least


def _in_order(taken: Mapping[int, int], scores: Mapping[int, int]) -> list[int]:
    groups: list[list[int]] = []
    for number in sorted(taken):
        if groups and groups[-1][-1] == number - 1 and taken[number - 1] == taken[number]:
            groups[-1].append(number)
        else:
            groups.append([number])
    groups.sort(key=lambda group: (-max([scores[number] for number in group]), group[0]))
    return [number for group in groups for number in group]
