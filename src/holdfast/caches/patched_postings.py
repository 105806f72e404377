"""The postings and the dictionary of an index of which some terms have changed: the rest is taken over in stretches.

Pure. Records stand in the order of their keys, so what lies between two changed terms is copied as it is, and its
offsets are moved.
"""

from __future__ import annotations

from bisect import bisect_left

from holdfast.caches.index_format import INLINE
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    # What a term becomes: a value that says all, a record, or nothing where the term is gone.
    Change = int | bytes | None


class PatchedPostings(NamedTuple):
    """Keys and values of the dictionary, and what the postings are made of: records, and stretches from and to below
    which offset of the old ones."""

    keys: list[bytes]
    values: list[int]
    pieces: list[bytes | tuple[int, int]]


def patch_postings(
    keys: Sequence[bytes], values: Sequence[int], length: int, changes: Mapping[bytes, Change]
) -> PatchedPostings:
    """The postings, of so many bytes and with this dictionary, once some terms were changed, added and taken away."""
    following = _following(values, length)
    made = PatchedPostings([], [], [])
    at = copied = moved = 0  # entries and bytes that were gone through, and how far what follows has moved
    for key in sorted(changes):
        found = at if at < len(keys) and keys[at] == key else bisect_left(keys, key, at)
        if found > at:
            made.keys.extend(keys[at:found])
            made.values.extend([value + moved if value < INLINE else value for value in values[at:found]])
        at = found + (found < len(keys) and keys[found] == key)
        here, after = following[found], following[at]
        if here > copied:
            made.pieces.append((copied, here))
        copied = after
        change = changes[key]
        if change is not None:
            made.keys.append(key)
            made.values.append(change if isinstance(change, int) else here + moved)
        if isinstance(change, bytes):
            made.pieces.append(change)
            moved += len(change)
        moved -= after - here
    made.keys.extend(keys[at:])
    made.values.extend([value + moved if value < INLINE else value for value in values[at:]])
    if length > copied:
        made.pieces.append((copied, length))
    return made


def _following(values: Sequence[int], length: int) -> list[int]:
    """By entry, and once more at the end, where the first record begins that is its own or a later one's."""
    found = [length] * (len(values) + 1)
    for at in range(len(values) - 1, -1, -1):
        value = values[at]
        found[at] = value if value < INLINE else found[at + 1]
    return found
