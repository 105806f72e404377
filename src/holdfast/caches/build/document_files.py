"""Read the sources and write a document file for each, in as many processes as there are, counting words on the way.

Each process has a stretch of the documents in id order, all stretches about as many bytes. The first error in id order
is the one reported, whoever met it.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from hashlib import sha256
from itertools import accumulate, pairwise

from holdfast.caches.build.index_files import write_run
from holdfast.caches.build.token_counts import DocumentCounts, Runs, joined
from holdfast.caches.cache_format import (
    MAX_DOCUMENT_BYTES,
    Document,
    encode_document,
    file_name,
    file_names,
    make_document,
)
from holdfast.caches.on_disk.cache_directory import DOCUMENTS
from holdfast.caches.origin_metadata import origin_digest
from holdfast.core.atomic_write import write_new
from holdfast.core.confined_paths import lies_inside
from holdfast.core.errors import BuildFailed, IoError
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import NotRegular, TooLarge, read_regular
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.caches.build.token_counts import RunSettings
    from holdfast.caches.section_index.section_compiler import DocumentSections
    from holdfast.core.worker_pool import WorkerPool

    Progress = Callable[[int, int], None]

# So many documents, or so many bytes of them, are written before they are counted: one step for a whole batch stays in
# the processor's cache, which saves a fifth of the time.
_BATCH, _BATCH_BYTES = 256, 4 << 20
# What a document costs to write beside its bytes, as if it had so many more.
_DOCUMENT_BYTES = 1000
# So many documents say how heavy all are.
_SAMPLE = 2000


class WrittenDocument(NamedTuple):
    """One document file as it was written, and what the indexes need to know of it."""

    id: str
    version: str
    name: str
    size: int
    words: int
    tokens: int
    digest: bytes
    sections: DocumentSections
    origin: str  # the digest of its metadata


class WrittenDocuments(NamedTuple):
    """All documents as they were written, in id order, and the sorted runs of their words and terms."""

    documents: list[WrittenDocument]
    runs: Runs


class DocumentsJob(NamedTuple):
    """A stretch of the documents: their sources in id order, from the position `first` on."""

    sources: str
    staged: str
    names: Sequence[str]
    first: int
    settings: RunSettings


class _Unread(NamedTuple):
    """A document that is written and not yet counted."""

    document: Document
    name: str
    size: int
    digest: bytes


def write_documents(
    pool: WorkerPool,
    sources: str,
    staged: str,
    names: Sequence[str],
    settings: RunSettings,
    progress: Progress | None,
) -> WrittenDocuments:
    """Write every source, given in id order, into a directory in the making."""
    os.mkdir(os.path.join(staged, DOCUMENTS))
    stretches = _stretches(sources, names, pool.size)
    jobs = [
        DocumentsJob(sources, staged, names[start:end], start, settings.shared(number, pool.size))
        for number, (start, end) in enumerate(stretches)
    ]
    written: list[list[WrittenDocument]] = [[] for _ in jobs]
    runs: list[Runs] = [Runs([], [], [], []) for _ in jobs]
    if progress is not None:
        progress(0, len(names))
    for number, result in pool.run(write_stretch, jobs):
        if isinstance(result, Runs):
            runs[number] = result
            continue
        written[number] += result
        if progress is not None:
            progress(sum(map(len, written)), len(names))
    documents = [document for each in written for document in each]
    return WrittenDocuments(_settle_names(os.path.join(staged, DOCUMENTS), documents), joined(runs))


def write_stretch(job: DocumentsJob) -> Iterator[list[WrittenDocument] | Runs]:
    """Write the documents of a stretch, batch by batch; last come the runs of what was counted.

    Of several equal contents the first written gets the short name, which is put right when all are written.
    """
    target = os.path.join(job.staged, DOCUMENTS)
    runs = DocumentCounts(os.path.join(job.staged, job.settings.name), job.settings, write_run)
    first = job.first
    batch: list[_Unread] = []
    size = 0
    for source in job.names:
        written = _write_document(job.sources, source, target)
        batch.append(written)
        size += written.size
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            yield _counted(batch, first, runs)
            first += len(batch)
            batch, size = [], 0
    if batch:
        yield _counted(batch, first, runs)
    yield runs.finish()


def _stretches(sources: str, names: Sequence[str], count: int) -> list[tuple[int, int]]:
    """From and to below which document each of so many processes writes, all about as heavy."""
    sample = names[:: len(names) // _SAMPLE + 1] if count > 1 else []
    weights = [_DOCUMENT_BYTES + _size(_source_path(sources, name)) for name in sample]
    reached = list(accumulate(weights, initial=0))
    cuts = [bisect_left(reached, reached[-1] * number // count) for number in range(count)]
    return list(pairwise([*[cut * len(names) // max(len(weights), 1) for cut in cuts], len(names)]))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # whoever reads it says what is wrong with it


def _write_document(sources: str, source: str, target: str) -> _Unread:
    content = _read_source(sources, source)
    try:
        document = make_document(source, content)
    except UnicodeDecodeError as error:
        raise BuildFailed(f"'{source}' is not UTF-8 (byte {error.start}): convert it") from None
    data = encode_document(document)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise BuildFailed(f"'{source}' makes a document larger than {MAX_DOCUMENT_BYTES} bytes: split it")
    name, distinct = file_names(document)
    try:
        write_new(os.path.join(target, name), data)
    except FileExistsError:
        name = distinct
        write_new(os.path.join(target, name), data)
    return _Unread(document, name, len(content), sha256(data).digest())


def _counted(batch: Sequence[_Unread], first: int, runs: DocumentCounts) -> list[WrittenDocument]:
    counts = runs.add(first, [written.document for written in batch])
    return [
        WrittenDocument(
            *(document.id, document.version, name, size, words, tokens_of_bytes(size), digest, sections),
            origin_digest(document.origin),
        )
        for (document, name, size, digest), (words, sections) in zip(batch, counts, strict=True)
    ]


def _settle_names(target: str, documents: Sequence[WrittenDocument]) -> list[WrittenDocument]:
    """Rename what was written, given in id order, to the names the order asks for; what it is called now."""
    taken: set[str] = set()
    settled = []
    moved = []
    for item in documents:
        name = file_name(Document(item.id, item.version, "", ""), taken)
        if name != item.name:
            moved.append(name)
            os.rename(os.path.join(target, item.name), os.path.join(target, name + ".moved"))
            item = item._replace(name=name)
        settled.append(item)
    for name in moved:
        os.rename(os.path.join(target, name + ".moved"), os.path.join(target, name))
    return settled


def _source_path(sources: str, source: str) -> str:
    return os.fsdecode(os.path.join(os.fsencode(sources), source.encode()))


def _read_source(sources: str, source: str) -> bytes:
    path = _source_path(sources, source)
    try:
        try:
            return read_regular(path, limit=MAX_DOCUMENT_BYTES)
        except NotRegular:  # a link, when it was found: what it leads to now is checked once more
            path = os.path.realpath(path)
            if not lies_inside(path, sources):
                raise BuildFailed(f"'{source}' is a link that leads outside the sources") from None
            return read_regular(path, limit=MAX_DOCUMENT_BYTES)
    except TooLarge as error:
        raise BuildFailed(f"'{source}' is {error.strerror}: split it") from None
    except NotRegular:
        raise BuildFailed(f"'{source}' is not a regular file") from None
    except OSError as error:
        raise IoError(f"'{source}' cannot be read: {error.strerror}") from None
