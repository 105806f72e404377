"""A record whose numbers are moved is the record of the numbers moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.index_format import IndexUnusable
from holdfast.caches.moved_numbers import MovedNumbers
from holdfast.caches.section_index.list_patches import move_record, move_records, replace_numbers
from holdfast.caches.section_index.section_compiler import encode_record
from holdfast.caches.section_index.term_lists import TermLists

POPULATION = 3000
SAME = MovedNumbers([(0, 10, 0)], 10, 10)


def moved_by(extent: range, grown: int) -> MovedNumbers:
    """What becomes of sections, once those of one document are so many more."""
    kept = [(0, extent.start, 0), (extent.stop, POPULATION, extent.stop + grown)]
    return MovedNumbers(kept, POPULATION, POPULATION + grown)


@given(
    every=st.sampled_from([1, 2, 3, 4, 40, 200, 254, 260, 900]),
    jitter=st.lists(st.integers(0, 30), max_size=20),
    first=st.integers(0, POPULATION - 40),
    length=st.integers(0, 30),
    grown=st.integers(-30, 30),
    more=st.integers(0, 50),
)
def test_a_record_is_moved_as_its_numbers_are(
    every: int, jitter: list[int], first: int, length: int, grown: int, more: int
) -> None:
    grown = max(grown, -length)
    extent, new_extent = range(first, first + length), range(first, first + length + grown)
    numbers = sorted(
        {
            (number + (jitter[number % len(jitter)] if jitter else 0)) % POPULATION
            for number in range(0, POPULATION, every)
        }
    )
    numbers = [number for number in numbers if number not in extent] or [POPULATION - 1]
    steps = bytes([number % 255 + 1 for number in numbers])
    lists = TermLists(numbers, steps, [3, 7], b"\1\2", len(numbers) + more)
    record = encode_record(b"key", lists, (POPULATION, 10))
    moved, moved_steps = replace_numbers(numbers, steps, [extent], [new_extent], [], b"")
    assert moved == [number + grown if number >= extent.stop else number for number in numbers]
    expected = encode_record(
        b"key", lists._replace(sections=moved, section_steps=moved_steps), (POPULATION + grown, 10)
    )
    sections = moved_by(extent, grown)
    assert move_record(record, b"key", sections, SAME) in (None, expected)
    *made, left = move_records(record, [0], sections, SAME)
    assert left or tuple(made) == expected


def test_usual_records_are_moved_and_a_damaged_one_is_refused() -> None:
    for every in (1, 40, 900):
        numbers = range(0, POPULATION, every)
        lists = TermLists(numbers, bytes([1]) * len(numbers), (), b"", len(numbers))
        record = encode_record(b"key", lists, (POPULATION, 10))
        sections = moved_by(range(1501, 1501), 2)
        assert move_record(record, b"key", sections, SAME) is not None
        with pytest.raises(IndexUnusable):
            move_record(record._replace(data=record.data[:-1] + b"\2"), b"key", sections, SAME)


def test_a_term_that_only_links_hold_is_moved_with_the_documents_they_lead_to() -> None:
    lists = TermLists((), b"", [100, 1500, 2800], b"\3\4\5", 0)
    record = encode_record(b"key", lists, (9000, POPULATION))
    documents = moved_by(range(1501, 1501), 2)
    sections = MovedNumbers([(0, 4500, 0), (4500, 9000, 4506)], 9000, 9006)
    expected = encode_record(b"key", lists._replace(documents=[100, 1500, 2802]), (9006, POPULATION + 2))
    assert move_record(record, b"key", sections, documents) == expected
    *made, left = move_records(record, [0], sections, documents)
    assert (tuple(made), left) == (expected, [])
