"""Steps by how often a term is held, looked up for whole lists at once: a table of bytes for each usual count. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import mul

from holdfast.caches.search.impacts import MANY, FieldSteps, evidence_step
from holdfast.caches.search.word_terms import QUARTERS

Steps = Mapping[int, int] | Sequence[int]  # number -> step

# What is counted more often has its step computed rather than looked up.
_USUAL = 12 * QUARTERS
_EVIDENCE = bytes(map(evidence_step, range(256)))


class StepTables(dict[int, "Steps"]):
    """quarters -> number -> step.

    `steps_of(quarters)[keys[number]]` is the step, for which it is asked no more than once.
    """

    def __init__(self, steps_of: Callable[[int], Steps], keys: Sequence[int]) -> None:
        super().__init__()
        self._steps_of, self._keys = steps_of, keys

    def __missing__(self, quarters: int) -> Steps:
        steps, keys = self._steps_of(quarters), self._keys
        made = bytes(map(steps.__getitem__, keys)) if quarters <= _USUAL else _Computed(lambda at: steps[keys[at]])
        self[quarters] = made
        return made


class Evidence:
    """What documents say for their sections by holding a term, whichever section it is in.

    `lengths` are the words of all bodies of each document, `held_by` how many sections it has.
    """

    def __init__(self, steps: FieldSteps, lengths: Sequence[int], held_by: Sequence[int]) -> None:
        self._steps, self._lengths, self._held_by = steps, lengths, held_by

    def listed(self, quarters: int) -> Steps:
        """place -> what the list of documents has of a term that is held so often: it is of all sections."""
        return self._by_place(quarters, [held > 1 and quarters >= MANY for held in self._held_by])

    def apart(self, quarters: int) -> Steps:
        """place -> what each section that holds it has of that, where the list of documents has nothing."""
        return self._by_place(quarters, [held == 1 or quarters < MANY for held in self._held_by])

    def _by_place(self, quarters: int, wanted: Sequence[bool]) -> Steps:
        by_length, lengths = self._steps.of(quarters), self._lengths
        if quarters > _USUAL:
            return _Computed(lambda place: wanted[place] and evidence_step(by_length[lengths[place]]))
        return bytes(map(mul, bytes(map(by_length.__getitem__, lengths)).translate(_EVIDENCE), wanted))


class _Computed(dict[int, int]):
    """Stands for a table that would not be looked into often enough."""

    def __init__(self, compute: Callable[[int], int]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, number: int) -> int:
        return self._compute(number)
