"""Which documents of several indexes of words answer a query within a budget, as if they were one. Pure."""

from __future__ import annotations

from holdfast.caches.word_index.word_search import Choice, best_first, choose_unmatched, merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.word_index.word_records import Columns
    from holdfast.caches.word_index.word_search import Matches, Ranked


def choose_of_several(indexes: Sequence[tuple[Matches, Columns]], budget: int) -> list[tuple[int, Choice]]:
    """The greedy choice of `selection.select` over all documents; of each the number of its index, and its place there.

    The documents of an index stand before those of the next.
    """
    smallest = min([min(columns.tokens) for _, columns in indexes if columns.count], default=0)
    taken: list[tuple[int, Choice]] = []
    for _, at, place, number, found in merged(
        [_of_index(at, matches, columns) for at, (matches, columns) in enumerate(indexes)]
    ):
        if smallest > budget:
            return taken
        columns = indexes[at][1]
        size = columns.tokens[place]
        if size <= budget:
            taken.append((at, Choice(place, found, columns.words[number], size)))
            budget -= size
    for at, (matches, columns) in enumerate(indexes):
        for choice in choose_unmatched(matches, columns, budget):
            taken.append((at, choice))
            budget -= choice.tokens
    return taken


def _of_index(at: int, matches: Matches, columns: Columns) -> Iterator[tuple[float, int, int, int, int]]:
    ranked: Iterator[Ranked] = best_first(matches, columns)
    return ((points, at, place, number, found) for points, place, number, found in ranked)
