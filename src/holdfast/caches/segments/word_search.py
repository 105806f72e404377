"""Which documents answer a query within a budget, from the index alone: the same choice `selection.select` makes. Pure.

Documents with equally many matches are, in the order of their numbers, in descending order of score. So the ranking is
a merge of as many lazy streams as there are different counts, and only its beginning is ever made.
"""

from __future__ import annotations

from _operator import add, mul
from heapq import merge
from itertools import repeat
from struct import Struct

from holdfast.caches.segments.segment_file import FLOOR, Number, Place, hash_of
from holdfast.caches.selection import divide
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.caches.segments.segment_file import Columns, Segment

    # Minus the score, the place, the number, the matches: what the ranking sorts by comes first.
    Ranked = tuple[float, Place, Number, int]

_SINGLE = Struct("<f")
_EXACT = 1 << 24  # every whole number below has an f32 of its own
# Up to this many words, one word more changes the f32 of the same matches.
_TOLD_APART = 1 << 22
# Once no more documents than this can still fit, ranking just those is cheaper than going on down the stream.
_FEW = 64


class Choice(NamedTuple):
    """One document taken: its place in its segment and the reasons."""

    place: Place
    matches: int
    words: int
    tokens: int


def _points(matches: int, words: int) -> float:
    """The value that `selection` gives as score, without its type: what the ranking compares."""
    if matches < _EXACT and words < _EXACT:
        value: float = _SINGLE.unpack(_SINGLE.pack(matches / words))[0]
        return value
    return divide(matches, words)


class Matches:
    """How often the query's terms occur in each document of a segment, by number.

    A term is given with its weight, the places of its documents, or None for all, and how often each holds it.
    """

    def __init__(self, terms: Iterable[tuple[int, Sequence[int] | None, Sequence[int]]], columns: Columns) -> None:
        by_place = [0] * columns.documents
        for weight, places, counts in terms:
            if places is None:  # no step of the interpreter for each document
                by_place = list(map(add, by_place, map(mul, counts, repeat(weight))))
            else:
                for place, count in zip(places, counts, strict=True):
                    by_place[place] += weight * count
        self.counts = list(map(by_place.__getitem__, columns.places))


def _descending(matches: int, numbers: Iterable[Number], columns: Columns) -> Iterator[Ranked]:
    """Documents with equally many matches, given by ascending number, in ranking order."""
    words, places = columns.words, columns.places
    last, points = -1, 0.0
    alike = []
    for number in numbers:
        total = words[number]
        if total != last:
            last, points = total, -_points(matches, total)
        if total < _TOLD_APART:
            yield points, places[number], number, matches
        else:
            alike.append((points, places[number], number, matches))
    alike.sort()
    yield from alike


def _numbers_of(counts: Sequence[int], count: int) -> Iterator[Number]:
    """The documents that have a count, by ascending number."""
    at = -1
    try:
        while True:
            at = counts.index(count, at + 1)
            yield Number(at)
    except ValueError:
        return  # no more


def best_first(matches: Matches, columns: Columns) -> Iterator[Ranked]:
    """Every document with a match: by score on f32, then by id."""
    counts = matches.counts
    return merge(*[_descending(count, _numbers_of(counts, count), columns) for count in {*counts} - {0}])


def matched(segments: Sequence[Segment], terms: Iterable[str]) -> list[tuple[Matches, Columns]]:
    """Of each segment, how often the terms of a query occur in its documents, and its columns."""
    weights: dict[str, int] = {}
    for term in terms:
        weights[term] = weights.get(term, 0) + 1
    keys: dict[int, dict[int, int]] = {}  # seed -> hash -> weight
    found = []
    for segment in segments:
        columns = segment.numbers
        if columns.seed not in keys:
            keys[columns.seed] = {hash_of(term, columns.seed, word=True): times for term, times in weights.items()}
        lists = [(weight, *postings) for key, weight in keys[columns.seed].items() if (postings := segment.word(key))]
        found.append((Matches(lists, columns), columns))
    return found


def choose(segments: Sequence[tuple[Matches, Columns]], budget: int) -> list[tuple[int, Choice]]:
    """Greedy over the ranking of all segments, as `selection.select` is, without looking at what cannot fit.

    Of each document that is taken the number of its segment, and the choice, with the place in that.
    """
    taken: list[tuple[int, Choice]] = []
    fitting = _fitting(segments, budget)
    passed_over = 0
    streams = [_of_segment(at, *segment) for at, segment in enumerate(segments)]
    for _, at, place, number, found in merge(*streams):
        columns = segments[at][1]
        size = columns.tokens[place]
        if size <= budget:
            taken.append((at, Choice(place, found, columns.words[number], size)))
            budget -= size
            fitting = _fitting(segments, budget)
            passed_over = 0
        else:
            passed_over += 1
        if passed_over * 2 > fitting or fitting <= _FEW:
            return taken + _choose_among(segments, taken, budget)
    return taken + _choose_unmatched(segments, budget)


def _fitting(segments: Sequence[tuple[Matches, Columns]], budget: int) -> int:
    """How many documents have no more tokens than that."""
    return sum([columns.fitting(budget) for _, columns in segments])


def _of_segment(at: int, matches: Matches, columns: Columns) -> Iterator[tuple[float, int, Place, Number, int]]:
    return ((points, at, place, number, found) for points, place, number, found in best_first(matches, columns))


def _choose_among(
    segments: Sequence[tuple[Matches, Columns]], taken: list[tuple[int, Choice]], budget: int
) -> list[tuple[int, Choice]]:
    """The rest of the greedy choice when few documents can still fit."""
    seen = {(at, choice.place) for at, choice in taken}
    ranked = []
    for at, (matches, columns) in enumerate(segments):
        for place in columns.by_tokens[: columns.fitting(budget)]:
            if (at, place) not in seen:
                number = columns.numbers[place]
                found = matches.counts[number]
                points = -_points(found, columns.words[number]) if found else 0.0
                ranked.append((points, at, place, number, found))
    ranked.sort()
    chosen = []
    for _, at, place, number, found in ranked:
        columns = segments[at][1]
        if columns.tokens[place] <= budget:
            chosen.append((at, Choice(place, found, columns.words[number], columns.tokens[place])))
            budget -= columns.tokens[place]
    return chosen


def _choose_unmatched(segments: Sequence[tuple[Matches, Columns]], budget: int) -> list[tuple[int, Choice]]:
    """Documents that score zero, in id order; a block whose smallest does not fit is skipped."""
    chosen = []
    for at, (matches, columns) in enumerate(segments):
        tokens, numbers = columns.tokens, columns.numbers
        for block, floor in enumerate(columns.floors):
            if floor > budget:
                continue
            start = block * FLOOR
            for place in range(start, min(start + FLOOR, columns.documents)):
                size = tokens[place]
                if size <= budget and not matches.counts[numbers[place]]:
                    chosen.append((at, Choice(Place(place), 0, columns.words[numbers[place]], size)))
                    budget -= size
    return chosen
