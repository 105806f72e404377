"""Sorted runs: what one process spilled, in blocks of keys with their packed occurrences, and the k-way merge. Pure.

Blocks are written and read whole, so that a term costs few steps of the interpreter, and numbers of 32 bits are packed
into bytes and handled without a step for each. They are packed as this machine has them in memory, and an index is only
made where that is little-endian.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import pairwise
from marshal import dumps, loads
from operator import itemgetter
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from holdfast.caches.index_format import CHUNK, chunks, is_wide

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    # Terms, and where each occurs: numbers of 32 bits, ascending, one for each occurrence.
    Block = tuple[list[bytes], list[bytes]]
    # The number of a run, and what it says of some terms.
    Said = tuple[int, list[bytes], list[bytes]]

NUMBER = 4  # bytes of a packed number
_TERMS_A_BLOCK = 1024
# Terms that occur seldom make blocks up to this size; to compile them takes so many times more work a byte.
_USUAL_BLOCK, _SELDOM = 300 << 10, 2
# The oldest format that knows bytes: it does not look for objects it wrote before.
FORMAT = 2


class Run(NamedTuple):
    """Where a run is kept: its file, the first key of each of its blocks, and their offsets with, last, the end.

    `base` is to be added to every number in it, `place` to the places of documents that stand among those of sections.
    """

    file: str
    firsts: list[bytes]
    offsets: list[int]
    base: int = 0
    place: int = 0


def encode_run(terms: Mapping[bytes, bytes]) -> Iterator[tuple[bytes, bytes]]:
    """The first key and the bytes of each block of a run of terms."""
    ordered = sorted(terms)
    for start in range(0, len(ordered), _TERMS_A_BLOCK):
        keys = ordered[start : start + _TERMS_A_BLOCK]
        yield keys[0], dumps((keys, list(map(terms.__getitem__, keys))), FORMAT)


def cut_run(
    blocks: Sequence[tuple[bytes, bytes]], ranges: Sequence[tuple[bytes, bytes | None]]
) -> list[list[tuple[bytes, bytes]]]:
    """The blocks of a run, as `encode_run` gives them, by ranges of keys that follow each other and cover all.

    Only a block that keys of two ranges stand in is read. A range from and to below the same key is empty.
    """
    cut: list[list[tuple[bytes, bytes]]] = []
    waiting = list(reversed(blocks))
    for low, high in ranges:
        taken: list[tuple[bytes, bytes]] = []
        while waiting and low != high and (high is None or waiting[-1][0] < high):
            first, data = waiting.pop()
            if high is not None and (not waiting or waiting[-1][0] > high):
                keys, values = loads(data)  # noqa: S302  # written by a process of our own
                at = bisect_left(keys, high)
                if at < len(keys):
                    waiting.append((keys[at], dumps((keys[at:], values[at:]), FORMAT)))
                    data = dumps((keys[:at], values[:at]), FORMAT)
            taken.append((first, data))
        cut.append(taken)
    return cut


def decoded(blocks: Iterable[bytes]) -> Iterator[Block]:
    """Blocks that `encode_run` made."""
    return map(loads, blocks)


def read_run(file: BinaryIO, run: Run, low: bytes = b"", high: bytes | None = None) -> Iterator[Block]:
    """The blocks of a run: keys in order from `low` to below `high`, and the numbers of each."""
    for number in range(max(bisect_right(run.firsts, low) - 1, 0), len(run.firsts)):
        if high is not None and run.firsts[number] >= high:
            return
        file.seek(run.offsets[number])
        data = file.read(run.offsets[number + 1] - run.offsets[number])
        keys, values = loads(data)  # noqa: S302  # written by a process of our own
        begin, end = bisect_left(keys, low), len(keys) if high is None else bisect_left(keys, high)
        if begin < end:
            yield keys[begin:end], values[begin:end]


def shares(runs: Iterable[Run], count: int) -> list[tuple[bytes, bytes | None]]:
    """The range of keys, from and to below, for each of so many processes, about as much work to compile each."""
    blocks = sorted(
        [
            (first, end - start + _SELDOM * min(end - start, _USUAL_BLOCK))
            for run in runs
            for first, (start, end) in zip(run.firsts, pairwise(run.offsets), strict=True)
        ]
    )
    total = sum([work for _, work in blocks])
    cuts: list[bytes] = []
    passed = 0
    for first, work in blocks:
        if len(cuts) + 1 < count and passed * count >= total * (len(cuts) + 1):
            cuts.append(first)
        passed += work
    lows, highs = [b"", *cuts], [*cuts, None]
    return [*zip(lows, highs, strict=True), *[(b"", b"")] * (count - len(lows))]


def windows(runs: Sequence[Iterator[Block]]) -> Iterator[list[Said]]:
    """The terms of all runs, some at a time: what each run says of those that come next, by its number.

    No term stands in two windows, and those of a window come before those of the next.
    """
    waiting = [_Waiting(mark, run) for mark, run in enumerate(runs)]
    while waiting := [run for run in waiting if run.keys]:
        # Up to here nothing can come from any run that is not in memory.
        last = min([run.keys[-1] for run in waiting])
        yield [(run.mark, *run.take(last)) for run in waiting]


def merged(runs: Sequence[Iterator[Block]]) -> Iterator[tuple[bytes, list[tuple[int, bytes]]]]:
    """A k-way merge: each term of all runs, in key order, as (run number, packed occurrences), in run order."""
    for window in windows(runs):
        found: dict[bytes, list[tuple[int, bytes]]] = {}
        for mark, keys, values in window:
            for key, value in zip(keys, values, strict=True):
                if key in found:
                    found[key].append((mark, value))
                else:
                    found[key] = [(mark, value)]
        for key in sorted(found):
            yield key, found[key]


class _Waiting:
    """A run whose next block, or what is left of it, is in memory; without keys when it is at its end."""

    def __init__(self, mark: int, run: Iterator[Block]) -> None:
        self.mark = mark
        self._run = run
        self.keys: list[bytes]
        self.keys, self._values = next(run, ([], []))

    def take(self, last: bytes) -> Block:
        """What is in memory of terms up to and with this one, which is no longer waiting then."""
        cut = bisect_right(self.keys, last)
        taken = self.keys[:cut], self._values[:cut]
        if cut < len(self.keys):
            self.keys, self._values = self.keys[cut:], self._values[cut:]
        else:
            self.keys, self._values = next(self._run, ([], []))
        return taken


def looked_up(table: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """What a table holds at these places, without a step of the interpreter a place."""
    return itemgetter(*places)(table) if len(places) > 1 else (table[places[0]],)


def packed(numbers: Iterable[int]) -> bytes:
    """Numbers as runs hold them, and as they are handed from process to process."""
    return array("i", numbers).tobytes()


def shifted(packed: bytes, base: int) -> bytes:
    """A base added to each of packed numbers, as the one long number they make up together."""
    size = len(packed)
    added = int.from_bytes(base.to_bytes(NUMBER, "little") * (size // NUMBER), "little")
    return (int.from_bytes(packed, "little") + added).to_bytes(size, "little")


def gaps(packed: bytes) -> bytes:
    """How far each of packed numbers is from the one before, the first from 0; none is below the one before."""
    before = int.from_bytes(packed[:-NUMBER], "little") << 8 * NUMBER
    return (int.from_bytes(packed, "little") - before).to_bytes(len(packed), "little")


def encode_numbers(documents: Sequence[int], document_count: int) -> bytes:
    """Ascending numbers below a count, in half the room where that can be had."""
    whole = array("I", documents)
    if document_count <= CHUNK:
        return array("H", whole.tobytes())[::2].tobytes()
    if is_wide(len(documents), document_count):
        return whole.tobytes()
    starts = [bisect_left(documents, chunk << 16) for chunk in range(chunks(document_count) + 1)]
    sizes = array("I", [end - start for start, end in pairwise(starts)])
    halves = array("H", whole.tobytes())[::2]
    return sizes.tobytes() + halves.tobytes()
