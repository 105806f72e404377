"""Postings: which documents hold a term, and how often. Pure.

Documents are numbered by (words, id). Those that hold a term equally often are kept together in ascending order, so
each such run is also in descending order of score. A term that many documents hold has a lane instead: a byte a
document, so that lanes of several terms are added up by one addition of long integers.
"""

from __future__ import annotations

from binascii import crc32
from bisect import bisect_left
from itertools import pairwise
from struct import Struct, error, pack

from holdfast.caches.index.container import IndexUnusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A term has a lane when at least one document in this many holds it.
LANE_SHARE = 5
# Counts above this stand outside the lane, so that four lanes add up within a byte.
LANE_LIMIT = 63
_CHUNK = 1 << 16

_HEAD = Struct("<III")  # checksum, bytes that follow this head, documents that hold the term
_SHAPE = Struct("<HH")  # runs, the largest count in the lane (0 when there is none)
_RUN = Struct("<II")  # how often, how many documents
HEAD_SIZE = _HEAD.size

# A term that a single document holds needs no record: its dictionary value says it all.
_ALONE = 1 << 63
_ALONE_LIMIT = 1 << 31


class Postings:
    """The documents of one term: runs of (times, ascending numbers), most often first, and a lane or None."""

    __slots__ = ("document_count", "lane", "lane_most", "runs")

    def __init__(
        self, document_count: int, runs: list[tuple[int, list[int]]], lane: bytes | None = None, lane_most: int = 0
    ) -> None:
        self.document_count = document_count
        self.runs = runs
        self.lane = lane
        self.lane_most = lane_most


def alone_value(runs: Mapping[int, Sequence[int]]) -> int | None:
    """The dictionary value that stands for a term's only document, or None where there are more."""
    if len(runs) == 1:
        ((times, documents),) = runs.items()
        if len(documents) == 1 and times < _ALONE_LIMIT:
            return _ALONE | times << 32 | documents[0]
    return None


def parse_alone(value: int, document_count: int) -> Postings | None:
    """The postings a dictionary value itself holds, or None when it is the place of a record."""
    if value < _ALONE:
        return None
    times, document = value >> 32 & _ALONE_LIMIT - 1, value & 0xFFFFFFFF
    if document >= document_count or not times:
        raise IndexUnusable("a dictionary value names no document")
    return Postings(1, [(times, [document])])


def encode_postings(key: bytes, runs: Mapping[int, Sequence[int]], document_count: int) -> bytes:
    """The record of a term; `runs` gives for each count the ascending numbers of the documents with that count."""
    holding = sum([len(documents) for documents in runs.values()])
    lane, lane_most = b"", 0
    kept = sorted(runs.items(), reverse=True)
    if holding * LANE_SHARE >= document_count and min(runs) <= LANE_LIMIT:
        lane = _lane(runs, document_count)
        lane_most = max([times for times in runs if times <= LANE_LIMIT], default=0)
        kept = [(times, documents) for times, documents in kept if times > LANE_LIMIT]
    parts = [_SHAPE.pack(len(kept), lane_most)]
    parts += [_RUN.pack(times, len(documents)) for times, documents in kept]
    parts += [encode_numbers(documents, document_count) for _, documents in kept]
    body = b"".join(parts) + lane
    checked = pack("<II", len(body), holding) + body
    return pack("<I", crc32(checked, crc32(key))) + checked


def _lane(runs: Mapping[int, Sequence[int]], document_count: int) -> bytes:
    lane = bytearray(document_count)
    for times, documents in runs.items():
        if times <= LANE_LIMIT:
            for document in documents:
                lane[document] = times
    return bytes(lane)


def _chunks(document_count: int) -> int:
    return -(-document_count // _CHUNK)


def _is_wide(count: int, document_count: int) -> bool:
    """Whether a run is short enough that whole numbers take no more room than halves and a count a chunk."""
    chunks = _chunks(document_count)
    return chunks > 1 and count <= 2 * chunks


def encode_numbers(documents: Sequence[int], document_count: int) -> bytes:
    """Ascending numbers below a count, in half the room where that can be had."""
    count = len(documents)
    if document_count <= _CHUNK:
        return pack(f"<{count}H", *documents)
    if _is_wide(count, document_count):
        return pack(f"<{count}I", *documents)
    chunks = _chunks(document_count)
    starts = [bisect_left(documents, chunk << 16) for chunk in range(chunks + 1)]
    sizes = [end - start for start, end in pairwise(starts)]
    return pack(f"<{chunks}I{count}H", *sizes, *[document & 0xFFFF for document in documents])


def longest_record(document_count: int) -> int:
    """No record of that many documents has more bytes: runs of one each, in the widest form, and a lane."""
    return _HEAD.size + _SHAPE.size + document_count * (_RUN.size + 4 + 1) + 4 * _chunks(document_count)


def record_length(head: bytes) -> int:
    """The bytes of a record whose head this is, the head included."""
    if len(head) < _HEAD.size:
        raise IndexUnusable("the postings are cut short")
    return _HEAD.size + int.from_bytes(head[4:8], "little")


def parse_postings(data: bytes, key: bytes, document_count: int) -> Postings:
    """The postings in a record, which must be that of the key; IndexUnusable when anything about it is off."""
    try:
        crc, _, holding = _HEAD.unpack_from(data)
        if crc32(data[4:], crc32(key)) != crc or holding > document_count:
            raise IndexUnusable("postings are damaged")
        run_count, lane_most = _SHAPE.unpack_from(data, _HEAD.size)
        view = memoryview(data)
        at = _HEAD.size + _SHAPE.size
        shapes = [_RUN.unpack_from(data, at + position * _RUN.size) for position in range(run_count)]
        if sum([count for _, count in shapes]) > holding:
            raise IndexUnusable("postings name more documents than they count")
        at += run_count * _RUN.size
        runs = []
        for times, count in shapes:
            documents, at = parse_numbers(view, at, count, document_count)
            if documents and documents[-1] >= document_count:
                raise IndexUnusable("postings name no document")
            runs.append((times, documents))
        lane = data[at : at + document_count] if lane_most else None
        if lane is not None and len(lane) != document_count:
            raise IndexUnusable("a lane is cut short")
    except (error, ValueError, TypeError, IndexError):
        raise IndexUnusable("postings are damaged") from None
    return Postings(holding, runs, lane, lane_most)


def parse_numbers(view: memoryview, at: int, count: int, document_count: int) -> tuple[list[int], int]:
    """So many numbers below a count, and where what follows them begins."""
    if document_count <= _CHUNK:
        return view[at : at + 2 * count].cast("H").tolist(), at + 2 * count
    if _is_wide(count, document_count):
        return view[at : at + 4 * count].cast("I").tolist(), at + 4 * count
    chunks = _chunks(document_count)
    counts = view[at : at + 4 * chunks].cast("I").tolist()
    at += 4 * chunks
    documents: list[int] = []
    for chunk, held in enumerate(counts):
        halves = view[at : at + 2 * held].cast("H").tolist()
        base = chunk << 16
        documents += [base + half for half in halves] if base else halves
        at += 2 * held
    if len(documents) != count:
        raise IndexUnusable("a run is cut short")
    return documents, at
