"""Git's index: which files a repository tracks, by directory, with the id of what is checked in of each.

The formats 2, 3 and 4 are read as git's documentation describes them (gitformat-index). What only git itself can put
together, an index split over two files, is not read here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_HEADER = struct.Struct(">4sII")
_STAT_BYTES, _FLAG_BYTES = 40, 2
_MODE = struct.Struct(">24xI")
_TWO_BYTES = struct.Struct(">H")
_EXTENSION = struct.Struct(">4sI")
_IS_EXTENDED, _STAGE, _LONGEST_NAME = 0x4000, 0x3000, 0x0FFF
_INTENT_TO_ADD = 0x2000  # announced by `git add -N`, and in no commit yet
_KIND, _REGULAR = 0o170000, 0o100000
OURS = 2  # the stage of our side in a merge that is not finished


class IndexUnreadable(Exception):
    """The bytes are no index, or not one that can be read alone; `reason` says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class IndexEntry(NamedTuple):
    """One line of an index: a path from the repository's top, the id of its content, its mode and stage."""

    path: bytes
    object_id: bytes
    mode: int
    stage: int


class TrackedFile(NamedTuple):
    """A file of one directory that git tracks."""

    name: bytes
    object_id: bytes


class TrackedFiles:
    """The regular files that git tracks, by directory; immutable.

    What is tracked of a directory is one run of bytes, `NAME NUL ID` for each file: it is compared far more often than
    it is read, and a large repository has hundreds of thousands of files.
    """

    __slots__ = ("_folders", "_packed", "count", "id_bytes", "unmerged")

    def __init__(self, entries: Iterable[IndexEntry], id_bytes: int) -> None:
        self.id_bytes = id_bytes
        self.count = 0
        rows: dict[bytes, list[bytes]] = {}
        unmerged: dict[bytes, None] = {}
        last = b""
        for path, object_id, mode, stage in entries:
            if stage:
                unmerged[path] = None
            if mode & _KIND != _REGULAR:
                continue
            place, _, name = path.rpartition(b"/")
            row = b"%b\0%b" % (name, object_id)
            if path != last:
                rows.setdefault(place, []).append(row)
                self.count += 1
            elif stage == OURS:
                rows[place][-1] = row
            last = path
        self._packed = {place: b"".join(parts) for place, parts in rows.items()}
        self._folders = _with_parents(self._packed)
        self.unmerged = tuple(unmerged)  # paths of a merge that is not finished

    def packed(self, place: bytes) -> bytes:
        """What is tracked of a directory, in a form to compare; empty where nothing is."""
        return self._packed.get(place, b"")

    def files(self, place: bytes) -> list[TrackedFile]:
        """The files of a directory."""
        packed, at, found = self.packed(place), 0, []
        while at < len(packed):
            end = packed.index(b"\0", at)
            found.append(TrackedFile(packed[at:end], packed[end + 1 : end + 1 + self.id_bytes]))
            at = end + 1 + self.id_bytes
        return found

    def paths(self) -> list[bytes]:
        """Every path from the repository's top, directory by directory."""
        return [
            place + b"/" + file.name if place else file.name for place in self._packed for file in self.files(place)
        ]

    def holds(self, place: bytes) -> bool:
        """Whether any file at or below a directory is tracked."""
        return place in self._folders

    @property
    def places(self) -> Iterable[bytes]:
        """Every directory at or below which a file is tracked."""
        return self._folders

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes."""
        return sum([2 * len(place) + len(packed) + 300 for place, packed in self._packed.items()])


def _with_parents(places: Iterable[bytes]) -> frozenset[bytes]:
    found = set()
    for place in places:
        while place not in found:
            found.add(place)
            place = place.rpartition(b"/")[0]
    return frozenset(found)


def read_index(data: bytes, id_bytes: int = 20) -> TrackedFiles:
    """The files that an index tracks; IndexUnreadable when it cannot be read. `id_bytes` is 32 where ids are
    SHA-256."""
    try:
        return TrackedFiles(_entries(data, id_bytes), id_bytes)
    except (struct.error, ValueError, IndexError):
        raise IndexUnreadable("it is damaged") from None


def _entries(data: bytes, id_bytes: int) -> Iterator[IndexEntry]:
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC":
        raise IndexUnreadable("it is no index")
    if version not in (2, 3, 4):
        raise IndexUnreadable(f"its format {version} is not known")
    at, path = _HEADER.size, b""
    mode_of, flags_of = _MODE.unpack_from, _TWO_BYTES.unpack_from
    fixed = _STAT_BYTES + id_bytes + _FLAG_BYTES
    for _ in range(count):
        start = at
        (mode,) = mode_of(data, at)
        (flags,) = flags_of(data, at + fixed - _FLAG_BYTES)
        object_id = data[at + _STAT_BYTES : at + fixed - _FLAG_BYTES]
        at += fixed
        announced = 0
        if flags & _IS_EXTENDED:
            announced = flags_of(data, at)[0] & _INTENT_TO_ADD
            at += 2
        if version == 4:
            dropped, at = _varint(data, at)
            if dropped > len(path):
                raise IndexUnreadable("it is damaged")
            end = data.index(b"\0", at)
            path = path[: len(path) - dropped] + data[at:end]
            at = end + 1
        else:
            length = flags & _LONGEST_NAME
            end = at + length if length < _LONGEST_NAME else data.index(b"\0", at)
            path = data[at:end]
            at = start + (end - start + 8) // 8 * 8
        if not announced and len(object_id) == id_bytes:
            yield IndexEntry(path, object_id, mode, (flags & _STAGE) >> 12)
    _check_extensions(data, at, id_bytes)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of format 4, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1


def _check_extensions(data: bytes, at: int, id_bytes: int) -> None:
    """Refuse a split index: most of its entries are in another file."""
    while at + _EXTENSION.size <= len(data) - id_bytes:
        name, size = _EXTENSION.unpack_from(data, at)
        if name == b"link":
            raise IndexUnreadable("it is split")
        at += _EXTENSION.size + size


def read_listing(listing: bytes) -> TrackedFiles:
    """The same from what `git ls-files --stage -z` writes."""
    entries = []
    for line in listing.split(b"\0"):
        if line:
            words, _, path = line.partition(b"\t")
            mode, object_id, stage = words.split()
            entries.append(IndexEntry(path, bytes.fromhex(object_id.decode()), int(mode, 8), int(stage)))
    return TrackedFiles(entries, len(entries[0].object_id) if entries else 20)
