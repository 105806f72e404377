"""Worker processes of a build, and how it talks with them."""

from __future__ import annotations

import os
import sys

from holdfast.core import errors
from holdfast.core.errors import IoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence
    from typing import Any

_LENGTH_BYTES = 8
_MAIN = "import sys; sys.path[:] = {path!r}; from holdfast.caches.on_disk.sharing import work; work()"


def default_workers() -> int:
    """The cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


class Workers:
    """Workers as they are asked for; gone, whatever they do, when a block is left."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Workers:
        return self

    def start(self, count: int) -> None:
        """Have so many, or none where one would be alone."""
        while len(self.processes) < count != 1:
            self.processes.append(start_worker())

    def __exit__(self, *exc: object) -> None:
        while self.processes:
            end_worker(self.processes.pop())

    def assign(self, assignments: Sequence[tuple[Any, ...]]) -> None:
        """Give each worker its next assignment, when it has answered all of the last."""
        for process, assignment in zip(self.processes, assignments, strict=True):
            try:
                send(process.stdin, assignment)
            except BrokenPipeError:
                pass  # it has ended: that is reported when it is asked for an answer

    def answers(self) -> list[Any]:
        """The next answer of each."""
        return [answer(process) for process in self.processes]


def start_worker() -> subprocess.Popen[bytes]:
    """A worker in a process of its own: this interpreter, finding modules where this one does.

    Not a fork, which threads would make unsafe.
    """
    import subprocess

    command = [sys.executable, "-c", _MAIN.format(path=sys.path)]
    # Of an interrupt the parent decides: a worker in a session of its own does not see it.
    return subprocess.Popen(  # noqa: S603  # our own interpreter
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def end_worker(process: subprocess.Popen[bytes]) -> None:
    """End a worker, whatever it does."""
    process.kill()
    pipes: tuple[Any, ...] = (process.stdin, process.stdout)
    for pipe in pipes:
        try:
            pipe.close()
        except OSError:
            pass  # what it could not flush, nobody reads any more
    process.wait()


def send(pipe: Any, value: Any) -> None:
    """Write one value."""
    import marshal

    data = marshal.dumps(value)
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "little") + data)
    pipe.flush()


def receive(pipe: Any) -> Any:
    """The next value, or None at the end."""
    import marshal

    length = pipe.read(_LENGTH_BYTES)
    data = pipe.read(int.from_bytes(length, "little"))
    return marshal.loads(data) if data else None  # noqa: S302  # from a process of our own


def answer(process: subprocess.Popen[bytes]) -> Any:
    """What a worker says next; its error, if it met one."""
    try:
        answer = receive(process.stdout)
    except (EOFError, ValueError, TypeError):
        answer = None
    if not isinstance(answer, tuple):
        raise IoError("a worker process ended before its work was done: was it killed, or is memory short?")
    kind, value = answer
    if kind == "os":
        raise OSError(*value)
    if kind != "done":
        raise getattr(errors, kind)(value)
    return value
