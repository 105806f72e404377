"""The postings and the dictionary of an index of which some terms have changed: the rest is taken over in stretches.

Pure. Records stand in the order of their keys, so what lies between two changed terms is copied as it is, and its
offsets are moved. A page of the dictionary is filled up to the key that no longer fits. Where no key comes or goes it
keeps its keys; behind one that does, pages are filled anew until one begins where it did.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from holdfast.caches.index_format import (
    INLINE,
    PAGE_ROOM,
    PAGE_SIZE,
    DictionaryPage,
    IndexUnusable,
    encode_page,
    entry_size,
)
from holdfast.caches.moved_values import VALUE, move_offsets
from holdfast.caches.posting_record import PostingRecord, numbers_at, record_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    # What a term becomes: a value that says all, a record, or nothing where the term is gone.
    Change = int | PostingRecord | None


class OldDictionary:
    """All pages of a dictionary, each of which is checked; IndexUnusable where one is damaged."""

    def __init__(self, data: bytes) -> None:
        self.pages = [
            DictionaryPage(number, data[number * PAGE_SIZE : (number + 1) * PAGE_SIZE])
            for number in range(-(-len(data) // PAGE_SIZE))
        ]
        self.first_keys = [page.key(0) for page in self.pages]
        self.starts = list(accumulate([page.count for page in self.pages], initial=0))
        # Those of all pages, one after another.
        self.values = array("Q", b"".join([page.all_values() for page in self.pages]))

    def value(self, key: bytes) -> int | None:
        """What is said of a key."""
        return self.pages[self.page_of(key)].value(key) if self.pages else None

    def page_of(self, key: bytes) -> int:
        """The number of the page that a key stands in, or would."""
        return max(bisect_right(self.first_keys, key) - 1, 0)

    def keys_of(self, places: Iterable[int]) -> list[bytes]:
        """The keys whose records have these places; IndexUnusable where there are none, or they are not in order."""
        extents = list(map(self.values.__getitem__, map(slice, self.starts, self.starts[1:])))
        held = [(number, values) for number, values in enumerate(extents) if min(values) < INLINE]
        firsts = [next(filter(INLINE.__gt__, values)) for _, values in held]
        found = []
        try:
            for place in places:
                number, values = held[bisect_right(firsts, place) - 1]
                found.append(self.pages[number].key(values.index(place)))
        except (ValueError, IndexError):
            raise IndexUnusable("records are not in the order of their keys") from None
        return found


class PatchedPostings(NamedTuple):
    """The pages of the dictionary, and what the postings are made of: records, and stretches from and to below which
    place of the old ones."""

    pages: list[bytes]
    pieces: list[PostingRecord | tuple[int, int]]

    @property
    def records(self) -> list[bytes | tuple[int, int]]:
        """What the section of records is made of, by offsets in the old one."""
        return [
            piece.data if isinstance(piece, PostingRecord) else (record_at(piece[0]), record_at(piece[1]))
            for piece in self.pieces
        ]

    @property
    def numbers(self) -> list[bytes | tuple[int, int]]:
        """What the section of numbers is made of, by offsets in the old one."""
        return [
            piece.numbers if isinstance(piece, PostingRecord) else (numbers_at(piece[0]), numbers_at(piece[1]))
            for piece in self.pieces
        ]


def patch_postings(old: OldDictionary, length: int, changes: Mapping[bytes, Change]) -> PatchedPostings:
    """The postings, which end at this place and have this dictionary, once some terms were changed, added and taken
    away."""
    by_page: dict[int, list[bytes]] = {}
    for key in sorted(changes):
        by_page.setdefault(old.page_of(key), []).append(key)
    patch = _Patch(old.values, length, changes)
    written = _Pages()
    if not old.pages:
        keys, values = patch.changed([], 0, 0, by_page.get(0, ()))
        written.fill(keys, values)
    for number, page in enumerate(old.pages):
        start, end = old.starts[number : number + 2]
        following = old.first_keys[number + 1] if number + 1 < len(old.pages) else None
        if following is not None and changes.get(following, b"") is None:
            following = None  # whatever comes after it may still fit in here
        stays = not written.is_open and (following is not None or number + 1 == len(old.pages))
        if number in by_page:
            before = page.keys()
            keys, values = patch.changed(before, start, end, by_page[number])
            stays = stays and keys == before
        else:
            keys, values = [] if stays else page.keys(), patch.moved(start, end)
        if stays:
            written.add(page, values)
        else:
            written.fill(keys, values)
            written.close_before(following)
    written.close()
    if length > patch.copied:
        patch.pieces.append((patch.copied, length))
    return PatchedPostings(written.pages, patch.pieces)


class _Patch:
    """Goes through a dictionary with these values, key by key."""

    def __init__(self, values: array[int], length: int, changes: Mapping[bytes, Change]) -> None:
        self._values, self._length, self._changes = values, length, changes
        self._packed = values.tobytes()
        self._found = range(0)  # places of which the last is the first with a record
        self.pieces: list[PostingRecord | tuple[int, int]] = []
        self.copied = 0  # the place up to which records were gone through
        self._moved = 0  # how far what follows has moved

    def moved(self, start: int, end: int) -> bytes:
        """The values from and to below a place, packed, of terms that are as they were."""
        return move_offsets(self._packed[VALUE * start : VALUE * end], self._moved)

    def changed(
        self, keys: Sequence[bytes], start: int, end: int, changing: Sequence[bytes]
    ) -> tuple[list[bytes], bytes]:
        """The keys of a page, which stand from and to below these places, and their values, packed, once some are
        changed."""
        made: list[bytes] = []
        values = b""
        at = 0
        for key in changing:
            found = bisect_left(keys, key, at)
            made += keys[at:found]
            values += self.moved(start + at, start + found)
            at = found + (found < len(keys) and keys[found] == key)
            here, after = self._following(start + found), self._following(start + at)
            if here > self.copied:
                self.pieces.append((self.copied, here))
            self.copied = after
            change = self._changes[key]
            if change is not None:
                made.append(key)
                value = change if isinstance(change, int) else here + self._moved
                values += value.to_bytes(VALUE, "little")
            if isinstance(change, PostingRecord):
                self.pieces.append(change)
                self._moved += change.size
            self._moved -= after - here
        made += keys[at:]
        values += self.moved(start + at, end)
        return made, values

    def _following(self, place: int) -> int:
        """Where the first record begins that is that of a place or a later one's."""
        if place not in self._found:
            values = self._values
            end = place
            while end < len(values) and values[end] >= INLINE:
                end += 1
            self._found = range(place, end + 1)
        first = self._found[-1]
        return self._values[first] if first < len(self._values) else self._length


