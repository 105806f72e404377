"""The choice from the index of words: how little of the ranking it makes, and where f32 cannot tell documents apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import pytest

from holdfast.caches.segments.segment_file import Columns, Place
from holdfast.caches.segments.word_search import Matches, choose
from holdfast.caches.selection import score
from support.segments import columns_of


class Counted(Sequence[Place]):
    """Numbers that count how often one of them is asked for."""

    def __init__(self, values: Sequence[Place]) -> None:
        self.values, self.asked = values, 0

    @overload
    def __getitem__(self, at: int) -> Place: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Place]: ...
    def __getitem__(self, at: int | slice) -> Place | Sequence[Place]:
        self.asked += 1
        return self.values[at]

    def __len__(self) -> int:
        return len(self.values)


def chosen(columns: Columns, budget: int, times: int = 1) -> tuple[list[Place], int]:
    """The places that are chosen where every document holds the word, and how many documents were ranked for it."""
    matches = Matches([(1, range(columns.documents), [times] * columns.documents)], columns)
    places = Counted(columns.places)  # which the ranking asks once for each document it ranks
    found = choose([(matches, columns._replace(places=places))], budget)
    return [choice.place for _, choice in found], places.asked


COUNT = 10_000


@pytest.mark.parametrize(
    ("small", "budget", "expected", "ranked"),
    [
        pytest.param(1, 101, [0, COUNT - 1], 10, id="few can still fit"),
        pytest.param(200, 250, [0, 1, *range(COUNT - 200, COUNT - 150)], 110, id="many passed over in a row"),
    ],
)
def test_the_ranking_is_not_made_to_its_end_for_documents_that_cannot_fit(
    small: int, budget: int, expected: list[int], ranked: int
) -> None:
    columns = columns_of([10] * COUNT, [100] * (COUNT - small) + [1] * small)
    places, asked = chosen(columns, budget)
    assert places == expected
    assert asked <= ranked


def test_every_document_that_fits_is_taken_in_the_order_of_the_ranking() -> None:
    columns = columns_of([3, 1, 2] * 100, [1] * 300)
    expected = sorted(range(300), key=lambda place: ((3, 1, 2)[place % 3], place))
    assert chosen(columns, 300)[0] == expected


@pytest.mark.parametrize(
    ("matches", "words"), [(1, 1 << 24), (1, 16_000_000), (6_000_100, 12_000_000), (4_500_000, 8_900_000)]
)
def test_documents_of_many_words_tie_where_one_word_more_does_not_change_the_f32(matches: int, words: int) -> None:
    # Among lengths in a row some are one f32 with the next: those are in the order of their ids, the others by score.
    lengths = list(range(words + 99, words - 1, -1))
    assert len({score(matches, length) for length in lengths}) < len(lengths)
    expected = sorted(range(100), key=lambda place: (-score(matches, lengths[place]), place))
    assert chosen(columns_of(lengths, [1] * 100), 100, times=matches)[0] == expected
