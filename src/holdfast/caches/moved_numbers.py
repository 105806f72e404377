"""Ascending numbers of which some are gone and some are new: what number each of the others has then. Pure.

Most numbers of an index are 16 bits wide. They are moved all at once, as the one long number they make up together:
a step of the interpreter for each would take twenty times as long.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from holdfast.caches.index_format import CHUNK, IndexUnusable

if TYPE_CHECKING:
    from collections.abc import Iterable

# So many bytes make up a long number: what is worked out on the way stays in the processor's cache.
_AT_ONCE = 1 << 16
# Fewer bytes are moved number by number.
_FEW = 1 << 11
_HALF = 2  # bytes of a number: its lane
_TOP_BIT = 15
_TOP = 1 << _TOP_BIT  # the top bit of a lane


class MovedNumbers:
    """Which numbers are kept, in stretches: from, to below, and from which number on they stand now; all ascend."""

    def __init__(self, kept: Iterable[tuple[int, int, int]], old_count: int, count: int) -> None:
        self.old_count, self.count = old_count, count
        self.kept = [stretch for stretch in kept if stretch[0] < stretch[1]]
        self.table = [-1] * old_count  # by number: the new one, -1 where it is gone
        breaks: list[tuple[int, int]] = []
        moved = 0
        for start, end, new in self.kept:
            self.table[start:end] = range(new, new + end - start)
            if new - start != moved:
                breaks.append((start, new - start - moved))
                moved = new - start
        # From which number on they move by how much more than those before.
        self.breaks = breaks
        # Whether any two are nearer to each other than before.
        self.is_shrunk = any(more < 0 for _, more in breaks)
        self.is_same = not breaks and old_count == count
        self._lanes: list[tuple[int, bool, int]] = []

    @classmethod
    def around(cls, gone: Iterable[int], new: Iterable[int], old_count: int, count: int) -> MovedNumbers:
        """Those of so many of which some are gone, among others that are new; all others stay in their order."""
        kept: list[tuple[int, int, int]] = []
        old_ends, ends = sorted({*gone, old_count}), sorted({*new, count})
        at_old = at = 0
        for end in old_ends:
            while at_old < end:
                while ends and at == ends[0] < count:  # a new one stands here
                    at += 1
                    ends.pop(0)
                stretch = min(end - at_old, ends[0] - at)
                if stretch <= 0:
                    raise IndexUnusable("there are more numbers than are counted")
                kept.append((at_old, at_old + stretch, at))
                at_old, at = at_old + stretch, at + stretch
            at_old = end + 1
        return cls(kept, old_count, count)

    def dense(self, by_number: bytes | bytearray) -> bytes:
        """What stands for each number, where one byte does; 0 for those that are new."""
        parts = []
        at = 0
        for start, end, new in self.kept:
            parts += [bytes(new - at), by_number[start:end]]
            at = new + end - start
        return b"".join([*parts, bytes(self.count - at)])

    def halves(self, packed: bytes) -> bytes:
        """Packed numbers of 16 bits as they are now, both below 65,536; what is gone becomes any number.

        IndexUnusable where there are no such numbers.
        """
        if not self.breaks:
            return packed
        if len(packed) < _FEW:
            try:
                return array("H", [abs(self.table[number]) for number in array("H", packed)]).tobytes()
            except IndexError:
                raise IndexUnusable("a list names what there is not") from None
        if not self._lanes:
            self._lanes = [(_in_lanes(number), number >= _TOP, more) for number, more in self._safe_breaks()]
        bound, is_high = _in_lanes(self.old_count), self.old_count >= _TOP
        tops = int.from_bytes(_TOP.to_bytes(_HALF, "little") * (_AT_ONCE // _HALF), "little")
        made = []
        for at in range(0, len(packed), _AT_ONCE):
            old = new = int.from_bytes(packed[at : at + _AT_ONCE], "little")
            topped = old | tops
            # Of a lane less a number the top bit says, with its own, whether it is not below that number.
            beyond = topped - bound
            if self.old_count < CHUNK and (old & beyond if is_high else old | beyond) & tops:
                raise IndexUnusable("a list names what there is not")
            for number, is_upper, more in self._lanes:
                reached = topped - number
                new += ((((old & reached) if is_upper else (old | reached)) & tops) >> _TOP_BIT) * more
            made.append(new.to_bytes(_AT_ONCE, "little"))
        return b"".join(made)[: len(packed)]

    def _safe_breaks(self) -> list[tuple[int, int]]:
        """The breaks, and others where a number that is gone would not fit into its lane."""
        if self.old_count + max([new - start for start, _, new in self.kept], default=0) <= CHUNK:
            return self.breaks
        found: list[tuple[int, int]] = []
        moved = reached = 0
        for start, end, new in [*self.kept, (self.old_count, self.old_count, self.old_count)]:
            if reached < start and moved > 0:
                found.append((reached, -moved))
                moved = 0
            if start < end and new - start != moved:
                found.append((start, new - start - moved))
                moved = new - start
            reached = end
        return found


def _in_lanes(number: int) -> int:
    """The number without its top bit, in each of the lanes."""
    return int.from_bytes((number & _TOP - 1).to_bytes(_HALF, "little") * (_AT_ONCE // _HALF), "little")
