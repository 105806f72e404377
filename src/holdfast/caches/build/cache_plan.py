"""What a declared cache is made from, as its sources stand now: the files, their hashes, commits and packages."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection

from holdfast.caches.build.git_tree import full_commit, head_commit, write_tree
from holdfast.caches.build.guarded_files import read_item, why_unread
from holdfast.caches.build.included_files import ABSENT, MISSING, IncludedFiles
from holdfast.caches.build.project_directory import Project
from holdfast.caches.build.project_sources import (
    FoundSources,
    PassedOver,
    Patterns,
    checkout_top,
    find_below,
    find_file,
)
from holdfast.caches.build.source_item import SourceItem
from holdfast.caches.build.source_state import KnownFiles, KnownSources, SourceState, file_digests
from holdfast.caches.project.project_file import DeclaredCache, DeclaredSource, invalid
from holdfast.caches.readers.reader_table import RECOGNISING, is_of_kind, read_source, reader_named
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.errors import SettingsInvalid
from holdfast.core.record import NamedTuple


class _Included:
    """The files that texts ask for, as they are now: each is looked at once, and ignore files are read once."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, str, str], IncludedFiles] = {}
        self._found: dict[tuple[str, str, str, str], tuple[str, str]] = {}

    def look(self, item: SourceItem, path: str) -> tuple[str, str]:
        """What `IncludedFiles.look` finds for the text of an item."""
        key = (item.root, item.top, item.origin)
        if (of_path := (*key, path)) not in self._found:
            if key not in self._files:
                self._files[key] = IncludedFiles.of(item)
            self._found[of_path] = self._files[key].look(path)
        return self._found[of_path]


class CachePlan(NamedTuple):
    """What a cache is to be made from."""

    items: list[SourceItem]
    digests: list[str]  # the hash of each
    strangers: dict[str, str]  # what is not of the kind that its name says -> hash
    found: FoundSources
    files: KnownFiles
    commits: tuple[tuple[str, str], ...]
    packages: tuple[tuple[str, str], ...]
    included: _Included

    def rows(self) -> list[tuple[str, tuple[str, str]]]:
        """Each source with its hash and its reader."""
        return [(item.source, (digest, item.reader)) for item, digest in zip(self.items, self.digests, strict=True)]


class SourceChanges(NamedTuple):
    """How sources differ from what a cache was built from."""

    unchanged: frozenset[str]
    changed: int
    added: int
    removed: int

    @property
    def is_none(self) -> bool:
        """Whether nothing differs."""
        return not (self.changed or self.added or self.removed)


def plan_cache(
    project: Project,
    declared: DeclaredCache,
    state: SourceState,
    scratch: Callable[[], str],
    tell: Callable[[int], None] = lambda _: None,
) -> CachePlan:
    """Find what a cache is made from; SettingsInvalid where what is declared is not there.

    `scratch` gives a folder that commits may be written to; `tell` gets the number of files found so far.
    """
    patterns = Patterns.of(declared.include, declared.exclude)
    found = FoundSources.none()
    commits: dict[str, str] = {}
    for source in declared.sources:
        where = f"caches.{declared.name}.sources"
        if source.is_git:
            commit = _find_git(project, source, where, patterns, found, scratch, tell)
            if commit:
                commits[source.path or "."] = commit
        elif os.path.isdir(root := _real_source(project, source.path, where)):
            find_below(root, checkout_top(root, project.path), patterns, project.cache_root, found, tell)
        else:
            find_file(root, checkout_top(os.path.dirname(root), project.path), patterns, found)
    packages = _find_packages(project, declared, patterns, found)
    digests, files = file_digests(state.files, [item.path for item in found.items], found.stamps)
    pairs = [tuple(sorted(each.items())) for each in (commits, packages)]
    plan = CachePlan([], [], {}, found, files, pairs[0], pairs[1], _Included())
    read = [digest for digest in digests if isinstance(digest, str)]
    if len(read) == len(digests) and RECOGNISING.isdisjoint([item.reader for item in found.items]):
        return plan._replace(items=found.items, digests=read)
    for item, digest in zip(found.items, digests, strict=True):
        if isinstance(digest, OSError):
            found.passed.append(PassedOver(item.source, why_unread(digest)))
        elif item.reader in RECOGNISING and not _is_recognised(state, item, digest):
            plan.strangers[item.source] = digest
        else:
            plan.items.append(item)
            plan.digests.append(digest)
    return plan


def _real_source(project: Project, path: str, where: str) -> str:
    named = os.path.join(project.path, path) if path else project.path
    root = os.path.realpath(named)
    if not lies_inside(root, project.path):
        raise invalid(f"{where}: '{path}' is a link that leads outside the project: check it out below the project")
    if lies_inside(root, project.cache_root):
        raise invalid(f"{where}: '{path}' lies in the cache root, where caches are built: name the sources themselves")
    if not os.path.exists(root):
        raise invalid(f"{where}: there is no '{path}'{_near(named)}")
    return root


def _near(path: str) -> str:
    from holdfast.core.close_match import close_match

    folder, name = os.path.split(path)
    try:
        near = close_match(name, os.listdir(folder))
    except OSError:
        near = ""
    return f": did you mean '{printable(near)}'?" if near else " in the project"


