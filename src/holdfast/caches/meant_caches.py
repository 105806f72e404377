"""Which caches are meant: the one that is named; where none is, those of the project, asked as one if they are several.

They are looked for at every call, and refreshed where they are made from folders of the project (`build/refresh.py`).
A project without `context.toml` and without a cache has an implicit one (`build/implicit_cache.py`).
"""

from __future__ import annotations

import os
from stat import S_ISREG

from holdfast.caches.on_disk.cache_listing import cache_name, list_caches
from holdfast.caches.on_disk.joined_caches import NamedCache
from holdfast.caches.search.search_request import LeftOut
from holdfast.core.confined_paths import printable
from holdfast.core.errors import (
    BuildFailed,
    CacheBuilding,
    CacheMissing,
    CacheStale,
    ContextError,
    NothingToBuild,
    SettingsInvalid,
)
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import is_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.caches.project.project_file import DeclaredCache, DeclaredCode, ProjectFile
    from holdfast.caches.search.code_source import CodeSource
    from holdfast.workspace import Workspace

_NAMESPACE, FILE_NAME = "cache", "context.toml"
# At most this many caches are named in a failure.
_NAMED = 10
_ADD = "'context add NAME PATH' makes one of a folder of documentation"
# Seconds that documentation waits for source code.
_BESIDE = 5.0


class MeantCaches(NamedTuple):
    """Caches by name, declared caches that are not built, and the description of each.

    `as_one`: citations name the cache; true where a project has several caches and the caller names none.
    """

    caches: list[NamedCache]
    as_one: bool
    left_out: tuple[LeftOut, ...]
    about: Mapping[str, str]
    failures: tuple[ContextError, ...]  # why declared caches are left out
    code: CodeSource | None = None  # the source code of the project, where it is searched too


def meant_caches(workspace: Workspace, name: str | None, *, frozen: bool = False, part: str = "") -> MeantCaches:
    """The cache that is named, or those of the project, each as its sources are now; CacheMissing where there is none.

    With `frozen` they are as the lock names them, and CacheStale where the sources are not. The `part` is `docs` or
    `code`; without one, a project that declares source code or nothing is searched for both.
    """
    named = None if name is None or "/" in name else declared_code(workspace, name)
    if named is not None and part == "docs":
        raise CacheMissing(f"'{named.name}' is source code, and documentation is asked for")
    if name is not None and named is None and part != "code":
        return _named(workspace, name, frozen=frozen)
    declared = _declared(workspace)
    frozen = frozen or (declared is not None and declared.is_frozen)
    nothing = MeantCaches([], as_one=False, left_out=(), about={}, failures=())
    code = (named,) if named is not None else () if declared is None or part == "docs" else declared.code
    if part == "code" or named is not None or (code and declared is not None and not declared.caches):
        return _with_code(workspace, nothing, code, frozen=frozen, name="" if named is None else named.name)
    failures: dict[str, ContextError] = {}
    if declared is not None and declared.caches:
        failures = _refreshed(workspace, declared, declared.caches, frozen=frozen)
    names = _built(workspace)
    left_out: tuple[LeftOut, ...] = ()
    if declared is not None and declared.caches:
        wanted = [cache.name for cache in declared.caches]
        stale = [CacheBuilding.code, CacheStale.code]
        users = [cache.name for cache in declared.caches if cache.is_user]
        lacking = [name for name in wanted if name not in (*names, *users) or name in failures]
        left_out = tuple([LeftOut(name, "not built") for name in lacking])
        names += users
        names = [name for name in wanted if name in names and name not in failures]
        if failures and (not names or any(error.code in stale for error in failures.values())):
            raise next(iter(failures.values()))
        if not names:
            raise CacheMissing("none of the caches that context.toml declares is built")
    if not names:
        if implicit := _implicit(workspace, declared, "", with_code=part != "docs"):
            return implicit
        raise CacheMissing(f"no cache below '{printable(workspace.cache_root)}'")
    about = {cache.name: cache.about for cache in declared.caches} if declared is not None else {}
    as_one = len(names) + len(left_out) > 1
    caches = [NamedCache(name, _path(workspace, name, declared)) for name in names]
    meant = MeantCaches(caches, as_one, left_out, about, tuple(failures.values()))
    return _with_code(workspace, meant, code, frozen=frozen) if code else meant


def declared_code(workspace: Workspace, name: str) -> DeclaredCode | None:
    """The source code of this name; None where `context.toml` declares none or cannot be used."""
    declared = _usable(workspace)
    return None if declared is None else next((code for code in declared.code if code.name == name), None)


