"""Where a git repository keeps what: found by looking, without starting git, so that a confined server can too."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from holdfast.code.git_index import IndexUnreadable, TrackedFiles, read_index, read_listing
from holdfast.core.file_contents import FileContents

GIT = ".git"
_POINTER = b"gitdir:"
_SHA256 = re.compile(rb"(?im)^[ \t]*+objectformat[ \t]*+=[ \t]*+sha256\b")
_AUTOCRLF = re.compile(rb"(?im)^[ \t]*+autocrlf[ \t]*+=[ \t]*+(true|input|yes|on|1)\b")


class Repository(NamedTuple):
    """A working tree's top, the directory of its index, and the one that worktrees share."""

    top: str
    git_directory: str
    common_directory: str

    def shared(self, name: str) -> str:
        """The path of a file that all worktrees have in common."""
        return os.path.join(self.common_directory, name)

    @property
    def index_file(self) -> str:
        """The path of its index."""
        return os.path.join(self.git_directory, "index")


def find_repository(contents: FileContents, path: str) -> Repository | None:
    """The repository whose working tree holds a path; None without one."""
    top = path
    while True:
        found = os.path.join(top, GIT)
        if os.path.lexists(found):
            return _opened(contents, top, found)
        parent = os.path.dirname(top)
        if parent == top:
            return None
        top = parent


def _opened(contents: FileContents, top: str, found: str) -> Repository | None:
    directory = found
    if not os.path.isdir(found):  # a worktree or a submodule: a file that says where
        text = contents.read(found, namespace="context")
        if text is None or not text.startswith(_POINTER):
            return None
        directory = os.path.normpath(os.path.join(top, os.fsdecode(text[len(_POINTER) :].strip())))
    if not os.path.lexists(os.path.join(directory, "HEAD")):
        return None
    common = contents.read(os.path.join(directory, "commondir"), namespace="context")
    shared = directory
    if common is not None:
        shared = os.path.normpath(os.path.join(directory, os.fsdecode(common.strip())))
    return Repository(top, directory, shared)


def is_bare(path: str) -> bool:
    """Whether a directory is a repository's own, bare or inside a working tree, and so holds no files to describe."""
    return os.path.isfile(os.path.join(path, "HEAD")) and all(
        os.path.isdir(os.path.join(path, name)) for name in ("objects", "refs")
    )


def tracked_files(contents: FileContents, repository: Repository, index: str = "") -> TrackedFiles | IndexUnreadable:
    """The files that a repository's index tracks; read again only when it changed. An error is returned, not raised."""
    config = contents.read(repository.shared("config"), namespace="context") or b""
    id_bytes = 32 if _SHA256.search(config) else 20

    def make(data: bytes | None) -> TrackedFiles | IndexUnreadable:
        if data is None:
            return TrackedFiles((), id_bytes)
        try:
            return read_index(data, id_bytes)
        except IndexUnreadable as error:
            try:
                return _listed_by_git(repository)
            except ValueError:
                return IndexUnreadable(error.reason)

    path = index or repository.index_file
    return contents.memo(("git index", path), [path], make, namespace="context", variant=id_bytes)


def _listed_by_git(repository: Repository) -> TrackedFiles:
    """The tracked files as git lists them; ValueError when git fails."""
    from holdfast.core.errors import UsageError
    from holdfast.core.git_command import git

    try:
        return read_listing(git(repository.top, "ls-files", "--stage", "--full-name", "-z"))
    except UsageError as error:
        raise ValueError(error.reason) from None


def converts_line_ends(contents: FileContents, repository: Repository) -> bool:
    """Whether git turns CRLF into LF where no attribute decides: asked of git, else read in its settings."""
    from holdfast.core.errors import UsageError
    from holdfast.core.git_command import git

    try:
        said = git(repository.top, "config", "--get", "--default", "false", "core.autocrlf").strip().lower()
    except (UsageError, OSError):
        return bool(_AUTOCRLF.search(contents.read(repository.shared("config"), namespace="context") or b""))
    return said in (b"true", b"input", b"yes", b"on", b"1")
