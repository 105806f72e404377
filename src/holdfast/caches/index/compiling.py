"""Compile documents into postings: count words, spill what was counted in sorted runs, merge the runs. Pure.

A run holds, in key order, every term of some documents with their places in id order; how documents are shared out
among runs leaves no trace in what the merge gives.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict, deque
from heapq import merge
from itertools import groupby, repeat
from struct import Struct

from holdfast.caches.index.dictionary import DictionaryPages, key_of
from holdfast.caches.index.postings import alone_value, encode_postings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

_HEAD = Struct("<HI")  # length of the key, bytes of what follows it
_RUN = Struct("<II")  # how often, how many documents
# What a posting and a list of postings weigh in memory, roughly.
_POSTING, _LIST = 8, 220


class Accumulator:
    """Counts the words of documents until it is time to spill."""

    def __init__(self) -> None:
        self.weight = 0
        self._once: defaultdict[str, list[int]] = defaultdict(list)  # term -> places that hold it once
        self._more: dict[int, dict[str, list[int]]] = {}  # times -> term -> places that hold it that often

    def add(self, place: int, words: Iterable[str]) -> None:
        """Count one document; `weight` grows by about the memory it takes."""
        counts = Counter(words)
        repeated = [item for item in counts.items() if item[1] > 1]
        once, more = self._once, self._more
        new = -len(once)
        self.weight += len(counts) * _POSTING
        for term, times in repeated:
            del counts[term]
            try:
                more[times][term].append(place)
            except KeyError:
                more.setdefault(times, {})[term] = [place]
                new += 1
        # Most terms occur once: these are appended without a step of the interpreter between them.
        deque(map(list.append, map(once.__getitem__, counts), repeat(place)), maxlen=0)
        self.weight += (new + len(once)) * _LIST

    def spill(self) -> Iterator[bytes]:
        """Everything counted so far as the bytes of one run, after which the counting starts anew."""
        once, more = self._once, self._more
        self._once, self._more, self.weight = defaultdict(list), {}, 0
        by_key = {key_of(term): [(1, places)] for term, places in once.items()}
        for times, terms in more.items():
            for term, places in terms.items():
                by_key.setdefault(key_of(term), []).append((times, places))
        for key in sorted(by_key):
            yield encode_run(key, [(times, array("I", places)) for times, places in by_key[key]])


def encode_run(key: bytes, lists: Iterable[tuple[int, array[int]]]) -> bytes:
    """One term of a run: its places by how often they hold it."""
    body = b"".join([_RUN.pack(times, len(places)) + places.tobytes() for times, places in lists])
    return _HEAD.pack(len(key), len(body)) + key + body


def read_run(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """(key, body) of each term of a run, in key order."""
    while head := file.read(_HEAD.size):
        length, size = _HEAD.unpack(head)
        yield file.read(length), file.read(size)


def merged(runs: Sequence[Iterable[tuple[bytes, bytes]]]) -> Iterator[tuple[bytes, dict[int, list[int]]]]:
    """Each term of all runs with the places of its documents by how often they hold it, in key order."""
    for key, group in groupby(merge(*runs), key=lambda item: item[0]):
        lists: dict[int, list[int]] = {}
        for _, body in group:
            at, end = 0, len(body)
            while at < end:
                times, count = _RUN.unpack_from(body, at)
                at += _RUN.size
                places = array("I", body[at : at + 4 * count])
                at += 4 * count
                if times in lists:
                    lists[times] += places
                else:
                    lists[times] = places.tolist()
        yield key, lists


def compile_terms(
    terms: Iterable[tuple[bytes, dict[int, list[int]]]], numbers: Sequence[int], pages: DictionaryPages
) -> Iterator[bytes]:
    """The records of the postings section, one after another, while `pages` collects the dictionary."""
    number_of = list(numbers).__getitem__
    document_count = len(numbers)
    offset = 0
    for key, lists in terms:
        runs = {times: sorted(map(number_of, places)) for times, places in lists.items()}
        value = alone_value(runs)
        if value is None:
            record = encode_postings(key, runs, document_count)
            value = offset
            offset += len(record)
            yield record
        pages.add(key, value)
