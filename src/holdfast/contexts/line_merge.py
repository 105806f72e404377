"""Three versions of a text made one, line by line: what only one side changed is taken, what both did stands twice."""

from __future__ import annotations

from difflib import SequenceMatcher

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Comparing takes time that grows with the square of the lines in the worst case.
MAX_LINES = 4000


class _Region(NamedTuple):
    """Lines that all three have: where they begin in each, and how many they are."""

    base: int
    ours: int
    theirs: int
    length: int


def merge_lines(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """The lines of all three; where both sides changed the same lines, ours come first and theirs follow."""
    merged: list[str] = []
    at_base = at_ours = at_theirs = 0
    for base_start, ours_start, theirs_start, length in _common(base, ours, theirs):
        was = base[at_base:base_start]
        mine, other = ours[at_ours:ours_start], theirs[at_theirs:theirs_start]
        if mine == was:
            merged += other
        elif other in (was, mine):
            merged += mine
        else:
            merged += [*mine, *other]
        merged += base[base_start : base_start + length]
        at_base, at_ours, at_theirs = base_start + length, ours_start + length, theirs_start + length
    return merged


def _common(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[_Region]:
    """The runs of lines that are the same in all three, in order, and an empty one at the end."""
    left = SequenceMatcher(None, base, ours, autojunk=False).get_matching_blocks()
    right = SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks()
    at_left = at_right = 0
    while at_left < len(left) and at_right < len(right):
        one, other = left[at_left], right[at_right]
        start, end = max(one.a, other.a), min(one.a + one.size, other.a + other.size)
        if start < end:
            yield _Region(start, one.b + start - one.a, other.b + start - other.a, end - start)
        if one.a + one.size < other.a + other.size:
            at_left += 1
        else:
            at_right += 1
    yield _Region(len(base), len(ours), len(theirs), 0)
