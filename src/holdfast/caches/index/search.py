"""Which documents answer a query within a budget, from the index alone: the same choice `selection.select` makes. Pure.

The ranking is a lazy stream. A source gives the best score it can still offer and, when no other source offers more,
the documents that may have it; a document leaves the stream once nothing unseen can come before it.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush, heapreplace
from struct import Struct

from holdfast.caches.index.documents import BLOCK
from holdfast.caches.index.postings import LANE_LIMIT
from holdfast.core.float32 import divide
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from holdfast.caches.index.documents import Columns
    from holdfast.caches.index.postings import Postings

    # A bound and then the documents that may have it, alternately.
    Source = Iterator[Any]

_SINGLE = Struct("<f")
_EXACT = 1 << 24  # every whole number below has an f32 of its own
_LANE_BLOCK = 256
# Once no more documents than this can still fit, ranking just those is cheaper than going on down the stream.
_FEW = 64


class Choice(NamedTuple):
    """One document taken: its place in id order and the reasons."""

    place: int
    matches: int
    words: int
    tokens: int


def _points(matches: int, words: int) -> float:
    """The value `scoring.score` has, without its type: what the ranking compares."""
    if matches < _EXACT and words < _EXACT:
        value: float = _SINGLE.unpack(_SINGLE.pack(matches / words))[0]
        return value
    return divide(matches, words)


class Matches:
    """How often the query's terms occur in each document: counted in `sparse`, or added up in `lanes`, or both."""

    def __init__(self, terms: Iterable[tuple[int, Postings]]) -> None:
        runs: list[tuple[int, list[int]]] = []
        weighted: list[tuple[int, bytes]] = []
        for weight, postings in terms:
            runs += [(times * weight, documents) for times, documents in postings.runs]
            if postings.lane is not None:
                weighted.append((weight, postings.lane))
        self.runs = runs
        self.lanes = _add_lanes(weighted) if weighted else None
        self.disjoint = len(runs) == 1
        self.sparse: dict[int, int] = {}
        runs.sort(key=lambda run: -len(run[1]))
        if runs:
            times, documents = runs[0]
            sparse = dict.fromkeys(documents, times)
            for times, documents in runs[1:]:
                for document in documents:
                    sparse[document] = sparse.get(document, 0) + times
            self.sparse = sparse

    def of(self, number: int) -> int:
        """The matches of one document."""
        found = self.sparse.get(number, 0)
        return found + self.lanes[number] if self.lanes is not None else found

    def by_count(self) -> dict[int, list[int]]:
        """The documents in `sparse`, lanes added, by their matches; ascending, which is best first."""
        if self.disjoint and self.lanes is None:
            times, documents = self.runs[0]
            return {times: documents}
        groups: dict[int, list[int]] = {}
        lanes = self.lanes
        for number, found in self.sparse.items():
            if lanes is not None:
                found += lanes[number]
            if found in groups:
                groups[found].append(number)
            else:
                groups[found] = [number]
        for numbers in groups.values():
            numbers.sort()
        return groups


def _add_lanes(weighted: list[tuple[int, bytes]]) -> Sequence[int]:
    """The weighted sum of lanes, document by document, in lanes wide enough to hold any sum."""
    most = sum([weight for weight, _ in weighted]) * LANE_LIMIT
    width = next(size for size in (1, 2, 4, 8) if most < 1 << 8 * size)
    total = 0
    for weight, lane in weighted:
        total += weight * int.from_bytes(_widened(lane, width), "little")
    summed = total.to_bytes(width * len(weighted[0][1]), "little")
    if width == 1:
        return summed
    view = memoryview(summed)
    return view.cast("H") if width == 2 else view.cast("I") if width == 4 else view.cast("Q")


def _widened(lane: bytes, width: int) -> bytes | bytearray:
    if width == 1:
        return lane
    wide = bytearray(width * len(lane))
    wide[::width] = lane
    return wide


def _group_source(matches: int, numbers: list[int], columns: Columns) -> Source:
    """Documents with equally many matches, fewest words first: their scores only fall."""
    words, places = columns.words, columns.places
    position, end = 0, len(numbers)
    while position < end:
        points = _points(matches, words[numbers[position]])
        yield -points
        level = []
        while position < end and _points(matches, words[numbers[position]]) == points:
            number = numbers[position]
            level.append((-points, 1, places[number], number, matches))
            position += 1
        yield level


