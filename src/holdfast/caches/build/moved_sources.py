"""Packages and checkouts that moved since the lock was written."""

from __future__ import annotations

import os

from holdfast.caches.build.git_tree import head_commit
from holdfast.caches.build.package_files import package_files
from holdfast.core.errors import BuildFailed
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.project_directory import Project
    from holdfast.caches.project.project_file import DeclaredCache
    from holdfast.caches.project.project_lock import ProjectLock


class MovedSource(NamedTuple):
    """A package or checkout of a cache: what the lock names and what is there now, each empty for nothing."""

    cache: str
    kind: str
    name: str
    locked: str
    installed: str


def moved_sources(project: Project, caches: Sequence[DeclaredCache], lock: ProjectLock | None) -> list[MovedSource]:
    """What differs from the lock, by cache and name. No registry is asked what a tag means now."""
    moved = []
    for cache in caches:
        locked = lock.caches.get(cache.name) if lock is not None else None
        versions = dict(locked.packages) if locked is not None else {}
        for name in cache.packages:
            installed = _version(project, cache, name)
            if installed != versions.get(name, ""):
                moved.append(MovedSource(cache.name, "package", name, versions.get(name, ""), installed))
        commits = dict(locked.commits) if locked is not None else {}
        for source in cache.sources:
            name = source.path or "."
            if source.is_git and name in commits:
                head = head_commit(os.path.join(project.path, source.path))
                if head != commits[name]:
                    moved.append(MovedSource(cache.name, "commit", name, commits[name], head))
    return sorted(moved)


def _version(project: Project, cache: DeclaredCache, name: str) -> str:
    try:
        return package_files(project.path, cache.name, name, cache.python).version
    except BuildFailed:
        return ""  # not installed any more
