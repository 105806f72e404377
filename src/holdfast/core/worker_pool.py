"""A pool of worker processes: jobs in, results out, as typed as a call.

A job is a value, and what is done with it a function of a module that gives results one after another. Both sides
share this file: `WorkerPool` is the parent's, `work` is what a worker runs. Values cross a pipe as pickles, each behind
its length.
"""

from __future__ import annotations

import gc
import os
import sys
from _pickle import dumps, loads
from collections import deque
from importlib import import_module
from selectors import EVENT_READ, DefaultSelector
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from holdfast.core.errors import ContextError, InternalError, IoError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterable, Iterator, Sequence

    # One call for a worker: the function's module and name, and the job.
    Assignment = tuple[str, str, Any]

Job = TypeVar("Job")
Item = TypeVar("Item")
Found = TypeVar("Found")

_LENGTH_BYTES = 8
# Items sent to a worker at a time, so that it need not wait for each.
_NEIGHBOURS = 64
_MAIN = "import sys; sys.path[:] = {path!r}; from holdfast.core.worker_pool import work; work()"
_GONE = "a worker process ended before its work was done: was it killed, or is memory short?"


def core_count() -> int:
    """The cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


class _Result(NamedTuple, Generic[Found]):
    """One result of a job that is still being worked on."""

    value: Found


class _Done(NamedTuple):
    """The end of a job: every result was given, or it failed with `error`."""

    error: Exception | None


class WorkerPool:
    """Worker processes, started as they are asked for; gone, whatever they do, when the block is left.

    with WorkerPool() as pool:
        pool.grow(core_count())
        for number, result in pool.run(function, jobs):
            ...

    A pool without workers does the same jobs in this process.
    """

    def __init__(self) -> None:
        self._workers: list[_Worker] = []

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *exc: object) -> None:
        while self._workers:
            self._workers.pop().end()

    @property
    def size(self) -> int:
        """How many processes share the jobs, this one included where it is alone."""
        return len(self._workers) or 1

    def grow(self, count: int) -> None:
        """Start workers up to `count`; never just one, since this process does as well alone."""
        while len(self._workers) < count != 1:
            self._workers.append(_Worker(_start()))

    def run_items(
        self, function: Callable[[list[Item]], Iterable[Found]], items: Sequence[Item], *, count: int, patience: float
    ) -> Iterator[tuple[int, Found | None]]:
        """What a function gives for items, one result each, with the item's number, as they come; None for a lost one.

        An item is lost when the worker that has it ends, or says nothing for `patience` seconds: it is ended, another
        one goes on with what is left, and nothing else is lost. At most `count` workers share the items, each taking
        some neighbours at a time. Raises OSError when not even one worker can be started.
        """
        size = max(1, min(_NEIGHBOURS, -(-len(items) // (4 * count))))
        waiting = deque([range(at, min(at + size, len(items))) for at in range(0, len(items), size)])
        working: dict[_Worker, tuple[range, float]] = {}
        module, name = function.__module__, function.__name__

        def assign(worker: _Worker) -> None:
            part = waiting.popleft()
            worker.assign((module, name, [items[number] for number in part]))
            working[worker] = part, monotonic() + patience

        with DefaultSelector() as selector:
            while waiting or working:
                while waiting and len(working) < count:
                    idle = next((worker for worker in self._workers if worker not in working), None)
                    if idle is None:
                        idle = _Worker(_start())
                        self._workers.append(idle)
                    if idle.results not in selector.get_map():
                        selector.register(idle.results, EVENT_READ, idle)
                    assign(idle)
                soonest = min([until for _, until in working.values()])
                ready = [key.data for key, _ in selector.select(max(0.0, soonest - monotonic()))]
                now = monotonic()
                late = [worker for worker, (_, until) in working.items() if until <= now and worker not in ready]
                for worker in [*ready, *late]:
                    if worker not in working:
                        continue
                    part, _ = working.pop(worker)
                    message = worker.receive() if worker in ready else None
                    if isinstance(message, _Result) and part:
                        working[worker] = part[1:], now + patience
                        yield part[0], message.value
                    elif isinstance(message, _Done) and message.error is None and not part:
                        continue  # idle again
                    else:
                        selector.unregister(worker.results)
                        self._workers.remove(worker)
                        worker.end()
                        if part:
                            if len(part) > 1:
                                waiting.append(part[1:])
                            yield part[0], None

    def run(self, function: Callable[[Job], Iterable[Found]], jobs: Iterable[Job]) -> Iterator[tuple[int, Found]]:
        """What a function gives for each job, with the job's number, as it comes; workers begin at once. A job is asked
        for when a worker is free for it.

        The results of one job come in their order. When jobs fail, the failure of the earliest is raised, as soon as
        no earlier one is still being worked on; later jobs are not begun. A ContextError and an OSError arrive as
        they were raised, anything else as an InternalError, and a worker that ended as an IoError. All results must
        be taken before the next run; `function` is one that a module has under its own name.
        """
        if not self._workers:
            return ((number, value) for number, job in enumerate(jobs) for value in function(job))
        waiting = enumerate((function.__module__, function.__name__, job) for job in jobs)
        working: dict[_Worker, int] = {}
        for worker in self._workers:
            _assign_next(worker, waiting, working)
        return _collect(working, waiting)


def _assign_next(worker: _Worker, waiting: Iterator[tuple[int, Assignment]], working: dict[_Worker, int]) -> None:
    number, assignment = next(waiting, (-1, None))
    if assignment is not None:
        worker.assign(assignment)
        working[worker] = number


def _collect(working: dict[_Worker, int], waiting: Iterator[tuple[int, Assignment]]) -> Iterator[tuple[int, Any]]:
    """The results of the workers' current jobs, and of the jobs that wait."""
    failed: tuple[int, Exception] | None = None
    with DefaultSelector() as selector:
        for worker in working:
            selector.register(worker.results, EVENT_READ, worker)
        while working and (failed is None or min(working.values()) < failed[0]):
            for key, _ in selector.select():
                worker = key.data
                number = working[worker]
                message = worker.receive()
                if isinstance(message, _Result):
                    yield number, message.value
                    continue
                del working[worker]
                if message.error is not None and (failed is None or number < failed[0]):
                    failed = number, message.error
                if failed is None:
                    _assign_next(worker, waiting, working)
                if worker not in working:
                    selector.unregister(worker.results)
    if failed is not None:
        raise failed[1]


