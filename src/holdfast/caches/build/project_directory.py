"""A project on disk: where it is, what it declares, what its lock says, and where its caches lie."""

from __future__ import annotations

import os

from holdfast.caches.build.guarded_files import Guard
from holdfast.caches.project.project_file import (
    FILE_NAME,
    MAX_FILE_BYTES,
    DeclaredCache,
    ProjectFile,
    invalid,
    parse_project_file,
)
from holdfast.caches.project.project_lock import LOCK_NAME, MAX_LOCK_BYTES, ProjectLock, parse_lock
from holdfast.caches.tokenizers import choose_tokenizer
from holdfast.core import posix_calls
from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheMissing, IoError, UsageError
from holdfast.core.regular_files import close_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.source_state import SourceState
    from holdfast.workspace import Workspace


class Project:
    """A project on disk: where it is, what it declares, and what its lock says.

    Below `user_cache` this machine remembers what it found of the project; empty where nothing is to be remembered.
    Below `user_config` the user declares caches for all projects.
    """

    def __init__(
        self,
        project: str,
        cache_root: str,
        user_cache: str = "",
        memory: dict[str, SourceState] | None = None,
        *,
        user_config: str = "",
    ) -> None:
        self.path = os.path.realpath(project)
        self.cache_root = os.path.realpath(cache_root)
        self._own = Guard(self.path, withholds=False, follows=False)
        self.user_cache = user_cache
        self.user_config = user_config
        self.memory = memory  # what a process remembers by itself where there is no `user_cache`

    @property
    def file(self) -> str:
        """The path of `context.toml`."""
        return os.path.join(self.path, FILE_NAME)

    def text(self) -> bytes | None:
        """The bytes of `context.toml`; None where there is none."""
        try:
            return self._own.read(FILE_NAME, MAX_FILE_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise invalid(f"it cannot be read: {error.strerror}") from None

    def declared(self) -> ProjectFile:
        """What the project declares; UsageError where it declares nothing."""
        text = self.text()
        if text is None:
            raise UsageError(
                f"there is no {FILE_NAME} in '{printable(self.path)}': 'context add NAME PATH' writes one and builds",
                headline=f"{FILE_NAME} is missing",
            )
        return parse_project_file(text)

    def lock(self) -> ProjectLock | None:
        """What the lock says; None where there is none."""
        try:
            return parse_lock(self._own.read(LOCK_NAME, MAX_LOCK_BYTES))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise IoError(f"{LOCK_NAME} cannot be read: {error.strerror}") from None

    def cache(self, name: str) -> str:
        """Where the cache of a name lies."""
        return os.path.join(self.cache_root, name)


def project_of(workspace: Workspace, *, writes: bool = False) -> Project:
    """The project of a workspace; UnsafePath where it is to be written and a link leads its caches out of it."""
    root = workspace.written_root if writes else workspace.cache_root
    return Project(workspace.project, root, workspace.user_cache, user_config=workspace.user_config)


class only_writer:  # noqa: N801  # it is used as a function is
    """Keeps other processes from writing caches, `context.toml` and the lock of a project while the block runs."""

    def __init__(self, project: Project) -> None:
        self._path = project.path

    def __enter__(self) -> None:
        self._descriptor = posix_calls.open(self._path, posix_calls.DIRECTORY)
        try:
            posix_calls.flock(self._descriptor, posix_calls.LOCK_EX)
        except OSError:
            pass  # no locks on this file system: then two writers at the same moment are not noticed

    def __exit__(self, *exc: object) -> None:
        close_quietly(self._descriptor)


def write_named(path: str, data: bytes) -> None:
    """Write a file of a project whole; IoError names it."""
    try:
        write_file(path, data)
    except OSError as error:
        raise IoError(f"{os.path.basename(path)} cannot be written: {error.strerror}") from None


def check_names(declared: ProjectFile, names: Sequence[str]) -> list[DeclaredCache]:
    """The caches of these names, all where none is given; CacheMissing, with the nearest, for one not declared."""
    if not names:
        return list(declared.caches)
    known = [cache.name for cache in declared.caches]
    found = []
    for name in dict.fromkeys(names):
        cache = declared.cache(name)
        if cache is None:
            from holdfast.core.close_match import close_match

            raise CacheMissing(f"{FILE_NAME} declares no cache '{name}'", nearest=close_match(name, known))
        found.append(cache)
    return found


def check_tokenizer(declared: ProjectFile) -> str:
    """The tokenizer of a project, which has to be installed."""
    return choose_tokenizer(declared.tokenizer)
