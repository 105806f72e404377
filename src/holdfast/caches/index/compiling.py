"""Compile merged runs of words into the records of an index. Pure."""

from __future__ import annotations

from array import array
from collections import Counter

from holdfast.caches.index.posting_records import encode_lane, encode_postings, fits_a_lane
from holdfast.caches.index.postings import ALONE_LIMIT, alone_value
from holdfast.caches.index.runs import looked_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


def document_tables(numbers: list[int], places: Iterable[int], bases: Iterable[int]) -> list[list[int]]:
    """For each run, given its base, the document's number for each number in it.

    `numbers` are those of documents by place, `places` those of the documents of sections. In a run sections are told
    from its base on, and the documents of some words by place from the end.
    """
    by_section = [numbers[place] for place in places]
    return [by_section[base:] + numbers[::-1] for base in bases]


def compile_terms(
    terms: Iterable[tuple[bytes, list[tuple[int, bytes]]]],
    tables: Sequence[Sequence[int]],
    document_count: int,
    add: Callable[[bytes, int], None],
) -> Iterator[bytes]:
    """The records of the postings section, one after another, while `add` is given what the dictionary holds.

    By mark of a run, `tables` has what `document_tables` gives.
    """
    offset = 0
    for key, said in terms:
        mark, packed = said[0]
        numbers = looked_up(tables[mark], array("i", packed))
        for mark, packed in said[1:]:
            numbers += looked_up(tables[mark], array("i", packed))
        if len(numbers) == 1:
            add(key, alone_value(1, numbers[0]))
            continue
        counts = Counter(numbers)
        if len(counts) == len(numbers):
            record = encode_postings(key, {1: sorted(numbers)}, document_count)
        else:
            most = max(counts.values())
            if len(counts) == 1 and most < ALONE_LIMIT:
                add(key, alone_value(most, numbers[0]))
                continue
            if fits_a_lane(len(counts), most, document_count):
                record = encode_lane(key, counts, document_count)
            else:
                record = encode_postings(key, _by_times(counts), document_count)
        add(key, offset)
        offset += len(record)
        yield record


def _by_times(counts: Counter[int]) -> dict[int, list[int]]:
    """times -> ascending documents that hold a term so often."""
    runs: dict[int, list[int]] = {}
    for document, times in counts.items():
        if times in runs:
            runs[times].append(document)
        else:
            runs[times] = [document]
    for run in runs.values():
        run.sort()
    return runs
