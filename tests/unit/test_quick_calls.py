"""Calls are answered at once after they were seen to be quick, and handed over again after one that was not."""

from __future__ import annotations

import pytest

from holdfast.http.calls import LARGEST_ARGUMENTS, LONG, LONG_WAIT, MOST_KEYS, QUICK, REST, CallTurns, call_key

ASKED = {"query": "token", "cache": "docs"}


def test_a_call_is_quick_when_one_before_it_was() -> None:
    calls = CallTurns()
    key = call_key("context.search", ASKED)
    assert not calls.is_quick(key)
    calls.ran_in_a_thread(key, QUICK * 2)  # the cache was opened
    assert not calls.is_quick(key)
    calls.ran_in_a_thread(key, QUICK / 2)
    assert calls.is_quick(key)
    assert not calls.is_quick(call_key("context.search", {**ASKED, "cache": "large"}))
    assert not calls.is_quick(call_key("context.read", ASKED))


@pytest.mark.parametrize("long", [(LONG * 2, LONG * 2), (0.0, LONG_WAIT * 2)])
def test_after_one_that_took_long_many_are_ran_in_a_thread(long: tuple[float, float]) -> None:
    calls = CallTurns()
    key = call_key("context.search", ASKED)
    calls.ran_in_a_thread(key, 0.0)
    calls.ran_inline(key, LONG / 2, LONG_WAIT / 2)
    assert calls.is_quick(key)
    calls.ran_inline(key, *long)
    for _ in range(REST):
        assert not calls.is_quick(key)
        calls.ran_in_a_thread(key, 0.0)
    assert calls.is_quick(key)


def test_what_walks_folders_or_is_long_is_never_quick() -> None:
    calls = CallTurns()
    assert call_key("list_contexts", {}) is None
    assert call_key("context.search", {"query": "a" * (LARGEST_ARGUMENTS + 1)}) is None
    assert call_key("context.search", {"query": "a", "known": ["a" * LARGEST_ARGUMENTS]}) is None
    assert call_key("context.search", {"query": "a", "cache": 1}) is None
    calls.ran_in_a_thread(None, 0.0)
    assert not calls.is_quick(None)


def test_names_that_clients_make_up_take_no_more_room() -> None:
    calls = CallTurns()
    for number in range(MOST_KEYS * 3):
        calls.ran_in_a_thread(call_key("context.search", {"query": "token", "cache": str(number)}), 0.0)
    assert len(calls._left) <= MOST_KEYS
