"""A project's caches as they were at a commit: built again from what git has of the sources."""

from __future__ import annotations

import os

from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.build.cache_plan import plan_cache
from holdfast.caches.build.git_tree import full_commit, write_tree
from holdfast.caches.build.project_directory import Project
from holdfast.caches.build.source_item import FOUND
from holdfast.caches.build.source_state import SourceState
from holdfast.caches.build.sync import Scratch, sync_cache
from holdfast.caches.project.project_file import DeclaredCache
from holdfast.caches.project.project_lock import LOCK_NAME, LockedCache
from holdfast.core.confined_paths import printable
from holdfast.core.errors import ContextError, SettingsInvalid, UsageError
from holdfast.core.git_command import git
from holdfast.core.record import NamedTuple

_BEHIND = "the lock of then was behind the sources of then: 'context sync' before a commit keeps it in step"
# Of a cache that is compared and thrown away.
_ANY_TIME = "1970-01-01T00:00:00Z"


class PastCache(NamedTuple):
    """A cache of then: its path, empty where it cannot be built again, and why not."""

    path: str
    reason: str


class PastProject:
    """A project at a commit, written below a folder that is thrown away with everything in it."""

    def __init__(self, project: Project, ref: str, folder: str) -> None:
        if not ref or ref.startswith("-"):
            raise UsageError(
                f"'{ref}' is no commit: 'context diff --since HEAD~1' compares with the commit before the last"
            )
        try:
            commit = full_commit(project.path, ref)
        except SettingsInvalid:
            raise UsageError(f"git knows no commit '{ref}' here: 'git log --oneline' lists those there are") from None
        above = os.fsdecode(git(project.path, "rev-parse", "--show-prefix").rstrip(b"\n"))
        tree = os.path.join(folder, "tree")
        os.mkdir(tree)
        write_tree(project.path, commit, "", tree)
        self._now = project
        self._project = Project(os.path.join(tree, above), os.path.join(folder, "caches"))
        lock = self._project.lock()
        if lock is None:
            raise UsageError(
                f"there was no {LOCK_NAME} at '{ref}': commit the one that 'context sync' writes, then compare"
            )
        self.locked: dict[str, LockedCache] = dict(lock.caches)
        self._tokenizer = lock.tokenizer

    def cache(self, name: str) -> PastCache:
        """A cache that the lock of then names, built again; it must come out as the lock says."""
        try:
            declared = self._project.declared().cache(name)
            if declared is None:
                return PastCache("", "context.toml did not declare it")
            built = sync_cache(self._project, declared, BuildOrder(_ANY_TIME, tokenizer=self._tokenizer))
        except ContextError as error:
            return PastCache("", f"it cannot be built again: {error.reason or error.headline}")
        if built.locked.version != self.locked[name].version:
            if built.locked.sources != self.locked[name].sources:
                lacking = self._untracked(declared)
                reason = (
                    f"git does not track '{printable(lacking)}', which the cache is built from" if lacking else _BEHIND
                )
                return PastCache("", reason)
            return PastCache("", "another release built it: the same sources make another version now")
        return PastCache(self._project.cache(name), "")

    def _untracked(self, declared: DeclaredCache) -> str:
        """A file of the sources as they are now that git does not track; empty where there is none."""
        tracked = set(git(self._now.path, "ls-files", "-z").split(b"\0"))
        with Scratch() as scratch:
            plan = plan_cache(self._now, declared, SourceState.none(), scratch.path)
        names = [os.path.relpath(item.path, self._now.path) for item in plan.found.items if item.origin == FOUND]
        return min([name for name in names if os.fsencode(name) not in tracked], default="")
