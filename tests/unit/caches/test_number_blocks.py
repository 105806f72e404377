"""Numbers stand in blocks with checksums, and records at places that are added up as plain numbers."""

from __future__ import annotations

from binascii import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.index_format import IndexUnusable
from holdfast.caches.number_blocks import BLOCK, SUM, BlockSums, block_span, check_blocks, sums_length
from holdfast.caches.posting_record import (
    PostingRecord,
    numbers_at,
    numbers_length,
    place_of,
    record_at,
)
from holdfast.caches.sorted_runs import encode_numbers
from support.term_dictionary import joined_records


@given(
    sizes=st.lists(st.integers(0, 3 * BLOCK) | st.sampled_from([BLOCK - 1, BLOCK, BLOCK + 1]), max_size=6),
    start=st.integers(0, 9 * BLOCK),
    length=st.integers(0, 2 * BLOCK),
)
def test_sums_are_those_of_blocks_however_bytes_come(sizes: list[int], start: int, length: int) -> None:
    pieces = [bytes([number + 1]) * size for number, size in enumerate(sizes)]
    sums = BlockSums()
    data = b"".join(map(sums.taking, pieces))
    made = sums.finish()
    assert data == b"".join(pieces)
    assert made == b"".join(
        [
            crc32(data[at : at + BLOCK], number).to_bytes(4, "little")
            for number, at in enumerate(range(0, len(data), BLOCK))
        ]
    )
    assert len(made) == sums_length(len(data))
    start = min(start, len(data))
    end = min(start + length, len(data))
    begin, after = block_span(start, end, len(data))
    assert begin <= start
    assert end <= after
    checked = made[begin // BLOCK * SUM :][: sums_length(after - begin)]
    check_blocks(data[begin:after], begin, checked)
    if begin < after:
        with pytest.raises(IndexUnusable):
            check_blocks(data[begin : after - 1] + b"\0", begin, checked)
        with pytest.raises(IndexUnusable):
            check_blocks(data[begin:after], begin + BLOCK, checked)
        with pytest.raises(IndexUnusable):
            check_blocks(data[begin:after], begin, checked[:-1])


@given(st.lists(st.tuples(st.binary(max_size=9), st.integers(0, 9)), max_size=9))
def test_places_lead_to_records_and_numbers(drawn: list[tuple[bytes, int]]) -> None:
    records = [PostingRecord(data, bytes([count]) * 2 * count) for data, count in drawn]
    whole = joined_records(records)
    place = 0
    for record in records:
        assert whole.data[record_at(place) :].startswith(record.data)
        assert whole.numbers[numbers_at(place) :].startswith(record.numbers)
        place += record.size
    assert place == whole.size == place_of(len(whole.data), len(whole.numbers))


@pytest.mark.parametrize("population", [9, 65_536, 65_537, 200_000])
@pytest.mark.parametrize("count", [1, 4, 7, 8, 9])
def test_numbers_are_as_long_as_they_are_written(count: int, population: int) -> None:
    step = population // 9
    assert numbers_length(count, population) == len(encode_numbers(range(0, count * step, step), population))
