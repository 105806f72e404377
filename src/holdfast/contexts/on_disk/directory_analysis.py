"""The facts of whole directories: each file read once, hashed and analysed, on all cores."""

from __future__ import annotations

import os
from hashlib import sha256

from holdfast.contexts.analysis.analyser import analyse
from holdfast.contexts.analysis.facts import MAX_ANALYSED, FileFacts
from holdfast.contexts.description import About
from holdfast.contexts.fingerprint import ContentEntry, content_fingerprint
from holdfast.contexts.languages import language_of
from holdfast.contexts.manifests import MANIFESTS, READMES, about
from holdfast.contexts.on_disk.file_digest import digest_file
from holdfast.contexts.source_kinds import is_source
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import TooLarge, read_regular
from holdfast.core.worker_pool import WorkerPool, core_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
                digest, size = sha256(data).hexdigest(), len(data)
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
    batches = list(_batches(tasks))
    place = following = 0
    waiting: dict[int, list[DirectoryFacts]] = {}  # what came before its turn
    with WorkerPool() as pool:
        if total >= _WORTH_PROCESSES:
            pool.grow(core_count())
        for number, facts in pool.run(gather_batch, batches):
            waiting[number] = facts
            while following in waiting:
                for each in waiting.pop(following):
                    yield place, each
                    place += 1
                following += 1
            if progress is not None:
                progress(place, len(tasks))


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


def gather_batch(tasks: list[Task]) -> Iterator[list[DirectoryFacts]]:
    """The facts of several directories, as one result."""
    yield [gather(task) for task in tasks]
