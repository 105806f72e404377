"""Receipts of the answers a server gave: one file each in a directory, named by the receipt it holds; and the calls.

The same answer twice is one receipt, whichever process wrote it, and two calls, each a small file of its own. A file is
written beside its name and renamed, so it is whole or not there. A directory that holds as much as it may takes no more
until another process makes room. Nothing is removed but unfinished files of dead writers and, where an age is set,
receipts that were last given longer ago than that.
"""

from __future__ import annotations

import os
import stat
from _thread import allocate_lock
from errno import EDQUOT

from holdfast.caches.search.call_records import CallRecord, encode_call
from holdfast.caches.search.receipts import receipt_and_file
from holdfast.caches.shapes import Record
from holdfast.core import posix_calls
from holdfast.core.confined_paths import printable
from holdfast.core.errors import UnsafePath
from holdfast.core.own_folder import OwnFolder
from holdfast.core.regular_files import close_quietly

MOST_FILES = 1 << 16
MOST_BYTES = 1 << 30
# Each process fills this part of the room it counted before it counts again: as many may share a directory.
_SHARES = 16
_HEX_DIGITS = 64
_HEX = frozenset("0123456789abcdef")
_MARK = ".holdfast-"
_ATTEMPTS = 3
_DAY = 86_400_000
_HOUR = 3_600_000
_KEPT = (".json", ".call")


