"""A cache on its way to a registry and back. What arrives is visible once all of it is proven, and not before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import BinaryIO, NamedTuple

from holdfast.caches.build.publish import cache_contents, check_replaceable
from holdfast.caches.oci_reference import OciReference, is_digest
from holdfast.caches.on_disk.cache_listing import inspect_cache
from holdfast.caches.on_disk.verification import verify_cache
from holdfast.caches.registry.cache_artifact import (
    EMPTY,
    FILES,
    MAX_SIGNATURE,
    SIGNATURE,
    VERSION,
    Artifact,
    Blob,
    Layer,
    blob_of,
    encode_artifact,
    file_sets,
    parse_artifact,
)
from holdfast.caches.registry.cache_files import files_of, put_signature, read_signature, sums_of
from holdfast.caches.registry.file_set_tar import in_chunks, layer_members, offsets, tar_blob, tar_parts, unpack
from holdfast.caches.registry.registry_client import RegistryClient
from holdfast.core.atomic_write import StagedDirectory
from holdfast.core.errors import CacheInvalid, RegistryFailed, SignatureRefused, TransferBroken, UnsafePath
from holdfast.core.minisign import PublicKey, verify
from holdfast.core.own_folder import OwnFolder
from holdfast.core.staging import check_room

Tell = Callable[[str, int, int], None]

_PARTS = ".holdfast-pull"  # a name that no listing of caches shows
# Bytes that a pull takes at most where the lock does not say how many the cache had.
MOST_BYTES = 16 << 30
_ALWAYS = 64 << 20  # and where it does: twice that many, but never less than this


class PushedCache(NamedTuple):
    """The artifact that a registry holds after a push."""

    digest: str
    version: str
    size: int
    sent: int  # bytes that it did not have


class PulledCache(NamedTuple):
    """The cache that was pulled."""

    digest: str
    version: str
    annotations: Mapping[str, str]
    size: int
    fetched: int  # bytes that were not here
    signed_by: str


def push_cache(
    cache: str, reference: OciReference, client: RegistryClient, said: Mapping[str, str], tell: Tell
) -> PushedCache:
    """Send a cache, layer by layer, and its manifest last: who pulls meanwhile gets what was there before."""
    found = inspect_cache(cache)
    if not found.valid:
        raise CacheInvalid("it does not hold together: see 'context verify'")
    sets = file_sets(files_of(cache))
    layers = [Layer(FILES, tar_blob(cache, files), name) for name, files in sets.items()]
    signature = read_signature(cache, MAX_SIGNATURE)
    if signature is not None:
        layers.append(Layer(SIGNATURE, blob_of(signature), "signature"))
    total = sum([layer.blob.size for layer in layers])
    moved = _Counted("sending", total, tell)
    if not client.has(blob_of(EMPTY)):
        client.push_blob(blob_of(EMPTY), lambda start: [EMPTY[start:]], lambda _: None)
    sent, held = 0, _layers_of_tag(reference, client)
    for layer in layers:
        if layer.blob in held or client.has(layer.blob):
            moved.add(layer.blob.size)
            continue
        before = moved.done
        if layer.media_type == SIGNATURE and signature is not None:
            client.push_blob(layer.blob, _of_bytes(signature), moved.add)
        else:
            client.push_blob(layer.blob, _of_files(cache, sets[layer.title]), moved.add)
        moved.done = before + layer.blob.size
        sent += layer.blob.size
    manifest = encode_artifact(Artifact(tuple(layers), {**said, VERSION: found.cache_version}))
    digest = client.push_manifest(reference.tag or blob_of(manifest).digest, manifest)
    return PushedCache(digest, found.cache_version, total, sent)


def _layers_of_tag(reference: OciReference, client: RegistryClient) -> frozenset[Blob]:
    """The layers of the cache that has the tag now, about which a registry need not be asked one by one."""
    try:
        return frozenset([layer.blob for layer in parse_artifact(client.manifest(reference.tag)[1]).layers])
    except RegistryFailed:
        return frozenset()  # nothing has the tag yet, or no cache; where it cannot be reached, the next request says so


def _of_bytes(data: bytes) -> Callable[[int], Iterable[bytes]]:
    return lambda start: [data[start:]]


def _of_files(cache: str, files: list[str]) -> Callable[[int], Iterable[bytes]]:
    return lambda start: in_chunks(offsets(tar_parts(cache, files), start))


def most_bytes(locked: int) -> int:
    """How many bytes a pull may take, by the number that the lock has for the cache; 0 where it has none."""
    return max(2 * locked, _ALWAYS) if locked else MOST_BYTES


def pull_cache(
    reference: OciReference, cache: str, client: RegistryClient, keys: tuple[PublicKey, ...], tell: Tell, *, most: int
) -> PulledCache:
    """Fetch a cache of at most `most` bytes, prove it, and put it in place in one step.

    If anything fails, what was there before is as it was. What arrived is then removed, unless the connection broke or
    the process was stopped: the next pull goes on from there.
    """
    check_replaceable(cache, force=True)
    digest, manifest = client.manifest(reference.wanted)
    artifact = parse_artifact(manifest)
    if keys and artifact.signature is None:
        raise SignatureRefused("the cache is not signed, and context.toml names the keys that may sign")
    if artifact.size > most:
        raise RegistryFailed(
            f"the cache has {artifact.size:,} bytes and {most:,} are allowed: see 'context pull --max-bytes'"
        )
    parent, name = os.path.split(os.path.abspath(cache))
    os.makedirs(parent, exist_ok=True)
    name = f".{name}{_PARTS}"
    with (
        OwnFolder.at(parent, "", lambda found: found == name) as beside,
        beside.subfolder(name, _is_part, create=True) as parts,
    ):
        if not parts.lock():
            raise RegistryFailed("another pull of this cache is under way: wait for it")
        try:
            fetched = _fetch_all(artifact, cache, client, parts, tell)
            signed_by = _put_in_place(artifact, cache, parts, keys, tell)
        except (TransferBroken, UnsafePath):
            raise  # the first is gone on with, the second is to be looked at
        except Exception:
            beside.remove(name)
            raise
        beside.remove(name)
    return PulledCache(digest, artifact.annotations[VERSION], artifact.annotations, artifact.size, fetched, signed_by)


def _is_part(name: str) -> bool:
    return is_digest(f"sha256:{name}")


def _opened(parts: OwnFolder, layer: Layer, flags: int = os.O_RDONLY) -> BinaryIO:
    """The file of a layer, for reading or, with other flags, for both."""
    descriptor = parts.open_file(layer.blob.digest.removeprefix("sha256:"), flags)
    return open(descriptor, "r+b" if flags & os.O_RDWR else "rb")


def _fetch_all(artifact: Artifact, cache: str, client: RegistryClient, parts: OwnFolder, tell: Tell) -> int:
    """Have every layer as a file; how many bytes had to come from the registry."""
    here = _sets_here(cache)
    moved = _Counted("fetching", artifact.size, tell)
    wanted = {layer.blob.digest.removeprefix("sha256:") for layer in artifact.layers}
    arrived = 0
    for name in parts.names():
        if name not in wanted:
            parts.remove(name)  # of a pull of something else
        elif status := parts.status(name):
            arrived += status.st_size
    check_room(parts.descriptor, 2 * artifact.size - arrived, 0)  # once as layers, once as files
    fetched = 0
    for layer in artifact.layers:
        with _opened(parts, layer, os.O_RDWR | os.O_CREAT) as file:
            files = here.get(layer.blob.digest)
            if files is not None and layer.media_type == FILES:
                file.truncate()
                file.writelines(tar_parts(cache, files))
                moved.add(layer.blob.size)
                continue
            held = file.seek(0, os.SEEK_END)
            moved.add(held)
            client.fetch_blob(layer.blob, file, moved.add)
            fetched += layer.blob.size - held
    return fetched


def _sets_here(cache: str) -> dict[str, list[str]]:
    """The sets of files of the cache at this path, by their digests; empty without a cache."""
    if not os.path.lexists(cache) or not cache_contents(cache):
        return {}
    return {tar_blob(cache, files).digest: files for files in file_sets(files_of(cache)).values()}


def _put_in_place(artifact: Artifact, cache: str, parts: OwnFolder, keys: tuple[PublicKey, ...], tell: Tell) -> str:
    tell("checking", 0, 0)
    with StagedDirectory(cache, cache_contents) as staged:
        taken: set[str] = set()
        sets = []
        for layer in artifact.file_sets:
            with _opened(parts, layer) as file:
                sets.append(layer_members(file, taken))
        members = [member for each in sets for member in each]
        check_room(parts.descriptor, sum([member.size for member in members]), len(members))
        for layer, each in zip(artifact.file_sets, sets, strict=True):
            with _opened(parts, layer) as file:
                unpack(file, each, staged.path)
        signature = b""
        if artifact.signature is not None:
            with _opened(parts, artifact.signature) as file:
                signature = file.read()
        signed_by = ""
        if keys:  # the hash of every file is signed, so nothing need be computed again
            signed_by = verify(sums_of(staged.path, [member.name for member in members]), signature, keys).name
            version = inspect_cache(staged.path).cache_version
        else:
            report = verify_cache(staged.path)
            if report.problems:
                first = report.problems[0]
                raise RegistryFailed(f"what arrived is not a sound cache: '{first.file}' {first.problem}")
            version = report.cache_version
        if version != artifact.annotations[VERSION]:
            raise RegistryFailed("what arrived is another version than its manifest says")
        staged.publish(replace=True)
    put_signature(cache, signature)
    return signed_by


class _Counted:
    """Tells how much of a transfer is done."""

    def __init__(self, phase: str, total: int, tell: Tell) -> None:
        self._phase, self._total, self._tell = phase, total, tell
        self.done = 0
        tell(phase, 0, total)

    def add(self, count: int) -> None:
        """Record `count` more bytes."""
        self.done += count
        self._tell(self._phase, self.done, self._total)
