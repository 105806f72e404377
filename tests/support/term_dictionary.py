"""The pages of a dictionary that fits in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.dictionary_pages import paged
from holdfast.caches.posting_record import PostingRecord, numbers_at, record_at
from holdfast.caches.section_index import section_records
from holdfast.caches.word_index import word_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def dictionary_pages(keys: Sequence[bytes], values: Sequence[int]) -> list[bytes]:
    """The pages of ascending keys and their 64-bit values."""
    return list(paged([(keys, values)]))


class DictionaryPages:
    """Pages made of keys added in ascending order."""

    def __init__(self) -> None:
        self._keys: list[bytes] = []
        self._values: list[int] = []

    def add(self, key: bytes, value: int) -> None:
        """The next key, greater than the last, and its 64-bit value."""
        self._keys.append(key)
        self._values.append(value)

    def finish(self) -> list[bytes]:
        """All pages."""
        return dictionary_pages(self._keys, self._values)


def joined_records(records: Iterable[PostingRecord]) -> PostingRecord:
    """Several, one after another."""
    held = list(records)
    return PostingRecord(b"".join([each.data for each in held]), b"".join([each.numbers for each in held]))


def word_at(postings: PostingRecord, place: int, document_count: int) -> PostingRecord:
    """The record of a word at a place among all of them."""
    data = postings.data[record_at(place) :]
    data = data[: word_records.postings_length(data[: word_records.HEAD_SIZE])]
    return PostingRecord(data, _numbers(postings, place, word_records.posting_numbers(data, document_count)))


def term_at(postings: PostingRecord, place: int, section_count: int) -> PostingRecord:
    """The record of a term at a place among all of them."""
    data = postings.data[record_at(place) :]
    data = data[: section_records.impacts_length(data[: section_records.HEAD_SIZE])]
    return PostingRecord(data, _numbers(postings, place, section_records.impact_numbers(data, section_count)))


def _numbers(postings: PostingRecord, place: int, length: int) -> bytes:
    return postings.numbers[numbers_at(place) :][:length]
