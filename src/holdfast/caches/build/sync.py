"""Bring the caches of a project in step with `context.toml`: what changed is built, and the lock written last."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from holdfast.caches.build.build import DocumentsReport
from holdfast.caches.build.cache_plan import (
    CachePlan,
    SourceChanges,
    changes_since,
    first_reasons,
    lacking_parts,
    plan_cache,
)
from holdfast.caches.build.guarded_files import ignore_files
from holdfast.caches.build.included_files import MISSING
from holdfast.caches.build.machine_state import read_state, write_state
from holdfast.caches.build.made_files import find_damage, made_files, make_replaceable
from holdfast.caches.build.project_directory import Project, only_writer, write_named
from holdfast.caches.build.project_sources import FoundSources, PassedOver
from holdfast.caches.build.source_item import kinds_in_words
from holdfast.caches.build.source_state import KnownSources, SourceState
from holdfast.caches.build.user_caches import located, user_file
from holdfast.caches.on_disk.cache_directory import INDEX_KIND
from holdfast.caches.project.project_file import (
    DeclaredCache,
    ProjectFile,
)
from holdfast.caches.project.project_lock import (
    LOCK_NAME,
    LockedCache,
    LockedCode,
    ProjectLock,
    encode_lock,
    sources_digest,
)
from holdfast.caches.search.impacts import RANKING
from holdfast.core.atomic_write import StagedDirectory, make_parents, remove_made, write_new
from holdfast.core.collector import collector
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.errors import BuildFailed, IoError, NothingToBuild
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tempfile import TemporaryDirectory
    from typing import Any

    from holdfast.caches.build.build_order import BuildOrder


# At most this many of what was passed over are named in a failure.
_NAMED = 20


class SyncedCache(NamedTuple):
    """One cache after a sync: whether it was built, what the lock says of it, and what of its sources was not read."""

    name: str
    was_built: bool
    locked: LockedCache
    changes: SourceChanges
    found: FoundSources
    unread: list[PassedOver]
    watched: list[str]  # every path whose change may change the cache


class NewRoot:
    """Makes the cache root of a project, ignored by git from the start, where it is not there; gone if the block fails.

    What is made from the sources need not be committed. A user who removes the ignore file does not get it again.
    """

    def __init__(self, project: Project) -> None:
        self._root = project.cache_root
        self._is_new = lies_inside(self._root, project.path) and not os.path.lexists(self._root)
        self._made: list[str] = []

    def __enter__(self) -> None:
        if self._is_new:
            try:
                make_parents(self._root, self._made)
                write_new(os.path.join(self._root, ".gitignore"), b"*\n")
            except FileExistsError:
                self._made.clear()  # another command was first
            except OSError as error:
                raise IoError(f"'{printable(self._root)}' cannot be written: {error.strerror}") from None

    def __exit__(self, kind: object, *exc: object) -> None:
        if kind is not None and self._made and os.listdir(self._root) == [".gitignore"]:
            os.unlink(os.path.join(self._root, ".gitignore"))
            remove_made(self._made)


class Scratch:
    """A folder for the files of commits, made when it is needed and gone when the block is left.

    Beside a cache that is being built it is one in the making, so that the next build removes what a killed one left;
    without a cache, for a check, which writes nothing there, it is in the system's folder.
    """

    def __init__(self, cache: str = "") -> None:
        self._cache, self._path = cache, ""
        self._made: StagedDirectory | TemporaryDirectory[str] | None = None

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._made is not None:
            self._made.__exit__(*exc)

    def path(self) -> str:
        """The folder."""
        if self._made is None:
            if self._cache:
                staged = StagedDirectory(f"{self._cache}.commit")
                self._path, self._made = os.path.realpath(staged.__enter__().path), staged
            else:
                from tempfile import TemporaryDirectory

                self._made = TemporaryDirectory(prefix="holdfast-", ignore_cleanup_errors=True)
                self._path = os.path.realpath(self._made.name)
        return self._path


def sync_cache(project: Project, declared: DeclaredCache, order: BuildOrder) -> SyncedCache:
    """Build a cache if anything of it changed; a failed build leaves the old one as it was.

    The order has the tokenizer of the project. One process at a time does this in a project.
    """
    home, declared = located(project, declared)
    with only_writer(home), NewRoot(home):
        synced = _synced(home, declared, order)
    return synced if home is project else synced._replace(watched=[*synced.watched, user_file(project)])


def _synced(project: Project, declared: DeclaredCache, order: BuildOrder) -> SyncedCache:
    if declared.oci:
        raise BuildFailed(f"cache '{declared.name}' lies in a registry and is not built here: 'context sync' pulls it")
    cache = project.cache(declared.name)
    settings = settings_of(order.tokenizer or "")
    strict = order.strict

    def show(phase: str, done: int, total: int) -> None:
        order.progress(f"{declared.name}: {phase}", done, total)

    with collector(runs=False), Scratch(cache) as scratch:
        state = read_state(project, declared.name)
        plan = plan_cache(project, declared, state, scratch.path, lambda count: show("looking", count, 0))
        faults = [passed for passed in plan.found.passed if passed.is_fault]
        if strict and faults:
            raise BuildFailed(_not_read(declared.name, faults))
        is_there = bool(state.cache_version) and os.path.lexists(cache)
        damaged, made = find_damage(cache, state.made) if is_there else ("", state.made)
        is_known = is_there and not damaged
        changes = changes_since(plan, state if is_there else SourceState.none())
        if is_known and state.settings == settings and changes.is_none:
            unread = _unread(plan, state)
            if strict and any(passed.is_fault for passed in unread):
                raise BuildFailed(_not_read(declared.name, unread))
            if (plan.files, made) != (state.files, state.made):
                write_state(project, declared.name, state._replace(files=plan.files, made=made))
            watched = _watched(project, declared, plan, state)
            return SyncedCache(declared.name, False, locked_of(plan, state), changes, plan.found, unread, watched)
        if not plan.items:
            raise NothingToBuild(nothing_found(declared, plan.found))
        if damaged:
            make_replaceable(cache, state.made)
        # What builds is loaded where something is to build: a sync that finds nothing to do takes half the time.
        from holdfast.caches.build.build import build_documents

        building, previous = order._replace(force=True, progress=show), cache if is_known else None
        try:
            report = build_documents(plan.items, cache, building, previous, changes.unchanged, state.flushed)
        except BuildFailed as error:
            why = "; ".join(first_reasons(plan, _NAMED))
            raise BuildFailed(f"cache '{declared.name}': {error.reason}{f': {why}' if why else ''}") from None
        for note in _notes(declared, damaged, is_other=is_known and state.settings != settings):
            order.note(f"{declared.name}: {note}")
        state = state_of(plan, report, state, changes, settings)._replace(
            made=made_files(cache, made), flushed=order.flushes
        )
        write_state(project, declared.name, state)
        unread, locked = _unread(plan, state), locked_of(plan, state)
        if strict and any(passed.is_fault for passed in unread):
            raise BuildFailed(_not_read(declared.name, unread))
    watched = _watched(project, declared, plan, state)
    return SyncedCache(declared.name, True, locked, changes, plan.found, unread, watched)


def _watched(project: Project, declared: DeclaredCache, plan: CachePlan, state: SourceState) -> list[str]:
    """Every path whose change may change a cache; those of a commit that was written for the build are gone by now."""
    paths = [project.file, *[os.path.join(project.path, source.path) for source in declared.sources]]
    paths += plan.found.watched
    paths += [item.path for item in plan.found.items]
    more, folders = state.known.more, set[str]()
    asked = {(item.root, item.top, path) for item in plan.items if item.source in more for path in more[item.source][0]}
    for root, top, path in asked:
        included = os.path.normpath(f"{root}/{path}")
        if not path.startswith((MISSING, "/")) and lies_inside(included, top):
            paths.append(included)
            if (folder := os.path.dirname(included)) not in folders:
                paths += ignore_files(included, top, folders) if os.path.isdir(folder) else []
                folders.add(folder)
    return [path for path in dict.fromkeys(paths) if not lies_inside(path, project.cache_root)]


def write_lock(
    project: Project,
    declared: ProjectFile,
    synced: Sequence[SyncedCache],
    before: ProjectLock | None,
    code: Mapping[str, LockedCode] | None = None,
) -> bool:
    """Write the lock of what was synced, and of the other caches as it was; whether it changed."""
    caches = {} if before is None else {name: before.caches[name] for name in before.caches if declared.cache(name)}
    caches.update({cache.name: cache.locked for cache in synced})
    names = [each.name for each in declared.code]
    held = {**({} if before is None else before.code), **(code or {})}
    lock = ProjectLock(RANKING, declared.tokenizer, caches, {name: held[name] for name in names if name in held})
    data = encode_lock(lock)
    if before is not None and encode_lock(before) == data:
        return False
    write_named(os.path.join(project.path, LOCK_NAME), data)
    return True


def nothing_found(declared: DeclaredCache, found: FoundSources) -> str:
    """That a cache would be empty, and what was found instead."""
    there = kinds_in_words(found.other_kinds)
    passed = [f"'{each.source}' {each.reason}" for each in found.passed[:3]]
    folders = [f"folders left out: {', '.join([each.source for each in found.folders[:5]])}"] if found.folders else []
    seen = "; ".join([*([there] if there else []), *passed, *folders]) or "nothing else is there"
    named = ", ".join([f"'{source.path or '.'}'" for source in declared.sources] or list(declared.packages))
    return f"no document for '{declared.name}' in {named}: {seen}"


def settings_of(tokenizer: str) -> str:
    """What a cache is built by beside its sources: another ranking, index or tokenizer builds it again."""
    return f"{RANKING} {INDEX_KIND} {tokenizer}"


def _notes(declared: DeclaredCache, damaged: str, *, is_other: bool) -> Iterator[str]:
    """What a person should know of a cache that was built again."""
    if damaged:
        yield f"'{printable(damaged)}' was missing or altered: the cache was built again"
    elif is_other:
        yield "it had the index of another release, ranking or tokenizer: the cache was built again"
    if declared.shards:
        yield f"'shards = {declared.shards}' is ignored: a cache of any size is one cache; remove it from context.toml"


def state_of(
    plan: CachePlan, report: DocumentsReport, before: SourceState, changes: SourceChanges, settings: str
) -> SourceState:
    skipped = {source: reason for source, _, reason in report.skipped}
    known = {source: told for source, told in before.known.more.items() if source in changes.unchanged}
    more = dict(known)
    for source in skipped.keys() | report.included.keys():
        included = report.included.get(source) or known.get(source, ({}, ""))[0]
        more[source] = included, skipped.get(source, "")
    table = dict(plan.rows())
    files = [(source, digest) for source, (digest, _) in table.items()]
    for source, (included, _) in more.items():
        files += [(f"{source}\0{path}", digest) for path, digest in included.items()]
    sources = KnownSources(table, more, plan.strangers, sources_digest(files))
    return SourceState(report.cache_version, settings, plan.files, sources, {})


def locked_of(plan: CachePlan, state: SourceState) -> LockedCache:
    readers = state.known.readers_of_read()
    return LockedCache(
        state.cache_version,
        state.known.listed,
        len(readers),
        tuple(sorted(set(readers))),
        plan.commits,
        plan.packages,
    )


def _unread(plan: CachePlan, state: SourceState) -> list[PassedOver]:
    """Everything that was passed over, by name."""
    skipped = [PassedOver(source, reason) for source, (_, reason) in state.known.more.items() if reason]
    return sorted([*plan.found.passed, *skipped, *lacking_parts(plan, state.known)])


def _not_read(name: str, passed: Sequence[PassedOver]) -> str:
    faults = [f"'{each.source}' {each.reason}" for each in passed if each.is_fault]
    more = f"; and {len(faults) - _NAMED} more" if len(faults) > _NAMED else ""
    return f"cache '{name}': {'; '.join(faults[:_NAMED])}{more}"
