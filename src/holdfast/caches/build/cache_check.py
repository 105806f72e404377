"""Whether the caches of a project are those of its sources: what `sync --check` and `doctor` answer by.

A check begins at the sources and the lock. What the sources make is found by building it elsewhere, unless this machine
remembers having built it from sources with the very same hashes; and the files of the cache are held against that. No
state, receipt or digest that lies in the project is believed. Every reason begins with what is behind: `sources`,
`package`, `registry`, `lock` or `cache`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.build.cache_plan import CachePlan, SourceChanges, changes_since, plan_cache
from holdfast.caches.build.machine_state import read_state
from holdfast.caches.build.made_files import find_damage, made_files
from holdfast.caches.build.project_directory import Project
from holdfast.caches.build.source_state import SourceState
from holdfast.caches.build.sync import Scratch, locked_of, nothing_found, settings_of, state_of
from holdfast.caches.build.user_caches import located
from holdfast.caches.project.project_file import DeclaredCache
from holdfast.caches.project.project_lock import LockedCache, LockedCode, ProjectLock
from holdfast.core.confined_paths import printable
from holdfast.core.errors import BuildFailed, ContextError

# The time is no part of what is compared.
_ANY_TIME = "1970-01-01T00:00:00Z"


def check_cache(
    project: Project, declared: DeclaredCache, lock: ProjectLock | None, tokenizer: str, *, lock_only: bool
) -> list[str]:
    """Why a cache or its lock is behind the sources, nothing where both are in step; writes nothing into the project.

    With `lock_only` the cache need not be there or in step.
    """
    locked = None if lock is None else lock.caches.get(declared.name)
    project, declared = located(project, declared)
    if declared.oci:
        return _registry_reasons(project, declared, locked, lock_only=lock_only)
    return _source_reasons(project, declared, locked, tokenizer, lock_only)


def check_code(name: str, now: LockedCode, lock: ProjectLock | None) -> list[str]:
    """Why the lock is behind declared source code; nothing where it has its digest."""
    locked = None if lock is None else lock.code.get(name)
    if locked is None:
        return ["lock: does not name it"]
    return (
        []
        if locked == now
        else [f"sources: source code is not what the lock names ({now.files:,} files now, {locked.files:,} then)"]
    )


def _source_reasons(
    project: Project, declared: DeclaredCache, locked: LockedCache | None, tokenizer: str, lock_only: bool
) -> list[str]:
    cache, settings = project.cache(declared.name), settings_of(tokenizer)
    state = read_state(project, declared.name)
    if not lock_only and not os.path.lexists(cache):
        return ["cache: not built here"]
    with Scratch() as scratch:
        plan = plan_cache(project, declared, state, scratch.path)
        changes = changes_since(plan, state)
        is_known = bool(state.cache_version)
        is_current = is_known and changes.is_none and state.settings == settings
        damaged = "" if lock_only or not is_known else find_damage(cache, state.made)[0]
        if not lock_only and is_known and not damaged and not is_current:
            moved = _moved(plan.packages, plan.commits, locked)
            how = _words(changes) if not changes.is_none else "cache: built by another ranking, index or tokenizer"
            return [*moved, how]
        if not is_current:
            built = os.path.join(scratch.path(), "cache")
            state = _built_elsewhere(declared, plan, built, tokenizer)
            damaged = "" if lock_only else find_damage(cache, made_files(built))[0]
        now = locked_of(plan, state)
        return _tree_reasons(cache, declared.name, now.version, damaged) or lock_reasons(now, locked)


def _tree_reasons(cache: str, name: str, version: str, damaged: str) -> list[str]:
    """What is wrong with a cache one of whose files is not as its sources make it; nothing where none is."""
    if not damaged:
        return []
    if version_there(cache) not in ("", version):
        return ["cache: differs from what its sources make"]
    return [damage_words(name, damaged)]


def damage_words(name: str, file: str) -> str:
    """That a file of a cache is not as it was built, and what mends it."""
    return f"cache: damaged: '{printable(file)}' is missing or altered: 'context sync {name}' mends it"


def version_there(cache: str) -> str:
    """The version that a cache says it is of, empty where there is none that holds together."""
    from holdfast.caches.on_disk.cache_listing import inspect_cache

    try:
        found = inspect_cache(cache)
    except ContextError:
        return ""
    return found.cache_version if found.valid else ""


def _registry_reasons(
    project: Project, declared: DeclaredCache, locked: LockedCache | None, *, lock_only: bool
) -> list[str]:
    """Whether the cache that was pulled is the one of the lock, to the last byte; no registry is asked."""
    if locked is None or not locked.oci:
        return ["lock: does not name it"]
    if locked.oci != declared.oci:
        return ["lock: another reference"]
    if lock_only:
        return []
    cache = project.cache(declared.name)
    version = version_there(cache)
    if version != locked.version:
        return ["registry: another version is here" if version else "registry: not pulled here"]
    damaged = pulled_damage(cache, locked.version, read_state(project, declared.name))[0]
    return [damage_words(declared.name, damaged)] if damaged else []


def pulled_damage(cache: str, version: str, state: SourceState) -> tuple[str, SourceState]:
    """The first file of a cache of a registry that is damaged, empty where none is; and what to remember.

    Where its files are not the remembered files of this version, it is verified: a registry may hold several
    indexes of the same documents.
    """
    if state.cache_version == version:
        damaged, made = find_damage(cache, state.made)
        if not damaged:
            return "", state._replace(made=made)
    from holdfast.caches.on_disk.verification import verify_cache

    report = verify_cache(cache)
    if report.problems:
        return report.problems[0].file, state
    return "", SourceState.none()._replace(cache_version=version, made=made_files(cache))


def _built_elsewhere(declared: DeclaredCache, plan: CachePlan, target: str, tokenizer: str) -> SourceState:
    """Build what the sources make, in a folder that is thrown away; what a sync would remember of it."""
    if not plan.items:
        raise BuildFailed(nothing_found(declared, plan.found))
    from holdfast.caches.build.build import build_documents

    report = build_documents(plan.items, target, BuildOrder(_ANY_TIME, tokenizer=tokenizer))
    none = SourceChanges(frozenset(), 0, 0, 0)
    return state_of(plan, report, SourceState.none(), none, "")


def lock_reasons(now: LockedCache, locked: LockedCache | None) -> list[str]:
    """In what the lock differs from what the sources make."""
    if locked is None:
        return ["lock: does not name it"]
    if moved := _moved(now.packages, now.commits, locked):
        return moved
    for what in ("reference", "packages", "commits", "sources", "version"):
        field = "oci" if what == "reference" else what
        if getattr(now, field) != getattr(locked, field):
            return [f"lock: {'another' if what in ('version', 'reference') else 'other'} {what}"]
    return [] if now == locked else ["lock: says otherwise"]


def _moved(
    packages: Sequence[tuple[str, str]], commits: Sequence[tuple[str, str]], locked: LockedCache | None
) -> list[str]:
    """Which packages and checkouts are of another version or commit than the lock says."""
    if locked is None:
        return []
    rows = [("package", name, dict(locked.packages).get(name, now), now) for name, now in packages]
    rows += [("sources", name, dict(locked.commits).get(name, now)[:12], now[:12]) for name, now in commits]
    return [f"{kind}: {name} {then} in the lock, now {now}" for kind, name, then, now in rows if then != now]


def _words(changes: SourceChanges) -> str:
    """How sources changed, in words."""
    counts = ((changes.changed, "changed"), (changes.added, "new"), (changes.removed, "gone"))
    return "sources: " + ", ".join([f"{count:,} {how}" for count, how in counts if count])
