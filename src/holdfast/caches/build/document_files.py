"""Read the sources and write a document file for each, in as many processes as there are, counting words on the way.

Each process has a stretch of the documents in id order, all stretches about as many bytes. The first error in id order
is the one reported, whoever met it. `write_document` and `count_documents` are the two halves, which an engine may run
in different places; `GatheredDocuments` is what comes of all stretches.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from hashlib import sha256
from itertools import accumulate, pairwise

from holdfast.caches.build.array_support import is_worth_arrays
from holdfast.caches.build.document_table import DocumentTable, WrittenDocument, pack_documents
from holdfast.caches.build.index_ranges import write_run
from holdfast.caches.build.source_documents import read_document, source_path
from holdfast.caches.build.source_item import KeptItem, SourceItem
from holdfast.caches.build.token_counts import DocumentCounts, Runs, joined
from holdfast.caches.cache_format import file_names
from holdfast.caches.on_disk.cache_directory import DOCUMENTS
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.core.atomic_write import write_new
from holdfast.core.record import NamedTuple
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.caches.build.document_table import PackedDocuments
    from holdfast.caches.build.source_documents import ReadSource, Source
    from holdfast.caches.build.token_counts import RunSettings, WriteRun
    from holdfast.caches.cache_format import Document
    from holdfast.core.worker_pool import WorkerPool

    # How many of all are done.
    Progress = Callable[[int, int], None]

# So many documents, or so many bytes of them, are written before they are counted: one step for a whole batch stays in
# the processor's cache, which saves a fifth of the time.
_BATCH, _BATCH_BYTES = 256, 4 << 20
# What a document costs to write beside its bytes, as if it had so many more.
_DOCUMENT_BYTES = 1000
# So many documents say how heavy all are.
_SAMPLE = 2000


class SkippedSource(NamedTuple):
    """A listed source that could not be read, by which reader, and why, in words that follow its name."""

    source: str
    reader: str
    reason: str


class WrittenDocuments(NamedTuple):
    """All documents as they were written, in id order, and the sorted runs of their words and terms.

    `included` has, by source, the files that a text asked for, and the sha256 of each; `skipped` what was not read.
    """

    documents: DocumentTable
    runs: Runs
    skipped: list[SkippedSource]
    included: dict[str, dict[str, str]]
    reused: int


class WrittenTotals(NamedTuple):
    """How many documents were written, of how many bytes; the rest is as in `WrittenDocuments`."""

    documents: int
    size: int
    skipped: list[SkippedSource]
    included: dict[str, dict[str, str]]
    reused: int


class DocumentsJob(NamedTuple):
    """Documents to write into a directory in the making, and to count: all of a cache, or a stretch of them.

    `items` are their sources in id order, below `sources` where they are paths.
    """

    sources: str
    staged: str
    items: Sequence[Source]
    settings: RunSettings


class CountedDocuments(NamedTuple):
    """Some documents of a stretch as they were written, what was passed over on the way, and how many were there."""

    documents: list[PackedDocuments]
    skipped: list[SkippedSource]
    included: dict[str, dict[str, str]]
    reused: int

    @property
    def done(self) -> int:
        return sum([packed.documents for packed in self.documents]) + len(self.skipped)


class UncountedDocument(NamedTuple):
    """A document that is written and not yet counted."""

    document: Document
    name: str
    size: int
    digest: bytes
    included: dict[str, str]
    is_reused: bool


def write_documents(pool: WorkerPool, job: DocumentsJob, progress: Progress | None) -> WrittenDocuments:
    """Write every source; documents that are there are counted. Each process has a stretch of them."""
    stretches = _stretches(job.sources, job.items, pool.size)
    jobs = [
        job._replace(items=job.items[start:end], settings=job.settings.shared(number, pool.size))
        for number, (start, end) in enumerate(stretches)
    ]
    gathered = GatheredDocuments(job.staged, len(job.items), progress)
    for number, result in pool.run(write_stretch, jobs):
        gathered.add(number, result)
    return gathered.settled()


class GatheredDocuments:
    """What comes of all stretches of the documents, in whatever order it comes, in a directory in the making."""

    def __init__(self, staged: str, total: int, progress: Progress | None) -> None:
        self.folder = os.path.join(staged, DOCUMENTS)
        os.makedirs(self.folder, exist_ok=True)
        self._total, self._done, self._progress = total, 0, progress
        self._table = DocumentTable(staged)
        self._batches: dict[int, list[CountedDocuments]] = {}  # without their documents, which the table has
        self._runs: dict[int, Runs] = {}
        if progress is not None:
            progress(0, total)

    def add(self, number: int, result: CountedDocuments | Runs) -> None:
        """Documents of the stretch of that number, in their order, or at last its runs."""
        if isinstance(result, Runs):
            self._runs[number] = result
            return
        for packed in result.documents:
            self._table.add(number, packed)
        if result.skipped or result.included or result.reused:
            self._batches.setdefault(number, []).append(result._replace(documents=[]))
        self._done += result.done
        if self._progress is not None:
            self._progress(self._done, self._total)

    def settled(self) -> WrittenDocuments:
        """All of it, once every stretch is there, each document under the name that the order of all asks for."""
        numbers = sorted(self._runs)
        all_batches = [batch for number in numbers for batch in self._batches.get(number, [])]
        included: dict[str, dict[str, str]] = {}
        for batch in all_batches:
            included |= batch.included
        runs = joined([self._runs[number] for number in numbers], self._table.counts(numbers))
        self._table.settle(self.folder)
        skipped = [source for batch in all_batches for source in batch.skipped]
        return WrittenDocuments(self._table, runs, skipped, included, sum([batch.reused for batch in all_batches]))


def write_stretch(job: DocumentsJob) -> Iterator[CountedDocuments | Runs]:
    """Write the documents of a stretch, batch by batch; last come the runs of what was counted.

    Of several equal contents the first written gets the short name, which is put right when all are written.
    """
    target = os.path.join(job.staged, DOCUMENTS)
    runs = counting(os.path.join(job.staged, job.settings.name), job.settings, write_run, len(job.items))
    first = 0  # the position of the next batch among the documents of this stretch
    batch: list[UncountedDocument] = []
    skipped: list[SkippedSource] = []
    size = 0
    for source in job.items:
        written = write_document(job.sources, source, target)
        if isinstance(written, SkippedSource):
            skipped.append(written)
        else:
            batch.append(written)
            size += written.size
        if len(batch) + len(skipped) >= _BATCH or size >= _BATCH_BYTES:
            yield _counted(batch, skipped, first, runs)
            first += len(batch)
            batch, skipped, size = [], [], 0
    if batch or skipped:
        yield _counted(batch, skipped, first, runs)
    yield runs.finish().packed()


def count_documents(documents: Sequence[UncountedDocument], runs: DocumentCounts) -> CountedDocuments:
    """Count a stretch of documents that are written, batch by batch."""
    counted = CountedDocuments([], [], {}, 0)
    for first in range(0, len(documents), _BATCH):
        batch = _counted(documents[first : first + _BATCH], [], first, runs)
        counted.documents.extend(batch.documents)
        counted.included.update(batch.included)
        counted = counted._replace(reused=counted.reused + batch.reused)
    return counted


def counting(prefix: str, settings: RunSettings, write: WriteRun, documents: int) -> DocumentCounts:
    """What counts so many documents: by arrays, where that takes less time."""
    made = DocumentCounts
    if settings.with_sections and is_worth_arrays(documents):
        from holdfast.caches.build import token_arrays

        made = token_arrays.ArrayCounts
    return made(prefix, settings, write)


def _stretches(sources: str, names: Sequence[Source], count: int) -> list[tuple[int, int]]:
    """From and to below which document each of so many processes writes, all about as heavy."""
    sample = names[:: len(names) // _SAMPLE + 1] if count > 1 else []
    weights = [_DOCUMENT_BYTES + source_size(source_path(sources, name)) for name in sample]
    reached = list(accumulate(weights, initial=0))
    cuts = [bisect_left(reached, reached[-1] * number // count) for number in range(count)]
    return list(pairwise([*[cut * len(names) // max(len(weights), 1) for cut in cuts], len(names)]))


def source_size(path: str) -> int:
    """How many bytes a source has; none where it cannot be looked at."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # whoever reads it says what is wrong with it


