"""What tells of most keys that a dictionary does not hold them, without a look-up. Pure.

A misspelt word has some hundreds of words beside it, nearly all of which nobody wrote: a bit for each key there is, at
the place that its checksum says, rejects all but a few in a tenth of the time that looking each up takes.
"""

from __future__ import annotations

from binascii import crc32

from holdfast.caches.index_format import DictionaryPage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Bits for each key, at least: one of so many keys that are not there is looked up in vain.
_BITS_A_KEY = 32


class KeyFilter:
    """The keys of one dictionary, as bits."""

    def __init__(self, read_page: Callable[[int], bytes], page_count: int) -> None:
        """Read all pages, each of which is checked; IndexUnusable where one is damaged."""
        held = [list(map(crc32, DictionaryPage(number, read_page(number)).keys())) for number in range(page_count)]
        bits = max(1 << (_BITS_A_KEY * sum(map(len, held))).bit_length(), 8)
        self._mask = bits - 1
        self._bits = bytearray(bits >> 3)
        for checksums in held:
            for checksum in checksums:
                place = checksum & self._mask
                self._bits[place >> 3] |= 1 << (place & 7)

    def may_hold(self, terms: Mapping[str, int]) -> list[str]:
        """The terms whose keys may be there, given with the checksums of their keys: all that are, and a few more."""
        bits, mask = self._bits, self._mask
        return [term for term, checksum in terms.items() if bits[(checksum & mask) >> 3] >> (checksum & 7) & 1]
