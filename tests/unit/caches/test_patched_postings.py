"""A patched dictionary and patched postings are those of the terms as they are now."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.caches.index_format import INLINE, IndexUnusable
from holdfast.caches.patched_postings import OldDictionary, patch_postings
from holdfast.caches.posting_record import PostingRecord
from support.examples import examples
from support.term_dictionary import dictionary_pages, joined_records

Change = int | PostingRecord | None

MANY = 1200


def term(number: int) -> bytes:
    """Keys of many lengths, in the order of their numbers."""
    return b"%05d" % number + b"x" * (number * number % 31)


def record(number: int) -> PostingRecord:
    """Records of many lengths, with numbers or without."""
    return PostingRecord(b"record %d" % number, bytes(2 * (number % 7)))


def laid_out(terms: dict[bytes, Change]) -> tuple[list[bytes], PostingRecord]:
    """The pages and the postings of terms."""
    keys = sorted(terms)
    values = []
    postings = PostingRecord(b"", b"")
    for key in keys:
        said = terms[key]
        if isinstance(said, PostingRecord):
            values.append(postings.size)
            postings = joined_records([postings, said])
        elif said is not None:
            values.append(said)
    return dictionary_pages(keys, values), postings


@settings(max_examples=examples(40), deadline=None)
@given(
    added=st.dictionaries(
        st.integers(0, 2 * MANY + 2), st.sampled_from([record(10_005), record(7), INLINE | 7]), max_size=9
    ),
    removed=st.lists(st.tuples(st.integers(0, MANY - 1), st.integers(1, 40)), max_size=4),
    count=st.sampled_from([0, 1, 5, MANY]),
    every=st.integers(1, 5),
)
@example(added={}, removed=[(0, MANY)], count=MANY, every=2)
def test_what_is_patched_is_what_is_made_anew(
    added: dict[int, Change], removed: list[tuple[int, int]], count: int, every: int
) -> None:
    before: dict[bytes, Change] = {
        term(2 * number): INLINE | number if number % every else record(number) for number in range(count)
    }
    changes: dict[bytes, Change] = {term(number): said for number, said in added.items()}
    for first, length in removed:
        changes |= {term(2 * number): None for number in range(first, first + length) if number < count}
    pages, postings = laid_out(before)
    patched = patch_postings(OldDictionary(b"".join(pages)), postings.size, changes)
    after: dict[bytes, Change] = {key: said for key, said in (before | changes).items() if said is not None}
    made = [
        b"".join([piece if isinstance(piece, bytes) else data[slice(*piece)] for piece in pieces])
        for data, pieces in zip(postings, (patched.records, patched.numbers), strict=True)
    ]
    assert (patched.pages, PostingRecord(*made)) == laid_out(after)


def test_a_dictionary_tells_its_keys() -> None:
    terms: dict[bytes, Change] = {
        term(number): record(number) if number % 3 == 1 else INLINE | number for number in range(MANY)
    }
    old = OldDictionary(b"".join(laid_out(terms)[0]))
    assert len(old.pages) > 5
    assert old.keys_of([value for value in old.values if value < INLINE]) == list(terms)[1::3]
    assert old.keys_of([]) == []
    with pytest.raises(IndexUnusable):
        old.keys_of([1])
    with pytest.raises(IndexUnusable):
        OldDictionary(b"").keys_of([0])
    inline = {key: said for key, said in terms.items() if isinstance(said, int)}
    assert {key: old.value(key) for key in inline} == inline
    assert old.value(b"") is old.value(b"zzz") is old.value(term(4) + b"0") is None
    assert OldDictionary(b"").value(b"any") is None
