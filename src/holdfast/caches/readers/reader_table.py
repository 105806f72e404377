"""Every reader there is, and which one reads a source."""

from __future__ import annotations

from holdfast.caches.readers.source_reader import SourceReader

READERS: tuple[SourceReader, ...] = ()


def reader_of(name: str) -> SourceReader | None:
    """The reader of a source by its name; None where nothing reads it."""
    lowered = name.lower()
    for reader in READERS:
        if lowered.endswith(reader.extensions):
            return reader
    return None
