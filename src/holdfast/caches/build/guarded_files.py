"""The one way in which a build reads a file that it did not write: a `Guard` says what may be read, and reads it.

A file is opened from the boundary down without following a symlink, and only where that meets one are symlinks followed
and the opening begun again. So a symlink that is swapped in meanwhile leads to nothing.
"""

from __future__ import annotations

import os
import stat

from holdfast.caches.build.source_item import NAMED, PACKAGED, SourceItem
from holdfast.caches.cache_format import MAX_DOCUMENT_BYTES
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.caches.secret_patterns import BY_CONTENT, BY_NAME, holds_private_key, is_secret_path
from holdfast.core.confined_paths import lies_inside, reach, read_confined
from holdfast.core.ignore_rules import CONTEXTIGNORE, GITIGNORE, Rules
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import NotRegular, TooLarge

_MAX_IGNORE_BYTES = 1 << 20
# What a path leads to.
FILE, FOLDER, NOTHING, OTHER, OUTSIDE = "file", "folder", "nothing", "other", "outside"


class Refused(OSError):
    """A file is there and may not be read; `strerror` says why, in words that follow its name."""


class Outside(Refused):
    """It lies outside the boundary."""


class IgnoredFiles:
    """What `.gitignore` and `.contextignore` leave out below `top`, a real folder.

    `named` is the path of a folder below it that was named as a source, whatever leaves that out. Folders that tools
    make or fetch are left out only where an ignore file says so. The files are read once.
    """

    def __init__(self, top: str, named: str = "") -> None:
        self._top, self._named = top, named
        self._known: dict[str, Rules | None] = {}

    def leave_out(self, place: str) -> bool:
        """Whether a file, by its path from the top without symlinks, is left out."""
        folder, _, name = place.rpartition("/")
        rules = self._within(folder)
        return rules is None or rules.ignores(folder, name, folder=False)

    def _within(self, folder: str) -> Rules | None:
        """The rules in a folder; None where it is left out itself."""
        if "" not in self._known:
            self._known[""] = Rules().within("", *ignore_texts(self._top, ""))
        at, rules = 0, self._known[""]
        while at < len(folder) and rules is not None:
            end = folder.find("/", at + 1)
            inner = folder[: end if end >= 0 else len(folder)]
            if inner not in self._known:
                self._known[inner] = self._entered(rules, inner)
            at, rules = len(inner), self._known[inner]
        return rules

    def _entered(self, rules: Rules, folder: str) -> Rules | None:
        above, _, name = folder.rpartition("/")
        if rules.ignores(above, name, folder=True, usual=False):
            if not f"{self._named}/".startswith(f"{folder}/"):
                return None
            rules = Rules()
        return rules.within(folder, *ignore_texts(self._top, folder))


class Guard:
    """Reads the regular files inside `boundary`, a real folder, that nothing leaves out and that are no secrets.

    Without `withholds` a file that looks like a secret is read too; without `follows` a symlink is no regular file.
    """

    def __init__(
        self, boundary: str, *, ignored: IgnoredFiles | None = None, withholds: bool = True, follows: bool = True
    ) -> None:
        self.boundary, self._ignored, self._withholds, self._follows = boundary, ignored, withholds, follows

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of a file by its path from the boundary, or its absolute path; at most `limit`.

        Raises FileNotFoundError, Refused, NotRegular, TooLarge or another OSError.
        """
        path = os.path.join(self.boundary, path)
        is_plain = lies_inside(path, self.boundary) and ".." not in path.split("/")
        place = path[len(self.boundary) :].strip("/") if is_plain else None
        if place is not None and not self._follows:
            return self._read(place, limit)
        return reach(place, lambda: self._real_place(path), lambda now: self._read(now, limit))

    def text(self, path: str, limit: int) -> str | None:
        """The text of a file, without its byte order mark; None where it cannot be read or is not UTF-8."""
        try:
            return self.read(path, limit).decode().removeprefix("\ufeff")
        except (OSError, ValueError):  # a NUL in a path is a ValueError
            return None

    def has_file(self, path: str) -> bool:
        """Whether a path leads to a regular file inside."""
        return led_to(os.path.join(self.boundary, path), self.boundary).kind == FILE

    def _real_place(self, path: str) -> str:
        real = os.path.realpath(path)
        if not lies_inside(real, self.boundary):
            raise Outside(0, "is a link that leads outside the sources", path)
        return real[len(self.boundary) :].strip("/")

    def _read(self, place: str, limit: int) -> bytes:
        """Read a file at a path without symlinks: what is not there is missing before it is refused."""
        data = read_confined(self.boundary, place, limit)
        if self._withholds and is_secret_path(place):
            raise Refused(0, BY_NAME, place)
        if self._ignored is not None and self._ignored.leave_out(place):
            raise Refused(0, "is left out by an ignore file", place)
        if self._withholds and holds_private_key(data):
            raise Refused(0, BY_CONTENT, place)
        return data


class Lead(NamedTuple):
    """What a path leads to, and where that is."""

    kind: str
    path: str


def led_to(path: str, boundary: str) -> Lead:
    """Where a path leads, symlinks followed; outside the boundary it makes no difference what is there."""
    try:
        real = os.path.realpath(path)
    except ValueError:  # a NUL
        return Lead(NOTHING, path)
    if not lies_inside(real, boundary):
        return Lead(OUTSIDE, real)
    try:
        mode = os.stat(real, follow_symlinks=False).st_mode
    except OSError:
        return Lead(NOTHING, real)
    return Lead(FILE if stat.S_ISREG(mode) else FOLDER if stat.S_ISDIR(mode) else OTHER, real)


def ignore_files(path: str, top: str, seen: set[str]) -> list[str]:
    """The ignore files, there or not, that may leave out a file: those of every folder that it is in below `top`, but
    for folders that were `seen`."""
    found = []
    while lies_inside(path := os.path.dirname(path), top) and path not in seen:
        seen.add(path)
        found += [f"{path}/{name}" for name in (GITIGNORE, CONTEXTIGNORE)]
    return found


def ignore_texts(top: str, folder: str) -> list[bytes | None]:
    """What the two ignore files of a folder below `top` say; None for one that is not there, or a symlink."""
    guard = Guard(top, withholds=False, follows=False)
    texts: list[bytes | None] = []
    for name in (GITIGNORE, CONTEXTIGNORE):
        try:
            texts.append(guard.read(f"{folder}/{name}" if folder else name, _MAX_IGNORE_BYTES))
        except OSError:
            texts.append(None)
    return texts


def why_unread(error: OSError) -> str:
    """Why a file was not read, in words that follow its name."""
    if isinstance(error, NotRegular | TooLarge):
        return f"is {error.strerror}"
    return str(error.strerror) if isinstance(error, Refused) else f"cannot be read: {error.strerror}"


def read_item(item: SourceItem) -> bytes:
    """The bytes of a listed source. Raises Unreadable, which says why not.

    A file that the project file names itself is read though it looks like a secret.
    """
    folder = item.top if item.origin == PACKAGED else item.root
    guard = Guard(folder, withholds=item.origin != NAMED, follows=False)  # its path was resolved when it was found
    try:
        return guard.read(item.path, MAX_DOCUMENT_BYTES)
    except OSError as error:
        raise Unreadable(why_unread(error)) from None
