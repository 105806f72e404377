"""What is answered about caches of a registry: pushed, pulled and signed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from holdfast.caches.arguments import (
    BundleArguments,
    PullArguments,
    PushArguments,
    SignArguments,
    UnbundleArguments,
)
from holdfast.caches.build.cache_check import pulled_damage, version_there
from holdfast.caches.build.cache_plan import SourceChanges
from holdfast.caches.build.machine_state import read_state, write_state
from holdfast.caches.build.made_files import make_replaceable
from holdfast.caches.build.project_directory import Project, check_names, project_of
from holdfast.caches.build.project_sources import FoundSources
from holdfast.caches.build.sync import NewRoot, SyncedCache, write_lock
from holdfast.caches.cache_format import is_version
from holdfast.caches.oci_reference import OciReference, parse_reference
from holdfast.caches.on_disk.cache_directory import look_into
from holdfast.caches.on_disk.cache_listing import inspect_cache
from holdfast.caches.on_disk.counted_by import recorded_tokenizer
from holdfast.caches.on_disk.verification import verify_cache
from holdfast.caches.project.project_file import DeclaredCache, ProjectFile, invalid, name_problem, parse_project_file
from holdfast.caches.project.project_lock import LOCK_NAME, LockedCache, ProjectLock
from holdfast.caches.registry import cache_artifact
from holdfast.caches.registry.bundle import Bundle, read_bundle, write_bundle
from holdfast.caches.registry.cache_files import files_of, read_signature, signature_path, sums_of
from holdfast.caches.registry.docker_credentials import find_credentials
from holdfast.caches.registry.registry_client import RegistryClient
from holdfast.caches.registry.transfers import MOST_BYTES, PulledCache, Tell, most_bytes, pull_cache, push_cache
from holdfast.caches.registry_shapes import BundleAnswer, PullAnswer, PushAnswer, SignAnswer
from holdfast.caches.search.impacts import RANKING
from holdfast.core import minisign, posix_calls
from holdfast.core.atomic_write import write_file
from holdfast.core.errors import CacheInvalid, HostNotAgreed, IoError, OutOfDate, SignatureRefused, UsageError
from holdfast.core.minisign import PublicKey, parse_public_key
from holdfast.operation import Outcome
from holdfast.workspace import Workspace


def push(workspace: Workspace, arguments: PushArguments) -> Outcome[PushAnswer]:
    reference = parse_reference(arguments["reference"])
    if reference.digest:
        raise UsageError("a digest follows from what is pushed: name a tag, such as oci://registry.example/docs:1.4")
    cache = workspace.cache_directory(arguments["cache"])
    report = verify_cache(cache)
    if report.problems:
        first = report.problems[0]
        raise CacheInvalid(
            f"it does not hold together: {first.file}: {first.problem}; nothing was sent: build or pull it again"
        )
    lock = project_of(workspace).lock()
    locked = None if lock is None else lock.caches.get(arguments["cache"])
    if locked is not None and locked.version != report.cache_version:
        raise CacheInvalid(
            f"{LOCK_NAME} names another version of it; nothing was sent: 'context sync {arguments['cache']}' first"
        )
    said = _said_of(cache, lock)
    pushed = push_cache(cache, reference, _client(workspace, reference), said, _tell(workspace, arguments))
    value: PushAnswer = {
        "reference": f"{reference._replace(digest=pushed.digest)}",
        "digest": pushed.digest,
        "version": pushed.version,
        "bytes": pushed.size,
        "sent": pushed.sent,
    }
    return Outcome(value)


def pull(workspace: Workspace, arguments: PullArguments) -> Outcome[PullAnswer]:
    project, name = project_of(workspace, writes=True), arguments["name"]
    if problem := name_problem(name):
        raise UsageError(f"'{name}' {problem}")
    tell = _tell(workspace, arguments)
    if "reference" in arguments:
        reference = parse_reference(arguments["reference"])
        keys = _keys(project.declared()) if project.text() is not None else ()
        most = arguments.get("max_bytes", MOST_BYTES)
        pulled = _fetched(workspace, project, name, reference, keys, most, tell)
        return Outcome(_pulled(name, reference, pulled, lock_changed=False))
    declared = project.declared()
    (cache,) = check_names(declared, [name])
    if not cache.oci:
        raise UsageError(f"'{name}' is built from its sources: 'context sync {name}' does it")
    before = project.lock()
    reference = parse_reference(cache.oci)
    most = arguments.get("max_bytes", most_bytes(_locked_size(before, name)))
    pulled = _fetched(workspace, project, name, reference, _keys(declared), most, tell)
    synced = _synced(project, cache, pulled, was_pulled=True)
    changed = write_lock(project, declared, [synced], before)
    return Outcome(_pulled(name, reference, pulled, lock_changed=changed))


def _fetched(
    workspace: Workspace,
    project: Project,
    name: str,
    reference: OciReference,
    keys: tuple[PublicKey, ...],
    most: int,
    tell: Tell,
) -> PulledCache:
    client = _client(workspace, reference)
    with NewRoot(project):
        return pull_cache(reference, project.cache(name), client, keys, tell, most=most)


def cache_of_lock(project: Project, cache: DeclaredCache, lock: ProjectLock | None) -> SyncedCache | None:
    """The cache that the lock names, where it is here whole; no registry is asked."""
    locked, here = _locked(lock, cache), project.cache(cache.name)
    if locked is None or version_there(here) != locked.version:
        return None
    state = read_state(project, cache.name)
    damaged, now = pulled_damage(here, locked.version, state)
    if damaged:
        return None
    if now != state:
        write_state(project, cache.name, now)
    return _synced(project, cache, locked, was_pulled=False)


def name_hosts(
    workspace: Workspace, caches: Sequence[DeclaredCache], lock: ProjectLock | None, *, is_agreed: bool, quiet: bool
) -> None:
    """Say which hosts are about to be contacted; HostNotAgreed where the lock does not name one and nobody agrees."""
    names: dict[str, list[str]] = {}
    for cache in caches:
        names.setdefault(parse_reference(cache.oci).host, []).append(cache.name)
    if workspace.announce is not None and not quiet:
        for host, wanted in names.items():
            workspace.announce(f"contacts {host} for {', '.join(wanted)}")
    known = {locked.oci.partition("/")[0] for locked in lock.caches.values()} if lock is not None else set()
    new = ", ".join([host for host in names if host not in known])
    if not new or is_agreed:
        return
    found = f"context.toml has caches at {new}, which context.lock does not name yet"
    if workspace.confirm is None or not workspace.confirm(found, "Contact it?" if "," not in new else "Contact them?"):
        raise HostNotAgreed(f"{found}: where you trust it, add --yes; nothing was fetched or built")


def sync_from_registry(
    workspace: Workspace,
    project: Project,
    declared: ProjectFile,
    cache: DeclaredCache,
    before: ProjectLock | None,
    *,
    quiet: bool,
) -> SyncedCache:
    """Pull the cache of the lock; where the lock knows none, the one that its tag means now."""
    locked = _locked(before, cache)
    make_replaceable(project.cache(cache.name), read_state(project, cache.name).made)
    reference = parse_reference(cache.oci)
    wanted = reference._replace(digest=locked.digest) if locked is not None else reference
    tell, most = _tell(workspace, {"quiet": quiet}), most_bytes(_locked_size(before, cache.name))
    pulled = _fetched(workspace, project, cache.name, wanted, _keys(declared), most, tell)
    return _synced(project, cache, pulled, was_pulled=True)


def sign(workspace: Workspace, arguments: SignArguments) -> Outcome[SignAnswer]:
    chosen = [name for name in ("key", "new_key", "check") if arguments.get(name)]
    if len(chosen) != 1:
        raise UsageError("name a cache and one of --key FILE and --check; or --new-key FILE, for a first key")
    minisign.check_extra()
    if "new_key" in arguments:
        return Outcome({"key": _new_key(arguments["new_key"]), "cache": "", "signature": "", "signed": False})
    if "cache" not in arguments:
        raise UsageError("'sign' needs a cache: its name or path", headline="CACHE is missing")
    cache = workspace.cache_directory(arguments["cache"])
    files = files_of(cache)
    if arguments.get("check", False):
        keys = _keys(project_of(workspace).declared())
        if not keys:
            raise UsageError('context.toml names no keys: write [registry] keys = ["RW…"]')
        signature = read_signature(cache, cache_artifact.MAX_SIGNATURE)
        if signature is None:
            raise SignatureRefused("the cache is not signed: 'context sign CACHE --key FILE' does it")
        key = minisign.verify(sums_of(cache, files), signature, keys)
        return Outcome({"key": key.text, "cache": arguments["cache"], "signature": "", "signed": True})
    secret = minisign.read_secret_key(arguments["key"], arguments.get("password_file"))
    sums = sums_of(cache, files)
    comment = f"holdfast cache {_version(cache)}"
    write_file(workspace.written(signature_path(cache)), minisign.sign(sums, secret, comment))
    value: SignAnswer = {
        "key": secret.public.text,
        "cache": arguments["cache"],
        "signature": os.path.basename(signature_path(cache)),
        "signed": True,
    }
    return Outcome(value)


def bundle(workspace: Workspace, arguments: BundleArguments) -> Outcome[BundleAnswer]:
    written = write_bundle(project_of(workspace), workspace.written(arguments["file"]), arguments.get("wheels", ""))
    return _bundled(written, "written")


def unbundle(workspace: Workspace, arguments: UnbundleArguments) -> Outcome[BundleAnswer]:
    project, installs = project_of(workspace, writes=True), not arguments.get("check", False)

    def keys_of(text: bytes) -> tuple[PublicKey, ...]:
        return _keys(parse_project_file(text))

    force = arguments.get("force", False)
    return _bundled(
        read_bundle(project, arguments["file"], keys_of, installs=installs, force=force),
        "installed" if installs else "checked",
    )


def _bundled(bundle: Bundle, done: Literal["written", "installed", "checked"]) -> Outcome[BundleAnswer]:
    value: BundleAnswer = {
        "done": done,
        "lock": bundle.lock,
        "bytes": bundle.size,
        "caches": bundle.caches,
        "wheels": bundle.wheels,
    }
    is_behind = done == "checked" and any(cache["reasons"] for cache in bundle.caches)
    return Outcome(value, exit_code=OutOfDate.exit_code if is_behind else 0)


def _new_key(path: str) -> str:
    """Write a secret key, which must not exist yet, and its public one beside it; the public one."""
    secret = minisign.new_secret_key()
    for place, data, mode in (
        (path, minisign.encode_secret_key(secret), 0o600),
        (f"{path}.pub", minisign.encode_public_key(secret.public), 0o644),
    ):
        try:
            descriptor = posix_calls.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | posix_calls.O_CLOEXEC, mode)
        except FileExistsError:
            raise IoError(f"'{os.path.basename(place)}' exists already, and a key is not replaced") from None
        with open(descriptor, "wb") as file:
            file.write(data)
    return secret.public.text


def _keys(declared: ProjectFile) -> tuple[PublicKey, ...]:
    if not declared.keys:
        return ()
    minisign.check_extra()
    try:
        return tuple([parse_public_key(key) for key in declared.keys])
    except UsageError as error:
        raise invalid(f"registry.keys: {error.reason}") from None


def _client(workspace: Workspace, reference: OciReference) -> RegistryClient:
    environment = workspace.environment
    ca_file = environment.get("SSL_CERT_FILE", "")
    if ca_file and not os.path.isfile(ca_file):
        raise UsageError("SSL_CERT_FILE names no file")
    return RegistryClient(reference, find_credentials(reference.host, environment), ca_file=ca_file)


def _tell(workspace: Workspace, arguments: object) -> Tell:
    shown = workspace.phases
    if shown is None or (isinstance(arguments, dict) and arguments.get("quiet")):
        return lambda _phase, _done, _total: None
    return shown


def _locked(lock: ProjectLock | None, cache: DeclaredCache) -> LockedCache | None:
    """The lock's entry for a cache, if it has the same reference."""
    locked = None if lock is None else lock.caches.get(cache.name)
    return locked if locked is not None and locked.oci == cache.oci else None


