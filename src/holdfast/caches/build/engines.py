"""Where a build runs: in processes of this machine, or on a cluster; engines are chosen by name.

A build has two halves that many can share: documents are counted, stretch by stretch, and what was counted is compiled,
range of keys by range of keys. The bytes do not depend on the engine.
"""

from __future__ import annotations

from holdfast.caches.build.document_files import write_documents
from holdfast.caches.build.index_ranges import compile_parts, index_jobs
from holdfast.core.errors import UnknownName, UsageError
from holdfast.core.worker_pool import WorkerPool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Protocol

    from holdfast.caches.build.document_files import DocumentsJob, Progress, WrittenDocuments
    from holdfast.caches.build.index_ranges import IndexPart
    from holdfast.caches.build.token_counts import Runs
    from holdfast.caches.section_index.term_lists import FieldLengths

    # How many parts of each index there will be, and each with the number of its range, in whatever order they come;
    # between them, so many more blocks of the runs were read.
    CompiledParts = tuple[int, Iterator[tuple[int, IndexPart | int]]]

    class Engine(Protocol):
        """Runs both halves of a build; what it started is gone when the block is left."""

        def __enter__(self) -> Engine: ...

        def __exit__(self, *exc: object) -> None: ...

        def grow(self, count: int) -> None:
            """Be ready for work that is worth so many processes."""

        def write_documents(self, job: DocumentsJob, progress: Progress | None) -> WrittenDocuments:
            """Write every source into the directory in the making, and count it."""

        def compile_index(
            self, staged: str, runs: Runs, numbers: Sequence[int], lengths: FieldLengths | None
        ) -> CompiledParts:
            """Compile what was counted; work begins at once. The arguments are those of `index_jobs`."""


LOCAL, RAY = "local", "ray"


class LocalEngine:
    """Processes of this machine, which write into the directory in the making themselves."""

    def __init__(self) -> None:
        self._pool = WorkerPool()

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *exc: object) -> None:
        self._pool.__exit__(*exc)

    def grow(self, count: int) -> None:
        """Start processes up to so many."""
        self._pool.grow(count)

    def write_documents(self, job: DocumentsJob, progress: Progress | None) -> WrittenDocuments:
        """Each process writes and counts a stretch."""
        return write_documents(self._pool, job, progress)

    def compile_index(
        self, staged: str, runs: Runs, numbers: Sequence[int], lengths: FieldLengths | None
    ) -> CompiledParts:
        """Each process compiles a range."""
        jobs = index_jobs(staged, runs, numbers, lengths, self._pool.size)
        return len(jobs), self._pool.run(compile_parts, jobs)


def _local(address: str, _workers: int | None) -> Engine:
    if address:
        raise UsageError(f"the engine '{LOCAL}' has no address: write {LOCAL} alone")
    return LocalEngine()


def _ray(address: str, workers: int | None) -> Engine:
    from holdfast.caches.build.ray_engine import RayEngine

    return RayEngine(address, workers)


# name -> the engine at an address, which is empty where none was given, for so many processes where that is told
ENGINES: dict[str, Callable[[str, int | None], Engine]] = {LOCAL: _local, RAY: _ray}


def open_engine(wanted: str | None, workers: int | None) -> Engine:
    """The engine of that name, given as NAME or NAME://ADDRESS; the local one where none is asked for.

    UsageError where it does not exist or is not installed. Nothing is started yet.
    """
    name, separator, address = (wanted or LOCAL).partition("://")
    if name not in ENGINES:
        raise UnknownName("engine", name, list(ENGINES))
    if separator and not address:
        raise UsageError(f"the engine '{wanted}' has no address: write {name} alone, or {name}://HOST")
    return ENGINES[name](address, workers)
