"""One open file of `index/`: its parts read in place and never believed blindly.

Every part is read with `pread` and checked before it is used; a mapped file that is cut short underneath would end the
process. Whatever is wrong, the answer is `IndexUnusable`, and the documents are read instead.
"""

from __future__ import annotations

import os

from holdfast.caches.index_format.container import IndexUnusable, find_section, parse_header
from holdfast.caches.index_format.dictionary import PAGE_SIZE, look_up
from holdfast.core.regular_files import close_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from holdfast.caches.index_format.container import Header, Section
    from holdfast.caches.on_disk.directory import CacheDirectory

    Found = TypeVar("Found")

POSTINGS, DICTIONARY, OFFSETS, RECORDS = "postings", "dictionary", "offsets", "records"
_FIRST_READ = 4096
# What damage that slipped past a checksum, or a file made to mislead, can lead to.
_MISLED = (ArithmeticError, LookupError, ValueError, TypeError, StopIteration, MemoryError)


class IndexReader:
    """A file with postings found through a dictionary, and records found through offsets."""

    def __init__(self, directory: CacheDirectory, file: str) -> None:
        """Open the file; IndexUnusable when there is none, or it is not that of this cache."""
        self._directory = directory
        self._descriptor = -1
        self._first_keys: dict[int, bytes] = {}
        try:
            self._descriptor = directory.open(file)
            self._open()
        except OSError as error:
            self.close()
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        """Read what every look-up needs; IndexUnusable when the file is of another cache."""
        raise NotImplementedError

    def _read_header(self, kind: str) -> Header:
        header = parse_header(self._read, kind=kind, file_length=os.fstat(self._descriptor).st_size)
        self._postings = find_section(header, POSTINGS)
        self._dictionary = find_section(header, DICTIONARY)
        self._offsets = find_section(header, OFFSETS)
        self._records = find_section(header, RECORDS)
        return header

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            # Forgotten before it is closed: whatever close says, the number may be another file's from then on.
            descriptor, self._descriptor = self._descriptor, -1
            close_quietly(descriptor)

    def __del__(self) -> None:
        self.close()

    def _doubting(self, work: Callable[[], Found]) -> Found:
        """What the work gives; IndexUnusable for whatever a damaged or misleading file leads it to."""
        try:
            return work()
        except OSError as error:
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        except _MISLED as error:
            raise IndexUnusable(f"misleading: {type(error).__name__}") from None

    def _value_of(self, key: bytes) -> int | None:
        """What the dictionary says of a key; None when it has none."""
        section = self._dictionary

        def read_page(number: int) -> bytes:
            return self._read(section.offset + number * PAGE_SIZE, PAGE_SIZE)

        return look_up(read_page, section.length // PAGE_SIZE, key, self._first_keys)

    def _posting(self, offset: int, record_length: Callable[[bytes], int], *, longest: int) -> bytes:
        """The bytes of the postings at an offset; how long they are, their own beginning says."""
        section = self._postings
        data = self._part(section, offset, min(_FIRST_READ, section.length - offset))
        length = record_length(data)
        if length > longest:
            raise IndexUnusable("postings longer than any")
        return data[:length] if length <= len(data) else self._part(section, offset, length)

    def _record(self, number: int, *, longest: int) -> bytes:
        """The bytes of a record by its number."""
        ends = self._part(self._offsets, 8 * number, 16)
        start, end = int.from_bytes(ends[:8], "little"), int.from_bytes(ends[8:], "little")
        if end - start > longest:
            raise IndexUnusable("a record longer than any")
        return self._part(self._records, start, end - start)

    def _part(self, section: Section, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0 or offset + length > section.length:
            raise IndexUnusable(f"section {section.name} is left")
        return self._read(section.offset + offset, length)

    def _read(self, offset: int, length: int) -> bytes:
        data = os.pread(self._descriptor, length, offset)
        if len(data) != length:
            raise IndexUnusable("cut short")
        return data
