"""File systems to hand to `RememberedFiles`: real files, with the calls counted and the clock in the test's hand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.core.file_contents import SystemFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Literal

HOUR = 3_600_000_000_000


class CountedFiles(SystemFiles):
    """The real file system an hour from now, so that every file is at rest; `calls` names each call made."""

    def __init__(self, ahead: int = HOUR) -> None:
        self.ahead = ahead
        self.calls: list[str] = []

    def stat(  # type: ignore[override]  # a method in place of the function
        self, path: str, *, dir_fd: int | None = None
    ) -> os.stat_result:
        self.calls.append("stat")
        return os.stat(path, dir_fd=dir_fd)

    def open(self, path: str, *, dir_fd: int | None = None) -> int:  # type: ignore[override]  # the same
        self.calls.append("open")
        return SystemFiles.open(path, dir_fd=dir_fd)

    def fstat(self, descriptor: int) -> os.stat_result:
        self.calls.append("fstat")
        return os.fstat(descriptor)

    def read(self, descriptor: int, size: int) -> bytes:
        self.calls.append("read")
        return os.read(descriptor, size)

    def close(self, descriptor: int) -> None:
        self.calls.append("close")
        os.close(descriptor)

    def now(self) -> int:
        return SystemFiles.now() + self.ahead

    def taken(self) -> list[str]:
        """The calls since this was last asked."""
        calls, self.calls = self.calls, []
        return calls


class SlowClockFiles(CountedFiles):
    """A file system whose clock stands still: every file carries one stamp, whenever it was written."""

    def __init__(self, stamp: int, age: int) -> None:
        super().__init__()
        self.stamp = stamp
        self.age = age

    def stat(  # type: ignore[override]  # a method in place of the function
        self, path: str, *, dir_fd: int | None = None
    ) -> os.stat_result:
        return self._stamped(super().stat(path, dir_fd=dir_fd))

    def fstat(self, descriptor: int) -> os.stat_result:
        return self._stamped(super().fstat(descriptor))

    def now(self) -> int:
        return self.stamp + self.age

    def _stamped(self, status: os.stat_result) -> os.stat_result:
        # An mtime may be set by hand; were the two equal, it would look like a file system without a ctime.
        return os.stat_result(tuple(status), {"st_mtime_ns": self.stamp - 10**9, "st_ctime_ns": self.stamp})


class FilesWithoutChangeTime(CountedFiles):
    """A file system that keeps no ctime: it shows the mtime once more, both in whole seconds."""

    def stat(  # type: ignore[override]  # a method in place of the function
        self, path: str, *, dir_fd: int | None = None
    ) -> os.stat_result:
        return self._stamped(super().stat(path, dir_fd=dir_fd))

    def fstat(self, descriptor: int) -> os.stat_result:
        return self._stamped(super().fstat(descriptor))

    def _stamped(self, status: os.stat_result) -> os.stat_result:
        whole = status.st_mtime_ns // 10**9 * 10**9
        return os.stat_result(tuple(status), {"st_mtime_ns": whole, "st_ctime_ns": whole})


class DisturbedFiles(CountedFiles):
    """A file system on which something happens each time a file was opened and not yet read, or read for once."""

    def __init__(self, disturb: Callable[[], None], *, after: Literal["fstat", "read"] = "fstat") -> None:
        super().__init__()
        self.disturb = disturb
        self.after = after

    def fstat(self, descriptor: int) -> os.stat_result:
        status = super().fstat(descriptor)
        self._disturb_once("fstat")
        return status

    def read(self, descriptor: int, size: int) -> bytes:
        data = super().read(descriptor, size)
        self._disturb_once("read")
        return data

    def _disturb_once(self, call: str) -> None:
        since_open = self.calls[len(self.calls) - self.calls[::-1].index("open") :]
        if call == self.after == since_open[-1] and since_open.count(call) == 1:
            self.disturb()


def pass_a_tick(file: Path) -> None:
    """Come back when the clock that stamps files has moved on since this one was written."""
    beside = file.with_name(file.name + ".tick")
    while True:
        beside.write_bytes(b"")
        later = beside.stat().st_ctime_ns > file.stat().st_ctime_ns
        beside.unlink()
        if later:
            return
