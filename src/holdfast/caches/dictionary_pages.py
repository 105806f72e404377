"""The pages of a term dictionary, made of ascending keys as they come; index_format has what a page is. Pure."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from holdfast.caches.index_format import PAGE_ROOM, PER_ENTRY, encode_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def paged(entries: Iterable[tuple[Sequence[bytes], Sequence[int]]]) -> Iterator[bytes]:
    """The pages of a dictionary whose ascending keys and their 64-bit values come some at a time.

    No more than those is held, and no key costs a step of the interpreter.
    """
    number = 0
    keys: list[bytes] = []  # that may not fill a page yet
    values = array("Q")
    for more, their_values in entries:
        keys += more
        values.extend(their_values)
        reached = array("Q", accumulate(map(PER_ENTRY.__add__, map(len, keys)), initial=0))
        start = 0
        while True:
            end = bisect_right(reached, reached[start] + PAGE_ROOM, start) - 1
            if end == len(keys):
                break
            yield encode_page(number, keys[start:end], values[start:end])
            number, start = number + 1, end
        keys, values = keys[start:], values[start:]
    if keys:
        yield encode_page(number, keys, values)
