"""A bundle: the caches of a project with their lock and signatures in one file, for machines without a network.

It is a plain tar, the same bytes for the same files: `context.lock`, `context.toml`, `caches/NAME/…`,
`caches/NAME.minisig`, and `wheels/…` for pip. It is read by the rules of what a registry sends: nothing of it is in
place before all of it is proven.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from typing import BinaryIO, NamedTuple

from holdfast.caches.build.cache_check import lock_reasons, version_there
from holdfast.caches.build.project_directory import Project, only_writer
from holdfast.caches.build.publish import cache_contents, check_replaceable
from holdfast.caches.build.sync import NewRoot
from holdfast.caches.build.user_caches import located
from holdfast.caches.on_disk.verification import verify_cache
from holdfast.caches.project.project_file import FILE_NAME, MAX_FILE_BYTES, name_problem, parse_project_file
from holdfast.caches.project.project_lock import LOCK_NAME, MAX_LOCK_BYTES, ProjectLock, parse_lock
from holdfast.caches.registry.cache_artifact import MAX_SIGNATURE, digest_of
from holdfast.caches.registry.cache_files import files_of, put_signature, read_signature, signature_path, sums_of
from holdfast.caches.registry.file_set_tar import END, Member, is_cache_file, member_parts, tar_members, unpack
from holdfast.caches.registry_shapes import BundledCacheAnswer
from holdfast.core.atomic_write import StagedDirectory, StagedFile, write_file
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheInvalid, IoError, RegistryFailed, SignatureRefused, UsageError
from holdfast.core.minisign import PublicKey, verify
from holdfast.core.regular_files import open_regular
from holdfast.core.staging import check_room
from holdfast.core.unicode_text import lower_case
from holdfast.version import DISTRIBUTION

_CACHES, _WHEELS, _SIGNED = "caches", "wheels", ".minisig"
_MOST_BYTES = 64 << 30
_LIMITS = {LOCK_NAME: MAX_LOCK_BYTES, FILE_NAME: MAX_FILE_BYTES}
_OF_WHEELS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+")


class Bundle(NamedTuple):
    """What a bundle contains; two bundles of one lock have the same caches."""

    lock: str  # the digest of `context.lock`
    caches: list[BundledCacheAnswer]
    wheels: list[str]
    size: int


def write_bundle(project: Project, path: str, wheels: str) -> Bundle:
    """Write the caches that the lock names, and the wheels of a folder; every byte of a cache is checked first."""
    lock, text = project.lock(), project.text()
    if lock is None or text is None or not lock.caches:
        raise UsageError(f"{LOCK_NAME} names no cache: 'context add NAME PATH' makes one", headline="Nothing to bundle")
    names, declared = _wheels(wheels) if wheels else [], parse_project_file(text)

    def at(name: str) -> str:
        cache = declared.cache(name)
        return project.cache(name) if cache is None else located(project, cache)[0].cache(name)

    with only_writer(project):
        signatures = {name: read_signature(at(name), MAX_SIGNATURE) for name in lock.caches}
        for name, locked in lock.caches.items():
            here = version_there(at(name))
            if here != locked.version or verify_cache(at(name)).problems:
                is_other = here not in ("", locked.version)
                state = "is of other sources than the lock" if is_other else "is not here, or damaged"
                raise CacheInvalid(f"cache '{name}' {state}: 'context sync {name}' mends it; nothing was written")

        def parts() -> Iterator[bytes]:
            for name in (LOCK_NAME, FILE_NAME):
                yield from member_parts(name, os.path.join(project.path, name))
            for name in sorted(lock.caches):
                cache = at(name)
                for file in files_of(cache):
                    yield from member_parts(f"{_CACHES}/{name}/{file}", os.path.join(cache, file))
                if signatures[name] is not None:
                    yield from member_parts(f"{_CACHES}/{name}{_SIGNED}", signature_path(cache))
            for name in names:
                yield from member_parts(f"{_WHEELS}/{name}", os.path.join(wheels, name))
            yield END

        size = _write(path, parts())
    caches = [_bundled(name, one.version, one.documents) for name, one in sorted(lock.caches.items())]
    with open(os.path.join(project.path, LOCK_NAME), "rb") as file:
        return Bundle(digest_of(file.read()), caches, names, size)


def _write(path: str, parts: Iterator[bytes]) -> int:
    try:
        with StagedFile(os.path.abspath(path)) as staged:
            size = 0
            for part in parts:
                staged.write(part)
                size += len(part)
            os.fsync(staged.descriptor)
            os.replace(staged.path, path)
    except OSError as error:
        raise IoError(f"'{printable(path)}' cannot be written: {error.strerror}") from None
    return size


def _wheels(folder: str) -> list[str]:
    try:
        names = sorted([name for name in os.listdir(folder) if _is_wheel(name)])
    except OSError as error:
        raise UsageError(f"'{printable(folder)}' cannot be listed: {error.strerror}") from None
    if not any(name.startswith(DISTRIBUTION.replace("-", "_") + "-") for name in names):
        how = f"'pip wheel --wheel-dir {printable(folder)} {DISTRIBUTION}' writes it, and what it needs"
        raise UsageError(f"'{printable(folder)}' holds no wheel of {DISTRIBUTION}: {how}")
    return names


def _is_wheel(name: str) -> bool:
    return name.endswith(".whl") and name[0] != "." and _OF_WHEELS.issuperset(name)


class _Contents:
    """The members of a bundle by what they are; CacheInvalid for a file that is no bundle."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.plain: dict[str, Member] = {}
        self.caches: dict[str, list[Member]] = {}
        self.signatures: dict[str, Member] = {}
        self.wheels: list[str] = []
        taken: set[str] = set()
        try:
            for member in tar_members(file):
                self._take(member)
                if (name := lower_case(member.name)) in taken:
                    raise _unusable("it holds a file twice, or two files whose names differ in case alone")
                taken.add(name)
        except RegistryFailed as error:
            raise _unusable(error.reason.replace("a layer", "it", 1)) from None
        if len(self.plain) < len(_LIMITS):
            raise _unusable(f"it lacks {' or '.join(_LIMITS)}")

    def _take(self, member: Member) -> None:
        folder, _, rest = member.name.partition("/")
        name, _, file = rest.partition("/")
        if member.size <= _LIMITS.get(member.name, -1):
            self.plain[member.name] = member
        elif folder == _CACHES and file and not name_problem(name) and is_cache_file(file):
            self.caches.setdefault(name, []).append(member._replace(name=file))
        elif folder == _CACHES and not file and name.endswith(_SIGNED) and member.size <= MAX_SIGNATURE:
            self.signatures[name.removesuffix(_SIGNED)] = member
        elif folder == _WHEELS and rest and _is_wheel(rest):
            self.wheels.append(rest)
        else:
            raise _unusable("it holds what is no part of a bundle")

    def read(self, member: Member | None) -> bytes:
        """The bytes of a small member; empty where there is none."""
        self.file.seek(member.start if member else 0)
        return self.file.read(member.size if member else 0)


