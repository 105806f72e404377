"""Numbers of which some are gone and some new are moved all at once as they would be one by one."""

from __future__ import annotations

from array import array
from binascii import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.index_format import INLINE, IndexUnusable
from holdfast.caches.moved_fields import reseal_records
from holdfast.caches.moved_numbers import MovedNumbers
from holdfast.caches.moved_values import move_inline, move_offsets
from holdfast.caches.posting_record import PostingRecord, numbers_at
from holdfast.caches.word_index.word_compiler import encode_counts
from holdfast.caches.word_index.word_patches import move_dense, move_records
from support.term_dictionary import joined_records

# Of each number in turn: it stays, it is gone, or a new one stands before it.
FATES = st.lists(st.sampled_from("ssssssssssssgn"), min_size=2, max_size=300)


def moved_by(fates: list[str]) -> MovedNumbers:
    table = []
    new = []
    count = 0
    for fate in fates:
        if fate == "n":
            new.append(count)
            count += 1
        table.append(-1 if fate == "g" else count)
        count += fate != "g"
    gone = [number for number, fate in enumerate(fates) if fate == "g"]
    moved = MovedNumbers.around(gone, new, len(fates), count)
    assert moved.table == table
    return moved


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


def test_numbers_that_are_gone_do_not_touch_others() -> None:
    numbers = MovedNumbers([(0, 3, 900), (10, 65_000, 910)], 65_536, 65_910)
    kept = [0, 2, 10, 600, 64_600]
    packed = array("H", [*kept, 5, 65_535] * 500).tobytes()
    moved = array("H", numbers.halves(packed)).tolist()
    for at, number in enumerate(kept):
        assert set(moved[at :: len(kept) + 2]) == {numbers.table[number]}


@pytest.mark.parametrize("times", [1, 5000])
def test_numbers_that_there_are_not_are_damage(times: int) -> None:
    for count in (9, 40_000):
        numbers = MovedNumbers([(0, 3, 1), (3, count, 4)], count, count + 1)
        assert len(numbers.halves(array("H", [count - 1] * times).tobytes())) == 2 * times
        with pytest.raises(IndexUnusable):
            numbers.halves(array("H", [*[0] * times, count]).tobytes())


@given(
    fates=FATES,
    other_fates=FATES,
    drawn=st.lists(st.tuples(st.sampled_from("rsd"), st.integers(0, 299), st.integers(1, 200)), max_size=30),
    moved=st.integers(-90, 90),
)
def test_values_are_moved(
    fates: list[str], other_fates: list[str], drawn: list[tuple[str, int, int]], moved: int
) -> None:
    sections, documents = moved_by(fates), moved_by(other_fates)
    values, offsets_moved, numbers_moved, words_moved = [], [], [], []
    for kind, number, step in drawn:
        said = INLINE | (kind == "d") << 56 | step << 32
        numbers = documents if kind == "d" else sections
        if kind == "r":
            values.append(step << 30 | 100 + number)
            offsets_moved.append(values[-1] + moved)
            numbers_moved.append(values[-1])
            words_moved.append(values[-1])
        elif number < numbers.old_count and numbers.table[number] >= 0:
            values.append(said | number)
            offsets_moved.append(values[-1])
            numbers_moved.append(said | numbers.table[number])
            words_moved.append(said | (sections.table[number] if kind == "s" else number))
    packed = array("Q", values).tobytes()
    assert array("Q", move_offsets(packed, moved)).tolist() == offsets_moved
    assert array("Q", move_inline(packed, sections, documents)).tolist() == numbers_moved
    if all(value >> 56 & 1 == 0 for value in values):
        assert array("Q", move_inline(packed, sections)).tolist() == words_moved
    with pytest.raises(IndexUnusable):
        move_inline(packed + array("Q", [INLINE | sections.old_count]).tobytes(), sections, documents)


def test_records_of_sections_are_sealed_again_and_damage_stays() -> None:
    bodies = [b"one", b"", b"three"]
    old, new = [
        [crc32(body, number).to_bytes(4, "little") + body for number, body in enumerate(bodies, first)]
        for first in (5, 9)
    ]
    sizes = [len(record) for record in old]
    assert reseal_records(b"".join(old), sizes, 5, 9) == b"".join(new)
    damaged = b"".join(old)[:-1] + b"E"
    sealed = reseal_records(damaged, sizes, 5, 9)
    assert crc32(sealed[-5:], 11) != int.from_bytes(sealed[-9:-5], "little")
    for wrong in ([7, 4], [7, 3, 10], [7, 4, 10]):
        with pytest.raises(IndexUnusable):
            reseal_records(b"".join(old), wrong, 5, 9)


@given(
    fates=FATES,
    words=st.lists(st.tuples(st.integers(1, 90), st.sampled_from([1, 1, 2, 63, 64, 300])), min_size=1, max_size=5),
)
def test_postings_are_moved_as_documents_are(fates: list[str], words: list[tuple[int, int]]) -> None:
    numbers = moved_by(fates)
    kept = [number for number, new in enumerate(numbers.table) if new >= 0]
    records: list[tuple[bytes, PostingRecord, int | PostingRecord]] = []
    for every, times in words:
        counts = {number: times if number % 3 else 1 for number in kept[::every]}
        key = b"key-%d" % len(records)
        record = encode_counts(key, counts, len(fates)) if counts else 0
        if isinstance(record, PostingRecord):
            moved = {numbers.table[number]: said for number, said in counts.items()}
            records.append((key, record, encode_counts(key, moved, numbers.count)))
    places = [sum([record.size for _, record, _ in records[:at]]) for at in range(len(records))]
    whole = joined_records([record for _, record, _ in records])
    made, left = move_records(whole.numbers, places, whole.size, numbers)
    for at, (key, held, expected) in enumerate(records):
        if places[at] not in left:
            start = numbers_at(places[at])
            assert held._replace(numbers=made[start : start + len(held.numbers)]) == expected
        assert move_dense(held.data, key, numbers, 0, ()) in (None, expected)


def test_a_dense_word_loses_and_gains_documents() -> None:
    numbers = MovedNumbers([(0, 10, 0), (11, 50, 10)], 50, 50)
    before = dict.fromkeys(range(0, 50, 2), 3) | {10: 9}
    made = encode_counts(b"key", before, 50)
    assert isinstance(made, PostingRecord)
    record = made.data
    after = {numbers.table[number]: times for number, times in before.items() if number != 10} | {49: 5}
    assert move_dense(record, b"key", numbers, 1, [(49, 5)]) == encode_counts(b"key", after, 50)
    assert move_dense(record, b"key", numbers, 1, [(49, 64)]) is None, "so often stands in a group"
    assert move_dense(record, b"key", numbers, 20, []) is None, "so few are not dense"
    with pytest.raises(IndexUnusable):
        move_dense(record, b"other", numbers, 1, [])
    with pytest.raises(IndexUnusable):
        move_dense(record[:-1] + b"\7", b"key", numbers, 1, [])


def test_numbers_of_postings_are_moved_and_places_that_run_backwards_are_damage() -> None:
    numbers = MovedNumbers([(0, 10, 0), (10, 500, 11)], 500, 501)
    record = encode_counts(b"key", {3: 1, 90: 1}, 500)
    assert isinstance(record, PostingRecord)
    moved, left = move_records(record.numbers, [0], record.size, numbers)
    assert (record._replace(numbers=moved), left) == (encode_counts(b"key", {3: 1, 91: 1}, 501), [])
    with pytest.raises(IndexUnusable):
        move_records(record.numbers, [record.size + 1], record.size, numbers)
