"""All or nothing on disk: a sibling is written, flushed and renamed; a reader sees the old or the new, never a half.

A directory in the making is called `.NAME.holdfast-XXXX`, beside its target and locked by its maker. The lock dies with
the process, so the next writer can tell an abandoned one from one still being written, and removes only the former.
"""

from __future__ import annotations

import os
import stat
from errno import EEXIST, EINVAL, ENOSYS, ENOTEMPTY, ENOTSUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes
    from collections.abc import Iterator, Sequence

_MARK = ".holdfast-"
_UNSUPPORTED = frozenset({ENOSYS, EINVAL, ENOTSUP})
# Above this many files one flush of the whole file system is cheaper than one flush a file.
_FEW_FILES = 64


def is_staging_name(name: str) -> bool:
    """Whether a directory name is that of a directory in the making (or abandoned there)."""
    return name.startswith(".") and _MARK in name


def write_file(path: str, data: bytes) -> None:
    """Replace or create one file atomically and durably; its permissions are kept when it existed."""
    parent, name = os.path.split(os.path.abspath(path))
    temporary = os.path.join(parent, f".{name}{_MARK}{os.urandom(6).hex()}")
    try:
        write_new(temporary, data, flush=True)
        try:
            os.chmod(temporary, stat.S_IMODE(os.stat(path).st_mode))
        except FileNotFoundError:
            pass  # a new file keeps the permissions the umask gave it
        os.replace(temporary, path)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass  # it was never created, or the failure that brought us here prevents this too
        raise
    flush_directory(parent)


def write_files(files: Sequence[tuple[str, bytes]]) -> list[OSError | None]:
    """Replace or create many files, each atomically, with one flush for all of them; what failed for which.

    One flush of the file system costs about what flushing one file does, so thousands of files take seconds less.
    """
    failures: list[OSError | None] = [None] * len(files)
    staged: dict[int, str] = {}
    try:
        for place, (path, data) in enumerate(files):
            parent, name = os.path.split(os.path.abspath(path))
            temporary = os.path.join(parent, f".{name}{_MARK}{os.urandom(6).hex()}")
            staged[place] = temporary
            try:
                write_new(temporary, data)
                if os.path.exists(path):
                    os.chmod(temporary, stat.S_IMODE(os.stat(path).st_mode))
            except OSError as error:
                failures[place] = error
        ready = [place for place in staged if failures[place] is None]
        if ready and not _flush_file_system(os.path.dirname(staged[ready[0]])):
            for place in ready:
                flush_file(staged[place])
        for place in ready:
            try:
                os.replace(staged[place], files[place][0])
                del staged[place]
            except OSError as error:
                failures[place] = error
    finally:
        for temporary in staged.values():
            try:
                os.unlink(temporary)
            except OSError:
                pass  # it was never created
    return failures


def flush_file(path: str) -> None:
    """Make a file's content durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_new(path: str, data: bytes, *, flush: bool = False) -> None:
    """Create a file that must not exist yet and write all of it, however many calls that takes."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if flush:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def create_file(path: str, data: bytes) -> bool:
    """Create one file, whole from the moment it is seen; False when something stands there already."""
    parent, name = os.path.split(os.path.abspath(path))
    temporary = os.path.join(parent, f".{name}{_MARK}{os.urandom(6).hex()}")
    try:
        write_new(temporary, data, flush=True)
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        try:
            os.unlink(temporary)
        except OSError:
            pass  # it was never created
    flush_directory(parent)
    return True


