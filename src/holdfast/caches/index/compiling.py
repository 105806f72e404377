"""Compile merged runs of words into the records of an index. Pure."""

from __future__ import annotations

from holdfast.caches.index.posting_records import encode_postings
from holdfast.caches.index.postings import ALONE_LIMIT, alone_value
from holdfast.caches.index.runs import few_places, looked_up, places_by_times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.caches.index.runs import Counted


def compile_terms(
    terms: Iterable[tuple[bytes, list[tuple[int, Counted]]]],
    numbers: Sequence[int],
    add: Callable[[bytes, int], None],
) -> Iterator[bytes]:
    """The records of the postings section, one after another, while `add` is given what the dictionary holds."""
    document_count = len(numbers)
    offset = 0
    for key, said in terms:
        few = few_places(said)
        if len(few) == 1:  # most terms: one occurrence in all documents
            add(key, alone_value(1, numbers[few[0]]))
            continue
        if few:
            record = encode_postings(key, {1: sorted(looked_up(numbers, few))}, document_count)
        else:
            lists = places_by_times([value for _, value in said])
            runs = {times: sorted(looked_up(numbers, places)) for times, places in lists.items()}
            ((times, held), *more) = runs.items()
            if not more and len(held) == 1 and times < ALONE_LIMIT:
                add(key, alone_value(times, held[0]))
                continue
            record = encode_postings(key, runs, document_count)
        add(key, offset)
        offset += len(record)
        yield record