def has_cache(workspace: Workspace, name: str) -> bool:
    """Whether a project has built or declared a cache of this name."""
    return name in _declared_names(workspace) or name in _built(workspace) or declared_code(workspace, name) is not None


def _declared_names(workspace: Workspace) -> list[str]:
    """The names of declared caches; none where `context.toml` cannot be used."""
    declared = _usable(workspace)
    return [] if declared is None else [cache.name for cache in declared.caches]


def _usable(workspace: Workspace) -> ProjectFile | None:
    """What `context.toml` declares; None where it cannot be used, too."""
    try:
        return _declared(workspace)
    except SettingsInvalid:
        return None


def _named(workspace: Workspace, name: str, *, frozen: bool) -> MeantCaches:
    path = workspace.cache_directory(name)
    if not os.path.lexists(os.path.join(path, "manifest.json")) and has_cache(workspace, name):
        path = _path(workspace, name, None)  # a folder of that name is no cache
    found = NamedCache(cache_name(path), path)
    if os.path.dirname(os.path.realpath(path)) == os.path.realpath(workspace.cache_root):
        declared = _declared(workspace)
        cache = None if declared is None else declared.cache(found.name)
        if declared is not None and cache is not None:
            for error in _refreshed(workspace, declared, [cache], frozen=frozen or declared.is_frozen).values():
                raise error
            found = NamedCache(found.name, _path(workspace, found.name, declared)) if cache.is_user else found
        elif not os.path.isdir(path):
            if implicit := _implicit(workspace, declared, found.name):
                return implicit
            if declared is None and _has_implicit(workspace) and not _built(workspace):
                step = f"without a cache the documentation that is here is asked; {_ADD}"
                raise CacheMissing(f"there is no cache '{printable(name)}'", next_step=step)
    return MeantCaches([found], as_one=False, left_out=(), about={}, failures=())


def _with_code(
    workspace: Workspace,
    meant: MeantCaches,
    declared: Sequence[DeclaredCode] = (),
    *,
    frozen: bool = False,
    name: str = "",
) -> MeantCaches:
    """The same with the source code of the project, or what is declared of it, which is left out while it takes long to
    read; CacheMissing where there is neither, and CacheStale where it is frozen and not what the lock names."""
    from holdfast.caches.on_disk.work_tree import WorkTrees
    from holdfast.caches.search.asked_caches import STILL_READ, WORK_TREE
    from holdfast.caches.tokenizers import USUAL

    patience = workspace.patience
    if patience is not None and meant.caches:
        patience = min(patience, _BESIDE)
    try:
        if frozen:
            _check_code(workspace, declared)
        code = workspace.keep(WorkTrees).source(workspace, USUAL, patience, declared)
    except CacheBuilding:
        if not meant.caches:
            raise
        return meant._replace(left_out=(*meant.left_out, LeftOut(WORK_TREE, STILL_READ)))
    if code is None and not meant.caches:
        raise CacheMissing("there is no source code here that git tracks")
    if code is not None:
        code.name = name or WORK_TREE
    return meant._replace(code=code)


def _check_code(workspace: Workspace, declared: Sequence[DeclaredCode]) -> None:
    from holdfast.caches.build.cache_check import check_code
    from holdfast.caches.build.project_directory import project_of
    from holdfast.caches.on_disk.work_tree import WorkTrees

    trees, lock = workspace.keep(WorkTrees), project_of(workspace).lock()
    for each in declared:
        if reasons := check_code(each.name, trees.locked(workspace, each), lock):
            raise CacheStale(f"cache '{each.name}': {reasons[0]}")


def cache_roots(workspace: Workspace) -> list[str]:
    """Where the caches lie that may have answered: those of the project, and what this user has beside it."""
    if workspace.confined_to or not workspace.user_cache:
        return [workspace.cache_root]
    from holdfast.caches.build.implicit_cache import implicit_root
    from holdfast.caches.build.user_caches import user_root

    return [workspace.cache_root, user_root(workspace.user_cache), implicit_root(workspace)]


def with_next_step(workspace: Workspace, error: CacheMissing) -> CacheMissing:
    """The error, saying which caches there are and what makes the one that is missing."""
    if not error.next_step and not error.nearest:
        names = _built(workspace)
        lacking = [name for name in _declared_names(workspace) if name not in names]
        steps = [f"caches here: {', '.join(names[:_NAMED])}"] if names else []
        steps += [f"'context sync' makes {', '.join(lacking[:_NAMED])}"] if lacking else []
        error.add_next_step("; ".join(steps) or _ADD)
    return error


