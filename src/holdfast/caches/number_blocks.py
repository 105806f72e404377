"""Numbers of an index in blocks, each with a checksum that is seeded with its position. Pure."""

from __future__ import annotations

from binascii import crc32
from struct import pack

from holdfast.caches.index_format import IndexUnusable

BLOCK = 4096  # bytes
SUM = 4


class BlockSums:
    """The checksums of blocks of bytes that come in pieces of any length."""

    def __init__(self) -> None:
        self._sums = b""
        self._open = b""  # what does not fill a block yet

    def taking(self, data: bytes | memoryview) -> bytes | memoryview:
        """The next bytes, as they are."""
        held = self._open + data
        whole = len(held) - len(held) % BLOCK
        self._sums += _sums(held[:whole], len(self._sums) // SUM)
        self._open = held[whole:]
        return data

    def finish(self) -> bytes:
        """All checksums, packed; no more bytes come."""
        self._sums += _sums(self._open, len(self._sums) // SUM)
        self._open = b""
        return self._sums


def sums_length(length: int) -> int:
    """The bytes of the checksums of so many bytes."""
    return -(-length // BLOCK) * SUM


def block_span(start: int, end: int, length: int) -> tuple[int, int]:
    """Where the blocks begin and end that hold the bytes from and to below an offset, of so many in all."""
    return start - start % BLOCK, min(end + -end % BLOCK, length)


def check_blocks(data: bytes, start: int, sums: bytes) -> None:
    """Raise IndexUnusable unless these are the checksums of the blocks that begin at an offset."""
    if _sums(data, start // BLOCK) != sums:
        raise IndexUnusable("numbers are damaged")


def _sums(data: bytes, first: int) -> bytes:
    """The checksums of blocks, the first of which has this number."""
    sums = [
        crc32(data[at : at + BLOCK], number & 0xFFFFFFFF) for number, at in enumerate(range(0, len(data), BLOCK), first)
    ]
    return pack(f"<{len(sums)}I", *sums)
