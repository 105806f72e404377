"""Runs: what processes counted, kept in sorted blocks and merged."""

from __future__ import annotations

from array import array
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.index import runs
from holdfast.caches.index.runs import Run, encode_run, listed, merged, shares, told
from support.runs import read_back, written

KEYS = st.binary(max_size=3)
COUNTED = st.dictionaries(KEYS, st.lists(st.integers(0, 9), min_size=1, max_size=6).map(sorted).map(tuple), max_size=12)


def encoded(terms: dict[bytes, tuple[int, ...]]) -> list[tuple[bytes, bytes]]:
    return list(encode_run(terms, lambda key: listed(terms[key])))


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=20).map(sorted), min_size=1, max_size=3))
def test_numbers_are_told_in_order_with_how_often_they_occur(lists: list[list[int]]) -> None:
    numbers, times = told([(100 * run, listed(each)) for run, each in enumerate(lists)])
    expected = Counter([100 * run + number for run, each in enumerate(lists) for number in each])
    assert dict(zip(numbers, times or [1] * len(numbers), strict=True)) == expected
    assert (numbers, not times) == (sorted(expected), set(expected.values()) == {1})


def test_few_occurrences_are_told_as_they_are_and_many_by_how_often() -> None:
    once = array("I", range(20)).tobytes()
    assert (listed([7]), listed([7, 7, 8]), listed(range(20)), listed([*range(20), 19]), listed([5] * 300)) == (
        (7,),
        (7, 7, 8),
        once,
        [once, b"\x01" * 19 + b"\x02"],
        [array("I", [5]).tobytes(), array("I", [300]).tobytes()],
    )


@given(st.lists(COUNTED, max_size=4), st.integers(1, 5), st.integers(1, 4))
def test_the_shares_of_runs_merged_one_after_another_are_all_terms_in_order(
    counts: list[dict[bytes, tuple[int, ...]]], terms_a_block: int, processes: int
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
        (key, [(mark, listed(terms[key])) for mark, terms in enumerate(counts) if key in terms])
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
