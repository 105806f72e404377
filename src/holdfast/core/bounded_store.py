"""An LRU store bounded by bytes and by entries, for what can be made again.

The least recently used entry goes first. One exception, for what is walked through again and again in one order, such
as the directories of a project: there the least recently used entry is the one needed next, and a store that is a
little too small would never hit. With `keeps_regulars` an entry still in use stays, and the new one is not taken in.
"""

from __future__ import annotations

from holdfast.core.record import Generic, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import OrderedDict
    from collections.abc import Hashable, Iterator
else:
    from _collections import OrderedDict  # `collections` would cost a cold command some milliseconds

Kept = TypeVar("Kept")

# An entry is stale when this many look-ups per entry have passed since its last use.
_ROUNDS = 64


class _Slot(Generic[Kept]):
    """An entry, its weight, and at which look-up it was last used."""

    __slots__ = ("entry", "used", "weight")

    def __init__(self, entry: Kept, weight: int, used: int) -> None:
        self.entry = entry
        self.weight = weight
        self.used = used


class BoundedStore(Generic[Kept]):
    """Entries by key. Not safe under threads by itself."""

    def __init__(self, max_entries: int | None, max_bytes: int, *, keeps_regulars: bool = False) -> None:
        self._max_entries = max_entries
        self.max_bytes = max_bytes
        self._keeps_regulars = keeps_regulars
        self._slots: OrderedDict[Hashable, _Slot[Kept]] = OrderedDict()
        self._lookups = 0
        self.held_bytes = 0

    def __len__(self) -> int:
        return len(self._slots)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._slots)

    def get(self, key: Hashable) -> Kept | None:
        """The entry of a key, which counts as a use; None where there is none."""
        self._lookups += 1
        slot = self._slots.get(key)
        if slot is None:
            return None
        slot.used = self._lookups
        self._slots.move_to_end(key)
        return slot.entry

    def put(self, key: Hashable, entry: Kept, weight: int) -> bool:
        """Take an entry in, in place of an earlier one of its key; whether it was."""
        self.drop(key)
        if weight > self.max_bytes or self._max_entries == 0:
            return False
        while self._slots and self._is_full(weight):
            oldest = next(iter(self._slots))
            if self._keeps_regulars and self._lookups - self._slots[oldest].used < _ROUNDS * len(self._slots):
                return False
            self.drop(oldest)
        self._slots[key] = _Slot(entry, weight, self._lookups)
        self.held_bytes += weight
        return True

    def _is_full(self, weight: int) -> bool:
        return self.held_bytes + weight > self.max_bytes or (
            self._max_entries is not None and len(self._slots) >= self._max_entries
        )

    def drop(self, key: Hashable) -> bool:
        """Forget an entry; whether there was one."""
        slot = self._slots.pop(key, None)
        if slot is None:
            return False
        self.held_bytes -= slot.weight
        return True
