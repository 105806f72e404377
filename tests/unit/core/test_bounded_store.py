"""What a bounded store keeps when it is full."""

from __future__ import annotations

from holdfast.core.bounded_store import BoundedStore


def walk(store: BoundedStore[int], count: int) -> int:
    """Look for each number in order and put in what is not there; how many were."""
    hits = 0
    for number in range(count):
        if store.get(number) is None:
            store.put(number, number, 1)
        else:
            hits += 1
    return hits


def test_the_least_recently_used_goes_first() -> None:
    store = BoundedStore[int](2, 100)
    store.put("a", 1, 1)
    store.put("b", 2, 1)
    store.get("a")
    store.put("c", 3, 1)

    assert (store.get("a"), store.get("b"), store.get("c"), len(store), store.held_bytes) == (1, None, 3, 2, 2)


def test_what_is_walked_through_in_a_cycle_hits_as_often_as_there_is_room() -> None:
    plain, walked = BoundedStore[int](None, 90), BoundedStore[int](None, 90, keeps_regulars=True)

    assert [[walk(store, 100) for _ in range(3)] for store in (plain, walked)] == [[0, 0, 0], [0, 90, 90]]


def test_what_is_no_longer_asked_for_makes_room_in_the_end() -> None:
    store = BoundedStore[int](None, 10, keeps_regulars=True)
    walk(store, 10)
    for _ in range(100):
        for number in range(100, 110):
            if store.get(number) is None:
                store.put(number, number, 1)

    assert (store.get(5), store.get(105), store.held_bytes) == (None, 105, 10)


def test_an_entry_takes_the_place_of_the_one_before_and_what_is_too_heavy_is_not_taken() -> None:
    store = BoundedStore[int](None, 10)

    assert [store.put("a", 1, 6), store.put("a", 2, 8), store.put("b", 3, 11)] == [True, True, False]
    assert (store.get("a"), store.held_bytes, list(store)) == (2, 8, ["a"])
