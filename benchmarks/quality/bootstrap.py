"""Intervals of means by the bootstrap: questions are drawn again with replacement, always the same draws. Pure.

The draws are a function of a name and a count alone. Figures of the same questions are thus drawn together, so that a
difference between two methods is a paired one, and so are two settings that ask the same questions.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAWS = 1000
_TAIL = DRAWS * 25 // 1000  # a fortieth on each side leaves 95 %


class Interval(NamedTuple):
    """A mean and where 95 % of the drawn means lie."""

    mean: float
    low: float
    high: float

    @property
    def sign(self) -> int:
        """1 or -1 where the interval is above or below zero, else 0: within noise."""
        return (self.low > 0) - (self.high < 0)


class Sample(NamedTuple):
    """The mean of some figures and the means of their draws."""

    mean: float
    drawn: list[float]

    @property
    def interval(self) -> Interval:
        """The middle 95 % of the draws."""
        ordered = sorted(self.drawn)
        return Interval(self.mean, ordered[_TAIL], ordered[-1 - _TAIL])


def sample(name: str, figures: Sequence[float]) -> Sample:
    """The draws of one figure a question; `name` is that of the questions."""
    count = len(figures)
    drawn = [sum(map(figures.__getitem__, places)) / count for places in _draws(name, count)]
    return Sample(sum(figures) / count, drawn)


@cache
def _draws(name: str, count: int) -> list[list[int]]:
    random = Random(f"{name} {count}")
    return [random.choices(range(count), k=count) for _ in range(DRAWS)]


def weighted(samples: Sequence[Sample], weights: Sequence[float]) -> Sample:
    """The weighted mean of several samples, draw by draw."""
    total = sum(weights)

    def mean(values: Sequence[float]) -> float:
        return sum([weight * value for weight, value in zip(weights, values, strict=True)]) / total

    by_draw = zip(*[one.drawn for one in samples], strict=True)
    return Sample(mean([one.mean for one in samples]), [mean(values) for values in by_draw])
