"""A set of a cache's files as the bytes of a tar: the same bytes for the same files, whoever writes them, and when."""

from __future__ import annotations

import os
import tarfile
from hashlib import sha256

from holdfast.caches.on_disk.cache_directory import DOCUMENTS, INDEX, MANIFEST, SECTIONS_FILE, SHARDS
from holdfast.caches.on_disk.index_reader import WORDS_FILE
from holdfast.caches.registry.cache_artifact import Blob
from holdfast.caches.shard_list import PART_NAMES
from holdfast.core.errors import RegistryFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHUNK = 4 << 20
_READ = 1 << 20
_BLOCK = tarfile.BLOCKSIZE
_FIXED = frozenset({MANIFEST, INDEX, WORDS_FILE, SECTIONS_FILE})


def tar_parts(cache: str, files: Sequence[str]) -> Iterator[bytes]:
    """The bytes of a tar with these files of a cache, part by part."""
    for file in files:
        with open(os.path.join(cache, file), "rb") as opened:
            size = os.fstat(opened.fileno()).st_size
            member = tarfile.TarInfo(file)
            member.size, member.mode = size, 0o644
            yield member.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
            left = size
            while left:
                part = opened.read(min(_READ, left))
                if not part:
                    raise RegistryFailed(f"'{file}' changed while it was read: push again")
                left -= len(part)
                yield part
            yield bytes(-size % _BLOCK)
    yield bytes(2 * _BLOCK)


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


def unpack(tar: str, into: str, taken: set[str]) -> None:
    """Write the files of a tar, each of a name that a cache has and none twice; RegistryFailed for anything else."""
    try:
        with tarfile.open(tar, "r:", errors="strict") as opened:
            for member in opened:
                name = member.name
                if not member.isreg() or not _is_cache_file(name) or name in taken:
                    raise RegistryFailed("a layer holds what is no part of a cache")
                taken.add(name)
                source = opened.extractfile(member)
                os.makedirs(os.path.dirname(os.path.join(into, name)), exist_ok=True)
                with open(os.path.join(into, name), "xb") as target:
                    while source is not None and (part := source.read(_READ)):
                        target.write(part)
    except (tarfile.TarError, UnicodeError, ValueError) as error:
        raise RegistryFailed(f"a layer is no tar: {error}") from None


def _is_cache_file(name: str) -> bool:
    folder, _, rest = name.partition("/")
    if folder in PART_NAMES:  # of a cache in shards
        folder, _, rest = (name := rest).partition("/")
    elif name == SHARDS:
        return True
    is_plain = "/" not in rest and "\0" not in rest and rest not in ("", ".", "..")
    return name in _FIXED or (folder == DOCUMENTS and is_plain)
