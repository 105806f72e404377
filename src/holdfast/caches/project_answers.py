"""The bodies of the commands that keep a project's caches: add, sync, diff --since, index."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from shutil import rmtree
from tempfile import mkdtemp
from typing import Literal

from holdfast.caches.answers import checked_queries, compared
from holdfast.caches.arguments import AddArguments, BuildArguments, DiffArguments, SyncArguments
from holdfast.caches.build.build_order import BuildOrder, no_progress
from holdfast.caches.build.cache_check import check_cache, check_code
from holdfast.caches.build.cache_index import index_cache
from holdfast.caches.build.declaration import (
    declare,
    dependencies,
    named_by_path,
    remove_undeclared,
    write_declaration,
)
from holdfast.caches.build.machine_state import read_state
from holdfast.caches.build.past_caches import PastProject
from holdfast.caches.build.project_directory import Project, check_names, check_tokenizer, only_writer, project_of
from holdfast.caches.build.project_sources import MADE, PassedOver
from holdfast.caches.build.source_item import kinds_in_words
from holdfast.caches.build.sync import SyncedCache, sync_cache, write_lock
from holdfast.caches.build.user_caches import declare_for_user, write_user_file
from holdfast.caches.on_disk.cache_listing import list_caches
from holdfast.caches.on_disk.open_caches import with_cache
from holdfast.caches.on_disk.user_files import read_queries
from holdfast.caches.on_disk.work_tree import WorkTrees
from holdfast.caches.project.project_file import DeclaredCache, DeclaredCode, ProjectFile
from holdfast.caches.project.project_lock import ProjectLock
from holdfast.caches.project_shapes import (
    AddAnswer,
    CheckAnswer,
    IndexAnswer,
    SyncAnswer,
    SyncedCacheAnswer,
    UnreadSource,
)
from holdfast.caches.readers.generators import generator_of
from holdfast.caches.registry_answers import cache_of_lock, name_hosts, sync_from_registry
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.secret_patterns import is_withheld
from holdfast.caches.shapes import DiffAnswer, SinceAnswer, SinceCache
from holdfast.core.errors import CacheMissing, ContextError, OutOfDate, UsageError
from holdfast.operation import Outcome
from holdfast.workspace import Workspace

# Unread files that are named.
_NAMED = 20


def add(workspace: Workspace, arguments: AddArguments) -> Outcome[AddAnswer]:
    packages = tuple(arguments.get("package", ()))
    name = dependencies(arguments.get("name"), packages)
    paths: Sequence[str] = arguments.get("paths", [])
    if not packages:
        name, paths = named_by_path(name, paths)
    if not paths and not packages:
        raise UsageError(f"'add' needs a PATH to read: context add {name} PATH", headline="PATH is missing")
    for_user = arguments.get("user", False)
    if for_user and (packages or len(paths) != 1):
        raise UsageError("'add --user' takes the name of a cache and one folder: context add --user NAME PATH")
    include, exclude = tuple(arguments.get("include", ())), tuple(arguments.get("exclude", ()))
    about, python = arguments.get("about", ""), arguments.get("python", "")
    project = project_of(workspace, writes=True)
    wanted = DeclaredCache(name, (), include, exclude, about, packages, python)
    notes: list[str] = []
    quiet = arguments.get("quiet", False)
    order = _order(workspace, notes, quiet=quiet, strict=arguments.get("strict", False))
    if for_user:
        home, declared, text = declare_for_user(project, wanted, paths[0])
        synced = sync_cache(home, declared, order)
        write_user_file(project, text)
        asked = f'[project] user = ["{name}"] in the context.toml of a project, and there: context sync'
        answer: AddAnswer = {"cache": _answer(synced), "declared": False, "next": asked, "for_user": True}
        return Outcome(answer, note="" if quiet else "\n".join(_notes([synced])))
    declaration = declare(project, wanted, paths)
    project.lock()  # one that cannot be read is reported before anything is built
    (cache,) = check_names(declaration.file, [name])
    is_first = not os.path.lexists(project.cache(name))
    synced = sync_cache(project, cache, order._replace(tokenizer=check_tokenizer(declaration.file)))
    with only_writer(project):
        try:
            is_new = write_declaration(project, declaration)
        except ContextError:
            if is_first:
                remove_undeclared(project, name)
            raise
        write_lock(project, declaration.file, [synced], project.lock())
    value: AddAnswer = {
        "cache": _answer(synced),
        "declared": is_new,
        "next": f'context search "your question" --cache {name}',
    }
    return Outcome(value, note="" if quiet else "\n".join([*notes, *_notes([synced])]))


def _order(workspace: Workspace, notes: list[str], *, quiet: bool, strict: bool) -> BuildOrder:
    progress = (None if quiet else workspace.phases) or no_progress
    return BuildOrder(workspace.timestamp(), strict=strict, progress=progress, note=notes.append)


def sync(workspace: Workspace, arguments: SyncArguments) -> Outcome[SyncAnswer | CheckAnswer]:
    if arguments.get("check", False):
        return _check(workspace, arguments)
    if arguments.get("lock_only", False):
        raise UsageError("--lock-only goes with --check")
    project = project_of(workspace, writes=True)
    declared = project.declared()
    chosen, code = _chosen(declared, arguments.get("names", []))
    trees = workspace.keep(WorkTrees)
    locked = {each.name: trees.locked(workspace, each) for each in code}
    before = project.lock()
    quiet = arguments.get("quiet", False)
    notes: list[str] = []
    order = _order(workspace, notes, quiet=quiet, strict=arguments.get("strict", False))
    order = order._replace(tokenizer=check_tokenizer(declared))
    here: dict[str, SyncedCache] = {}
    if pulled := [cache for cache in chosen if cache.oci]:
        here = {cache.name: held for cache in pulled if (held := cache_of_lock(project, cache, before))}
        missing = [cache for cache in pulled if cache.name not in here]
        name_hosts(workspace, missing, before, is_agreed=arguments.get("yes", False), quiet=quiet)
    synced = []
    for cache in chosen:
        if cache.oci:
            held = here.get(cache.name)
            synced.append(held or sync_from_registry(workspace, project, declared, cache, before, quiet=quiet))
            continue
        synced.append(sync_cache(project, cache, order))
    is_written = write_lock(project, declared, synced, before, locked)
    notes += [*_notes(synced), *_strays(project, [cache.name for cache in declared.caches])]
    value: SyncAnswer = {"caches": [_answer(cache) for cache in synced], "lock_changed": is_written}
    if locked:
        value["code"] = [{"name": name, "sources": each.sources, "files": each.files} for name, each in locked.items()]
    return Outcome(value, note="" if quiet else "\n".join(notes))


def _chosen(declared: ProjectFile, names: Sequence[str]) -> tuple[list[DeclaredCache], list[DeclaredCode]]:
    """The caches and the source code of these names, all where none is given; CacheMissing for a name of neither."""
    code = [each for each in declared.code if not names or each.name in names]
    others = [name for name in names if name not in [each.name for each in code]]
    return check_names(declared, others) if others or not names else [], code


def _check(workspace: Workspace, arguments: SyncArguments) -> Outcome[SyncAnswer | CheckAnswer]:
    project = project_of(workspace)
    declared = project.declared()
    names = arguments.get("names", [])
    chosen, code = _chosen(declared, names)
    lock = project.lock()
    tokenizer = check_tokenizer(declared)
    lock_only = arguments.get("lock_only", False)
    behind = [(cache.name, check_cache(project, cache, lock, tokenizer, lock_only=lock_only)) for cache in chosen]
    trees = workspace.keep(WorkTrees)
    behind += [(each.name, check_code(each.name, trees.locked(workspace, each), lock)) for each in code]
    if lock is not None and not names:
        known = {*[each.name for each in declared.caches], *[each.name for each in declared.code]}
        strays = [name for name in (*lock.caches, *lock.code) if name not in known]
        behind += [(name, ["lock: names it, and context.toml does not"]) for name in strays]
        if (lock.ranking, lock.tokenizer) != (RANKING, tokenizer):
            behind.append(("context.lock", ["lock: of another ranking or tokenizer"]))
    value: CheckAnswer = {
        "in_step": not any(reasons for _, reasons in behind),
        "caches": [{"name": name, "in_step": not reasons, "reasons": reasons} for name, reasons in behind],
    }
    return Outcome(value, exit_code=0 if value["in_step"] else OutOfDate.exit_code)


def index(workspace: Workspace, arguments: BuildArguments) -> Outcome[IndexAnswer]:
    cache = workspace.written(workspace.cache_directory(arguments["cache"]))
    report = index_cache(
        cache,
        tokenizer=arguments.get("tokenizer"),
        progress=workspace.progress and workspace.phases,
    )
    value: IndexAnswer = {
        "cache_version": report.cache_version,
        "document_count": report.document_count,
        "tokenizer": report.tokenizer,
    }
    return Outcome(value)


def diff_since(workspace: Workspace, arguments: DiffArguments) -> Outcome[DiffAnswer | SinceAnswer]:
    if "after" in arguments:
        raise UsageError("'diff --since' takes one cache: CACHE_A")
    project, ref = project_of(workspace), arguments["since"]
    lock = project.lock()
    now = {} if lock is None else {name: cache.version for name, cache in lock.caches.items()}
    folder = mkdtemp(prefix="holdfast-")
    try:
        past = PastProject(project, ref, folder)
        then = {name: cache.version for name, cache in past.locked.items()}
        names = sorted({*now, *then})
        if "before" in arguments:
            if arguments["before"] not in names:
                raise CacheMissing(f"no lock names the cache '{arguments['before']}'")
            names = [arguments["before"]]
        queries = arguments.get("queries")
        caches = [_since(project, past, name, then.get(name, ""), now.get(name, ""), queries) for name in names]
        behind = [_note_behind(project, lock, cache) for cache in caches]
    finally:
        rmtree(folder, ignore_errors=True)
    # What could not be compared must not pass a check.
    unsure = [cache for cache in caches if cache["state"] == "changed" and cache["difference"] is None]
    moved = [
        each for cache in caches if cache["difference"] for each in cache["difference"]["queries"] if each["changed"]
    ]
    failed = arguments.get("check", False) and (moved or unsure or any(behind))
    return Outcome({"since": ref, "caches": caches}, exit_code=OutOfDate.exit_code if failed else 0)


def _since(project: Project, past: PastProject, name: str, then: str, now: str, queries: str | None) -> SinceCache:
    difference, reason = None, ""
    if then and now and then != now:
        asked = checked_queries(queries, read_queries) if queries is not None else []
        built = past.cache(name)
        reason = built.reason
        if built.path:
            try:
                difference = with_cache(
                    built.path, lambda old: with_cache(project.cache(name), lambda new: compared(old, new, asked))
                )
            except ContextError as error:
                reason = f"the cache of now cannot be read: {error.reason}"
    state: Literal["same", "changed", "added", "removed"]
    state = "added" if not then else "removed" if not now else "same" if then == now else "changed"
    return {"name": name, "state": state, "before": then, "after": now, "difference": difference, "reason": reason}


def _note_behind(project: Project, lock: ProjectLock | None, cache: SinceCache) -> bool:
    """Say of a cache that was built here what `sync --check` says of it now; whether it is behind."""
    declared = project.declared().cache(cache["name"]) if project.text() is not None else None
    if lock is None or declared is None or not read_state(project, declared.name).cache_version:
        return False
    try:
        reasons = check_cache(project, declared, lock, check_tokenizer(project.declared()), lock_only=False)
    except ContextError as error:
        reasons = [error.reason]
    cache["reason"] = "; ".join([each for each in (cache["reason"], *reasons) if each])
    return bool(reasons)


def _answer(cache: SyncedCache) -> SyncedCacheAnswer:
    unread: list[UnreadSource] = [{"source": each.source, "reason": each.reason} for each in cache.unread]
    return {
        "name": cache.name,
        "state": "unchanged" if not cache.was_built else "pulled" if cache.locked.oci else "built",
        "version": cache.locked.version,
        "documents": cache.locked.documents,
        "generators": _generators(cache),
        "changed": cache.changes.changed,
        "added": cache.changes.added,
        "removed": cache.changes.removed,
        "unread": unread[:_NAMED],
        "unread_count": len(unread),
        "withheld": sum([is_withheld(each.reason) for each in cache.unread]),
        "other_kinds": cache.found.other_kinds,
        "left_out": [{"source": each.source, "reason": each.reason} for each in cache.found.folders[:_NAMED]],
    }


def _notes(synced: Sequence[SyncedCache]) -> list[str]:
    """What was not read of each cache, and why."""
    notes: list[str] = []
    withheld: list[str] = []
    for cache in synced:
        unread = [each for each in cache.unread if not is_withheld(each.reason)]
        notes += [f"{cache.name}: '{each.source}' {each.reason}" for each in unread[:_NAMED]]
        if len(unread) > _NAMED:
            notes.append(f"{cache.name}: {len(unread) - _NAMED:,} more could not be read")
        withheld += [f"{cache.name}: '{each.source}' {each.reason}" for each in cache.unread if each not in unread]
        if cache.was_built and cache.found.other_kinds:
            notes.append(f"{cache.name}: {kinds_in_words(cache.found.other_kinds)}")
        if cache.was_built and (pages := _generators(cache)):
            shown = ", ".join([f"{title} ({count:,} {_pages(count)})" for title, count in pages.items()])
            notes.append(f"{cache.name}: read as {shown}")
        if cache.was_built:
            notes += [f"{cache.name}: {line}" for line in _left_out(cache.found.folders)]
    if withheld:
        shown = "; ".join(withheld[:3]) + ("; …" if len(withheld) > 3 else "")
        advice = "a file that 'sources' in context.toml names itself is read"
        notes.append(f"{len(withheld):,} {'file' if len(withheld) == 1 else 'files'} withheld ({advice}): {shown}")
    return notes


def _generators(cache: SyncedCache) -> dict[str, int]:
    """How many pages there are of each documentation generator, the most first."""
    titles = [generator_of(item.reader).title for item in cache.found.items]
    return dict(Counter([title for title in titles if title]).most_common())


def _pages(count: int) -> str:
    return "page" if count == 1 else "pages"


def _left_out(folders: Sequence[PassedOver]) -> list[str]:
    """A line for each reason that folders were left out for."""
    lines = []
    for reason in sorted({each.reason for each in folders}):
        names = [each.source for each in folders if each.reason == reason]
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
        advice = "'!name/' in .contextignore reads it" if reason == MADE else "'include' or 'sources' reads it"
        lines.append(f"left out: {shown} ({reason}; {advice})")
    return lines


def _strays(project: Project, names: Sequence[str]) -> list[str]:
    try:
        listed = list_caches(project.cache_root)
    except ContextError:
        return []
    strays = [each.path for each in listed if each.has_manifest and each.path not in names]
    return [
        f"'{name}' is in the cache root and is not in context.toml: remove it, or leave it to be asked"
        for name in strays
    ]