class _Pages:
    """Pages in the making: the last one may be open."""

    def __init__(self) -> None:
        self.pages: list[bytes] = []
        self._keys: list[bytes] = []
        self._values = b""  # packed

    @property
    def is_open(self) -> bool:
        """Whether a page is not full yet."""
        return bool(self._keys)

    def add(self, page: DictionaryPage, values: bytes) -> None:
        """A page as it is, but for its values, where none is open."""
        self.pages.append(page.with_values(len(self.pages), values))

    def fill(self, keys: Sequence[bytes], values: bytes) -> None:
        """The next keys and their values."""
        self._keys += keys
        self._values += values
        reached = list(accumulate(map(entry_size, self._keys), initial=0))
        start = 0
        while reached[-1] - reached[start] > PAGE_ROOM:
            end = bisect_right(reached, reached[start] + PAGE_ROOM, start) - 1
            self._put(start, end)
            start = end
        self._keys, self._values = self._keys[start:], self._values[VALUE * start :]

    def close_before(self, key: bytes | None) -> None:
        """Close the open page where the next key, if that is known, does not fit into it."""
        if key is not None and sum(map(entry_size, self._keys)) + entry_size(key) > PAGE_ROOM:
            self.close()

    def close(self) -> None:
        """No more is to come into the open page."""
        if self._keys:
            self._put(0, len(self._keys))
            self._keys, self._values = [], b""

    def _put(self, start: int, end: int) -> None:
        values = array("Q", self._values[VALUE * start : VALUE * end])
        self.pages.append(encode_page(len(self.pages), self._keys[start:end], values))
