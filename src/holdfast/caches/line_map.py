"""Maps the lines of a document to lines of its source. Pure.

A map is runs of lines: from the line `first` of the document on, each maps to the line of the source that follows
the one before (`step` 1, text taken as it is), or all for the same one (`step` 0, text that was put there: an include,
a signature, the mark that ends a fence). Lines count from 1. A document without runs is its source, line by line.
"""

from __future__ import annotations

from bisect import bisect_right

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class LineRun(NamedTuple):
    """From this line of the document on, lines stand for this one of the source and those after it, or for it alone."""

    first: int
    source: int
    step: int


LineMap = tuple[LineRun, ...]


def make_line_map(lines: Iterable[int]) -> LineMap:
    """The shortest map of a document whose lines stand for these lines of the source, in order; () for 1, 2, 3, ..."""
    runs: list[LineRun] = []
    before = 0
    for number, source in enumerate(lines, 1):
        run = runs[-1] if runs else LineRun(1, 1, 1)
        if run.source + run.step * (number - run.first) == source:
            if not runs:
                runs.append(run)
        elif runs and run.first == number - 1 and source == before:  # one line so far, and it is repeated
            runs[-1] = LineRun(run.first, run.source, 0)
        else:
            runs.append(LineRun(number, source, 1))
        before = source
    return () if runs == [LineRun(1, 1, 1)] else tuple(runs)


def source_line(runs: Sequence[LineRun], line: int) -> int:
    """The line of the source that a line of the document comes from."""
    if not runs:
        return line
    first, source, step = runs[max(bisect_right(runs, line, key=lambda run: run.first) - 1, 0)]
    return source + step * (line - first)
