"""Numbers of which some are gone and some new are moved all at once as they would be one by one."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.index_format import IndexUnusable
from holdfast.caches.moved_numbers import MovedNumbers
from holdfast.caches.word_index.word_compiler import encode_counts
from holdfast.caches.word_index.word_patches import move_dense, move_records

# Of each number in turn: it stays, it is gone, or a new one stands before it.
FATES = st.lists(st.sampled_from("ssssssssssssgn"), min_size=2, max_size=300)


def moved_by(fates: list[str]) -> MovedNumbers:
    table = []
    count = 0
    for fate in fates:
        count += fate == "n"
        table.append(-1 if fate == "g" else count)
        count += fate != "g"
    return MovedNumbers.of(table, count)


@given(fates=FATES, every=st.integers(1, 40), times=st.integers(1, 30))
def test_numbers_and_what_stands_for_them_are_moved(fates: list[str], every: int, times: int) -> None:
    numbers = moved_by(fates)
    kept = [number for number, new in enumerate(numbers.table) if new >= 0][::every]
    now = [numbers.table[number] for number in kept]
    few = array("H", kept).tobytes()
    assert numbers.halves(few) == array("H", now).tobytes()
    many = few * (4096 // max(len(few), 1) * times)  # goes the other way
    assert numbers.halves(many) == array("H", now * (len(many) // max(len(few), 1))).tobytes()
    counts = bytes([number % 60 + 1 if number in kept else 0 for number in range(len(fates))])
    dense = numbers.dense(counts)
    assert len(dense) == numbers.count
    assert [(number, said) for number, said in enumerate(dense) if said] == [
        (numbers.table[number], counts[number]) for number in kept
    ]


def test_up_to_the_last_number_of_16_bits() -> None:
    numbers = MovedNumbers([(0, 3, 0), (5, 40_000, 3), (40_000, 65_535, 39_999)], 65_535, 65_536)
    kept = [0, 2, 5, 39_999, 40_000, 65_534] * 500
    assert array("H", numbers.halves(array("H", kept).tobytes())).tolist() == [numbers.table[one] for one in kept]


@given(
    fates=FATES,
    words=st.lists(st.tuples(st.integers(1, 90), st.sampled_from([1, 1, 2, 63, 64, 300])), min_size=1, max_size=5),
)
def test_postings_are_moved_as_documents_are(fates: list[str], words: list[tuple[int, int]]) -> None:
    numbers = moved_by(fates)
    kept = [number for number, new in enumerate(numbers.table) if new >= 0]
    records: list[tuple[bytes, bytes, int | bytes]] = []
    for every, times in words:
        counts = {number: times if number % 3 else 1 for number in kept[::every]}
        key = b"key-%d" % len(records)
        record = encode_counts(key, counts, len(fates)) if counts else 0
        if isinstance(record, bytes):
            moved = {numbers.table[number]: said for number, said in counts.items()}
            records.append((key, record, encode_counts(key, moved, numbers.count)))
    offsets = [sum([len(record) for _, record, _ in records[:at]]) for at in range(len(records))]
    made, left = move_records(b"".join([record for _, record, _ in records]), offsets, numbers)
    for at, (key, record, expected) in enumerate(records):
        if at not in left:
            assert bytes(made[offsets[at] : offsets[at] + len(record)]) == expected
        assert move_dense(record, key, numbers, 0, ()) in (None, expected)


def test_a_dense_word_loses_and_gains_documents() -> None:
    numbers = MovedNumbers([(0, 10, 0), (11, 50, 10)], 50, 50)
    before = dict.fromkeys(range(0, 50, 2), 3) | {10: 9}
    record = encode_counts(b"key", before, 50)
    assert isinstance(record, bytes)
    after = {numbers.table[number]: times for number, times in before.items() if number != 10} | {49: 5}
    assert move_dense(record, b"key", numbers, 1, [(49, 5)]) == encode_counts(b"key", after, 50)
    assert move_dense(record, b"key", numbers, 1, [(49, 64)]) is None, "so often stands in a group"
    assert move_dense(record, b"key", numbers, 20, []) is None, "so few are not dense"
    with pytest.raises(IndexUnusable):
        move_dense(record, b"other", numbers, 1, [])
    with pytest.raises(IndexUnusable):
        move_dense(record[:-1] + b"\7", b"key", numbers, 1, [])


def test_a_damaged_posting_list_stays_damaged() -> None:
    numbers = MovedNumbers([(0, 10, 0), (10, 500, 11)], 500, 501)
    record = encode_counts(b"key", {3: 1, 90: 1}, 500)
    assert isinstance(record, bytes)
    whole, _ = move_records(record, [0], numbers)
    assert bytes(whole) == encode_counts(b"key", {3: 1, 91: 1}, 501)
    damaged, _ = move_records(record[:-1] + b"\1", [0], numbers)
    resealed = encode_counts(b"key", {3: 1, 90 + 256 + 1: 1}, 501)
    assert isinstance(resealed, bytes)
    assert damaged[4:] == resealed[4:]
    assert damaged[:4] != resealed[:4]
