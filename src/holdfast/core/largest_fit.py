"""The largest number that fits, found without trying much larger ones. Pure."""

from __future__ import annotations

from collections.abc import Callable


def largest_fit(limit: int, fits: Callable[[int], bool]) -> int:
    """The most up to `limit` that fit, 0 where not even one does; nothing much larger than that is tried.

    What fits is taken to fit in smaller numbers too; where it does not, the result still fits.
    """
    taken, step = 0, 1
    while taken + step <= limit and fits(taken + step):
        taken += step
        step *= 2
    too_many = min(taken + step, limit + 1)
    while too_many - taken > 1:
        middle = (taken + too_many) // 2
        if fits(middle):
            taken = middle
        else:
            too_many = middle
    return taken