class ReceiptStore:
    """What one process adds to a directory of receipts, counted. Never raises what the system says of the directory."""

    def __init__(self, most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES) -> None:
        self._most_files, self._most_bytes = most_files, most_bytes
        self._lock = allocate_lock()
        self._counts = {"written": 0, "present": 0, "failed": 0}
        self._reported = ""  # the reason of the last failure
        self._most_age = 0  # in milliseconds; 0: nothing is too old
        self._swept = 0
        self._name = os.urandom(8).hex()
        self._calls = 0
        self._room_files = self._room_bytes = 0
        self._full: tuple[int, int, int] | None = None  # the directory as it was when it was found full

    def bound(self, most_bytes: int | None, most_days: int | None) -> None:
        """Hold at most `most_bytes`, and nothing that was last given more than `most_days` days ago."""
        if most_bytes is not None:
            self._most_bytes = most_bytes
        if most_days is not None:
            self._most_age = most_days * _DAY

    def add(self, directory: str, record: Record, at: int | None = None, client: str = "") -> str:
        """Add a record unless it is there. Returns a message to print about a new failure, else an empty text.

        With `at`, in milliseconds since 1970, a file beside it records that the answer was given then, and to whom.
        """
        try:
            outcome = self._add(directory, record, at, client)
        except (OSError, UnsafePath) as error:
            said = error.reason if isinstance(error, UnsafePath) else error.strerror
            reason = "it is a link" if os.path.islink(directory) else said or "the system refuses"
            with self._lock:
                self._counts["failed"] += 1
                is_known, self._reported = self._reported == reason, reason
            return "" if is_known else f"receipts cannot be written to '{printable(directory)}': {reason}"
        with self._lock:
            self._counts[outcome] += 1
        return ""

    def telemetry(self) -> dict[str, dict[str, int]]:
        """How many receipts were written, were there already, or could not be written."""
        with self._lock:
            return {"receipts": dict(self._counts)}

    def _add(self, directory: str, record: Record, at: int | None, client: str) -> str:
        receipt, data = receipt_and_file(record)
        name = receipt.removeprefix("sha256:") + ".json"
        with self._lock:
            self._calls += 1
            number = self._calls
        # A link is not followed: where it leads is not what was named, and may change with every call.
        with OwnFolder.at(directory, "", _is_ours, follows=False) as folder:
            if self._most_age and at is not None and not 0 <= at - self._swept <= _HOUR:
                self._swept = at
                _remove_older(folder, (at - self._most_age) * 1_000_000)
            is_new = not _is_there(folder, name, len(data))
            if not is_new and self._most_age:
                # It was given again, so it is young again.
                posix_calls.utime(name, dir_fd=folder.descriptor, follow_symlinks=False)
            if is_new:
                self._put(folder, name, data)
            if at is not None:
                self._put(folder, *encode_call(CallRecord(at, client, receipt, self._name, number)))
            return "written" if is_new else "present"

    def _put(self, folder: OwnFolder, name: str, data: bytes) -> None:
        with self._lock:
            self._claim(folder, len(data))
        for attempt in range(_ATTEMPTS):
            try:
                _write(folder, name, data)
                break
            except FileNotFoundError:  # taken for abandoned between being made and being locked
                if attempt == _ATTEMPTS - 1:
                    raise

    def _claim(self, folder: OwnFolder, size: int) -> None:
        """Use up room for one more file; OSError when there is none."""
        if self._room_files < 1 or self._room_bytes < size:
            status = posix_calls.fstat(folder.descriptor)
            state = (status.st_dev, status.st_ino, status.st_mtime_ns)
            if state == self._full:
                raise _full()
            files, held = self._holds(folder)
            files, held = self._most_files - files, self._most_bytes - held
            self._full = None if files > 0 and held >= size else state
            if self._full is not None:
                raise _full()
            self._room_files, self._room_bytes = max(1, files // _SHARES), max(size, held // _SHARES)
        self._room_files -= 1
        self._room_bytes -= size

    def _holds(self, folder: OwnFolder) -> tuple[int, int]:
        """How many entries a directory has, of how many bytes; counted no further than it may hold."""
        files = held = 0
        abandoned = []
        with posix_calls.scandir(folder.descriptor) as entries:
            for entry in entries:
                files += 1
                try:
                    held += entry.stat(follow_symlinks=False).st_size
                except FileNotFoundError:
                    pass  # another process renamed or removed it
                if entry.name.startswith(".") and _is_ours(entry.name):
                    abandoned.append(entry.name)
                if files >= self._most_files or held >= self._most_bytes:
                    break
        for name in abandoned:
            _remove_abandoned(folder, name)
        return files, held


def _full() -> OSError:
    return OSError(EDQUOT, "it holds as many receipts as it may")


def _is_ours(name: str) -> bool:
    """Whether a name has the form of a receipt, of a call, or of one of them that is being written."""
    if name.startswith("."):
        name, _, mark = name[1:].partition(_MARK)
        if not mark or not _HEX.issuperset(mark):
            return False
    return name[_HEX_DIGITS:] in _KEPT and _HEX.issuperset(name[:_HEX_DIGITS])


def _is_there(folder: OwnFolder, name: str, size: int) -> bool:
    """Whether a receipt was written before; one that a crash of the system cut short was not."""
    status = folder.status(name)
    return status is not None and stat.S_ISREG(status.st_mode) and status.st_size == size


def _write(folder: OwnFolder, name: str, data: bytes) -> None:
    staged = f".{name}{_MARK}{os.urandom(6).hex()}"
    descriptor = folder.open_file(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        try:
            posix_calls.flock(descriptor, posix_calls.LOCK_EX | posix_calls.LOCK_NB)
        except OSError:
            pass  # no locks here, so no process takes it for abandoned; or one just did
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        folder.rename(staged, name)
    except BaseException:
        try:
            folder.remove(staged)
        except OSError:
            pass  # for the next process that counts
        raise
    finally:
        close_quietly(descriptor)


def _remove_older(folder: OwnFolder, before: int) -> None:
    """Remove receipts and calls whose files were last written before a time, in ns since 1970, and nothing else."""
    for name in folder.names():
        try:
            status = None if name.startswith(".") else folder.status(name)
            if status is not None and stat.S_ISREG(status.st_mode) and status.st_mtime_ns < before:
                folder.remove(name)
        except OSError:
            pass  # it may not be removed


def _remove_abandoned(folder: OwnFolder, name: str) -> None:
    """Remove an unfinished file, unless its writer is alive and holds its lock."""
    try:
        descriptor = folder.open_file(name, os.O_WRONLY)  # since no confined server may read here
    except (OSError, UnsafePath):
        return
    try:
        posix_calls.flock(descriptor, posix_calls.LOCK_EX | posix_calls.LOCK_NB)
        folder.remove(name)
    except OSError:
        pass
    finally:
        close_quietly(descriptor)
