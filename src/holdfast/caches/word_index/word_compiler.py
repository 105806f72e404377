"""Compile merged runs of words into the posting lists of an index. Pure.

Numbers are written as this machine has them in memory, and an index is only made where that is little-endian.
"""

from __future__ import annotations

from array import array
from binascii import crc32
from collections import Counter
from itertools import pairwise
from struct import Struct

from holdfast.caches.index_format.dictionary import INLINE
from holdfast.caches.index_format.packed_numbers import encode_numbers, looked_up
from holdfast.caches.word_index.posting_lists import HEAD, INLINE_LIMIT, RUN, SHAPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# A term has a lane when at least one document in this many holds it.
LANE_SHARE = 5
# Counts above this stand outside the lane, so that four lanes add up within a byte.
LANE_LIMIT = 63

_ONE_RUN = Struct("<IIHHII")  # head without its checksum, shape and the only run


class DocumentNumbers:
    """Turns occurrences, told as section numbers by each run, into document numbers.

    `by_position` has the number of each document in id order, `positions` that of each section's document, `bases` the
    first section of each run, ascending.
    """

    def __init__(self, by_position: Sequence[int], positions: Sequence[int], bases: Sequence[int]) -> None:
        by_section = [by_position[position] for position in positions]
        self.by_position = by_position
        self._by_section = [by_section[base:end] for base, end in pairwise([*bases, len(by_section)])]

    def of(self, run: int, packed: bytes) -> tuple[int, ...]:
        """The numbers of the documents in which the occurrences are that a run tells."""
        told, by_section = array("i", packed), self._by_section[run]
        if told[0] >= 0:
            return looked_up(by_section, told)
        return tuple([by_section[number] if number >= 0 else self.by_position[-1 - number] for number in told])


def compile_terms(
    terms: Iterable[tuple[bytes, list[tuple[int, bytes]]]],
    documents: DocumentNumbers,
    add: Callable[[bytes, int], None],
) -> Iterator[bytes]:
    """The records of the postings section, one after another, while `add` is given what the dictionary holds."""
    document_count = len(documents.by_position)
    offset = 0
    for key, said in terms:
        numbers = documents.of(*said[0])
        for told in said[1:]:
            numbers += documents.of(*told)
        if len(numbers) == 1:
            add(key, inline_value(1, numbers[0]))
            continue
        counts = Counter(numbers)
        if len(counts) == len(numbers):
            record = encode_postings(key, {1: sorted(numbers)}, document_count)
        else:
            most = max(counts.values())
            if len(counts) == 1 and most < INLINE_LIMIT:
                add(key, inline_value(most, numbers[0]))
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


def inline_value(times: int, document: int) -> int:
    """The dictionary value that stands for a term's only document; `times` is below the limit."""
    return INLINE | times << 32 | document


def encode_postings(key: bytes, runs: Mapping[int, Sequence[int]], document_count: int) -> bytes:
    """The record of a term; `runs` gives for each count the ascending numbers of the documents with that count."""
    if len(runs) == 1:
        ((times, documents),) = runs.items()
        holding = len(documents)
        if holding * LANE_SHARE < document_count:  # most terms
            numbers = encode_numbers(documents, document_count)
            checked = _ONE_RUN.pack(SHAPE.size + RUN.size + len(numbers), holding, 1, 0, times, holding) + numbers
            return crc32(checked, crc32(key)).to_bytes(4, "little") + checked
    holding = sum([len(documents) for documents in runs.values()])
    lane, lane_most = b"", 0
    kept = sorted(runs.items(), reverse=True)
    if holding * LANE_SHARE >= document_count and min(runs) <= LANE_LIMIT:
        lane = _lane(runs, document_count)
        lane_most = max([times for times in runs if times <= LANE_LIMIT])
        kept = [(times, documents) for times, documents in kept if times > LANE_LIMIT]
    parts = [SHAPE.pack(len(kept), lane_most)]
    parts += [RUN.pack(times, len(documents)) for times, documents in kept]
    parts += [encode_numbers(documents, document_count) for _, documents in kept]
    body = b"".join(parts) + lane
    checked = HEAD.pack(0, len(body), holding)[4:] + body
    return crc32(checked, crc32(key)).to_bytes(4, "little") + checked


def fits_a_lane(holding: int, most: int, document_count: int) -> bool:
    """Whether a term that so many documents hold, at most so often, has a lane and nothing else."""
    return holding * LANE_SHARE >= document_count and most <= LANE_LIMIT


def encode_lane(key: bytes, counts: Mapping[int, int], document_count: int) -> bytes:
    """The record of such a term: how often each document holds it."""
    lane = bytearray(document_count)
    for document, times in counts.items():
        lane[document] = times
    checked = HEAD.pack(0, SHAPE.size + document_count, len(counts))[4:] + SHAPE.pack(0, max(counts.values())) + lane
    return crc32(checked, crc32(key)).to_bytes(4, "little") + checked


def _lane(runs: Mapping[int, Sequence[int]], document_count: int) -> bytes:
    lane = bytearray(document_count)
    for times, documents in runs.items():
        if times <= LANE_LIMIT:
            for document in documents:
                lane[document] = times
    return bytes(lane)
