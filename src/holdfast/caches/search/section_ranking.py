"""The order of the sections that match: by what they are worth, a page's later ones falling behind. Pure.

The k-th section of a page, by score, counts its score times 0.95 to the power of k: one long page whose title matches
does not crowd out the others, and none is out of reach. What is below a share of the best is not in the order at all.
"""

from __future__ import annotations

from heapq import heappop, heappush

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# Hundredths that a page's next section keeps of the weight of the one before, and tenths of the best score below
# which nothing is given (docs/decisions/0018-ranking.md).
FALL, SHARE = 95, 4
# The same where a section costs a line and no more.
LISTED_SHARE = 1
_ONE = 1 << 16
# Sections are put in order stretch by stretch, since most answers need the first alone: tenths of the best score.
_STRETCHES = (8, 6, SHARE)


class RankedSection(NamedTuple):
    """A section by number, its weighed score, and how many sections of its page come before it."""

    number: int
    score: int
    turn: int


def ranking(
    scores: Mapping[int, int], document_of: Callable[[int], int], share: int = SHARE
) -> Iterator[RankedSection]:
    """The sections best first, equal ones by number, each worked out when it is asked for, down to a share in tenths.

    `document_of` says which page a section is of; sections are numbered by id and line.
    """
    if not scores:
        return
    best = max(scores.values())
    least = (share * best + 9) // 10
    turns: dict[int, int] = {}
    weights = [_ONE]
    waiting: list[tuple[int, int, int]] = []  # (-weighed score, number, turn)
    for number, score in _by_score(scores, best, share):
        # What was weighed above all that is still to come has its place.
        while waiting and -waiting[0][0] > score:
            yield _taken(waiting)
        page = document_of(number)
        turn = turns.get(page, 0)
        turns[page] = turn + 1
        if turn == len(weights):
            weights.append(weights[-1] * FALL // 100)
        weighed = score * weights[turn] >> 16
        if weighed >= least:
            heappush(waiting, (-weighed, number, turn))
    while waiting:
        yield _taken(waiting)


def _taken(waiting: list[tuple[int, int, int]]) -> RankedSection:
    score, number, turn = heappop(waiting)
    return RankedSection(number, -score, turn)


def _by_score(scores: Mapping[int, int], best: int, share: int) -> Iterator[tuple[int, int]]:
    """Number and score of the sections that reach the share, the highest first, equal ones by number."""
    lowest, below = (share * best + 9) // 10, best + 1
    reaching = [(-score, number) for number, score in scores.items() if score >= lowest]
    for tenths in (*_STRETCHES, *range(SHARE - 1, share - 1, -1)):
        least = (tenths * best + 9) // 10
        found = [item for item in reaching if least <= -item[0] < below]
        found.sort()
        for score, number in found:
            yield number, -score
        below = least