def _locked_size(lock: ProjectLock | None, name: str) -> int:
    """Bytes that a cache had when the lock was written; 0 where it does not say."""
    locked = None if lock is None else lock.caches.get(name)
    return 0 if locked is None else locked.size


def _version(cache: str) -> str:
    return inspect_cache(cache).cache_version


def _said_of(cache: str, lock: ProjectLock | None) -> dict[str, str]:
    """What the manifest of a cache says of it: from the lock where that is of this very cache, else from itself."""
    found = inspect_cache(cache)
    said = {cache_artifact.DOCUMENTS: str(found.document_count), cache_artifact.RANKING: RANKING}
    tokenizer = look_into(cache, recorded_tokenizer, lambda _: True)
    if tokenizer:
        said[cache_artifact.TOKENIZER] = tokenizer
    for locked in lock.caches.values() if lock is not None else ():
        if locked.version == found.cache_version:
            said[cache_artifact.SOURCES] = locked.sources
            said[cache_artifact.FORMATS] = " ".join(locked.formats)
            break
    return said


def _synced(
    project: Project, cache: DeclaredCache, found: PulledCache | LockedCache, *, was_pulled: bool
) -> SyncedCache:
    if isinstance(found, LockedCache):
        locked = found
    else:
        said = found.annotations
        sources = said.get(cache_artifact.SOURCES, "")
        locked = LockedCache(
            found.version,
            sources if is_version(sources) else found.digest,
            inspect_cache(project.cache(cache.name)).document_count,
            tuple([name for name in said.get(cache_artifact.FORMATS, "").split(" ") if name]),
            oci=cache.oci,
            digest=found.digest,
            size=found.size,
        )
    nothing = SourceChanges(frozenset(), 0, 0, 0)
    return SyncedCache(cache.name, was_pulled, locked, nothing, FoundSources.none(), [], [])


def _pulled(name: str, reference: OciReference, pulled: PulledCache, *, lock_changed: bool) -> PullAnswer:
    return {
        "name": name,
        "reference": f"{reference._replace(digest=pulled.digest)}",
        "digest": pulled.digest,
        "version": pulled.version,
        "bytes": pulled.size,
        "fetched": pulled.fetched,
        "signed_by": pulled.signed_by,
        "lock_changed": lock_changed,
    }
