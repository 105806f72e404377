"""Packages and checkouts that moved since the lock was written."""

from __future__ import annotations

import os
from collections.abc import Sequence

from holdfast.caches.build.git_tree import head_commit
from holdfast.caches.build.installed_packages import package_files
from holdfast.caches.build.project_directory import Project
from holdfast.caches.project.project_file import DeclaredCache
from holdfast.caches.project.project_lock import ProjectLock
from holdfast.caches.project_shapes import OutdatedSource
from holdfast.core.errors import BuildFailed


def moved_sources(project: Project, caches: Sequence[DeclaredCache], lock: ProjectLock | None) -> list[OutdatedSource]:
    """What differs from the lock, by cache and name; each side is empty for nothing. No registry is asked."""
    moved: list[OutdatedSource] = []
    for cache in sorted(caches):
        locked = None if lock is None else lock.caches.get(cache.name)
        commits, versions = (dict(locked.commits), dict(locked.packages)) if locked is not None else ({}, {})
        rows = [
            ("commit", name, commits[name], head_commit(os.path.join(project.path, source.path)))
            for source in cache.sources
            if source.is_git and (name := source.path or ".") in commits
        ]
        rows += [("package", name, versions.get(name, ""), _version(project, cache, name)) for name in cache.packages]
        moved += [
            {"cache": cache.name, "kind": kind, "name": name, "locked": held, "installed": installed}
            for kind, name, held, installed in sorted(rows)
            if held != installed
        ]
    return moved


def _version(project: Project, cache: DeclaredCache, name: str) -> str:
    try:
        return package_files(project.path, cache.name, name, cache.python).version
    except BuildFailed:
        return ""  # not installed any more
