"""The entries of an open directory: its folders, and its files, each with an identity that changes with its state."""

from __future__ import annotations

from stat import S_ISREG
from typing import TYPE_CHECKING, NamedTuple

from holdfast.contexts.schema import FILE_NAME
from holdfast.core import posix_calls
from holdfast.core.file_identity import identity
from holdfast.core.staging import is_staging_name

if TYPE_CHECKING:
    from holdfast.core.file_identity import Identity

_GIT = ".git"
_NO_FILE = (0, -1, 0, 0, 0)  # the identity of what is no regular file


class SourceFile(NamedTuple):
    """A file that counts for the fingerprint."""

    name: str
    size: int


class Seen(NamedTuple):
    """The entries found in a directory."""

    folders: list[str]
    files: list[tuple[str, Identity]]
    has_git: bool = False


def scan_directory(directory: int) -> Seen:
    """Look once. Raises OSError."""
    folders: list[str] = []
    files: list[tuple[str, Identity]] = []
    has_git = False
    with posix_calls.scandir(directory) as entries:
        for entry in entries:
            name = entry.name
            if is_staging_name(name):
                continue  # ours, and gone in a moment
            if name == _GIT:
                has_git = True
            if entry.is_dir(follow_symlinks=False):
                folders.append(name)
            elif entry.is_file(follow_symlinks=False):
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if not S_ISREG(found.st_mode):
                    continue
                files.append((name, identity(found)))
            elif name == FILE_NAME:
                files.append((name, _NO_FILE))  # there, but no file: a context that cannot be used
    return Seen(folders, files, has_git)
