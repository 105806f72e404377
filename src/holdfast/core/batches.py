"""Splits an iterable into batches."""

from __future__ import annotations

from itertools import islice

from holdfast.core.record import TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Anything = TypeVar("Anything")


def batches(each: Iterable[Anything], size: int = 1024) -> Iterator[list[Anything]]:
    """Yield lists of `size` items; the last may be shorter, and none is empty."""
    remaining = iter(each)
    while some := list(islice(remaining, size)):
        yield some
