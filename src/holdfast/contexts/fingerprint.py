"""The fingerprint of a directory: 8 hex digits of the files directly in it, in two forms.

The content form is ours and survives clone, checkout and touch. The stat form is what the existing tool wrote; it is
only ever compared with, never written.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from math import floor
from typing import NamedTuple

DIGITS = 8


class ContentEntry(NamedTuple):
    """A file as the content form sees it; `digest` is the hex sha256, empty when the file cannot be read."""

    name: bytes
    size: int
    digest: str


class StatEntry(NamedTuple):
    """A file as the stat form sees it."""

    name: bytes
    mtime_ns: int
    size: int


def content_fingerprint(entries: Iterable[ContentEntry]) -> str:
    """The content form: sha256 over the lines `name:size:sha256`, sorted by bytes."""
    lines = sorted([b"%b:%d:%b" % (name, size, digest.encode()) for name, size, digest in entries])
    return sha256(b"\n".join(lines)).hexdigest()[:DIGITS]


def stat_fingerprint(entries: Iterable[StatEntry]) -> str:
    """The stat form: sha256 over the lines `name:ms:size`, sorted by UTF-16 code units."""
    lines = [
        f"{entry.name.decode('utf-8', 'replace')}:{milliseconds(entry.mtime_ns)}:{entry.size}" for entry in entries
    ]
    lines.sort(key=lambda line: line.encode("utf-16-be"))
    return sha256("\n".join(lines).encode()).hexdigest()[:DIGITS]


def milliseconds(mtime_ns: int) -> int:
    """Whole milliseconds by way of doubles, rounding included: a time just below the next one may reach it."""
    seconds, nanoseconds = divmod(mtime_ns, 1_000_000_000)
    return floor(seconds * 1000.0 + nanoseconds / 1e6)
