"""Ascending numbers of which some are gone and some are new: what number each of the others has then. Pure.

Most numbers of an index are 16 bits wide. They are moved all at once, as the one long number they make up together:
a step of the interpreter for each would take twenty times as long.
"""

from __future__ import annotations

from array import array
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# So many bytes make up a long number: what is worked out on the way stays in the processor's cache.
_AT_ONCE = 1 << 16
# Fewer bytes are moved number by number.
_FEW = 1 << 11
_HALF = 2  # bytes of a number
_LANE = 4  # bytes that each of them has while it is moved, so that nothing spills over


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
        self._shifts: list[tuple[int, int]] = []

    @classmethod
    def of(cls, table: Sequence[int], count: int) -> MovedNumbers:
        """The same from the new number of each, -1 where it is gone; the others ascend."""
        starts = [
            number
            for number, new in enumerate(table)
            if new >= 0 and (not number or table[number - 1] < 0 or table[number - 1] + 1 != new)
        ]
        kept = []
        for start, following in pairwise([*starts, len(table)]):
            end = following
            while table[end - 1] < 0:
                end -= 1
            kept.append((start, end, table[start]))
        return cls(kept, len(table), count)

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

        IndexError where there are no such numbers.
        """
        if not self.breaks:
            return packed
        if len(packed) < _FEW:
            return array("H", [abs(self.table[number]) for number in array("H", packed)]).tobytes()
        lanes = _AT_ONCE // _LANE
        if not self._shifts:
            for number, more in self.breaks:
                # What is not below the number carries into the upper half of its lane.
                carry = ((1 << 16) - number).to_bytes(_LANE, "little") * lanes
                self._shifts.append((int.from_bytes(carry, "little"), more))
        lower = int.from_bytes(b"\xff\xff\0\0" * lanes, "little")
        ones = int.from_bytes(b"\1\0\0\0" * lanes, "little")
        made = []
        for at in range(0, len(packed), _AT_ONCE):
            both = int.from_bytes(packed[at : at + _AT_ONCE], "little")
            found = 0
            for shift in (0, 8 * _HALF):
                old = both >> shift & lower
                new = old
                for carry_over, more in self._shifts:
                    new += (old + carry_over >> 16 & ones) * more
                found |= (new & lower) << shift
            made.append(found.to_bytes(_AT_ONCE, "little"))
        return b"".join(made)[: len(packed)]
