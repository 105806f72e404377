"""A set of a cache's files as the bytes of a tar: the same bytes for the same files, on every machine and at any time.

The reader knows the subset that the writer makes (ustar headers of regular files, pax records `path` and `size`) and
refuses everything else. It reads each header once, so that hostile bytes cost linear time and no more than they are.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import BinaryIO, NamedTuple

from holdfast.caches.build.publish import is_index_file
from holdfast.caches.on_disk.cache_directory import DOCUMENTS, INDEX, MANIFEST
from holdfast.caches.registry.cache_artifact import Blob
from holdfast.core.errors import RegistryFailed
from holdfast.core.unicode_text import lower_case

CHUNK = 4 << 20
_READ = 1 << 20
_BLOCK = tarfile.BLOCKSIZE
_FIXED = frozenset({MANIFEST, INDEX})
END = bytes(2 * _BLOCK)
_MAGIC = b"ustar\x0000"
_MOST_PAX = 8 << 10  # bytes of pax records for one file: a path is at most half as long
_MOST_DIGITS = 16


class Member(NamedTuple):
    """A file in a layer: its path in the cache, and where its bytes are."""

    name: str
    start: int
    size: int


def tar_parts(cache: str, files: Sequence[str]) -> Iterator[bytes]:
    """The bytes of a tar with these files of a cache, part by part."""
    for file in files:
        yield from member_parts(file, os.path.join(cache, file))
    yield END


def member_parts(name: str, path: str) -> Iterator[bytes]:
    """The bytes of one file in a tar; END follows the last."""
    with open(path, "rb") as opened:
        size = os.fstat(opened.fileno()).st_size
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o644
        yield member.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
        left = size
        while left:
            part = opened.read(min(_READ, left))
            if not part:
                raise RegistryFailed(f"'{name}' changed while it was read: run the command again")
            left -= len(part)
            yield part
        yield bytes(-size % _BLOCK)


def tar_blob(cache: str, files: Sequence[str]) -> Blob:
    """Digest and size of that tar."""
    digest, size = sha256(), 0
    for part in tar_parts(cache, files):
        digest.update(part)
        size += len(part)
    return Blob("sha256:" + digest.hexdigest(), size)


def in_chunks(parts: Iterator[bytes], size: int = CHUNK) -> Iterator[bytes]:
    """The same bytes in parts of one size, but for the last."""
    held = bytearray()
    for part in parts:
        held += part
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
    if held:
        yield bytes(held)


def offsets(parts: Iterator[bytes], start: int) -> Iterator[bytes]:
    """Parts of bytes without the first `start` of them."""
    for part in parts:
        if start >= len(part):
            start -= len(part)
            continue
        yield part[start:] if start else part
        start = 0


def layer_members(layer: BinaryIO, taken: set[str]) -> list[Member]:
    """The files of a layer, each of a name that a cache has and that is not `taken`, where case does not matter.

    RegistryFailed for anything else. The sizes add up to no more than the layer has.
    """
    members = list(tar_members(layer))
    for member in members:
        if not is_cache_file(member.name):
            raise RegistryFailed("a layer holds what is no part of a cache")
        # Some file systems ignore case: what one machine can pull, all can.
        if (name := lower_case(member.name)) in taken:
            raise RegistryFailed("a layer holds a file twice, or two files whose names differ in case alone")
        taken.add(name)
    return members


def unpack(layer: BinaryIO, members: Sequence[Member], into: str) -> None:
    """Write the files of a layer into a new directory."""
    for member in members:
        path = os.path.join(into, member.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        layer.seek(member.start)
        with open(path, "xb") as target:
            left = member.size
            while left:
                part = layer.read(min(_READ, left))
                if not part:
                    raise _no_layer("it is cut short")
                target.write(part)
                left -= len(part)


def tar_members(layer: BinaryIO) -> Iterator[Member]:
    """The plain files of a tar, whatever their names; RegistryFailed where it holds anything else."""
    end = layer.seek(0, os.SEEK_END)
    place, pax = 0, dict[bytes, bytes]()
    while header := _block(layer, place):
        kind, size = header[156:157], _number(header[124:136])
        place += _BLOCK
        if kind == tarfile.XHDTYPE and not pax and size <= _MOST_PAX:
            pax = _pax_records(layer.read(size))
        elif kind == tarfile.REGTYPE:
            size = int(pax.get(b"size", b"%d" % size))
            yield Member(_name(pax.get(b"path", _ustar_name(header))), place, size)
            pax = {}
        else:
            raise RegistryFailed("a layer holds what is no part of a cache: something else than a plain file")
        place += size + -size % _BLOCK
        if place > end:
            raise _no_layer("a size in it lies")
    if pax:
        raise _no_layer("it is cut short")


def _block(layer: BinaryIO, place: int) -> bytes:
    """The header at a place, with its sum checked; empty at the end, which nothing but zeros may follow."""
    layer.seek(place)
    header = layer.read(_BLOCK)
    if len(header) == _BLOCK and not any(header):
        while rest := layer.read(_READ):
            if any(rest):
                raise _no_layer("bytes follow its end")
        return b""
    if len(header) < _BLOCK:
        raise _no_layer("it is cut short")
    if header[257:265] != _MAGIC or _number(header[148:156]) != sum(header[:148]) + sum(header[156:]) + 8 * 32:
        raise _no_layer("a header of it does not hold")
    return header


def _number(field: bytes) -> int:
    digits = field.rstrip(b"\0 ")
    if not digits or digits.strip(b"01234567"):  # GNU's form for large numbers among them
        raise _no_layer("a number of it is none")
    return int(digits, 8)


def _ustar_name(header: bytes) -> bytes:
    name, prefix = header[:100].rstrip(b"\0"), header[345:500].rstrip(b"\0")
    return prefix + b"/" + name if prefix else name


def _name(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise _no_layer("a name in it is not UTF-8") from None


def _pax_records(data: bytes) -> dict[bytes, bytes]:
    """The records `LENGTH KEY=VALUE\\n` of a pax header; `path` and `size` are the keys that it may have."""
    records: dict[bytes, bytes] = {}
    while data:
        digits = data[:_MOST_DIGITS].partition(b" ")[0]
        length = int(digits) if digits.isdigit() else 0
        length = length if length <= len(data) else 0
        record, data = data[len(digits) + 1 : length], data[length:]
        key, _, value = record.removesuffix(b"\n").partition(b"=")
        if not record.endswith(b"\n") or key not in (b"path", b"size") or key in records:
            raise _no_layer("a pax record of it is none that a cache needs")
        if key == b"size" and not (value.isdigit() and len(value) <= _MOST_DIGITS):
            raise _no_layer("a number of it is none")
        records[key] = value
    return records


def _no_layer(why: str) -> RegistryFailed:
    return RegistryFailed(f"a layer is no tar of a cache's files: {why}")


def is_cache_file(name: str) -> bool:
    """Whether a path is one that a file of a cache has."""
    folder, _, rest = name.partition("/")
    is_plain = "/" not in rest and "\0" not in rest and rest not in ("", ".", "..")
    return name in _FIXED or is_index_file(name) or (folder == DOCUMENTS and is_plain)
