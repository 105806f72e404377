"""A running server as a campaign sees it: its streams, and what the system says about its memory and descriptors."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HOLDFAST = (sys.executable, "-m", "holdfast")
_TICKS = os.sysconf("SC_CLK_TCK")


class ServerProcess:
    """One server. Its stderr is read as it comes, so that it can never stand still for want of a reader."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.process = subprocess.Popen(
            [*command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin = self.process.stdin.fileno()
        self.stdout = self.process.stdout.fileno()
        self._told: list[bytes] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        while part := os.read(self.process.stderr.fileno(), 1 << 16):
            self._told.append(part)

    @property
    def stderr(self) -> str:
        """All it has told people so far."""
        return b"".join(self._told).decode(errors="replace")

    def send(self, data: bytes) -> None:
        """All of it, however long the server takes to read it."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.stdin, rest) :]

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def stop_reading(self) -> None:
        """Close the end of the pipe its answers come out of."""
        assert self.process.stdout is not None
        self.process.stdout.close()

    def wait(self, seconds: float = 60) -> int | None:
        """The exit code; None, and the process is killed, when it has not ended by then."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
        self._listener.join(seconds)
        return code

    def end(self) -> None:
        """See to it that nothing is left of it."""
        self.process.kill()
        self.process.wait()
        self._listener.join(10)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def _status(self, name: str) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        return 0

    def memory(self) -> float:
        """Resident memory in MiB."""
        return self._status("VmRSS") / 1024

    def peak_memory(self) -> float:
        """The most memory that was ever resident, in MiB."""
        return self._status("VmHWM") / 1024

    def threads(self) -> int:
        return self._status("Threads")

    def descriptors(self) -> int:
        """How many descriptors it holds open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_seconds(self) -> float:
        """Time it has had a core to itself, in user and system mode."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
