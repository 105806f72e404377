"""Whether a context still describes its directory."""

from __future__ import annotations

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    State = Literal["fresh", "stale", "missing"]

FRESH: Literal["fresh"] = "fresh"
STALE: Literal["stale"] = "stale"
MISSING: Literal["missing"] = "missing"
STATES = (FRESH, STALE, MISSING)
GONE: Literal["gone"] = "gone"  # what a watch says of a directory that was there


class Freshness(NamedTuple):
    """The verdict and the computed fingerprint that gave it."""

    state: State
    computed: str


def freshness(stored: str, by_content: str, by_stat: Callable[[], str]) -> Freshness:
    """Fresh when the stored fingerprint equals either form; the stat form is computed only when it has to decide."""
    if stored == by_content:
        return Freshness(FRESH, by_content)
    computed = by_stat()
    if stored == computed:
        return Freshness(FRESH, computed)
    return Freshness(STALE, by_content)