def _block_source(start: int, lanes: Sequence[int], matches: Matches, columns: Columns) -> Source:
    """Documents with neighbouring numbers, by their sum of lanes; those also counted in `sparse` are left to it."""
    block = lanes[start : start + _LANE_BLOCK]
    words, places, sparse = columns.words, columns.places, matches.sparse
    best = max(block)
    # A document without words has no matches either, so it never sets the bound that others are held to.
    fewest = words[start] or 1
    if not best:
        return
    yield -_points(best, fewest)
    for found in sorted(set(block), reverse=True):
        if not found:
            return
        if found != best:
            yield -_points(found, fewest)
        level = []
        for offset, value in enumerate(block):
            if value == found and start + offset not in sparse:
                number = start + offset
                level.append((-_points(found, words[number]), 1, places[number], number, found))
        yield level


def best_first(matches: Matches, columns: Columns) -> Iterator[tuple[int, int, int]]:
    """(place, number, matches) of every document with a match: by score on f32, then by id."""
    sources = [_group_source(count, numbers, columns) for count, numbers in matches.by_count().items()]
    lanes = matches.lanes
    if lanes is not None:
        sources += [_block_source(at, lanes, matches, columns) for at in range(0, columns.count, _LANE_BLOCK)]
    # At an equal score a source (0) stands before a document (1): it may still hold one with a lesser id.
    heap: list[Any] = []
    for order, source in enumerate(sources):
        bound = next(source, None)
        if bound is not None:
            heap.append((bound, 0, order, source))
    heapify(heap)
    while heap:
        first = heap[0]
        if first[1]:
            heappop(heap)
            yield first[2], first[3], first[4]
            continue
        source = first[3]
        level = next(source)
        bound = next(source, None)
        if bound is None:
            heappop(heap)
        else:
            heapreplace(heap, (bound, 0, first[2], source))
        for document in level:
            heappush(heap, document)


def choose(matches: Matches, columns: Columns, budget: int) -> list[Choice]:
    """Greedy over the ranking, as `selection.select` is, without looking at what cannot fit."""
    tokens, words = columns.tokens, columns.words
    taken: list[Choice] = []
    fitting = columns.fitting(budget)
    passed_over = 0
    for place, number, found in best_first(matches, columns):
        size = tokens[place]
        if size <= budget:
            taken.append(Choice(place, found, words[number], size))
            budget -= size
            fitting = columns.fitting(budget)
            passed_over = 0
        else:
            passed_over += 1
        if fitting <= _FEW or passed_over * 2 > fitting:
            return taken + _choose_among(columns.by_tokens[:fitting], taken, matches, columns, budget)
    return taken + _choose_unmatched(matches, columns, budget)


def _choose_among(
    places: Iterable[int], taken: list[Choice], matches: Matches, columns: Columns, budget: int
) -> list[Choice]:
    """The rest of the greedy choice when only these places can still fit."""
    seen = {choice.place for choice in taken}
    tokens, words, numbers = columns.tokens, columns.words, columns.numbers
    ranked = []
    for place in places:
        if place not in seen:
            number = numbers[place]
            found = matches.of(number)
            ranked.append((-_points(found, words[number]) if found else 0.0, place, found, words[number]))
    ranked.sort()
    chosen = []
    for _, place, found, total in ranked:
        if tokens[place] <= budget:
            chosen.append(Choice(place, found, total, tokens[place]))
            budget -= tokens[place]
    return chosen


def _choose_unmatched(matches: Matches, columns: Columns, budget: int) -> list[Choice]:
    """Documents that score zero, in id order; a block whose smallest does not fit is skipped."""
    tokens, numbers, words = columns.tokens, columns.numbers, columns.words
    smallest = tokens[columns.by_tokens[0]] if columns.count else 0
    chosen = []
    for block, floor in enumerate(columns.floors):
        if smallest > budget:
            break
        if floor > budget:
            continue
        start = block * BLOCK
        for place in range(start, min(start + BLOCK, columns.count)):
            size = tokens[place]
            if size <= budget:
                number = numbers[place]
                if not matches.of(number):
                    chosen.append(Choice(place, 0, words[number], size))
                    budget -= size
    return chosen
