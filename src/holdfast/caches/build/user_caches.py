"""Caches that a user declares once for a machine: documentation outside of projects, which projects ask by name.

`context.toml` in the user's own settings directory names for each a root, which the user typed. The cache is built from
what lies below the root, by the rules of a project, into the user's cache directory. A project names such a cache in
`[project] user` and locks it as its own; where it lies, no file of a project can say.
"""

from __future__ import annotations

import os

from holdfast.caches.build.machine_state import FOLDER, is_outside
from holdfast.caches.build.project_directory import Project
from holdfast.caches.project.project_file import (
    FILE_NAME,
    MAX_FILE_BYTES,
    DeclaredCache,
    about_problem,
    name_problem,
    parse_user_file,
)
from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.errors import CacheMissing, IoError, UsageError
from holdfast.core.regular_files import read_regular

_CACHES = "user"


def located(project: Project, cache: DeclaredCache) -> tuple[Project, DeclaredCache]:
    """The project that a cache is built in, and what it is made from: for a cache of the user, its root.

    CacheMissing where this user declared none of the name.
    """
    if not cache.is_user:
        return project, cache
    found = parse_user_file(_text(project)).get(cache.name)
    if found is None:
        raise CacheMissing(
            f"{FILE_NAME} names the user's cache '{cache.name}', which is not declared on this machine",
            next_step=f"'context add --user {cache.name} PATH' declares it",
        )
    return _home(project, found[0]), found[1]


def _home(project: Project, root: str) -> Project:
    home = Project(root, user_root(project.user_cache), project.user_cache, project.memory)
    if not project.user_cache or not is_outside(home):
        raise CacheMissing(f"a cache of '{printable(root)}' has no place outside of it: name a folder below")
    return home


def user_root(user_cache: str) -> str:
    """Where the caches that a user declared lie, below the directory for what may be lost."""
    return os.path.join(user_cache, FOLDER, _CACHES)


def declare_for_user(project: Project, cache: DeclaredCache, path: str) -> tuple[Project, DeclaredCache, bytes]:
    """A cache of a folder that a user declares: where it is built, what it is made from, and the user's file then."""
    from holdfast.core.toml_members import with_toml_member

    if problem := name_problem(cache.name):
        raise UsageError(f"'{cache.name}' {problem}")
    if problem := about_problem(cache.about):
        raise UsageError(f"--about {problem}")
    root = os.path.realpath(path)
    if not os.path.isdir(root):
        raise UsageError(f"there is no folder '{printable(path)}'")
    if not project.user_config or lies_inside(os.path.realpath(project.user_config), project.path):
        raise UsageError("this user has no directory for settings outside of the project: set HOME or XDG_CONFIG_HOME")
    before = _text(project)
    if cache.name in parse_user_file(before):
        raise UsageError(f"'{cache.name}' is declared already: edit {printable(user_file(project))}")
    table = {"root": root, "include": list(cache.include), "exclude": list(cache.exclude), "about": cache.about}
    path_of, held = ("caches", cache.name), {key: value for key, value in table.items() if value}
    after = with_toml_member(before.decode(), path_of, held).encode()
    return _home(project, root), parse_user_file(after)[cache.name][1], after


def write_user_file(project: Project, text: bytes) -> None:
    """Write the user's file."""
    try:
        os.makedirs(project.user_config, mode=0o700, exist_ok=True)
        write_file(user_file(project), text)
    except OSError as error:
        raise IoError(f"'{printable(user_file(project))}' cannot be written: {error.strerror}") from None


def user_file(project: Project) -> str:
    """Where a user declares caches."""
    return os.path.join(project.user_config, FILE_NAME)


def _text(project: Project) -> bytes:
    """The user's file; empty where there is none, or where it lies in the project, which a clone can bring."""
    if not project.user_config or lies_inside(os.path.realpath(project.user_config), project.path):
        return b""
    try:
        return read_regular(user_file(project), limit=MAX_FILE_BYTES)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise IoError(f"'{printable(user_file(project))}' cannot be read: {error.strerror}") from None
