"""Runs: what one process counted, sorted by key and cut into blocks, and the merge of several. Pure.

Blocks are written and read whole, so that a term costs few steps of the interpreter.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import pairwise, repeat
from marshal import dumps, loads
from operator import itemgetter

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO

    # Where a term occurs, in order: the numbers of few occurrences, 32-bit ones that occur once each, or such and how
    # often each does.
    Listed = tuple[int, ...] | bytes | list[bytes]
    Block = tuple[list[bytes], list[Listed]]

_TERMS_A_BLOCK = 1024
# So few occurrences are told as they are.
_FEW = 8
# The oldest format that knows bytes: it does not look for objects it wrote before.
_FORMAT = 2


def listed(numbers: Sequence[int]) -> Listed:
    """What a run says of a term that occurs under these numbers, ascending, each given once for each occurrence."""
    if len(numbers) <= _FEW:
        return tuple(numbers)
    counts = Counter(numbers)
    held = array("I", counts).tobytes()
    if len(counts) == len(numbers):
        return held
    most = max(counts.values())
    return [held, array("B" if most < 256 else "I", counts.values()).tobytes()]


def told(values: Iterable[tuple[int, Listed]]) -> tuple[list[int], list[int]]:
    """What runs say of a term, given their bases: numbers in order, and how often each, or nothing if all are once."""
    numbers: list[int] = []
    times: list[int] = []
    for base, value in values:
        held, often = _unfolded(value)
        if often and not times:
            times += repeat(1, len(numbers))
        numbers += map(base.__add__, held) if base else held
        if times or often:
            times += often or repeat(1, len(held))
    return numbers, times


def _unfolded(value: Listed) -> tuple[Sequence[int], Sequence[int]]:
    if isinstance(value, tuple):
        if len(value) == 1 or len(set(value)) == len(value):
            return value, ()
        counts = Counter(value)
        return list(counts), list(counts.values())
    if isinstance(value, bytes):
        return array("I", value), ()
    numbers = array("I", value[0])
    return numbers, value[1] if len(value[1]) == len(numbers) else array("I", value[1])


def looked_up(table: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """What a table holds at these places, without a step of the interpreter a place."""
    return itemgetter(*places)(table) if len(places) > 1 else (table[places[0]],)


class Run(NamedTuple):
    """Where a run is kept: its file, the first key of each of its blocks, and their offsets with, last, the end.

    `base` is to be added to every number in it.
    """

    file: str
    firsts: list[bytes]
    offsets: list[int]
    base: int = 0


def encode_run(keys: Iterable[bytes], value_of: Callable[[bytes], Listed]) -> Iterator[tuple[bytes, bytes]]:
    """The first key and the bytes of each block of a run of these terms."""
    ordered = sorted(keys)
    for start in range(0, len(ordered), _TERMS_A_BLOCK):
        block = ordered[start : start + _TERMS_A_BLOCK]
        yield block[0], dumps((block, [value_of(key) for key in block]), _FORMAT)


def read_run(file: BinaryIO, run: Run, low: bytes = b"", high: bytes | None = None) -> Iterator[Block]:
    """The blocks of a run: keys in order from `low` to below `high`, and what is said of each."""
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
    """The range of keys, from and to below, for each of so many processes: each has about as many bytes to merge."""
    blocks = sorted(
        [
            (first, end - start)
            for run in runs
            for first, (start, end) in zip(run.firsts, pairwise(run.offsets), strict=True)
        ]
    )
    total = sum([size for _, size in blocks])
    cuts: list[bytes] = []
    passed = 0
    for first, size in blocks:
        if len(cuts) + 1 < count and passed * count >= total * (len(cuts) + 1):
            cuts.append(first)
        passed += size
    lows, highs = [b"", *cuts], [*cuts, None]
    return [*zip(lows, highs, strict=True), *[(b"", b"")] * (count - len(lows))]


def merged(runs: Iterable[tuple[int, Iterator[Block]]]) -> Iterator[tuple[bytes, list[tuple[int, Listed]]]]:
    """Each term of all runs, in key order, with what each run says of it, in the order of the runs, marked."""
    waiting = [_Waiting(mark, run) for mark, run in runs]
    while waiting := [run for run in waiting if run.keys]:
        # Up to here nothing can come from any run that is not in memory.
        last = min([run.keys[-1] for run in waiting])
        found: dict[bytes, list[tuple[int, Listed]]] = {}
        for run in waiting:
            mark = run.mark
            for key, value in run.take(last):
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

    def take(self, last: bytes) -> Iterator[tuple[bytes, Listed]]:
        """What is in memory of terms up to and with this one, which is no longer waiting then."""
        cut = bisect_right(self.keys, last)
        taken = zip(self.keys[:cut], self._values[:cut], strict=True)
        if cut < len(self.keys):
            self.keys, self._values = self.keys[cut:], self._values[cut:]
        else:
            self.keys, self._values = next(self._run, ([], []))
        return taken