def write_document(sources: str, source: Source, target: str) -> UncountedDocument | SkippedSource:
    """Read a source and write its document below `target`, under its short name or, where that is taken, another."""
    try:
        read = read_document(sources, source)
    except Unreadable as error:
        return _skipped(source, error)
    short, distinct = file_names(read.document)
    try:
        name = short
        put_document(os.path.join(target, name), read)
    except FileExistsError:
        name = distinct
        put_document(os.path.join(target, name), read)
    digest = sha256(read.data).digest()
    return UncountedDocument(read.document, name, read.size, digest, read.included, is_reused=bool(read.file))


def put_document(path: str, read: ReadSource) -> None:
    """Write a document file, or let the one that is there have another name; nothing that is there is changed."""
    if read.file:
        try:
            os.link(read.file, path, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            pass  # on another file system, or one without such links
        else:
            return
    write_new(path, read.data)


def _skipped(source: Source, error: Unreadable) -> SkippedSource:
    item = source.item if isinstance(source, KeptItem) else source
    if not isinstance(item, SourceItem):
        raise error
    return SkippedSource(item.source, item.reader, str(error))


def _counted(
    batch: Sequence[UncountedDocument], skipped: list[SkippedSource], first: int, runs: DocumentCounts
) -> CountedDocuments:
    counts = runs.add(first, [written.document for written in batch])
    documents = [
        WrittenDocument(
            *(document.id, document.version, name, size, words, tokens_of_bytes(size), digest, sections),
            origin_digest(document.origin),
        )
        for (document, name, size, digest, *_), (words, sections) in zip(batch, counts, strict=True)
    ]
    included = {each.document.source: each.included for each in batch if each.included}
    reused = sum([each.is_reused for each in batch])
    return CountedDocuments([pack_documents(documents)] if documents else [], skipped, included, reused)
