"""Share the documents of a build among processes; few documents stay in this one.

Each worker gets every so many-th batch of documents, all of its batches at once, and answers batch by batch. Answers
are taken in the order of the batches, so the first error in id order is the one reported, whoever met it.
"""

from __future__ import annotations

import os
import sys

from holdfast.caches.on_disk.batches import Written, settle_names, write_document
from holdfast.caches.on_disk.compiling import Spilling
from holdfast.caches.on_disk.directory import DOCUMENTS
from holdfast.caches.on_disk.section_compiling import FieldSpilling
from holdfast.core import errors
from holdfast.core.errors import IoError
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence
    from typing import Any

    Progress = Callable[[int, int], None]

# What all processes together may hold of counted words before they spill them.
_SPILL_BYTES = 256 << 20
_BATCH = 32
# Below this many documents a worker's start costs more than its help is worth.
_WORTH_A_WORKER = 1000
_LENGTH_BYTES = 8
_MAIN = "import sys; sys.path[:] = {path!r}; from {module} import work; work()"


class Shared(NamedTuple):
    """All documents as they were written, in id order, and the files that hold their counted words."""

    documents: list[Written]
    runs: list[str]
    field_runs: list[tuple[int, str]]


def default_workers() -> int:
    """The cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


def write_documents(
    sources: str,
    staged: str,
    found: Sequence[tuple[str, str]],
    tokenizer: str,
    workers: int | None,
    progress: Progress | None,
) -> Shared:
    """Write every source, given as (id, source) in id order, into a directory in the making."""
    target = os.path.join(staged, DOCUMENTS)
    os.mkdir(target)
    names = [source for _, source in found]
    if workers is None:
        workers = min(default_workers(), len(names) // _WORTH_A_WORKER)
    if workers > 1:
        written, runs, field_runs = _share(sources, staged, names, tokenizer, workers, progress)
    else:
        spilling = Spilling(staged, "run-0", _SPILL_BYTES // 2)
        fields = FieldSpilling(staged, "fields-0", _SPILL_BYTES // 2, tokenizer)
        written = []
        for place, source in enumerate(names):
            if progress is not None:
                progress(place, len(names))
            written.append(write_document(sources, source, target, place, spilling, fields))
        spilling.spill()
        fields.spill()
        runs, field_runs = spilling.files, fields.files
    return Shared(settle_names(target, written), runs, field_runs)


def _share(
    sources: str, staged: str, names: list[str], tokenizer: str, workers: int, progress: Progress | None
) -> tuple[list[Written], list[str], list[tuple[int, str]]]:
    batches = [(start, names[start : start + _BATCH]) for start in range(0, len(names), _BATCH)]
    running: list[subprocess.Popen[bytes]] = []
    written: list[Written] = []
    runs: list[str] = []
    field_runs: list[tuple[int, str]] = []
    try:
        while len(running) < workers:
            running.append(start_worker())
        for number, process in enumerate(running):
            assignment = (sources, staged, tokenizer, number, workers, batches[number::workers])
            try:
                send(process.stdin, assignment)
            except BrokenPipeError:
                pass  # it ended at once: that is reported when it is asked for an answer
        for number in range(len(batches)):
            if progress is not None:
                progress(len(written), len(names))
            written += [Written(*fields) for fields in answer(running[number % workers])]
        for process in running:
            runs += answer(process)
            field_runs += answer(process)
    finally:
        for process in running:
            end_worker(process)
    return written, runs, field_runs


def start_worker(module: str = __name__) -> subprocess.Popen[bytes]:
    """The `work` of a module in a process of its own: this interpreter, finding modules where this one does.

    Not a fork, which threads would make unsafe.
    """
    import subprocess

    command = [sys.executable, "-c", _MAIN.format(path=sys.path, module=module)]
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


def answer(process: subprocess.Popen[bytes]) -> list[Any]:
    """What a worker made of its next batch; its error, if it met one."""
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
    result: list[Any] = value
    return result


def work() -> None:
    """The life of a worker: read the assignment, answer every batch, say where the counted words are."""
    receiving, sending = sys.stdin.buffer, sys.stdout.buffer
    sources, staged, tokenizer, number, workers, batches = receive(receiving)
    target = os.path.join(staged, DOCUMENTS)
    try:
        limit = _SPILL_BYTES // workers // 2
        spilling = Spilling(staged, f"run-{number}", limit)
        fields = FieldSpilling(staged, f"fields-{number}", limit, tokenizer, number, workers)
        for start, names in batches:
            written = [
                tuple(write_document(sources, source, target, start + position, spilling, fields))
                for position, source in enumerate(names)
            ]
            send(sending, ("done", written))
        spilling.spill()
        fields.spill()
        send(sending, ("done", spilling.files))
        send(sending, ("done", fields.files))
    except errors.ContextError as error:
        send(sending, (type(error).__name__, error.reason))
    except BrokenPipeError:
        os._exit(1)  # the build is gone: nobody is left to work for, or to tell
    except OSError as error:
        send(sending, ("os", (error.errno, error.strerror)))
