"""A list of steps: ascending numbers, of sections or of documents, and a step from 1 to 255 for each. Pure.

Most are held as they are looked up, number by number. One that names many of all numbers is dense: a step for every
number there is, 0 where it names none.
"""

from __future__ import annotations

from _operator import itemgetter
from bisect import bisect_left
from itertools import compress, repeat

from holdfast.caches.segments.segment_file import hash_of
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.segments.postings import PostingList
    from holdfast.caches.segments.segment_file import Segment

# Bytes, about, of a number in a list, with its place in that, and of what a list has beside.
_NUMBER_BYTES, _LIST_BYTES = 41, 400
# The numbers with the highest steps are at most so many.
_MOST_STRONG = 128
_STEPS = bytes(range(256))
# A list of at least this share of all numbers is held as a step for every number.
_DENSE_SHARE = 12
# So many times fewer than a list has are found one by one; for more a table is worth making.
_FEW = 12


def steps_at(by_number: bytes | bytearray, numbers: Sequence[int]) -> bytes:
    """The steps of several numbers, given a step for every number."""
    if len(numbers) < 2:
        return bytes([by_number[number] for number in numbers])
    return bytes(itemgetter(*numbers)(by_number))


class ListedSteps:
    """The numbers that have a step, and their steps."""

    def __init__(self, numbers: Sequence[int], steps: bytes) -> None:
        self.numbers, self.steps = numbers, steps
        self.count = len(numbers)
        self._by_number: dict[int, int] = {}

    @property
    def weight(self) -> int:
        """Bytes, about, that it takes, or will once much was looked up in it."""
        return _LIST_BYTES + _NUMBER_BYTES * self.count

    def step(self, number: int) -> int:
        """The step of a number; 0 when it has none."""
        at = bisect_left(self.numbers, number)
        return self.steps[at] if at < self.count and self.numbers[at] == number else 0

    def steps_of(self, numbers: Sequence[int]) -> bytes:
        """The steps of several numbers."""
        if not self._by_number:
            if _FEW * len(numbers) < self.count:
                return self._found(numbers)
            self._by_number = dict(zip(self.numbers, self.steps, strict=True))
        return bytes(map(self._by_number.get, numbers, repeat(0)))

    def _found(self, numbers: Sequence[int]) -> bytes:
        own, steps, last = self.numbers, self.steps, self.numbers[-1]
        places = map(bisect_left, repeat(own), numbers)
        found = zip(places, numbers, strict=True)
        return bytes([steps[at] if number <= last and own[at] == number else 0 for at, number in found])


class DenseSteps:
    """A step for every number, 0 for those that have none; `count` is how many have one."""

    def __init__(self, by_number: bytes | bytearray, count: int) -> None:
        self.by_number, self.count = by_number, count

    @property
    def weight(self) -> int:
        """Bytes, about, that it takes."""
        return _LIST_BYTES + len(self.by_number)

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers that have a step."""
        return list(compress(range(len(self.by_number)), self.by_number))

    @property
    def steps(self) -> bytes:
        """Their steps."""
        return bytes(self.by_number.translate(None, b"\0"))

    def step(self, number: int) -> int:
        """The step of a number; 0 when it has none."""
        return self.by_number[number]

    def steps_of(self, numbers: Sequence[int]) -> bytes:
        """The steps of several numbers."""
        return steps_at(self.by_number, numbers)


def scattered(numbers: Iterable[int], steps: bytes, population: int) -> bytearray:
    """A step for every number; IndexError where there are fewer numbers than one of these."""
    found = bytearray(population)
    for number, step in zip(numbers, steps, strict=True):
        found[number] = step
    return found


if TYPE_CHECKING:
    StepList = ListedSteps | DenseSteps

NO_STEPS = ListedSteps((), b"")


class TermImpacts(NamedTuple):
    """How many sections hold a term, its list of sections with the highest step in it, and its list of documents with
    those that have the highest steps in that, a few, and the most that any other has."""

    holding: int
    highest: int
    sections: StepList
    documents: StepList
    strongest: tuple[Sequence[int], int]


def strongest(found: StepList) -> tuple[Sequence[int], int]:
    """A few numbers of a list that have the highest steps, and the most that any other has."""
    steps = found.steps
    # The lowest step above which there are few enough.
    least = bisect_left(_STEPS, x=True, key=lambda step: len(steps.translate(None, _STEPS[: step + 1])) <= _MOST_STRONG)
    return list(compress(found.numbers, steps.translate(bytes(least + 1) + _STEPS[least + 1 :]))), least


def joined_steps(lists: Sequence[tuple[int, PostingList]], populations: Sequence[int], total: int) -> StepList:
    """One list of those of several segments, each given with its number, of `populations` there are in all `total`."""
    if not (count := sum([found.length for _, found in lists])):
        return NO_STEPS
    if _DENSE_SHARE * count >= total:
        parts: list[bytes | bytearray] = [b""] * len(populations)
        for at, (own, steps) in lists:
            parts[at] = steps if own is None else scattered(own, steps, populations[at])
        filled = [part or bytes(population) for part, population in zip(parts, populations, strict=True)]
        return DenseSteps(filled[0] if len(filled) == 1 else b"".join(filled), count)
    numbers: list[int] = []
    for at, found in lists:
        first, own = sum(populations[:at]), found.listed()[0]
        numbers += [first + number for number in own] if first else own
    return ListedSteps(numbers, b"".join([found.listed()[1] for _, found in lists]))


class SegmentedTerms:
    """The terms of several segments, whose documents follow each other, as those of one."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self.sections = [len(segment.numbers.section_tokens) for segment in segments]
        self.documents = [segment.numbers.documents for segment in segments]
        self.totals = sum(self.sections), sum(self.documents)

    def look_up(self, term: str) -> TermImpacts | None:
        """The lists of a term, numbered over all segments; None where none has it."""
        keys: dict[int, int] = {}
        sections: list[tuple[int, PostingList]] = []
        documents: list[tuple[int, PostingList]] = []
        holding = highest = 0
        for at, segment in enumerate(self._segments):
            seed = segment.numbers.seed
            if seed not in keys:
                keys[seed] = hash_of(term, seed, word=False)
            found = segment.term(keys[seed])
            if found is not None:
                own, shared, count = found
                sections.append((at, own))
                documents.append((at, shared))
                holding, highest = holding + count, max(highest, max(own.values, default=0))
        if not sections:
            return None
        steps = joined_steps(sections, self.sections, self.totals[0])
        of_documents = joined_steps(documents, self.documents, self.totals[1])
        return TermImpacts(holding, highest, steps, of_documents, strongest(of_documents))

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        """Terms that the filter of some segment does not rule out."""
        asked = list(terms)
        keys: dict[int, dict[str, int]] = {}
        found: dict[str, None] = {}
        for segment in self._segments:
            seed = segment.numbers.seed
            if seed not in keys:
                keys[seed] = {term: hash_of(term, seed, word=False) for term in asked}
            found |= dict.fromkeys(segment.not_ruled_out(keys[seed]))
        return found
