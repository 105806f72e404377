"""All or nothing on disk: a sibling is written, flushed and renamed; a reader sees the old or the new, never a half."""

from __future__ import annotations

import os
import stat
from errno import EEXIST, ENOTEMPTY
from itertools import count
from typing import TYPE_CHECKING

from holdfast.core import posix_calls
from holdfast.core.confined_paths import printable
from holdfast.core.errors import IoError
from holdfast.core.posix_calls import special_rename
from holdfast.core.regular_files import close_quietly
from holdfast.core.staging import (
    ASIDE,
    make_beside,
    make_directory,
    remove,
    remove_abandoned,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    # What a directory holds when it holds nothing but its own: file names and, ending in a slash, directories after
    # what is in them, in the order to remove them in. None when it holds anything else.
    Contents = Callable[[str], list[str] | None]

# Flushes at a time. The file system joins those that wait into one: 3,000 new files took 10.4 s one after another, .3 s
# by 16 threads (ext4). A flush of the whole file system would wait for the data of every other process too.
_FLUSHES = 16
# Each file in the making is held open for its lock; a process may hold some thousand.
_OPEN_AT_ONCE = 256


def write_file(path: str, data: bytes) -> None:
    """Replace or create one file atomically and durably; its permissions are kept when it existed."""
    path = os.path.abspath(path)
    with StagedFile(path) as staged:
        staged.write(data)
        os.fsync(staged.descriptor)
        os.replace(staged.path, path)
    flush_path(os.path.dirname(path))


def write_files(files: Sequence[tuple[str, bytes]]) -> list[OSError | None]:
    """Replace or create many files, each atomically, flushed together; what failed for which."""
    failures: list[OSError | None] = []
    for start in range(0, len(files), _OPEN_AT_ONCE):
        failures += _write_some(files[start : start + _OPEN_AT_ONCE])
    return failures


def _write_some(files: Sequence[tuple[str, bytes]]) -> list[OSError | None]:
    failures: list[OSError | None] = [None] * len(files)
    staged: dict[int, StagedFile] = {}
    try:
        for place, (path, data) in enumerate(files):
            try:
                staged[place] = StagedFile(os.path.abspath(path))
                staged[place].open()
                staged[place].write(data)
            except OSError as error:
                failures[place] = error
        ready = [place for place in staged if failures[place] is None]
        for place, failure in zip(ready, _flushed([staged[place].descriptor for place in ready]), strict=True):
            try:
                if failure is not None:
                    raise failure
                os.replace(staged[place].path, files[place][0])
            except OSError as error:
                failures[place] = error
    finally:
        for file in staged.values():
            file.close()
    return failures


def _flushed(files: Sequence[str | int]) -> list[OSError | None]:
    """Make files and directories durable, given as paths or descriptors; the error of each."""

    def flushed(file: str | int) -> OSError | None:
        try:
            if isinstance(file, int):
                os.fsync(file)
            else:
                flush_path(file)
        except OSError as error:
            return error
        return None

    if len(files) < _FLUSHES:
        return list(map(flushed, files))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_FLUSHES) as threads:
        return list(threads.map(flushed, files))


def write_new(path: str, data: bytes) -> None:
    """Create a file that must not exist yet and write all of it, however many calls that takes."""
    descriptor = _create(path)
    try:
        _write_all(descriptor, data)
    finally:
        posix_calls.close(descriptor)


