"""Facts of files, kept by what they were made from, in the user's cache directory: one file for each project.

A fact is bytes under a key: the digest of a file's content and of everything else that decided the fact. So a fact is
never out of date, several processes may write at once, and the file can be removed at any time: what is missing is made
again. A record that is damaged is not there.

The file is a list of frames: the key, the length and the CRC-32 of the fact, the fact compressed. It grows at its end,
and is written anew when more than half of it is of no use to the project any more.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterable, Mapping
from hashlib import sha256
from zlib import compress, crc32, decompress, error

from holdfast.core import posix_calls
from holdfast.core.confined_paths import lies_inside
from holdfast.core.errors import UnsafePath
from holdfast.core.own_folder import OwnFolder

FOLDER = "holdfast/facts"
_MAGIC = b"holdfast facts 1"
_FRAME = struct.Struct("<32sII")
_ENDINGS = (".facts", ".stamps")
_HEX_DIGITS = frozenset("0123456789abcdef")
# A file may hold this much beside twice what is of use.
_SLACK = 1 << 20
MOST_BYTES = 1 << 30
_MANY = 1 << 26  # bytes of facts of which is not known which are of use


def fact_key(kind: str, content: bytes) -> bytes:
    """The key of a fact: `kind` says what it is, and by which rules it was made; `content` is the SHA-256 of a file."""
    return sha256(kind.encode("utf-8", "surrogatepass") + b"\0" + content).digest()


class FactStore:
    """The facts of one `kind` of one project; without a place for them they live as long as this object."""

    def __init__(self, user_cache: str, project: str, kind: str = "") -> None:
        self._root, real = user_cache, os.path.realpath(project)
        if not user_cache or lies_inside(os.path.realpath(user_cache), real):
            self._root = ""
        self._name = sha256(os.fsencode(real + kind)).hexdigest()
        self._new: dict[bytes, bytes] = {}  # made here, compressed
        self._places: dict[bytes, tuple[int, int]] = {}
        self._mapped: mmap.mmap | None = None
        self._seen = (0, 0)  # inode and bytes of the file that was read
        self._is_whole = True

    def get(self, key: bytes) -> bytes | None:
        """A fact; None where there is none."""
        packed = self._new.get(key)
        if packed is None and (place := self._places.get(key)) is not None and self._mapped is not None:
            packed = self._mapped[place[0] : place[0] + place[1]]
            _, _, check = _FRAME.unpack_from(self._mapped, place[0] - _FRAME.size)
            if crc32(packed) != check:
                del self._places[key]
                packed = None
        try:
            return None if packed is None else decompress(packed)
        except error:
            return None

    def load(self) -> None:
        """Look for facts that this or another process wrote since the last time."""
        try:
            with self._folder(create=False) as folder:
                descriptor = folder.open_file(self._name + _ENDINGS[0])
                try:
                    status = posix_calls.fstat(descriptor)
                    seen = status.st_ino, min(status.st_size, MOST_BYTES)
                    if seen != self._seen and seen[1] > len(_MAGIC):
                        self._mapped = mmap.mmap(descriptor, seen[1], prot=mmap.PROT_READ)
                        self._seen = seen
                        self._scan(self._mapped)
                finally:
                    posix_calls.close(descriptor)
        except (OSError, UnsafePath, ValueError):
            pass  # what is not there is made

    def _scan(self, mapped: mmap.mmap) -> None:
        self._places, at, size = {}, len(_MAGIC), len(mapped)
        if mapped[:at] != _MAGIC:
            at = size + 1
        while at + _FRAME.size <= size:
            key, length, _ = _FRAME.unpack_from(mapped, at)
            at += _FRAME.size
            if at + length > size:
                break
            self._places[key] = (at, length)
            at += length
        self._is_whole = at == size

    def add(self, facts: Mapping[bytes, bytes], used: Iterable[bytes] | None) -> None:
        """Keep facts; `used` are the keys that the project has use for now, these included, or None for all until there
        are too many."""
        packed = {key: compress(fact, 1) for key, fact in facts.items()}
        self._new.update(packed)
        if used is not None:
            used = dict.fromkeys(used)
            self._new = {key: fact for key, fact in self._new.items() if key in used}
        try:
            with self._folder(create=True) as folder:
                if used is None:
                    used = self._places if self._seen[1] < _MANY else ()
                live = [key for key in used if key in self._places]
                needed = sum([self._places[key][1] + _FRAME.size for key in live])
                if not self._is_whole or self._seen[1] > 2 * needed + _SLACK:
                    packed = {**{key: self._bytes_of(key) for key in live}, **packed}
                    self._write(folder, _ENDINGS[0], _MAGIC + _framed(packed))
                else:
                    self._append(folder, _framed(packed))
        except (OSError, UnsafePath):
            pass  # they are made again by the next process

    def _bytes_of(self, key: bytes) -> bytes:
        at, length = self._places[key]
        return self._mapped[at : at + length] if self._mapped is not None else b""

    def _append(self, folder: OwnFolder, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        descriptor = folder.open_file(self._name + _ENDINGS[0], flags)
        try:
            is_new = not posix_calls.fstat(descriptor).st_size
            os.write(descriptor, _MAGIC + data if is_new else data)  # at once: two processes append one after another
        finally:
            posix_calls.close(descriptor)
        if is_new:
            folder.remove_unused()

    def read_stamps(self) -> bytes:
        """What `write_stamps` kept: of use to the caller alone; empty where nothing is kept."""
        try:
            with self._folder(create=False) as folder, open(folder.open_file(self._name + _ENDINGS[1]), "rb") as file:
                check, _, data = file.read().partition(b"\n")
            return data if check == sha256(data).hexdigest().encode() else b""
        except (OSError, UnsafePath):
            return b""

    def write_stamps(self, data: bytes) -> None:
        """Keep what the caller knows of the files themselves, in place of what was kept before."""
        try:
            with self._folder(create=True) as folder:
                self._write(folder, _ENDINGS[1], sha256(data).hexdigest().encode() + b"\n" + data)
        except (OSError, UnsafePath):
            pass

    def _write(self, folder: OwnFolder, ending: str, data: bytes) -> None:
        staged = f"{self._name}{ending}.{os.urandom(4).hex()}"
        try:
            with open(folder.open_file(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                file.write(data)
            folder.rename(staged, self._name + ending)
        except BaseException:
            folder.remove(staged)
            raise

    def _folder(self, *, create: bool) -> OwnFolder:
        if not self._root:
            raise FileNotFoundError
        if create:
            os.makedirs(self._root, mode=0o700, exist_ok=True)
        folder = OwnFolder.at(os.path.realpath(self._root), FOLDER, _is_ours, create=create)
        if posix_calls.fstat(folder.descriptor).st_mode & 0o022:  # others could write what is believed here
            folder.close()
            raise PermissionError
        return folder


def _framed(facts: Mapping[bytes, bytes]) -> bytes:
    return b"".join([_FRAME.pack(key, len(fact), crc32(fact)) + fact for key, fact in facts.items()])


def _is_ours(name: str) -> bool:
    rest = name[64:]
    for ending in _ENDINGS:
        mark = rest.removeprefix(ending)
        if mark != rest and (not mark or (len(mark) == 9 and mark[0] == ".")):
            return _HEX_DIGITS.issuperset(name[:64] + mark[1:])
    return False
