"""The words that a file uses, as small as they can be compared: a sorted array of hashes."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORTEST, _LONGEST = 2, 64
_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz" + bytes(range(0x80, 0x100))
_TO_BLANK = bytes([code if code in _LETTERS else 0x20 for code in range(256)])
# More different words than this has no file that a person wrote.
_MOST = 20_000


def word_hash(word: str) -> int:
    """What a word is compared by."""
    return crc32(word.encode("utf-8", "surrogatepass"))


def used_words(data: bytes) -> bytes:
    """The hashes of the different words of a file, sorted, four bytes each."""
    words = set(data.translate(_TO_BLANK).split())
    hashes = {crc32(word) for word in words if _SHORTEST <= len(word) <= _LONGEST and not 0x30 <= word[0] <= 0x39}
    return array("I", sorted(hashes)[:_MOST]).tobytes()


def hashes_in(uses: bytes) -> Iterable[int]:
    """The hashes of `used_words`."""
    return array("I", uses)