def read_bundle(
    project: Project, path: str, keys_of: Callable[[bytes], tuple[PublicKey, ...]], *, installs: bool, force: bool
) -> Bundle:
    """Prove a bundle, and put its caches, lock and `context.toml` in place where `installs` is true.

    Every cache has to be sound, of the version of the bundle's lock and, where `context.toml` names keys, signed by one
    of them; the project's own `context.toml` decides where there is one. It is not replaced unless `force` is true.
    """
    try:
        descriptor = open_regular(path)
    except OSError as error:
        raise IoError(f"'{printable(path)}' cannot be read: {error.strerror}") from None
    with open(descriptor, "rb") as file, ExitStack() as stack:
        size = os.fstat(file.fileno()).st_size
        if size > _MOST_BYTES:
            raise _unusable(f"it has {size:,} bytes, and {_MOST_BYTES:,} are allowed")
        contents = _Contents(file)
        data, declared = [contents.read(contents.plain.get(name)) for name in (LOCK_NAME, FILE_NAME)]
        lock, here = parse_lock(data), project.text()
        parse_project_file(declared)
        if set(lock.caches) != set(contents.caches) or not set(contents.signatures) <= set(lock.caches):
            raise _unusable("its caches are not those of its lock")
        if installs and here not in (None, declared) and not force:
            raise UsageError(f"the {FILE_NAME} here is another than the bundle's: --force replaces it")
        keys = keys_of(declared if here is None else here)
        place = project.cache_root
        if installs:
            stack.enter_context(only_writer(project))
            stack.enter_context(NewRoot(project))
        else:
            place = stack.enter_context(TemporaryDirectory(prefix="holdfast-"))
        members = [member for each in contents.caches.values() for member in each]
        check_room(os.path.dirname(place), sum([member.size for member in members]), len(members))
        staged = {}
        proven: list[BundledCacheAnswer] = []
        own = project.lock()
        for name in sorted(lock.caches):
            if installs:
                check_replaceable(project.cache(name), force=True)
            one = stack.enter_context(StagedDirectory(os.path.join(place, name), cache_contents))
            unpack(file, contents.caches[name], one.path)
            signature = contents.read(contents.signatures.get(name))
            staged[name] = one, signature
            proven.append(_proven(name, one.path, lock, own, signature, keys))
        if installs:
            for name, (one, signature) in staged.items():
                one.publish(replace=True)
                put_signature(project.cache(name), signature)
            write_file(os.path.join(project.path, LOCK_NAME), data)
            write_file(project.file, declared)
    return Bundle(digest_of(data), proven, sorted(contents.wheels), size)


def _proven(
    name: str,
    path: str,
    lock: ProjectLock,
    own: ProjectLock | None,
    signature: bytes,
    keys: tuple[PublicKey, ...],
) -> BundledCacheAnswer:
    """The cache unpacked at a path, if it holds together, is what the lock names and is signed as `keys` ask for."""
    signed_by = ""
    if keys:
        if not signature:
            raise SignatureRefused(f"cache '{name}' is not signed, and context.toml names the keys that may sign")
        signed_by = verify(sums_of(path, files_of(path)), signature, keys).name
    report, locked = verify_cache(path), lock.caches[name]
    if report.problems:
        first = report.problems[0]
        raise _unusable(f"cache '{name}': '{printable(first.file)}' {first.problem}")
    if report.cache_version != locked.version:
        raise _unusable(f"cache '{name}' is another version than its lock names")
    reasons = [] if own is None else lock_reasons(locked, own.caches.get(name))
    return _bundled(name, report.cache_version, report.document_count, signed_by, reasons)


def _bundled(
    name: str, version: str, documents: int, signed_by: str = "", reasons: Sequence[str] = ()
) -> BundledCacheAnswer:
    return {
        "name": name,
        "version": version,
        "documents": documents,
        "signed_by": signed_by,
        "reasons": list(reasons),
    }


def _unusable(why: str) -> CacheInvalid:
    return CacheInvalid(f"{why}; nothing was put in place", headline="The bundle cannot be used")
