"""The values of a dictionary, packed, once records stand elsewhere and documents and sections have other numbers. Pure.

Like numbers of 16 bits they are moved all at once, as the one long number they make up together.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from holdfast.caches.index_format import IndexUnusable

if TYPE_CHECKING:
    from holdfast.caches.moved_numbers import MovedNumbers

VALUE = 8  # bytes
_INLINE_BIT, _KIND_BIT, _NUMBER_BITS = 63, 56, 32
_AT_ONCE = 1 << 16  # bytes


def move_offsets(values: bytes, moved: int) -> bytes:
    """Values of which those that are offsets are so much greater."""
    if not moved or not values:
        return values
    packed = int.from_bytes(values, "little")
    ones = _in_each(1, len(values))
    packed += (ones ^ packed >> _INLINE_BIT & ones) * moved
    return packed.to_bytes(len(values), "little")


def move_inline(values: bytes, numbers: MovedNumbers, others: MovedNumbers | None = None) -> bytes:
    """Values of which those that are no offsets name numbers as they are now: where others are given, these in values
    with the lowest bit of their kind. What is gone becomes any number. IndexUnusable where one names what there is not.
    """
    if len(values) > _AT_ONCE:  # what is worked out on the way stays in the processor's cache
        parts = [values[at : at + _AT_ONCE] for at in range(0, len(values), _AT_ONCE)]
        return b"".join([move_inline(part, numbers, others) for part in parts])
    old = new = int.from_bytes(values, "little")
    ones = _in_each(1, len(values))
    named = old & _in_each((1 << _NUMBER_BITS) - 1, len(values))
    inline = old >> _INLINE_BIT & ones
    of_others = inline & old >> _KIND_BIT if others is not None else 0
    for moved, chosen in ((numbers, inline ^ of_others), (others, of_others)):
        if moved is None or not chosen:
            continue
        if _reaching(named, moved.old_count, len(values)) & chosen:
            raise IndexUnusable("a dictionary value names what there is not")
        for number, more in moved.breaks:
            new += (_reaching(named, number, len(values)) & chosen) * more
    return new.to_bytes(len(values), "little")


def _reaching(named: int, number: int, length: int) -> int:
    """1 in each lane that names this number or a greater one."""
    return named + _in_each((1 << _NUMBER_BITS) - number, length) >> _NUMBER_BITS & _in_each(1, length)


@lru_cache(maxsize=16)
def _in_each(number: int, length: int) -> int:
    """The number in each of the lanes of so many bytes."""
    return int.from_bytes(number.to_bytes(VALUE, "little") * (length // VALUE), "little")
