"""Compile merged runs of words into the records of an index. Pure."""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import pairwise

from holdfast.caches.index_format.packed_numbers import looked_up
from holdfast.caches.word_index.posting_list_encoder import encode_lane, encode_postings, fits_a_lane
from holdfast.caches.word_index.posting_lists import ALONE_LIMIT, alone_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Documents:
    """What documents are called: their numbers by place, and of each run, given its base, by section from there on.

    `places` are those of the documents of all sections; `bases` ascend.
    """

    def __init__(self, by_place: Sequence[int], places: Sequence[int], bases: Sequence[int]) -> None:
        by_section = [by_place[place] for place in places]
        self.by_place = by_place
        self._by_section = [by_section[base:end] for base, end in pairwise([*bases, len(by_section)])]

    def of(self, run: int, packed: bytes) -> tuple[int, ...]:
        """The numbers of the documents in which the occurrences are that a run tells."""
        told, by_section = array("i", packed), self._by_section[run]
        if told[0] >= 0:
            return looked_up(by_section, told)
        return tuple([by_section[number] if number >= 0 else self.by_place[-1 - number] for number in told])


def compile_terms(
    terms: Iterable[tuple[bytes, list[tuple[int, bytes]]]],
    documents: Documents,
    add: Callable[[bytes, int], None],
) -> Iterator[bytes]:
    """The records of the postings section, one after another, while `add` is given what the dictionary holds."""
    document_count = len(documents.by_place)
    offset = 0
    for key, said in terms:
        numbers = documents.of(*said[0])
        for told in said[1:]:
            numbers += documents.of(*told)
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
