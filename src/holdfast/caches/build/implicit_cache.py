"""The cache of a project that declares none: which of its files are read, and where the cache lies.

It is called `project`. `DECLARATION` says what is read, by the rules of `context add`; `implicit_project` names its
directory, `holdfast/projects/<sha256 of the project's real path>` in the user's cache directory.
"""

from __future__ import annotations

import os
from hashlib import sha256

from holdfast.caches.build.machine_state import FOLDER, is_outside
from holdfast.caches.build.project_directory import Project
from holdfast.caches.project.project_file import DeclaredCache, DeclaredSource
from holdfast.core.errors import CacheMissing, UnsafePath
from holdfast.core.own_folder import OwnFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.workspace import Workspace

NAME = "project"
_PROJECTS = "projects"
_KEY_LENGTH, _HEX_DIGITS = 64, frozenset("0123456789abcdef")
# Formats of prose are read wherever they are; others hold data and tests too, so they are read in folders of
# documentation.
_PROSE = ("*.md", "*.markdown", "*.mdx", "*.rst", "*.adoc", "*.asciidoc")
_FOLDERS = ("doc", "docs", "documentation", "guide", "guides", "handbook", "manual", "wiki")
_TESTS = ("test", "tests", "__tests__", "testdata", "fixtures", "__fixtures__", "snapshots", "__snapshots__")
_NO_PLACE = (
    "the documentation here is not built: this user has no cache directory outside the project that can be written"
)
_OTHER_PLACE = "set XDG_CACHE_HOME to one; or 'context add NAME PATH' builds it into the project"
DECLARATION = DeclaredCache(
    NAME,
    sources=(DeclaredSource(""),),
    include=(*_PROSE, *[f"{folder}/" for folder in _FOLDERS], "/README*", "/CHANGELOG*"),
    exclude=tuple([f"{folder}/" for folder in _TESTS]),
    about="documentation found in this project",
)


def implicit_project(workspace: Workspace) -> Project | None:
    """The project with the place of its implicit cache; None for a home directory and the file system's root.

    CacheMissing where the user has no place for it outside the project.
    """
    path = os.path.realpath(workspace.project)
    home = workspace.environment.get("HOME", "")
    if path == os.path.dirname(path) or (home and path == os.path.realpath(home)):
        return None  # no project, but everything there is
    root = implicit_root(workspace)
    project = Project(path, root, workspace.user_cache)
    try:
        if not workspace.user_cache or not is_outside(project):
            raise FileNotFoundError
        if not os.path.lexists(root):
            os.makedirs(workspace.user_cache, mode=0o700, exist_ok=True)
            with OwnFolder.at(workspace.user_cache, f"{FOLDER}/{_PROJECTS}", _is_key, create=True) as folder:
                folder.remove_unused()
                folder.subfolder(os.path.basename(root), _is_key, create=True).close()
    except (OSError, UnsafePath):
        raise CacheMissing(_NO_PLACE, next_step=_OTHER_PLACE) from None
    return project


def implicit_root(workspace: Workspace) -> str:
    """Where the implicit cache of a project lies."""
    key = sha256(os.fsencode(os.path.realpath(workspace.project))).hexdigest()
    return os.path.join(workspace.user_cache, FOLDER, _PROJECTS, key)


def _is_key(name: str) -> bool:
    return len(name) == _KEY_LENGTH and _HEX_DIGITS.issuperset(name)
