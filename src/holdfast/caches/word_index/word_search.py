"""Which documents answer a query within a budget, from the index alone: the same choice `selection.select` makes. Pure.

Documents with equally many matches are, in the order of their numbers, in descending order of score. So the ranking is
a merge of as many lazy streams as there are different counts, and only its beginning is ever made.
"""

from __future__ import annotations

from _heapq import heapify, heappop, heapreplace
from struct import Struct

from holdfast.caches.selection import divide
from holdfast.caches.word_index.word_records import BLOCK
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeVar

    from holdfast.caches.word_index.word_records import Columns, Postings

    Sorted = TypeVar("Sorted", bound=tuple[Any, ...])

    # Minus the score, the place, the number, the matches: what the ranking sorts by comes first.
    Ranked = tuple[float, int, int, int]

_SINGLE = Struct("<f")
_EXACT = 1 << 24  # every whole number below has an f32 of its own
# Up to this many words, one word more changes the f32 of the same matches.
_TOLD_APART = 1 << 22
# Once no more documents than this can still fit, ranking just those is cheaper than going on down the stream.
_FEW = 64
# A query that fewer documents match is counted by document, not in a byte for each there is.
_SPARSE_SHARE = 64
_NOT_ZERO = bytes([0] + [1] * 255)


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
    """How often the query's terms occur in each document.

    `dense` has a byte a document; a count that does not fit a byte is in `others` instead, where it says 0. When
    few documents match, there is none (None) and all are in `others`.
    """

    def __init__(self, terms: Iterable[tuple[int, Postings]], document_count: int) -> None:
        groups: list[tuple[int, list[int]]] = []
        dense_lists: list[tuple[int, bytes]] = []
        self.most = 0  # no dense count is above
        for weight, postings in terms:
            groups += [(times * weight, documents) for times, documents in postings.groups]
            self.most += weight * max(postings.dense_most, postings.groups[0][0] if postings.groups else 0)
            if postings.dense is not None:
                dense_lists.append((weight, postings.dense))
        self.dense: bytes | bytearray | None = None
        self.others: dict[int, int] = {}
        if dense_lists:
            self.dense, self.others = _add_dense(dense_lists, self.most)
        if dense_lists or sum([len(documents) for _, documents in groups]) * _SPARSE_SHARE > document_count:
            self._count_densely(groups, document_count)
        else:
            others = self.others
            for times, documents in groups:
                for document in documents:
                    others[document] = others.get(document, 0) + times

    def _count_densely(self, groups: list[tuple[int, list[int]]], document_count: int) -> None:
        dense = bytearray(document_count) if self.dense is None else bytearray(self.dense) if groups else self.dense
        others = self.others
        for times, documents in groups:
            for document in documents:
                found = dense[document] + times
                if found > 255:
                    others[document] = others.get(document, 0) + found
                    found = 0
                dense[document] = found  # type: ignore[index]  # with groups to count, it is a bytearray
        for document in others if groups else ():
            others[document] += dense[document]
            dense[document] = 0  # type: ignore[index]  # the same
        self.dense = dense

    def of(self, number: int) -> int:
        """The matches of one document."""
        return (self.dense is not None and self.dense[number]) or self.others.get(number, 0)


def _add_dense(dense_lists: list[tuple[int, bytes]], most: int) -> tuple[bytes | bytearray, dict[int, int]]:
    """The weighted sum of dense counts, document by document, and the sums that do not fit a byte."""
    width = next(size for size in (1, 2, 4, 8) if most < 1 << 8 * size)
    total = 0
    for weight, dense in dense_lists:
        wide: bytes | bytearray = dense
        if width > 1:
            wide = bytearray(width * len(dense))
            wide[::width] = dense
        # One addition of long integers adds all documents at once: no sum reaches into its neighbour's bytes.
        total += weight * int.from_bytes(wide, "little")
    summed = total.to_bytes(width * len(dense_lists[0][1]), "little")
    if width == 1:
        return summed, {}
    low = bytearray(summed[::width])
    others: dict[int, int] = {}
    for plane in range(1, width):
        for document in _positions(summed[plane::width].translate(_NOT_ZERO), 1):
            others[document] = int.from_bytes(summed[width * document : width * (document + 1)], "little")
            low[document] = 0
    return low, others


def _positions(dense: bytes | bytearray, value: int) -> Iterator[int]:
    """Where a value stands among dense counts, ascending."""
    at = dense.find(value)
    while at >= 0:
        yield at
        at = dense.find(value, at + 1)


def _descending(matches: int, numbers: Iterable[int], columns: Columns) -> Iterator[Ranked]:
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


def best_first(matches: Matches, columns: Columns) -> Iterator[Ranked]:
    """Every document with a match: by score on f32, then by id."""
    streams = []
    if (dense := matches.dense) is not None:
        counts = range(1, min(matches.most, 255) + 1)
        streams = [_descending(count, _positions(dense, count), columns) for count in counts]
    by_count: dict[int, list[int]] = {}
    for number, count in matches.others.items():
        if count in by_count:
            by_count[count].append(number)
        else:
            by_count[count] = [number]
    streams += [_descending(count, sorted(numbers), columns) for count, numbers in by_count.items()]
    return merged(streams)


def merged(streams: Iterable[Iterator[Sorted]]) -> Iterator[Sorted]:
    """One stream in order of several, as `heapq.merge` gives it, without the time that module takes to load."""
    heap = []
    for order, stream in enumerate(streams):
        first = next(stream, None)
        if first is not None:
            heap.append((first, order, stream))
    heapify(heap)
    while heap:
        first, order, stream = heap[0]
        yield first
        following = next(stream, None)
        if following is None:
            heappop(heap)
        else:
            heapreplace(heap, (following, order, stream))


def choose(matches: Matches, columns: Columns, budget: int) -> list[Choice]:
    """Greedy over the ranking, as `selection.select` is, without looking at what cannot fit."""
    tokens, words = columns.tokens, columns.words
    taken: list[Choice] = []
    largest = tokens[columns.by_tokens[-1]] if columns.count else 0
    fitting = columns.fitting(budget)
    passed_over = 0
    for _, place, number, found in best_first(matches, columns):
        size = tokens[place]
        if size <= budget:
            taken.append(Choice(place, found, words[number], size))
            budget -= size
            if budget < largest:  # else everything still fits
                fitting = columns.fitting(budget)
            passed_over = 0
        else:
            passed_over += 1
        if passed_over * 2 > fitting or fitting <= _FEW:
            return taken + _choose_among(columns.by_tokens[:fitting], taken, matches, columns, budget)
    return taken + choose_unmatched(matches, columns, budget)


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
            ranked.append((-_points(found, words[number]) if found else 0.0, place, number, found))
    ranked.sort()
    chosen = []
    for _, place, number, found in ranked:
        if tokens[place] <= budget:
            chosen.append(Choice(place, found, words[number], tokens[place]))
            budget -= tokens[place]
    return chosen


def choose_unmatched(matches: Matches, columns: Columns, budget: int) -> list[Choice]:
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
