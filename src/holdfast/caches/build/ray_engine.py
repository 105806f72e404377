"""A build on Ray: documents are counted there stretch by stretch, what was counted is compiled range by range.

No directory is shared. This process reads the sources and writes every file; documents travel to the workers, which
send back what is known of them, and keep what they counted in the object store until it is compiled. A worker holds a
stretch or a range at a time, so its memory does not grow with the sources.
"""

from __future__ import annotations

import os
import sys
from itertools import accumulate

from holdfast.caches.build.document_files import (
    CountedDocuments,
    GatheredDocuments,
    SkippedSource,
    source_size,
    write_document,
)
from holdfast.caches.build.engine_tasks import KeyRanges, SharedNumbers, StretchPiece, compile_range, count_stretch
from holdfast.caches.build.ray_cluster import RayCluster
from holdfast.caches.build.source_documents import read_document, source_path
from holdfast.caches.build.token_counts import DocumentCounts
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.caches.sorted_runs import Run, cut_run, decoded, packed, shares
from holdfast.core.errors import ContextError
from holdfast.core.record import NamedTuple
from holdfast.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from holdfast.caches.build.document_files import DocumentsJob, Progress, UncountedDocument, WrittenDocuments
    from holdfast.caches.build.engines import CompiledParts
    from holdfast.caches.build.index_ranges import IndexPart
    from holdfast.caches.build.source_documents import Source
    from holdfast.caches.build.token_counts import Runs, RunSettings
    from holdfast.caches.section_index.term_lists import FieldLengths

# Bytes of documents that a worker counts at a time, and of counted keys that one compiles at a time.
STRETCH_BYTES, RANGE_BYTES = 16 << 20, 32 << 20
# A stretch is not shorter than this, where few documents are shared by many workers.
_LEAST_BYTES = 1 << 20
# What a worker may hold of counted words before it sorts them.
_RUN_BYTES = 64 << 20
# What a document costs beside its bytes, as if it had so many more.
_DOCUMENT_BYTES = 1000
# So many documents, and so many bytes of them, say where ranges are cut; ranges beyond so many are longer instead.
_SAMPLE, _SAMPLE_BYTES, _MOST_RANGES = 256, 512 << 10, 512


class _Plan(NamedTuple):
    """How the work is cut: the ranges of keys, and about how many bytes of documents make a stretch."""

    ranges: KeyRanges
    stretch_bytes: int


class _Counted(NamedTuple):
    """What was counted and waits to be compiled: the ranges, and of each stretch what stands for its piece of each."""

    ranges: KeyRanges
    pieces: dict[int, list[Any]]


class RayEngine:
    """Both halves of a build on a Ray cluster, at an address or, where that is empty, on this machine.

    `peaks` is the memory in KiB that each half took in the worker that took most.
    """

    def __init__(self, address: str, workers: int | None) -> None:
        self._cluster = RayCluster(address, workers)
        self._counted: dict[str, _Counted] = {}  # by the directory in the making: that of a cache, or of a part of it
        self.peaks = {"count": 0, "compile": 0}

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(self, *exc: object) -> None:
        self._counted = {}
        self._cluster.leave()

    def grow(self, count: int) -> None:
        """A cluster has the size it has, and one that is started here has a worker a core."""

    def write_documents(self, job: DocumentsJob, progress: Progress | None) -> WrittenDocuments:
        """Read and write here, count there."""
        self._cluster.connect()
        settings = job.settings._replace(limit=min(job.settings.limit, _RUN_BYTES))
        plan = _planned(job.sources, job.items, settings, self._cluster.cores)
        counted_here = self._counted[job.staged] = _Counted(plan.ranges, {})
        gathered = GatheredDocuments(job.staged, len(job.items), progress)
        stretches = _stretches(job.sources, job.items, gathered, plan.stretch_bytes)
        for number, results in self._cluster.flow(self._counting(stretches, settings, plan.ranges)):
            counted = self._cluster.get(results[0])
            gathered.add(number, counted.documents)
            gathered.add(number, counted.runs)
            counted_here.pieces[number] = results[1:]
            self.peaks["count"] = max(self.peaks["count"], counted.peak)
        return gathered.settled()

    def _counting(
        self, stretches: Iterable[tuple[int, list[UncountedDocument]]], settings: RunSettings, ranges: KeyRanges
    ) -> Iterator[tuple[int, list[Any]]]:
        returns = 1 + len(ranges.words)
        for number, documents in stretches:
            kept = self._cluster.put(documents)
            yield number, self._cluster.begin(count_stretch, __version__, kept, settings, ranges, returns=returns)

    def compile_index(
        self, staged: str, runs: Runs, numbers: Sequence[int], lengths: FieldLengths | None
    ) -> CompiledParts:
        """Compile each range there, write its parts here."""
        if sys.byteorder != "little":  # as `index_jobs`
            return 0, iter(())
        shared = SharedNumbers(
            *([_without_blocks(run) for run in runs.words], packed(numbers), packed(runs.positions)),
            [(field, _without_blocks(run)) for field, run in runs.fields],
            None if lengths is None else list(map(packed, lengths)),
        )
        counted = self._counted.pop(staged)
        # What documents link to was counted here.
        own = [cut_run(_blocks(run), counted.ranges.terms) for _, run in runs.fields if run.file]
        flow = self._cluster.flow(self._compiling(self._cluster.put(shared), own, counted))
        return len(counted.ranges.words), self._written(staged, flow)

    def _compiling(
        self, shared: Any, own: Sequence[list[list[tuple[bytes, bytes]]]], counted: _Counted
    ) -> Iterator[tuple[int, list[Any]]]:
        stretches = [counted.pieces.pop(number) for number in sorted(counted.pieces)]
        for number in range(len(counted.ranges.words)):
            pieces = [stretch[number] for stretch in stretches]
            of_links = self._cluster.put(StretchPiece([], [blocks[number] for blocks in own]))
            yield number, self._cluster.begin(compile_range, __version__, shared, *pieces, of_links)
            for stretch in stretches:
                stretch[number] = None  # nobody else asks for it: the store may forget it once the range is compiled

    def _written(self, staged: str, flow: Iterator[tuple[int, list[Any]]]) -> Iterator[tuple[int, IndexPart | int]]:
        for number, results in flow:
            compiled = self._cluster.get(results[0])
            self.peaks["compile"] = max(self.peaks["compile"], compiled.peak)
            yield number, compiled.blocks
            for part, contents in compiled.parts:
                placed = part._replace(file=os.path.join(staged, f"part-{number}-{part.kind}"))
                for file, content in zip(placed.files, contents, strict=True):
                    with open(file, "xb") as target:
                        target.write(content)
                yield number, placed


