"""Whether what a policy was shown has the lines that answer a task, judged alike for every tool. Pure.

A line is shown when its words are in one call's arguments and answer in a row, and its file is named there. Tools
render markup differently and shorten long lines, so that of a line of documentation three fifths of all runs of three
words are enough, and of a spec's task two fifths and the name of the spec; a line of code needs all of its words, and a
line that uses something its words or its number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchmarks.agents.tasks import BREAKS, DOCUMENTATION, NEXT_TASK, USES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.agents.tasks import Place, Task

_WORD = re.compile(r"\w+")
_ROLE = re.compile(r":[a-z][\w:+-]*:`")  # a role of reStructuredText, which readers leave out
_RUN = 3
_SHARES = {DOCUMENTATION: 3 / 5, NEXT_TASK: 2 / 5}


class Gold:
    """The lines still to be shown of one task."""

    def __init__(self, task: Task, pages: Mapping[str, Sequence[str]]) -> None:
        self._share = _SHARES.get(task.kind, 1.0)
        self._by_folder = task.kind == NEXT_TASK
        self._by_number = task.kind in (USES, BREAKS)
        self._left = [[(place, _words_of(place, pages)) for place in group] for group in task.gold]

    def see(self, arguments: str, answer: str) -> bool:
        """Take what one call showed; whether every group was shown by now."""
        text = _ROLE.sub("`", f"{arguments}\n{answer}").replace("\\n", "\n").replace('\\"', '"').lower()
        words = f" {' '.join(_WORD.findall(text))} "
        self._left = [
            group
            for group in self._left
            if not any(self._name(place) in text and self._has(place, lines, words) for place, lines in group)
        ]
        return not self._left

    def _name(self, place: Place) -> str:
        return place.path.lower().split("/")[-2] if self._by_folder else place.path.lower()

    def _has(self, place: Place, lines: list[list[str]], words: str) -> bool:
        if self._by_number and f" {place.first} " in words:
            return True
        return all(self._shown(line, words) for line in lines)

    def _shown(self, line: list[str], words: str) -> bool:
        if len(line) <= _RUN or self._share == 1.0:
            return f" {' '.join(line)} " in words
        runs = [f" {' '.join(line[at : at + _RUN])} " for at in range(len(line) - _RUN + 1)]
        return sum([run in words for run in runs]) >= self._share * len(runs)


def _words_of(place: Place, pages: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The words of each line; ValueError where a file is shorter, since the repository is at another commit then."""
    lines = pages[place.path][place.first - 1 : place.last]
    found = [_WORD.findall(_ROLE.sub("`", line).lower()) for line in lines]
    if len(lines) <= place.last - place.first or not any(found):
        raise ValueError(f"{place.path} has no text at line {place.first}: is the commit the one of the tasks?")
    return [words for words in found if words]
