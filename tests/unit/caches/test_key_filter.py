"""A filter of a dictionary's keys leaves out no key that is there, and most that are not."""

from __future__ import annotations

from binascii import crc32

import pytest

from holdfast.caches.index_format import IndexUnusable, keys_of
from holdfast.caches.section_index.key_filter import KeyFilter
from support.term_dictionary import dictionary_pages

TERMS = sorted([f"term{number}" for number in range(3000)] + ["größe", "x" * 300], key=lambda term: keys_of([term])[0])


def told(terms: list[str]) -> dict[str, int]:
    return dict(zip(terms, map(crc32, keys_of(terms)), strict=True))


def pages() -> list[bytes]:
    return dictionary_pages(keys_of(TERMS), list(range(len(TERMS))))


def test_every_key_that_is_there_passes_and_few_others_do() -> None:
    held = pages()
    kept = KeyFilter(held.__getitem__, len(held))
    assert kept.may_hold(told(TERMS)) == TERMS
    assert len(kept.may_hold(told([f"absent{number}" for number in range(1000)]))) < 60


def test_a_dictionary_without_keys_holds_none() -> None:
    nothing: list[bytes] = []
    assert KeyFilter(nothing.__getitem__, 0).may_hold(told(["a", "b"])) == []


def test_a_damaged_page_is_told() -> None:
    held = pages()
    held[1] = held[1][:-1] + b"\xff"
    with pytest.raises(IndexUnusable):
        KeyFilter(held.__getitem__, len(held))
