"""Many things, some at a time: what is done for each costs less for some at once, and never needs all in memory."""

from __future__ import annotations

from itertools import islice

from holdfast.core.record import TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Anything = TypeVar("Anything")


def batches(each: Iterable[Anything], size: int = 1024) -> Iterator[list[Anything]]:
    """Lists of so many in turn; the last may be shorter, and none is empty."""
    remaining = iter(each)
    while some := list(islice(remaining, size)):
        yield some
