"""`context.lock`: what was built of a project's caches, canonical and without a time, so that it can be committed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from holdfast.caches.cache_format import is_version, tagged_digest
from holdfast.caches.project.project_file import name_problem
from holdfast.core.canonical_json import JsonError, decode, encode, encode_pretty
from holdfast.core.errors import SettingsInvalid

if TYPE_CHECKING:
    from holdfast.core.canonical_json import Json

Type = TypeVar("Type")
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


class LockedCode(NamedTuple):
    """Declared source code: the digest of the list of names and hashes of its files, and how many there are."""

    sources: str
    files: int


class ProjectLock(NamedTuple):
    """All of `context.lock`, the caches by name, and source code by name."""

    ranking: str
    tokenizer: str
    caches: Mapping[str, LockedCache]
    code: Mapping[str, LockedCode] = {}  # never changed


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
    code = {name: lock.code[name]._asdict() for name in sorted(lock.code)}
    return {
        "lock_version": LOCK_VERSION,
        "ranking": lock.ranking,
        "tokenizer": lock.tokenizer,
        "caches": caches,
        **({"code": code} if code else {}),
    }


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
    try:
        locked = {name: _cache(value) for name, value in fields["caches"].items() if not name_problem(name)}
        code = {name: _code(value) for name, value in fields.get("code", {}).items() if not name_problem(name)}
        return ProjectLock(_typed(fields["ranking"], str), _typed(fields["tokenizer"], str), locked, code)
    except (TypeError, ValueError, KeyError, AttributeError):
        return None


def _cache(value: Json) -> LockedCache:
    """A cache of the lock; one of these errors where anything of it is not as it was written."""
    commits, packages = [
        tuple((name, _typed(held, str)) for name, held in value.get(key, {}).items()) for key in ("commits", "packages")
    ]
    formats = tuple(_typed(name, str) for name in _typed(value["formats"], list))
    oci, digest, size = _typed(value.get("oci", ""), str), value.get("digest", ""), value.get("bytes", 0)
    version, sources, documents = value["version"], value["sources"], _typed(value["documents"], int)
    hashes = [version, sources, *([digest] if oci else [])]
    if not all(is_version(_typed(each, str)) for each in hashes) or not 0 <= _typed(size, int) < 1 << 53:
        raise ValueError
    return LockedCache(version, sources, documents, formats, commits, packages, oci, digest, size)


def _code(value: Json) -> LockedCode:
    if not is_version(_typed(value["sources"], str)) or _typed(value["files"], int) < 1:
        raise ValueError
    return LockedCode(value["sources"], value["files"])


def _typed(value: Json, kind: type[Type]) -> Type:
    if type(value) is not kind:
        raise TypeError
    return value