def _stretches(
    sources: str, items: Sequence[Source], gathered: GatheredDocuments, most: int
) -> Iterator[tuple[int, list[UncountedDocument]]]:
    """Documents as they are written, by stretches of about so many bytes, each with its number."""
    number = size = 0
    documents: list[UncountedDocument] = []
    for source in items:
        written = write_document(sources, source, gathered.folder)
        if isinstance(written, SkippedSource):
            gathered.add(number, CountedDocuments([], [written], {}, 0))
            continue
        documents.append(written)
        size += written.size + _DOCUMENT_BYTES
        if size >= most:
            yield number, documents
            number, size, documents = number + 1, 0, []
    yield number, documents


def _planned(sources: str, items: Sequence[Source], settings: RunSettings, cores: int) -> _Plan:
    """Where ranges are cut and how long stretches are, by documents from all over the sources.

    Bytes do not depend on it: a poor guess makes some tasks longer than others.
    """
    picked = items[:: len(items) // _SAMPLE + 1]
    weights = [source_size(source_path(sources, item)) for item in picked]
    total = (sum(weights) + len(picked) * _DOCUMENT_BYTES) * len(items) // max(1, len(picked))
    documents, held = [], 0
    for item, weight in zip(picked, weights, strict=True):
        if held + weight > _SAMPLE_BYTES:
            continue
        try:
            documents.append(read_document(sources, item).document)
            held += weight + _DOCUMENT_BYTES
        except (ContextError, Unreadable):
            continue  # told when its turn comes
    runs: dict[str, Run] = {}

    def keep(path: str, blocks: Iterable[tuple[bytes, bytes]], base: int) -> Run:
        """A run whose every key is a block, so that it can be cut anywhere."""
        terms = [
            pair for keys, values in decoded(data for _, data in blocks) for pair in zip(keys, values, strict=True)
        ]
        sizes = accumulate([len(key) + len(value) for key, value in terms], initial=0)
        runs[path] = Run(path, [key for key, _ in terms], list(sizes), base)
        return runs[path]

    counts = DocumentCounts("", settings, keep)
    counts.add(0, documents)
    sample = counts.finish()
    counted = sum([run.offsets[-1] for run in runs.values()]) * total // max(1, held)
    count = min(max(cores, -(-counted // RANGE_BYTES)), _MOST_RANGES)
    ranges = KeyRanges(shares(sample.words, count), shares([run for _, run in sample.fields], count))
    return _Plan(ranges, min(max(total // (2 * cores), _LEAST_BYTES), STRETCH_BYTES))


def _without_blocks(run: Run) -> Run:
    return run._replace(file="", firsts=[], offsets=[])


def _blocks(run: Run) -> list[tuple[bytes, bytes]]:
    """The blocks of a run that is a file, as they stand there."""
    with open(run.file, "rb") as file:
        return [
            (first, file.read(end - start))
            for first, start, end in zip(run.firsts, run.offsets, run.offsets[1:], strict=False)
        ]
