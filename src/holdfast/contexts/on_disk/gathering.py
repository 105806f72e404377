"""The facts of whole directories: each file read once, hashed and analysed, on all cores."""

from __future__ import annotations

import os

from holdfast.contexts.analysis.facts import MAX_ANALYSED, Export, FileFacts, language_of
from holdfast.contexts.analysis.reading import analyse
from holdfast.contexts.describing import About
from holdfast.contexts.fingerprint import ContentEntry, content_fingerprint
from holdfast.contexts.manifests import MANIFESTS, READMES, about
from holdfast.contexts.on_disk.directory import digest_file
from holdfast.contexts.sources import is_source
from holdfast.core.digests import hex_digest
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import TooLarge, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import ProcessPoolExecutor

    Packed = tuple[str, list[tuple[str, str, str, list[tuple[str, ...]], tuple[str, ...]]], tuple[str, ...]]
    Task = tuple[str, list[tuple[str, int]]]  # a directory, and its files with their sizes

# Less source than this is analysed before other processes have started.
_WORTH_PROCESSES = 1 << 20
_BATCH_BYTES = 256 << 10
_TOLD = frozenset({*MANIFESTS, *READMES})


class DirectoryFacts(NamedTuple):
    """What one directory holds."""

    fingerprint: str
    files: tuple[FileFacts, ...]
    about: About


def gather(task: Task) -> DirectoryFacts:
    """Read every file of a directory once. What cannot be read is counted by name and size, as everywhere."""
    path, files = task
    entries, facts, texts = [], [], {}
    for name, size in sorted(files):
        data = None
        try:
            if is_source(name) and (language_of(name) or name in _TOLD):
                data = read_regular(f"{path}/{name}", limit=MAX_ANALYSED)
                digest, size = hex_digest(data), len(data)
            else:
                digest, size = digest_file(f"{path}/{name}", size)
        except TooLarge:
            digest, size = _digest_or_nothing(f"{path}/{name}", size)
        except OSError:
            digest = ""
        entries.append(ContentEntry(os.fsencode(name), size, digest))
        if data is not None and name in _TOLD:
            texts[name] = data.decode("utf-8", "replace")
        if is_source(name) and language_of(name):
            facts.append(analyse(name, data) if data is not None else FileFacts(name, language_of(name)))
    return DirectoryFacts(content_fingerprint(entries), tuple(facts), about(texts))


def _digest_or_nothing(path: str, size: int) -> tuple[str, int]:
    try:
        return digest_file(path, size)
    except OSError:
        return "", size


def gather_all(
    tasks: Sequence[Task], progress: Callable[[int, int], None] | None = None
) -> Iterator[tuple[int, DirectoryFacts]]:
    """The facts of each directory with its place in `tasks`, in that order."""
    total = sum([size for _, files in tasks for _, size in files])
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if total < _WORTH_PROCESSES or cores == 1:
        for place, task in enumerate(tasks):
            yield place, gather(task)
            if progress is not None:
                progress(place + 1, len(tasks))
        return
    pool = _pool(cores)
    try:
        place = 0
        for batch in pool.map(_gather_batch, list(_batches(tasks)), chunksize=1):
            for packed in batch:
                yield place, _unpacked(packed)
                place += 1
            if progress is not None:
                progress(place, len(tasks))
    finally:
        # Also after Ctrl-C: nobody waits for what is still being analysed.
        pool.shutdown(wait=False, cancel_futures=True)


def _batches(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    batch: list[Task] = []
    size = 0
    for task in tasks:
        batch.append(task)
        size += sum([length for _, length in task[1]])
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _gather_batch(tasks: list[Task]) -> list[Packed]:
    return [_packed(gather(task)) for task in tasks]


def _packed(facts: DirectoryFacts) -> Packed:
    """The same in plain tuples, which cross from process to process in half the time."""
    files = [
        (file.name, file.language, file.doc, [tuple(export) for export in file.exports], file.imports)
        for file in facts.files
    ]
    return facts.fingerprint, files, tuple(facts.about)


def _unpacked(packed: Packed) -> DirectoryFacts:
    fingerprint, files, about_it = packed
    facts = [
        FileFacts(name, language, doc, tuple([Export(*export) for export in exports]), imports)
        for name, language, doc, exports, imports in files
    ]
    return DirectoryFacts(fingerprint, tuple(facts), About(*about_it))


def _pool(workers: int) -> ProcessPoolExecutor:
    import multiprocessing
    import sys
    import threading
    from concurrent.futures import ProcessPoolExecutor

    # A fork is quickest, and safe while no other thread may hold a lock.
    method = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(method), initializer=_leave_signals)


def _leave_signals() -> None:
    """Ctrl-C reaches the whole group; the parent alone answers it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
