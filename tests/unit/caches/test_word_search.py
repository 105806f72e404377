"""The choice from the index of words: how little of the ranking it makes, and where f32 cannot tell documents apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import pytest

from holdfast.caches.selection import score
from holdfast.caches.word_index.word_compiler import make_columns
from holdfast.caches.word_index.word_records import Columns, Postings
from holdfast.caches.word_index.word_search import Matches, choose


class Counted(Sequence[int]):
    """Numbers that count how often one of them is asked for."""

    def __init__(self, values: Sequence[int]) -> None:
        self.values, self.asked = values, 0

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[int]: ...
    def __getitem__(self, at: int | slice) -> int | Sequence[int]:
        self.asked += 1
        return self.values[at]

    def __len__(self) -> int:
        return len(self.values)


def matched(count: int, times: int = 1) -> Matches:
    return Matches([(1, Postings(count, [(times, list(range(count)))]))], count)


def counted_places(columns: Columns) -> Counted:
    """The column that the ranking asks once for each document it ranks."""
    columns.places = counted = Counted(columns.places)
    return counted


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
    columns = make_columns([10] * COUNT, [100] * (COUNT - small) + [1] * small)
    places = counted_places(columns)
    assert [choice.place for choice in choose(matched(COUNT), columns, budget)] == expected
    assert places.asked <= ranked


def test_every_document_that_fits_is_taken_in_the_order_of_the_ranking() -> None:
    columns = make_columns([3, 1, 2] * 100, [1] * 300)
    expected = sorted(range(300), key=lambda place: ((3, 1, 2)[place % 3], place))
    assert [choice.place for choice in choose(matched(300), columns, 300)] == expected


@pytest.mark.parametrize(
    ("matches", "words"), [(1, 1 << 24), (1, 16_000_000), (6_000_100, 12_000_000), (4_500_000, 8_900_000)]
)
def test_documents_of_many_words_tie_where_one_word_more_does_not_change_the_f32(matches: int, words: int) -> None:
    # Among lengths in a row some are one f32 with the next: those are in the order of their ids, the others by score.
    lengths = list(range(words + 99, words - 1, -1))
    assert len({score(matches, length) for length in lengths}) < len(lengths)
    expected = sorted(range(100), key=lambda place: (-score(matches, lengths[place]), place))
    found = choose(matched(100, times=matches), make_columns(lengths, [1] * 100), 100)
    assert [choice.place for choice in found] == expected
