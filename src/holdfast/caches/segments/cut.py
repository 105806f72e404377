"""Where a segment ends and the next begins: content-defined chunking of the list of ids. Pure.

A boundary lies before an id whose hash says so, FEWEST to MOST documents after the boundary before it. Nothing but the
ids decides: two machines cut alike, whatever was built before, and an added page moves one or two boundaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise

# Constants of the format: another number cuts other segments.
FEWEST, MOST = 250, 2000
# One id in this many begins a segment, where it may.
_ONE_IN = 750


def cuts(ids: Sequence[str]) -> list[tuple[int, int]]:
    """From and to below which document each segment goes; ids are in order."""
    bounds = [0]
    at = FEWEST
    while at < len(ids):
        if at - bounds[-1] >= MOST or begins(ids[at]):
            bounds.append(at)
            at += FEWEST
        else:
            at += 1
    return list(pairwise([*bounds, len(ids)])) if ids else []


def begins(name: str) -> bool:
    """Whether the hash of an id lets a segment begin with it."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], "little") % _ONE_IN == 0
