"""A cache on its way to a registry and back. What arrives is visible once all of it is proven, and not before."""

from __future__ import annotations

import os

from holdfast.caches.build.publish import cache_contents, check_replaceable
from holdfast.caches.build.spare_documents import drop_spare
from holdfast.caches.on_disk.cache_listing import inspect_cache
from holdfast.caches.on_disk.verification import verify_cache
from holdfast.caches.registry.cache_artifact import (
    EMPTY,
    FILES,
    MAX_SIGNATURE,
    SIGNATURE,
    VERSION,
    Artifact,
    Layer,
    blob_of,
    encode_artifact,
    file_sets,
    parse_artifact,
)
from holdfast.caches.registry.cache_files import files_of, read_signature, signature_path, sums_of
from holdfast.caches.registry.file_set_tar import in_chunks, tar_blob, tar_parts, unpack
from holdfast.caches.registry.registry_client import offsets
from holdfast.core.atomic_write import StagedDirectory, write_file
from holdfast.core.errors import CacheInvalid, RegistryFailed, SignatureRefused
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import close_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from holdfast.caches.registry.minisign import PublicKey
    from holdfast.caches.registry.oci_reference import OciReference
    from holdfast.caches.registry.registry_client import RegistryClient

    Tell = Callable[[str, int, int], None]

_PARTS = ".holdfast-pull"  # a name that no listing of caches shows


class PushedCache(NamedTuple):
    """What a registry holds now."""

    digest: str
    version: str
    size: int
    sent: int  # bytes that it did not have


class PulledCache(NamedTuple):
    """What stands here now."""

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
    sent = 0
    for layer in layers:
        if client.has(layer.blob):
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


def _of_bytes(data: bytes) -> Callable[[int], Iterable[bytes]]:
    return lambda start: [data[start:]]


def _of_files(cache: str, files: list[str]) -> Callable[[int], Iterable[bytes]]:
    return lambda start: in_chunks(offsets(tar_parts(cache, files), start))


def pull_cache(
    reference: OciReference, cache: str, client: RegistryClient, keys: tuple[PublicKey, ...], tell: Tell
) -> PulledCache:
    """Fetch a cache, prove it, and put it in place in one step; what stood there is as it was if anything fails."""
    check_replaceable(cache, force=True)
    digest, manifest = client.manifest(reference.wanted)
    artifact = parse_artifact(manifest)
    if keys and artifact.signature is None:
        raise SignatureRefused("the cache is not signed, and context.toml names the keys that may sign")
    parent, name = os.path.split(os.path.abspath(cache))
    os.makedirs(parent, exist_ok=True)
    parts = os.path.join(parent, f".{name}{_PARTS}")
    os.makedirs(parts, mode=0o700, exist_ok=True)
    lock = _locked(parts)
    try:
        fetched = _fetch_all(artifact, cache, client, parts, tell)
        signed_by = _put_in_place(artifact, cache, parts, keys, tell)
        _remove(parts)
    finally:
        close_quietly(lock)
    size = sum([layer.blob.size for layer in artifact.layers])
    return PulledCache(digest, artifact.annotations[VERSION], artifact.annotations, size, fetched, signed_by)


def _locked(parts: str) -> int:
    """A lock on what is being fetched, which dies with the process."""
    import fcntl

    descriptor = os.open(parts, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        close_quietly(descriptor)
        raise RegistryFailed("another pull of this cache is under way: wait for it") from None
    except OSError:
        pass  # no locks here
    return descriptor


def _part(parts: str, layer: Layer) -> str:
    return os.path.join(parts, layer.blob.digest.removeprefix("sha256:"))


def _fetch_all(artifact: Artifact, cache: str, client: RegistryClient, parts: str, tell: Tell) -> int:
    """Have every layer as a file; how many bytes had to come from the registry."""
    here = _sets_here(cache)
    moved = _Counted("fetching", sum([layer.blob.size for layer in artifact.layers]), tell)
    wanted = {os.path.basename(_part(parts, layer)) for layer in artifact.layers}
    for name in os.listdir(parts):
        if name not in wanted:
            os.unlink(os.path.join(parts, name))  # of a pull of something else
    fetched = 0
    for layer in artifact.layers:
        path = _part(parts, layer)
        files = here.get(layer.blob.digest)
        if files is not None and layer.media_type == FILES:
            with open(path, "wb") as file:
                file.writelines(tar_parts(cache, files))
            moved.add(layer.blob.size)
            continue
        held = os.path.getsize(path) if os.path.exists(path) else 0
        moved.add(held)
        client.fetch_blob(layer.blob, path, moved.add)
        fetched += layer.blob.size - held
    return fetched


def _sets_here(cache: str) -> dict[str, list[str]]:
    """The sets of files of the cache that stands there, by their digests; none where none does."""
    if not os.path.lexists(cache) or not cache_contents(cache):
        return {}
    return {tar_blob(cache, files).digest: files for files in file_sets(files_of(cache)).values()}


def _put_in_place(artifact: Artifact, cache: str, parts: str, keys: tuple[PublicKey, ...], tell: Tell) -> str:
    tell("checking", 0, 0)
    with StagedDirectory(cache, cache_contents) as staged:
        names: set[str] = set()
        for layer in artifact.file_sets:
            unpack(_part(parts, layer), staged.path, names)
        signature = b""
        if artifact.signature is not None:
            with open(_part(parts, artifact.signature), "rb") as file:
                signature = file.read()
        signed_by = ""
        if keys:
            from holdfast.caches.registry.minisign import verify

            signed_by = verify(sums_of(staged.path, sorted(names)), signature, keys).name
        report = verify_cache(staged.path)
        if report.problems:
            first = report.problems[0]
            raise RegistryFailed(f"what arrived is not a sound cache: '{first.file}' {first.problem}")
        if report.cache_version != artifact.annotations[VERSION]:
            raise RegistryFailed("what arrived is another version than its manifest says")
        staged.publish(replace=True)
    drop_spare(cache)
    if signature:
        write_file(signature_path(cache), signature)
    elif os.path.lexists(signature_path(cache)):
        os.unlink(signature_path(cache))  # of what stood there before
    return signed_by


def _remove(parts: str) -> None:
    from shutil import rmtree

    rmtree(parts, ignore_errors=True)


class _Counted:
    """Tells how much of a transfer is done."""

    def __init__(self, phase: str, total: int, tell: Tell) -> None:
        self._phase, self._total, self._tell = phase, total, tell
        self.done = 0
        tell(phase, 0, total)

    def add(self, count: int) -> None:
        """So many bytes more."""
        self.done += count
        self._tell(self._phase, self.done, self._total)
