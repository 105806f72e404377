"""The term dictionary: sorted keys in pages of fixed size, found by bisection, each page checked. Pure."""

from __future__ import annotations

from binascii import crc32
from hashlib import sha256
from struct import Struct, pack

from holdfast.caches.index_format.container import IndexUnusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PAGE_SIZE = 4096
_HEAD = Struct("<IH")  # checksum, number of entries
_PER_ENTRY = 2 + 8  # where its key ends, its value
# A longer word is kept as its hash: a page holds any key, and a document of one endless word costs no more than others.
LONGEST_KEY = 40
_HASHED = b"\xff"  # no UTF-8 text starts with it
# A value from here on is no place of a record: it says itself all there is to know of a term with a single posting.
INLINE = 1 << 63


def key_of(term: str) -> bytes:
    """The key of a term: its UTF-8 bytes, or a mark and their sha256 when they are many."""
    return keys_of([term])[0]


def keys_of(terms: Iterable[str]) -> list[bytes]:
    """The keys of terms."""
    keys = [term.encode() for term in terms]
    return [key if len(key) <= LONGEST_KEY else _HASHED + sha256(key).digest() for key in keys]


class DictionaryPages:
    """Pages made of keys added in ascending order."""

    def __init__(self) -> None:
        self.pages: list[bytes] = []
        self._keys: list[bytes] = []
        self._values: list[int] = []
        self._used = _HEAD.size

    def add(self, key: bytes, value: int) -> None:
        """The next key, greater than the last, and its 64-bit value."""
        size = _PER_ENTRY + len(key)
        if self._used + size > PAGE_SIZE:
            self._close_page()
        self._keys.append(key)
        self._values.append(value)
        self._used += size

    def finish(self) -> list[bytes]:
        """All pages."""
        if self._keys:
            self._close_page()
        return self.pages

    def _close_page(self) -> None:
        count = len(self._keys)
        ends = []
        end = 0
        for key in self._keys:
            end += len(key)
            ends.append(end)
        body = pack(f"<H{count}H{count}Q", count, *ends, *self._values) + b"".join(self._keys)
        body += bytes(PAGE_SIZE - 4 - len(body))
        self.pages.append(pack("<I", _checksum(len(self.pages), body)) + body)
        self._keys, self._values, self._used = [], [], _HEAD.size


def _checksum(number: int, body: bytes) -> int:
    # Seeded with the page's number, so that a page at another page's place is damage too.
    return crc32(body, number & 0xFFFFFFFF)


class _Page:
    """One checked page."""

    def __init__(self, number: int, data: bytes) -> None:
        if len(data) != PAGE_SIZE:
            raise IndexUnusable("the dictionary is cut short")
        crc, count = _HEAD.unpack_from(data)
        if _checksum(number, data[4:]) != crc or not 0 < count <= PAGE_SIZE // _PER_ENTRY:
            raise IndexUnusable("a dictionary page is damaged")
        view = memoryview(data)
        self._data = data
        self.count: int = count
        self._ends = view[_HEAD.size : _HEAD.size + 2 * count].cast("H")
        start = _HEAD.size + 2 * count
        self._values = view[start : start + 8 * count].cast("Q")
        self._keys = start + 8 * count

    def key(self, position: int) -> bytes:
        start = self._ends[position - 1] if position else 0
        return self._data[self._keys + start : self._keys + self._ends[position]]

    def value(self, key: bytes) -> int | None:
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            if self.key(middle) < key:
                low = middle + 1
            else:
                high = middle
        return self._values[low] if low < self.count and self.key(low) == key else None


def look_up(
    read_page: Callable[[int], bytes], page_count: int, key: bytes, first_keys: dict[int, bytes] | None = None
) -> int | None:
    """The value of a key, or None; only the pages on the way to it are read, and each is checked.

    Whoever looks up often gives a `first_keys` to remember the first key of each page met: then one page is read.
    """
    if first_keys is None:
        first_keys = {}
    low, high = 0, page_count  # the page that may hold the key is the last whose first key is not greater
    while low < high:
        middle = (low + high) // 2
        if middle not in first_keys:
            first_keys[middle] = _Page(middle, read_page(middle)).key(0)
        if first_keys[middle] <= key:
            low = middle + 1
        else:
            high = middle
    return _Page(low - 1, read_page(low - 1)).value(key) if low else None