def _find_git(
    project: Project,
    source: DeclaredSource,
    where: str,
    patterns: Patterns,
    found: FoundSources,
    scratch: Callable[[], str],
    tell: Callable[[int], None],
) -> str:
    """Add the files of a checkout; the commit they are of, empty where the lock cannot name one."""
    root = _real_source(project, source.path, where)
    if not os.path.lexists(os.path.join(root, ".git")):
        raise invalid(f"{where}: '{source.path}' is no git checkout: name the folder that holds .git")
    if source.commit:
        try:
            commit = full_commit(root, source.commit)
        except SettingsInvalid as error:
            raise invalid(f"{where}: '{source.path}': {error.reason}") from None
        top = os.path.join(scratch(), f"{len(found.items)}-{commit}")
        os.makedirs(top, exist_ok=True)
        for path in write_tree(root, commit, source.folder, top):
            found.passed.append(PassedOver(printable(path), "is a link or a submodule in the commit"))
    else:
        # The lock of a project cannot name the project's own commit: it is part of it.
        commit, top = "" if root == checkout_top(project.path, project.path) else head_commit(root), root
    below = os.path.realpath(os.path.join(top, source.folder)) if source.folder else top
    if not lies_inside(below, top) or not os.path.exists(below):
        raise invalid(f"{where}: there is no '{source.folder}' in the checkout '{source.path}'")
    if os.path.isdir(below):
        find_below(below, top, patterns, project.cache_root, found, tell)
    else:
        find_file(below, top, patterns, found)
    return commit


def _find_packages(
    project: Project, declared: DeclaredCache, patterns: Patterns, found: FoundSources
) -> dict[str, str]:
    """Add the files of packages; the version of each."""
    versions: dict[str, str] = {}
    if not declared.packages:
        return versions
    from holdfast.caches.build.installed_packages import package_files

    seen: set[str] = set()
    for name in declared.packages:
        package = package_files(project.path, declared.name, name, declared.python)
        versions[name] = package.version
        for item in package.items:
            is_taken = patterns.includes(item.source) and not patterns.excludes(item.source, folder=False)
            if item.source not in seen and is_taken:
                seen.add(item.source)
                found.add(item)
        found.passed.extend(package.passed)
    return versions


def _is_recognised(state: SourceState, item: SourceItem, digest: str) -> bool:
    """Whether a file is of the kind that its name says; one that is remembered is not read again."""
    if state.known.strangers.get(item.source) == digest:
        return False
    if state.known.table.get(item.source, ("", ""))[0] == digest:
        return True
    reader = reader_named(item.reader)
    try:
        return reader is None or is_of_kind(reader, read_item(item))
    except Unreadable:
        return True  # the build says why


def changes_since(plan: CachePlan, state: SourceState) -> SourceChanges:
    """How the sources of a plan differ from the remembered ones."""
    known, rows = state.known, plan.rows()
    others = [source for source, row in rows if known.table.get(source) != row]
    added = sum([source not in known.table for source in others])
    differing, changed = set(others), len(others) - added
    skipped: dict[str, tuple[SourceItem, str]] = {}
    if known.more:
        for item in [item for item in plan.items if item.source in known.more and item.source not in differing]:
            included, reason = known.more[item.source]
            if any(plan.included.look(item, path)[0] != digest for path, digest in included.items()):
                changed += 1
                differing.add(item.source)
            elif reason:
                skipped.setdefault(item.reader, (item, reason))
                differing.add(item.source)
    # What could not be read may be readable by now, where what was lacking is installed.
    changed += sum([_reason(item) != reason for item, reason in skipped.values()])
    unchanged = frozenset([source for source, _ in rows]) - differing
    return SourceChanges(unchanged, changed, added, len(known.table) - len(rows) + added)


def first_reasons(plan: CachePlan, most: int) -> list[str]:
    """Why sources cannot be read, by name; empty as soon as one can."""
    reasons = []
    for item in plan.items[:most]:
        reason = _reason(item)
        if not reason:
            return []
        reasons.append(f"'{item.source}' {reason}")
    return reasons


def _reason(item: SourceItem) -> str:
    """Why a source cannot be read now; empty where it can."""
    reader = reader_named(item.reader)
    try:
        if reader is not None:
            read_source(reader, read_item(item), item.source, IncludedFiles.of(item))
    except Unreadable as error:
        return str(error)
    return ""


def lacking_parts(plan: CachePlan, known: KnownSources) -> list[PassedOver]:
    """What remembered texts lack: files that they include and that may not be read, and what cannot be found."""
    refused = _refused_includes(plan, known)
    found = [
        PassedOver(source, f"includes '{printable(path)}', which {reason}", is_fault=False)
        for (source, path), reason in refused.items()
    ]
    return found + _missing_parts(known, refused)


def _refused_includes(plan: CachePlan, known: KnownSources) -> dict[tuple[str, str], str]:
    """By text and file, why a file that a text includes may not be read."""
    missing = {
        source: [path for path, digest in included.items() if digest == ABSENT]
        for source, (included, _) in known.more.items()
    }
    return {
        (item.source, path): reason
        for item in plan.items
        for path in missing.get(item.source, ())
        if (reason := plan.included.look(item, path)[1])
    }


def _missing_parts(known: KnownSources, refused: Collection[tuple[str, str]]) -> list[PassedOver]:
    """What remembered texts need and cannot be found, each once, by the first text that needs it."""
    needed: dict[str, list[str]] = {}
    for source, (included, _) in sorted(known.more.items()):
        for what in [path.removeprefix(MISSING) for path in included if path.startswith(MISSING)]:
            if (source, what.lstrip("/")) not in refused:
                needed.setdefault(what, []).append(source)
    return [
        PassedOver(sources[0], f"needs '{printable(what)}', which cannot be found (texts that need it: {len(sources)})")
        for what, sources in needed.items()
    ]
