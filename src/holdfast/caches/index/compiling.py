"""Compile merged runs of words into the records of an index. Pure."""

from __future__ import annotations

from holdfast.caches.index.posting_records import encode_lane, encode_postings, fits_a_lane
from holdfast.caches.index.postings import ALONE_LIMIT, alone_value
from holdfast.caches.index.runs import looked_up, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.caches.index.runs import Listed


def compile_terms(
    terms: Iterable[tuple[bytes, list[tuple[int, Listed]]]],
    numbers: Sequence[int],
    add: Callable[[bytes, int], None],
) -> Iterator[bytes]:
    """The records of the postings section, one after another, while `add` is given what the dictionary holds.

    `numbers` are those of the documents by place. Runs have no bases.
    """
    document_count = len(numbers)
    offset = 0
    for key, said in terms:
        places, times = told([(0, value) for _, value in said])
        held = looked_up(numbers, places)
        if len(held) == 1:
            often = times[0] if times else 1
            if often < ALONE_LIMIT:
                add(key, alone_value(often, held[0]))
                continue
        if not times:
            record = encode_postings(key, {1: sorted(held)}, document_count)
        elif fits_a_lane(len(held), max(times), document_count):
            record = encode_lane(key, held, times, document_count)
        else:
            runs: dict[int, list[int]] = {}
            for often, number in zip(times, held, strict=True):
                if often in runs:
                    runs[often].append(number)
                else:
                    runs[often] = [number]
            for run in runs.values():
                run.sort()
            record = encode_postings(key, runs, document_count)
        add(key, offset)
        offset += len(record)
        yield record