class _Worker:
    """The parent's side of one worker."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._jobs: Any = process.stdin
        self.results: Any = process.stdout

    def assign(self, assignment: Assignment) -> None:
        """Give it its next job, when it has answered all of the last."""
        try:
            _send(self._jobs.fileno(), assignment)
        except BrokenPipeError:
            pass  # it has ended: that is reported when its results are asked for

    def receive(self) -> _Result[Any] | _Done:
        """The worker's next message."""
        try:
            message = _receive(self.results.fileno())
        except Exception:  # it was killed in the middle of a message
            message = None
        return message if isinstance(message, _Result | _Done) else _Done(IoError(_GONE))

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        for pipe in (self._jobs, self.results):
            try:
                pipe.close()
            except OSError:
                pass  # what it could not flush, nobody reads any more
        self._process.wait()


def _start() -> subprocess.Popen[bytes]:
    """A worker in a process of its own: this interpreter, finding modules where this one does.

    Not a fork, which threads would make unsafe.
    """
    import subprocess

    command = [sys.executable, "-c", _MAIN.format(path=sys.path)]
    # Of an interrupt the parent decides: a worker in a session of its own does not see it.
    return subprocess.Popen(  # noqa: S603  # our own interpreter
        command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def _send(pipe: int, value: object) -> None:
    """Write one value, all of it."""
    data = dumps(value, 5)
    rest = memoryview(len(data).to_bytes(_LENGTH_BYTES, "little") + data)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def _receive(pipe: int) -> Any:
    """The next value; EOFError at the end."""
    length = int.from_bytes(_read(pipe, _LENGTH_BYTES), "little")
    return loads(_read(pipe, length))


def _read(pipe: int, length: int) -> bytes:
    chunks = []
    while length:
        chunk = os.read(pipe, min(length, 1 << 16))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        length -= len(chunk)
    return b"".join(chunks)


def work() -> None:
    """The life of a worker: do what is assigned, and say what came of it, until the parent is gone."""
    gc.disable()  # what jobs make in bulk holds no cycles, and looking for some takes a tenth of the time
    results = os.dup(1)
    os.dup2(2, 1)  # whatever prints must not end up among the results
    try:
        while True:
            module, name, job = _receive(0)
            for message in _outcomes(getattr(import_module(module), name), job):
                _send(results, message)
    except (BrokenPipeError, EOFError):
        pass
    os._exit(0)  # nobody is left to work for, or to tell


def _outcomes(function: Callable[[Job], Iterable[Found]], job: Job) -> Iterator[_Result[Found] | _Done]:
    error: Exception | None = None
    try:
        for value in function(job):
            yield _Result(value)
    except (ContextError, OSError) as met:
        error = met
    except Exception as met:  # a bug, or no memory: the parent tells of it as of its own
        error = InternalError(f"{type(met).__name__}: {met}")
    yield _Done(error)
