"""Write the postings of a term as the index keeps them. Pure; numbers are written as this machine has them in memory,
and an index is only made where that is little-endian."""

from __future__ import annotations

from binascii import crc32
from struct import Struct

from holdfast.caches.index_format.packed_numbers import encode_numbers
from holdfast.caches.word_index.posting_lists import HEAD, RUN, SHAPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A term has a lane when at least one document in this many holds it.
LANE_SHARE = 5
# Counts above this stand outside the lane, so that four lanes add up within a byte.
LANE_LIMIT = 63

_ONE_RUN = Struct("<IIHHII")  # head without its checksum, shape and the only run


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