def write_output_file(path: str, data: bytes) -> None:
    """Write a file that a user named, atomically; IoError says what is in the way."""
    try:
        write_file(path, data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise IoError(f"'{printable(path)}' cannot be written: {reason}") from None


def create_file(path: str, data: bytes) -> bool:
    """Create one file, whole from the moment it is seen; False when something is there already."""
    path = os.path.abspath(path)
    with StagedFile(path) as staged:
        staged.write(data)
        os.fsync(staged.descriptor)
        try:
            os.link(staged.path, path)
        except FileExistsError:
            return False
    flush_path(os.path.dirname(path))
    return True


class StagedFile:
    """A file written beside its target. Closing it, or leaving the block, removes what was not put in place by then.

    An interrupt at any moment leaves nothing: the path is known before the file is there.
    """

    def __init__(self, target: str) -> None:
        self.target, self.path, self.descriptor = target, "", -1

    def __enter__(self) -> StagedFile:
        try:
            self.open()
        except BaseException:
            self.close()
            raise
        return self

    def open(self) -> None:
        """Create the file; `close` removes it whatever became of this."""
        self.path, self.descriptor = make_beside(self.target, _create, announce=self._announced)

    def _announced(self, path: str) -> None:
        self.path = path

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Done, or given up."""
        remove(self.path)
        close_quietly(self.descriptor)

    def write(self, data: bytes) -> None:
        """Write all of it, with the permissions of the target where that is a regular file; a link has none to keep."""
        _write_all(self.descriptor, data)
        try:
            mode = os.lstat(self.target).st_mode
        except FileNotFoundError:
            return  # a new file keeps the permissions the umask gave it
        if stat.S_ISREG(mode):
            posix_calls.fchmod(self.descriptor, stat.S_IMODE(mode))


def _create(path: str) -> int:
    return posix_calls.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | posix_calls.O_CLOEXEC, 0o666)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def flush_path(path: str) -> None:
    """Make a file's content durable, or renames and creations in a directory."""
    descriptor = posix_calls.open(path, os.O_RDONLY | posix_calls.O_CLOEXEC)
    try:
        posix_calls.fsync(descriptor)
    finally:
        posix_calls.close(descriptor)


class StagedDirectory:
    """A directory written beside its target, then put in its place whole.

    with StagedDirectory(target, contents) as staged:
        write_new(os.path.join(staged.path, "a"), b"...")
        staged.publish(replace=True)

    Leaving the block without publishing, by an error or an interrupt, removes everything that was written. Of a
    directory that was replaced only what `contents` lists is removed: one that holds anything else by then is kept
    beside the target, under a name that is added to `set_aside`.
    """

    def __init__(self, target: str, contents: Contents = lambda _path: None) -> None:
        self.target = os.path.abspath(target)
        self.path = ""
        self.set_aside: list[str] = []
        self._contents = contents
        self._replaced = ""
        self._lock = -1
        self._made_parents: list[str] = []

    def __enter__(self) -> StagedDirectory:
        try:
            make_parents(os.path.dirname(self.target), self._made_parents)
            self.path, self._lock = make_beside(self.target, make_directory, self._dispose, self._announced)
        except BaseException:
            remove(self.path)
            remove_made(self._made_parents)
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        remove(self.path)
        if self._replaced:
            self._dispose(self._replaced)
        close_quietly(self._lock)
        try:
            remove_abandoned(self.target, self._dispose)
        except OSError:
            pass  # the next writer will
        if exc[0] is not None:
            remove_made(self._made_parents)

    def _announced(self, path: str) -> None:
        self.path = path

    def _dispose(self, path: str) -> None:
        """Remove a directory that was replaced; what holds anything else is kept, under a name people see."""
        try:
            contents = self._contents(path)
            if contents is not None:
                _remove_only(path, contents)
                # Gone; or it could not be removed, and holds nothing else.
                if not os.path.lexists(path) or self._contents(path) is not None:
                    return
        except OSError:
            return  # the next writer looks again
        self.set_aside.append(_set_aside(path, self.target))

    def publish(self, *, replace: bool, flush: bool = True, durable: Container[str] = ()) -> None:
        """Put the directory at its target, everything flushed unless `flush` is false; with `replace`, swap out what is
        there. `durable` are paths below `self.path` that are flushed already, as links to files of another directory.

        Without `replace` an existing target raises FileExistsError. What was swapped out is disposed of on leaving,
        or by the next writer.
        """
        if flush:
            _flush_tree(self.path, durable)
        if not _rename_new(self.path, self.target):
            if not replace:
                raise FileExistsError(EEXIST, "already exists", self.target)
            self._replaced = _exchange(self.path, self.target)
        if flush:
            flush_path(os.path.dirname(self.target))


def make_parents(path: str, made: list[str]) -> None:
    """Create the missing directories down to `path`, adding each to those made, outermost first."""
    missing = [path]
    while missing:
        try:
            os.mkdir(missing[-1])
        except FileNotFoundError:
            above = os.path.dirname(missing[-1])
            if above == missing[-1]:
                raise
            missing.append(above)
            continue
        except OSError:
            if not os.path.isdir(missing[-1]):
                raise
        else:
            made.append(missing[-1])
        missing.pop()


def remove_made(made: Sequence[str]) -> None:
    """Remove directories that `make_parents` made, as far as nothing is in them."""
    for path in reversed(made):
        try:
            os.rmdir(path)
        except OSError:
            break  # no longer empty: someone else uses it now


def _walk(path: str) -> Iterator[str]:
    """Every file and directory below, and the directory itself, children before parents."""
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path)
            else:
                yield entry.path
    yield path


def _flush_tree(path: str, durable: Container[str]) -> None:
    for error in filter(None, _flushed([each for each in _walk(path) if each not in durable])):
        raise error


def _rename_new(source: str, target: str) -> bool:
    """Rename to a name that must be free; False when it is taken."""
    try:
        if special_rename(source, target, swap=False):
            return True
        if os.path.lexists(target):
            return False
        os.rename(source, target)
    except OSError as error:
        if error.errno in (EEXIST, ENOTEMPTY):
            return False
        raise
    return True


def _exchange(source: str, target: str) -> str:
    """Swap two names in one step; the fallback, where the system cannot, takes two. Returns the old one's new name.

    It has that name from the moment it is replaced, so that a recovery after a crash looks into it first.
    """
    aside = source + ASIDE
    os.rename(source, aside)
    try:
        if special_rename(aside, target, swap=True):
            return aside
    except OSError:
        os.rename(aside, source)
        raise
    os.rename(aside, source)
    os.rename(target, aside)
    try:
        os.rename(source, target)
    except OSError:
        os.rename(aside, target)
        raise
    return aside


def _remove_only(path: str, contents: Sequence[str]) -> None:
    """Remove what is listed of a directory and, if nothing else is in it, the directory; up to the first failure."""
    folder = -1
    try:
        folder = posix_calls.open(path, posix_calls.DIRECTORY | posix_calls.O_NOFOLLOW)
        for name in contents:
            try:
                if name.endswith("/"):
                    posix_calls.rmdir(name, dir_fd=folder)
                else:
                    posix_calls.unlink(name, dir_fd=folder)
            except FileNotFoundError:
                pass  # another writer removes it too
        os.rmdir(path)
    except OSError:
        pass  # it is still there, which the caller sees
    finally:
        close_quietly(folder)


def _set_aside(path: str, target: str) -> str:
    """Give a directory a free name beside the target; the name it has then."""
    for number in count(1):
        name = f"{target}.replaced" if number == 1 else f"{target}.replaced-{number}"
        try:
            if _rename_new(path, name):
                return name
        except OSError:
            break
    return path