def mended(workspace: Workspace, meant: MeantCaches) -> bool:
    """Whether a damaged cache among these may be another one at the next look, since it is made from sources here."""
    from holdfast.caches.build.refresh import Refreshes

    refreshes = workspace.keep(Refreshes)
    return True in [refreshes.forget(os.path.realpath(path)) for _, path in meant.caches]


def _built(workspace: Workspace) -> list[str]:
    """The names of the caches below the cache root."""
    try:
        return [each.path for each in list_caches(workspace.cache_root) if each.has_manifest and is_unicode(each.path)]
    except CacheMissing:
        return []


def _refreshed(
    workspace: Workspace, file: ProjectFile, caches: Sequence[DeclaredCache], *, frozen: bool
) -> dict[str, ContextError]:
    from holdfast.caches.build.project_directory import project_of
    from holdfast.caches.build.refresh import refresh

    return refresh(workspace, project_of(workspace), file, caches, frozen=frozen)


def _implicit(
    workspace: Workspace, declared: ProjectFile | None, name: str, *, with_code: bool = False
) -> MeantCaches | None:
    """The cache of what a project holds that declares nothing; None where a declaration or a cache root is named."""
    if declared is not None or not _has_implicit(workspace):
        return None
    from holdfast.caches.build.implicit_cache import DECLARATION, NAME, implicit_project
    from holdfast.caches.build.refresh import refresh
    from holdfast.caches.project.project_file import ProjectFile

    found = MeantCaches([], as_one=False, left_out=(), about={NAME: DECLARATION.about}, failures=())
    try:
        project = implicit_project(workspace) if name in ("", NAME) else None
        if project is None:
            return None
        for error in refresh(workspace, project, ProjectFile(), [DECLARATION], frozen=False).values():
            raise error
        found = found._replace(caches=[NamedCache(NAME, project.cache(NAME))])
        return _with_code(workspace, found) if with_code else found
    except NothingToBuild as error:
        missing = CacheMissing(error.reason, next_step=_ADD)
    except BuildFailed as error:
        missing = CacheMissing(error.reason, next_step=_ADD)
        found = found._replace(left_out=(LeftOut(NAME, "not built"),), failures=(error,))
    except CacheMissing as error:
        missing = error
        found = found._replace(left_out=(LeftOut(NAME, "not built"),), failures=(error,))
    if with_code:
        try:
            return _with_code(workspace, found)
        except CacheMissing:
            pass
    raise missing


def _has_implicit(workspace: Workspace) -> bool:
    """Whether a project that declares nothing is asked."""
    return not workspace.confined_to and not workspace.names_root


def _path(workspace: Workspace, name: str, declared: ProjectFile | None) -> str:
    """Where a cache is: below the cache root, for a tool opened beneath it as any other, or where the user has it."""
    cache = None if declared is None else declared.cache(name)
    if cache is not None and cache.is_user:
        from holdfast.caches.build.project_directory import project_of
        from holdfast.caches.build.user_caches import located

        try:
            return located(project_of(workspace), cache)[0].cache(name)
        except CacheMissing:
            pass  # a bundle brought it
    if workspace.door == "command":
        return os.path.join(workspace.cache_root, name)
    return workspace.cache_directory(name)


def _declared(workspace: Workspace) -> ProjectFile | None:
    """What `context.toml` declares, None where there is none. SettingsInvalid where it cannot be used: caches that it
    might declare could be behind their sources."""
    path = os.path.join(workspace.project, FILE_NAME)
    try:
        if not S_ISREG(os.lstat(path).st_mode):  # a link could lead out of the project
            from holdfast.caches.project.project_file import invalid

            raise invalid("it cannot be read: not a regular file")
    except FileNotFoundError:
        return None
    found = workspace.file_contents.memo((FILE_NAME, path), [path], _parsed, namespace=_NAMESPACE)
    if isinstance(found, SettingsInvalid):
        raise SettingsInvalid(found.reason, headline=found.headline)
    return found


def _parsed(data: bytes | None) -> ProjectFile | SettingsInvalid | None:
    from holdfast.caches.project.project_file import parse_project_file

    try:
        return None if data is None else parse_project_file(data)
    except SettingsInvalid as error:
        return error