def flush_directory(path: str) -> None:
    """Make renames and creations in a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class StagedDirectory:
    """A directory written beside its target, then put in its place whole.

    with StagedDirectory(target) as staged:
        write_new(os.path.join(staged.path, "a"), b"...")
        staged.publish(replace=False)

    Leaving the block without publishing, by an error or an interrupt, removes everything that was written.
    """

    def __init__(self, target: str) -> None:
        self.target = os.path.abspath(target)
        self.parent, self.name = os.path.split(self.target)
        self.path = ""
        self._lock = -1

    def __enter__(self) -> StagedDirectory:
        self._made_parents = _make_parents(self.parent)
        gate = _lock(self.parent)
        try:
            _remove_abandoned(self.parent, f".{self.name}{_MARK}")
            self.path = os.path.join(self.parent, f".{self.name}{_MARK}{os.urandom(6).hex()}")
            os.mkdir(self.path)
            self._lock = _lock(self.path)
        finally:
            os.close(gate)
        return self

    def __exit__(self, *exc: object) -> None:
        if self.path:
            _remove_tree(self.path)
        if self._lock >= 0:
            os.close(self._lock)
        if exc[0] is not None:
            for made in reversed(self._made_parents):
                try:
                    os.rmdir(made)
                except OSError:
                    break  # no longer empty: someone else uses it now

    def publish(self, *, replace: bool) -> None:
        """Flush everything and put the directory at its target; with `replace`, swap out what stands there.

        Without `replace` an existing target raises FileExistsError. What was swapped out is removed on leaving.
        """
        _flush_tree(self.path)
        if not _rename_new(self.path, self.target):
            if not replace:
                raise FileExistsError(EEXIST, "already exists", self.target)
            _exchange(self.path, self.target)
        flush_directory(self.parent)


def _make_parents(path: str) -> list[str]:
    """Create the missing directories down to `path`; the list of those made, outermost first."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    missing.reverse()
    for directory in missing:
        os.mkdir(directory)
    return missing


def _lock(directory: str) -> int:
    """A descriptor of the directory holding an exclusive lock, where the file system knows locks."""
    import fcntl

    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:
        pass  # no locks here (some network file systems): abandoned directories are then judged by this one attempt
    return descriptor


def _remove_abandoned(parent: str, prefix: str) -> None:
    import fcntl

    with os.scandir(parent) as entries:
        candidates = [entry.path for entry in entries if entry.name.startswith(prefix)]
    for path in candidates:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove_tree(path)
        except OSError:
            pass  # its maker is alive
        finally:
            os.close(descriptor)


def _remove_tree(path: str) -> None:
    from shutil import rmtree

    # What cannot be removed now is found and removed by the next writer.
    rmtree(path, ignore_errors=True)


def _walk(path: str) -> Iterator[tuple[str, bool]]:
    """Every file below and then every directory, children before parents: (path, is_directory)."""
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path)
            else:
                yield entry.path, False
    yield path, True


def _flush_tree(path: str) -> None:
    everything = list(_walk(path))
    if len(everything) > _FEW_FILES and _flush_file_system(path):
        return
    for item, is_directory in everything:
        if is_directory:
            flush_directory(item)
        else:
            flush_file(item)


def _flush_file_system(path: str) -> bool:
    """One flush of everything on the file system that holds `path`; False where there is no such call."""
    libc = _libc()
    if not hasattr(libc, "syncfs"):
        return False
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if libc.syncfs(descriptor) != 0:
            _raise_errno(path)
    finally:
        os.close(descriptor)
    return True


def _rename_new(source: str, target: str) -> bool:
    """Rename to a name that must be free; False when it is taken."""
    try:
        if _special_rename(source, target, swap=False):
            return True
        if os.path.lexists(target):
            return False
        os.rename(source, target)
    except OSError as error:
        if error.errno in (EEXIST, ENOTEMPTY):
            return False
        raise
    return True


def _exchange(source: str, target: str) -> None:
    """Swap two names in one step; where the system cannot, move the old aside first."""
    if _special_rename(source, target, swap=True):
        return
    aside = source + "-old"
    os.rename(target, aside)
    try:
        os.rename(source, target)
    except OSError:
        os.rename(aside, target)
        raise
    _remove_tree(aside)


def _special_rename(source: str, target: str, *, swap: bool) -> bool:
    """rename that fails on an existing target, or exchanges the two; False where the system has no such call."""
    import ctypes
    import sys

    libc = _libc()
    if sys.platform == "darwin":
        call = getattr(libc, "renamex_np", None)
        arguments: tuple[object, ...] = (os.fsencode(source), os.fsencode(target), ctypes.c_uint(2 if swap else 4))
    else:
        call = getattr(libc, "renameat2", None)
        here = ctypes.c_int(-100)  # AT_FDCWD
        flags = ctypes.c_uint(2 if swap else 1)  # RENAME_EXCHANGE, RENAME_NOREPLACE
        arguments = (here, os.fsencode(source), here, os.fsencode(target), flags)
    if call is None:
        return False
    if call(*arguments) == 0:
        return True
    if ctypes.get_errno() in _UNSUPPORTED:
        return False
    _raise_errno(target)
    return False


def _libc() -> ctypes.CDLL:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _raise_errno(path: str) -> None:
    import ctypes

    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), path)
