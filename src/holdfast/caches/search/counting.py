"""Count the terms of fields, and give what was counted as a sorted run. Pure."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict, deque
from itertools import chain, repeat
from operator import call

from holdfast.caches.index.compiling import encode_run
from holdfast.caches.index.dictionary import key_of
from holdfast.caches.search.terms import terms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# What so many different words count as is remembered; then the memory starts anew.
_REMEMBERED = 1 << 18
# What an occurrence and a list of them weigh in memory, roughly.
_OCCURRENCE, _LIST = 8, 320


class FieldAccumulator:
    """Counts the terms of one field until it is time to spill.

    A term has a list of the numbers it occurs under, once for each occurrence, and a word has what appends to the lists
    of its terms: so a word costs no step of the interpreter. Repeats are counted when the lists are spilled.
    """

    def __init__(self) -> None:
        self.weight = 0
        self._lists: defaultdict[str, list[int]] = defaultdict(list)
        self._appending = _Appending(self._lists)

    def add(self, number: int, words: Sequence[str]) -> None:
        """Count the words of a field; `weight` grows by about the memory that takes."""
        before = len(self._lists)
        appends = chain.from_iterable(map(self._appending.__getitem__, words))
        deque(map(call, appends, repeat(number)), maxlen=0)
        self.weight += len(words) * _OCCURRENCE + (len(self._lists) - before) * _LIST

    def spill(self) -> Iterator[bytes]:
        """Everything counted so far as the bytes of one run, after which the counting starts anew."""
        lists, self._lists, self.weight = self._lists, defaultdict(list), 0
        self._appending = _Appending(self._lists)
        by_key = {key_of(term): numbers for term, numbers in lists.items()}
        lists.clear()
        for key in sorted(by_key):
            yield encode_run(key, _by_times(by_key[key]))


class _Appending(dict[str, "tuple[Callable[[int], None], ...]"]):
    """word -> what appends to the list of each of its terms."""

    def __init__(self, lists: defaultdict[str, list[int]]) -> None:
        super().__init__()
        self._lists = lists

    def __missing__(self, word: str) -> tuple[Callable[[int], None], ...]:
        if len(self) > _REMEMBERED:
            self.clear()
        appends = self[word] = tuple([self._lists[term].append for term in terms_of(word)])
        return appends


def _by_times(numbers: list[int]) -> list[tuple[int, array[int]]]:
    """The numbers by how often they occur."""
    counts = Counter(numbers)
    if len(counts) == len(numbers):
        return [(1, array("I", numbers))]
    groups: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
    for number, times in counts.items():
        groups[times].append(number)
    return list(groups.items())
