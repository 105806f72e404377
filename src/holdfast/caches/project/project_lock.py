"""`context.lock`: what was built of a project's caches, canonical and without a time, so that it can be committed."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from holdfast.caches.cache_format import is_version, tagged_digest
from holdfast.caches.project.project_file import name_problem
from holdfast.core.canonical_json import JsonError, decode, encode, encode_pretty
from holdfast.core.errors import SettingsInvalid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.core.canonical_json import Json

LOCK_NAME = "context.lock"
LOCK_VERSION = 1
MAX_LOCK_BYTES = 8 << 20
_MARKERS = (b"<<<<<<<", b"=======", b">>>>>>>")
_AGAIN = "restore it from git, or remove it, and run 'context sync'"


class LockedCache(NamedTuple):
    """One cache as it was built: its version and what it was built from."""

    version: str
    sources: str  # the digest of the list of names and hashes of its source files
    documents: int
    formats: tuple[str, ...]
    commits: tuple[tuple[str, str], ...] = ()  # checkout -> commit, by name
    packages: tuple[tuple[str, str], ...] = ()  # package -> version, by name
    oci: str = ""  # where it was pulled from
    digest: str = ""  # of the manifest there
    size: int = 0  # bytes of its layers; 0 where an older release wrote the lock


class ProjectLock(NamedTuple):
    """All of `context.lock`, the caches by name."""

    ranking: str
    tokenizer: str
    caches: Mapping[str, LockedCache]


def sources_digest(files: Iterable[tuple[str, str]]) -> str:
    """The digest of names and hashes (hex, empty for a file that is asked for and not there), in the order of names."""
    listed = "".join([f"{name}\0{held}\n" for name, held in sorted(files)])
    return "sha256:" + sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()


def encode_lock(lock: ProjectLock) -> bytes:
    """The bytes of the file."""
    fields = _fields(lock)
    return (encode_pretty({**fields, "digest": _digest(fields)}) + "\n").encode()


def _fields(lock: ProjectLock) -> dict[str, object]:
    caches: dict[str, object] = {}
    for name in sorted(lock.caches):
        cache = lock.caches[name]
        caches[name] = {
            "version": cache.version,
            "sources": cache.sources,
            "documents": cache.documents,
            "formats": list(cache.formats),
            **({"commits": dict(sorted(cache.commits))} if cache.commits else {}),
            **({"packages": dict(sorted(cache.packages))} if cache.packages else {}),
            **({"oci": cache.oci, "digest": cache.digest} if cache.oci else {}),
            **({"bytes": cache.size} if cache.oci and cache.size else {}),
        }
    return {"lock_version": LOCK_VERSION, "ranking": lock.ranking, "tokenizer": lock.tokenizer, "caches": caches}


def _digest(fields: Mapping[str, object]) -> str:
    return tagged_digest(encode(fields).encode())


def parse_lock(data: bytes) -> ProjectLock:
    """What a lock says; SettingsInvalid says why it cannot be used, and what to do."""
    if any(data.startswith(mark) or b"\n" + mark in data for mark in _MARKERS):
        raise _invalid("it holds the marks of a merge conflict: take either side and run 'context sync'")
    try:
        fields = decode(data)
    except JsonError as error:
        raise _invalid(f"it is not JSON ({error}): {_AGAIN}") from None
    if not isinstance(fields, dict):
        raise _invalid(f"it is not an object: {_AGAIN}")
    number = fields.get("lock_version")
    if type(number) is int and number > LOCK_VERSION:
        raise _invalid(
            f"it was written by a newer release (lock_version {number}, this one knows {LOCK_VERSION}): update holdfast"
        )
    lock = _lock(fields)
    if lock is None or encode_lock(lock) != data:
        raise _invalid(f"it was edited by hand, or merged, and does not say what was built: {_AGAIN}")
    return lock


def _invalid(reason: str) -> SettingsInvalid:
    return SettingsInvalid(reason, headline=f"{LOCK_NAME} cannot be used")


def _lock(fields: Mapping[str, Json]) -> ProjectLock | None:
    ranking, tokenizer, caches = fields.get("ranking"), fields.get("tokenizer"), fields.get("caches")
    if not isinstance(ranking, str) or not isinstance(tokenizer, str) or not isinstance(caches, dict):
        return None
    locked: dict[str, LockedCache] = {}
    for name, value in caches.items():
        cache = _cache(value)
        if cache is None or name_problem(name):
            return None
        locked[name] = cache
    return ProjectLock(ranking, tokenizer, locked)


def _cache(value: Json) -> LockedCache | None:
    if not isinstance(value, dict):
        return None
    version, sources, documents, formats = [value.get(key) for key in ("version", "sources", "documents", "formats")]
    if not isinstance(version, str) or not is_version(version) or not isinstance(sources, str):
        return None
    if not is_version(sources) or type(documents) is not int or not isinstance(formats, list):
        return None
    pairs = [value.get(key, {}) for key in ("commits", "packages")]
    texts = [*formats]
    for pair in pairs:
        if not isinstance(pair, dict):
            return None
        texts += pair.values()
    if not all(isinstance(text, str) for text in texts):
        return None
    commits, packages = [
        tuple((name, str(held)) for name, held in pair.items()) for pair in pairs if isinstance(pair, dict)
    ]
    oci, digest = value.get("oci", ""), value.get("digest", "")
    if not isinstance(oci, str) or not isinstance(digest, str) or (oci and not is_version(digest)):
        return None
    size = value.get("bytes", 0)
    if type(size) is not int or not 0 <= size < 1 << 53:
        return None
    names = tuple(str(name) for name in formats)
    return LockedCache(version, sources, documents, names, commits, packages, oci, digest, size)
