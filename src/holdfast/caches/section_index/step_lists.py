"""A list of steps: ascending numbers, of sections or of documents, and a step from 1 to 255 for each. Pure.

Most are held as they are looked up, number by number. One that names at least a third of all numbers is dense: a step
for every number there is, 0 where it names none, so that nothing needs decoding to look into it.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress, repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# So many times fewer than a list has are found one by one; for more a dictionary is worth making.
_FEW = 4


def is_dense(count: int, population: int) -> bool:
    """Whether a list of so many of all numbers is held and written as a step for every number."""
    return 3 * count >= population


class ListedSteps:
    """The numbers that have a step, and their steps."""

    def __init__(self, numbers: Sequence[int], steps: bytes) -> None:
        self.numbers, self.steps = numbers, steps
        self.count = len(numbers)
        self._by_number: dict[int, int] = {}

    def step(self, number: int) -> int:
        """The step of a number; 0 when it has none."""
        at = bisect_left(self.numbers, number)
        return self.steps[at] if at < self.count and self.numbers[at] == number else 0

    def steps_of(self, numbers: Sequence[int]) -> list[int]:
        """The steps of several numbers."""
        if not self._by_number:
            if _FEW * len(numbers) < self.count:
                return self._found(numbers)
            self._by_number = dict(zip(self.numbers, self.steps, strict=True))
        return list(map(self._by_number.get, numbers, repeat(0)))

    def _found(self, numbers: Sequence[int]) -> list[int]:
        own, steps, last = self.numbers, self.steps, self.numbers[-1]
        places = map(bisect_left, repeat(own), numbers)
        return [
            steps[at] if number <= last and own[at] == number else 0 for at, number in zip(places, numbers, strict=True)
        ]


class DenseSteps:
    """A step for every number, 0 for those that have none."""

    def __init__(self, by_number: bytes) -> None:
        self._by_number = by_number
        self.count = len(by_number) - by_number.count(0)

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers that have a step."""
        return list(compress(range(len(self._by_number)), self._by_number))

    @property
    def steps(self) -> bytes:
        """Their steps."""
        return self._by_number.translate(None, b"\0")

    def step(self, number: int) -> int:
        """The step of a number; 0 when it has none."""
        return self._by_number[number]

    def steps_of(self, numbers: Sequence[int]) -> list[int]:
        """The steps of several numbers."""
        return list(map(self._by_number.__getitem__, numbers))


if TYPE_CHECKING:
    StepList = ListedSteps | DenseSteps

NO_STEPS = ListedSteps((), b"")
