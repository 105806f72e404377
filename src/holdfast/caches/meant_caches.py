"""Which caches are meant: the one that is named; where none is, those of the project, asked as one if they are several.

They are looked for at every call, so that one that was just built, or declared in `context.toml`, is asked at the next.
"""

from __future__ import annotations

import os

from holdfast.caches.on_disk.cache_listing import cache_name, list_caches
from holdfast.caches.on_disk.joined_caches import NamedCache
from holdfast.caches.search.search_request import LeftOut
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheMissing, SettingsInvalid
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import is_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.caches.project.project_file import ProjectFile
    from holdfast.workspace import Workspace

_NAMESPACE = "cache"


class MeantCaches(NamedTuple):
    """Caches by name, declared caches that are not built, and the description of each.

    `as_one`: citations name the cache; true where a project has several caches and the caller names none.
    """

    caches: list[NamedCache]
    as_one: bool
    left_out: tuple[LeftOut, ...]
    about: Mapping[str, str]


def meant_caches(workspace: Workspace, name: str | None) -> MeantCaches:
    """The cache that is named, or those of the project; CacheMissing where there is none."""
    if name is not None:
        path = workspace.cache_directory(name)
        return MeantCaches([NamedCache(cache_name(path), path)], as_one=False, left_out=(), about={})
    standing = [listed.path for listed in list_caches(workspace.cache_root) if listed.has_manifest]
    names = [name for name in standing if is_unicode(name)]
    declared = _declared(workspace)
    left_out: tuple[LeftOut, ...] = ()
    if declared is not None and declared.caches:
        wanted = [cache.name for cache in declared.caches]
        left_out = tuple([LeftOut(name, "not built") for name in wanted if name not in names])
        if len(left_out) == len(wanted):
            raise CacheMissing("none of the caches that context.toml declares is built: run 'context sync'")
        names = [name for name in wanted if name in names]
    root = printable(workspace.cache_root)
    if not names:
        raise CacheMissing(f"no cache below '{root}': 'context add' makes one, or name one with --cache")
    about = {cache.name: cache.about for cache in declared.caches} if declared is not None else {}
    as_one = len(names) + len(left_out) > 1
    return MeantCaches([NamedCache(name, _path(workspace, name)) for name in names], as_one, left_out, about)


def _path(workspace: Workspace, name: str) -> str:
    """Where a cache below the cache root is: for a tool, opened beneath it as any other."""
    if workspace.door == "command":
        return os.path.join(workspace.cache_root, name)
    return workspace.cache_directory(name)


def _declared(workspace: Workspace) -> ProjectFile | None:
    """What `context.toml` declares. One that cannot be used declares nothing: 'context sync' says what is wrong."""
    path = os.path.join(workspace.project, "context.toml")
    if not os.path.lexists(path):
        return None
    return workspace.file_contents.memo(("context.toml", path), [path], _parsed, namespace=_NAMESPACE)


def _parsed(data: bytes | None) -> ProjectFile | None:
    from holdfast.caches.project.project_file import parse_project_file

    try:
        return None if data is None else parse_project_file(data)
    except SettingsInvalid:
        return None
