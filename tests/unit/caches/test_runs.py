"""Runs: what processes counted, kept in sorted blocks and merged."""

from __future__ import annotations

from array import array
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.index import runs
from holdfast.caches.index.runs import Run, counted, encode_run, merged, places_by_times, shares
from support.runs import read_back, written

KEYS = st.binary(max_size=3)
COUNTED = st.dictionaries(KEYS, st.lists(st.integers(0, 9), min_size=1, max_size=6).map(sorted), max_size=12)


def encoded(terms: dict[bytes, list[int]]) -> list[tuple[bytes, bytes]]:
    return list(encode_run(terms, lambda key: counted(terms[key])))


@given(st.lists(st.integers(0, 20), min_size=1).map(sorted))
def test_places_are_told_by_how_often_they_occur(places: list[int]) -> None:
    told = places_by_times([counted(places)])
    expected: dict[int, list[int]] = {}
    for place, times in Counter(places).items():
        expected.setdefault(times, []).append(place)
    assert {times: held.tolist() for times, held in told.items()} == expected


def test_a_single_occurrence_is_told_by_its_place_alone() -> None:
    assert (counted([7]), counted([7, 7]), counted([7, 8])) == (
        7,
        {2: array("I", [7]).tobytes()},
        {1: array("I", [7, 8]).tobytes()},
    )


@given(st.lists(COUNTED, max_size=4), st.integers(1, 5), st.integers(1, 4))
def test_the_shares_of_runs_merged_one_after_another_are_all_terms_in_order(
    counts: list[dict[bytes, list[int]]], terms_a_block: int, processes: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "_TERMS_A_BLOCK", terms_a_block)
        blocks = [encoded(terms) for terms in counts]
    ranges = shares([written(each)[1] for each in blocks], processes)
    found = [
        item
        for low, high in ranges
        for item in merged([(mark, read_back(each, low, high)) for mark, each in enumerate(blocks)])
    ]
    expected = [
        (key, [(mark, counted(terms[key])) for mark, terms in enumerate(counts) if key in terms])
        for key in sorted({key for terms in counts for key in terms})
    ]
    assert (len(ranges), found) == (processes, expected)


def test_shares_have_about_as_many_bytes_each() -> None:
    run = Run("", [bytes([first]) for first in range(100)], [10 * number for number in range(101)])
    assert shares([run, run], 4) == [
        (b"", bytes([25])),
        (bytes([25]), bytes([50])),
        (bytes([50]), bytes([75])),
        (bytes([75]), None),
    ]
