"""A disk on which one system call goes wrong, in this process or in the worker processes of a build.

Apart from the campaign, so that a worker that is started with it loads nothing else.
"""

from __future__ import annotations

import builtins
import errno
import fcntl
import io
import json
import os
import shutil  # noqa: F401  # before anything is replaced: it looks at what the system can do when it is loaded
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from holdfast.core import atomic_write

PATH_CALLS = (
    *("mkdir", "rename", "replace", "link", "unlink", "rmdir", "scandir", "listdir", "stat", "lstat"),
    *("chmod", "utime", "readlink"),
)
DESCRIPTOR_CALLS = ("read", "pread", "fstat", "write", "pwrite", "ftruncate", "fchmod", "fsync", "close")
FAULT = "HOLDFAST_CAMPAIGN_FAULT"


class Mode(NamedTuple):
    """What happens at the chosen call: an error, a write that comes up short, or the end of the process."""

    name: str
    error: int = 0
    lasting: bool = False
    short: bool = False
    kill: bool = False


MODES = (
    *(Mode(name, getattr(errno, name)) for name in ("ENOSPC", "EIO", "EACCES")),
    *(Mode(f"{name} from then on", getattr(errno, name), lasting=True) for name in ("ENOSPC", "EIO")),
    Mode("short write", short=True),
    Mode("short write, then ENOSPC", errno.ENOSPC, lasting=True, short=True),
    Mode("SIGKILL", kill=True),
)


class FaultyDisk:
    """The system's calls, counted; the one numbered `at` goes wrong."""

    def __init__(self, at: int, mode: Mode) -> None:
        self.at = at
        self.mode = mode
        self.calls = 0
        self.hit = ""

    def meet(self, call: str, path: object = None) -> bool:
        """Count a call and let it fail if it is its turn; whether a write must come up short."""
        self.calls += 1
        mode = self.mode
        if self.calls < self.at or (self.calls > self.at and not mode.lasting):
            return False
        if mode.short and not self.hit:
            if call != "write":
                self.at += 1  # the next write, then
                return False
            self.hit = call
            return True
        self.hit = self.hit or call
        if mode.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        if mode.error and not (mode.short and call != "write"):
            shown = path if isinstance(path, str | bytes) else None
            raise OSError(mode.error, os.strerror(mode.error), shown)
        return False

    @contextmanager
    def installed(self) -> Iterator[None]:
        """In place of the real calls."""
        kept = self._install()
        try:
            yield
        finally:
            for holder, name, real in kept:
                setattr(holder, name, real)

    def _install(self) -> list[tuple[Any, str, Any]]:
        kept: list[tuple[Any, str, Any]] = []
        real_fstat = os.fstat

        def replace(holder: Any, name: str, make: Callable[[Any], Any]) -> None:
            real = getattr(holder, name)
            kept.append((holder, name, real))
            setattr(holder, name, make(real))

        def by_path(call: str) -> Callable[[Any], Any]:
            def make(real: Any) -> Any:
                def called(*given: Any, **named: Any) -> Any:
                    self.meet(call, given[0] if given else None)
                    return real(*given, **named)

                return called

            return make

        def by_descriptor(call: str) -> Callable[[Any], Any]:
            def make(real: Any) -> Any:
                def called(descriptor: int, *given: Any) -> Any:
                    mode = real_fstat(descriptor).st_mode
                    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                        return real(descriptor, *given)  # a pipe between processes is not the disk's business
                    try:
                        short = self.meet(call)
                    except OSError:
                        if call == "close":
                            real(descriptor)  # a close that fails has closed all the same
                        raise
                    if short:
                        return real(descriptor, bytes(given[0])[: max(1, len(given[0]) // 2)])
                    return real(descriptor, *given)

                return called

            return make

        for call in PATH_CALLS:
            replace(os, call, by_path(call))
        replace(os, "open", by_path("open"))
        for call in DESCRIPTOR_CALLS:
            replace(os, call, by_descriptor(call))
        replace(fcntl, "flock", by_path("flock"))
        replace(atomic_write, "special_rename", by_path("rename"))
        replace(builtins, "open", lambda real: lambda *given, **named: opened(real, *given, **named))
        return kept


class RawFile(io.RawIOBase):
    """A file whose every call goes through `os`, where it can be made to fail."""

    def __init__(self, path: str | int, mode: str) -> None:
        flags = os.O_RDONLY if mode.startswith("r") else os.O_WRONLY | os.O_CREAT
        flags |= {"r": 0, "x": os.O_EXCL, "a": os.O_APPEND, "w": os.O_TRUNC}[mode[0]]
        self._descriptor = path if isinstance(path, int) else os.open(path, flags | os.O_CLOEXEC, 0o666)
        self._reads = mode.startswith("r")

    def readable(self) -> bool:
        return self._reads

    def writable(self) -> bool:
        return not self._reads

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def seek(self, offset: int, whence: int = 0) -> int:
        return os.lseek(self._descriptor, offset, whence)

    def write(self, data: Any) -> int:
        return os.write(self._descriptor, data)

    def readinto(self, buffer: Any) -> int:
        data = os.read(self._descriptor, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            os.close(self._descriptor)


def opened(real: Any, path: Any, mode: str = "r", buffering: int = -1, **named: Any) -> Any:
    """What `open` gives: binary files on the injected file system, by path or descriptor, anything else as ever."""
    if "b" not in mode or "+" in mode or named or not isinstance(path, str | int):
        return real(path, mode, buffering, **named)
    raw = RawFile(path, mode)
    size = buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE
    return io.BufferedReader(raw, size) if mode.startswith("r") else io.BufferedWriter(raw, size)


def install_in_worker() -> None:
    """Make the calls of a worker process fail as its parent was told to; it says when one did."""
    at, mode, told = json.loads(os.environ[FAULT])
    install_for_good(at, Mode(*mode), told)


def install_for_good(at: int, mode: Mode, told: str) -> None:
    """Let one call of this process fail, which is another's child: the call's name is in the file `told` afterwards."""
    disk = FaultyDisk(at, mode)
    really_open, really_write, really_close, meet = os.open, os.write, os.close, disk.meet

    def telling(call: str, path: object = None) -> bool:
        if disk.calls + 1 >= disk.at and not disk.hit and (call == "write" or not mode.short):
            file = really_open(told, os.O_WRONLY | os.O_CREAT)
            really_write(file, call.encode())
            really_close(file)
        return meet(call, path)

    disk.meet = telling  # type: ignore[method-assign]  # of this one object, in a process of its own
    disk._install()
