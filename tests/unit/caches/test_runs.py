"""Runs: what processes counted, kept in sorted blocks and merged."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches import sorted_runs
from holdfast.caches.sorted_runs import Run, encode_run, gaps, looked_up, merged, packed, shares, shifted
from holdfast.caches.word_index.word_compiler import DocumentNumbers
from support.runs import read_back, written

KEYS = st.binary(max_size=3)
ASCENDING = st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=20).map(sorted)
COUNTED = st.dictionaries(KEYS, ASCENDING.map(packed), max_size=12)


@given(ASCENDING)
def test_gaps_lead_from_each_number_to_the_next_and_a_number_that_is_repeated_has_none(numbers: list[int]) -> None:
    apart = [int.from_bytes(gaps(packed(numbers))[at : at + 4], "little") for at in range(0, 4 * len(numbers), 4)]
    assert list(accumulate(apart)) == numbers


@given(st.lists(st.integers(0, 2**30), max_size=20), st.integers(0, 2**30 - 1))
def test_a_base_is_added_to_every_number(numbers: list[int], base: int) -> None:
    assert shifted(packed(numbers), base) == packed([base + number for number in numbers])


def test_what_a_table_holds_is_looked_up_at_one_place_and_at_many() -> None:
    assert (looked_up([5, 6, 7], [2]), looked_up([5, 6, 7], [0, 0, 2])) == ((7,), (5, 5, 7))


def test_a_run_tells_documents_by_section_from_its_base_on_and_some_by_place() -> None:
    documents = DocumentNumbers([30, 10, 20], [0, 0, 1, 2, 2], [0, 2], [0, 0])
    found = documents.of(0, packed([0, 1])), documents.of(1, packed([0, 1, 1])), documents.of(1, packed([-3, -1, 2]))
    assert found == ((30, 30), (10, 20, 20), (20, 30, 20))


@given(st.lists(COUNTED, max_size=4), st.integers(1, 5), st.integers(1, 4))
def test_the_shares_of_runs_merged_one_after_another_are_all_terms_in_order(
    counts: list[dict[bytes, bytes]], terms_a_block: int, processes: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_runs, "_TERMS_A_BLOCK", terms_a_block)
        blocks = [list(encode_run(terms)) for terms in counts]
    ranges = shares([written(each)[1] for each in blocks], processes)
    found = [item for low, high in ranges for item in merged([read_back(each, low, high) for each in blocks])]
    expected = [
        (key, [(mark, terms[key]) for mark, terms in enumerate(counts) if key in terms])
        for key in sorted({key for terms in counts for key in terms})
    ]
    assert (len(ranges), found) == (processes, expected)


def test_shares_have_about_as_much_work_each() -> None:
    run = Run("", [bytes([first]) for first in range(100)], [10 * number for number in range(101)])
    assert shares([run, run], 4) == [
        (b"", bytes([25])),
        (bytes([25]), bytes([50])),
        (bytes([50]), bytes([75])),
        (bytes([75]), None),
    ]


def test_terms_that_occur_seldom_are_more_work_a_byte() -> None:
    sizes = [1200 << 10, *[300 << 10] * 4]  # the first half of the bytes is one block of frequent terms
    run = Run("", [bytes([first]) for first in range(5)], list(accumulate(sizes, initial=0)))
    assert shares([run], 2) == [(b"", bytes([2])), (bytes([2]), None)]
