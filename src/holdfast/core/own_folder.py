"""A folder that Holdfast writes in, held by a descriptor: whatever a clone put at a name, nothing outside is touched.

Below a root that the caller trusts, every directory is opened without following a symbolic link, and belongs to the
user who runs this or to the owner of the root. Every call is relative to the descriptor and takes one name, of a form
that the caller stated when it opened the folder. So a link is refused, or removed as a link, and never followed; a file
of another user, or one that has a second name elsewhere, is never written to.
"""

from __future__ import annotations

import os
import stat
from errno import EISDIR, ELOOP, ENOTDIR, ENXIO
from time import time
from typing import TYPE_CHECKING

from holdfast.core import posix_calls
from holdfast.core.confined_paths import link_out, open_below, printable
from holdfast.core.errors import UnsafePath
from holdfast.core.regular_files import close_quietly

if TYPE_CHECKING:
    from collections.abc import Callable

    # Whether a name has a form that the user of a folder gives to what it creates there.
    Known = Callable[[str], bool]

# What the system answers where a name is that of a link, or of something of another kind.
_OTHER_KIND = frozenset({ELOOP, ENOTDIR, EISDIR, ENXIO})
_PRIVATE = 0o700
_UNUSED = 90 * 86400  # seconds


def check_stays(root: str, path: str) -> None:
    """UnsafePath where a path that is to be written to is spelled below a root, and a link on it leads out."""
    if link := link_out(root, path):
        raise UnsafePath(
            f"'{printable(link)}' is a symbolic link that leads out of the project, and nothing is written through it: "
            "remove it, or name the place that it leads to"
        )


class OwnFolder:
    """A directory held open, and a context manager that closes it.

    Every method refuses a name of another form by UnsafePath, and raises OSError as the function of `os` that it calls.
    """

    def __init__(self, path: str, descriptor: int, owners: frozenset[int], known: Known) -> None:
        self.path = path  # for messages and for what only reads; nothing here opens it
        self.descriptor = descriptor
        self._owners, self._known = owners, known

    @classmethod
    def at(cls, root: str, place: str, known: Known, *, create: bool = False, follows: bool = True) -> OwnFolder:
        """The directory at a path from a root, empty for the root; with `create` it is made, and what is above it.

        How the root itself is reached is not looked at; without `follows` it must not be a link (OSError). UnsafePath
        where a component is a link or another user's.
        """
        links = 0 if follows else posix_calls.O_NOFOLLOW
        descriptor = posix_calls.open(root, posix_calls.DIRECTORY | links)
        try:
            owners = frozenset({posix_calls.geteuid(), posix_calls.fstat(descriptor).st_uid})
        except BaseException:
            close_quietly(descriptor)
            raise
        folder = cls(root, descriptor, owners, known)
        for name in place.split("/") if place else ():
            with folder:
                folder = folder._below(name, known, create)
        return folder

    def __enter__(self) -> OwnFolder:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor back, and the lock with it."""
        close_quietly(self.descriptor)

    def lock(self) -> bool:
        """Keep other processes out until this is closed; False where one of them has the folder.

        True as well where the file system has no locks.
        """
        try:
            posix_calls.flock(self.descriptor, posix_calls.LOCK_EX | posix_calls.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass
        return True

    def subfolder(self, name: str, known: Known, *, create: bool = False) -> OwnFolder:
        """A directory in this one, with its own forms of names; with `create` it is made, for its owner alone."""
        self._check(name)
        return self._below(name, known, create)

    def open_file(self, name: str, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
        """A descriptor of a regular file; UnsafePath for anything else and, where it is to be written, for a file that
        has a second name. A file is cut short (O_TRUNC) only once it has passed."""
        self._check(name)
        try:
            descriptor = posix_calls.open(
                name, flags & ~os.O_TRUNC | posix_calls.UNFOLLOWED, mode, dir_fd=self.descriptor
            )
        except OSError as error:
            raise self._kind_of(name, "a regular file", error) from None
        try:
            status = posix_calls.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise self._unsafe(name, "is not a regular file")
            self._check_owner(name, status)
            if flags & os.O_ACCMODE != os.O_RDONLY and status.st_nlink > 1:
                raise self._unsafe(name, "has a second name, and to write to it would change that as well")
            if flags & os.O_TRUNC:
                os.ftruncate(descriptor, 0)
        except BaseException:
            close_quietly(descriptor)
            raise
        return descriptor

    def names(self) -> list[str]:
        """The names there of a known form, in order; all others are none of the caller's business."""
        with posix_calls.scandir(self.descriptor) as entries:
            return sorted([entry.name for entry in entries if self._known(entry.name)])

    def status(self, name: str) -> os.stat_result | None:
        """What a name is of, a link as a link; None where nothing is."""
        self._check(name)
        try:
            return posix_calls.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def remove(self, name: str) -> None:
        """Remove a file, a link as a link, or a directory with all it holds; nothing where nothing is."""
        status = self.status(name)
        try:
            if status is not None and stat.S_ISDIR(status.st_mode):
                posix_calls.remove_tree(name, self.descriptor)
            elif status is not None:
                posix_calls.unlink(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            pass  # another process removed it meanwhile

    def remove_unused(self) -> None:
        """Remove what nobody wrote to for 90 days."""
        for name in self.names():
            status = self.status(name)
            if status is not None and time() - status.st_mtime > _UNUSED:
                self.remove(name)

    def rename(self, name: str, new_name: str) -> None:
        """Give what a name is of another one here; a file or a link that had it is gone then."""
        self._check(name)
        self._check(new_name)
        posix_calls.rename(name, new_name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def _below(self, name: str, known: Known, create: bool) -> OwnFolder:
        if name in ("", ".", "..") or "/" in name:
            raise self._unsafe(name, "leads elsewhere")
        if create:
            try:
                posix_calls.mkdir(name, _PRIVATE, dir_fd=self.descriptor)
            except FileExistsError:
                pass
        try:
            descriptor = open_below(self.descriptor, name)
        except OSError as error:
            raise self._kind_of(name, "a directory", error) from None
        try:
            self._check_owner(name, posix_calls.fstat(descriptor))
        except BaseException:
            close_quietly(descriptor)
            raise
        return OwnFolder(os.path.join(self.path, name), descriptor, self._owners, known)

    def _check(self, name: str) -> None:
        if name in ("", ".", "..") or "/" in name or "\0" in name or not self._known(name):
            raise self._unsafe(name, "is not a name that Holdfast gives")

    def _check_owner(self, name: str, status: os.stat_result) -> None:
        if status.st_uid not in self._owners:
            raise self._unsafe(name, f"belongs to another user (uid {status.st_uid})")

    def _kind_of(self, name: str, wanted: str, error: OSError) -> OSError | UnsafePath:
        """Why a name cannot be opened: what is there, or what the system said."""
        if error.errno not in _OTHER_KIND:
            return error
        status = posix_calls.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        is_link = stat.S_ISLNK(status.st_mode)
        return self._unsafe(name, "is a symbolic link, which is not followed" if is_link else f"is not {wanted}")

    def _unsafe(self, name: str, why: str) -> UnsafePath:
        return UnsafePath(f"'{printable(os.path.join(self.path, name))}' {why}: look at it, remove it and try again")
