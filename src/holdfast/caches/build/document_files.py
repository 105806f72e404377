"""Read the sources and write a document file for each, in as many processes as there are.

A process takes the next documents in id order when it is done with some. The first error in id order is the one
reported, whichever process met it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from marshal import dumps, loads

from holdfast.caches.build.guarded_files import Guard, Outside, read_item
from holdfast.caches.build.included_files import IncludedFiles
from holdfast.caches.build.source_item import KeptItem, SourceItem
from holdfast.caches.cache_format import (
    MAX_DOCUMENT_BYTES,
    Document,
    Entry,
    Origin,
    encode_document,
    file_names,
    make_document,
    parse_document,
)
from holdfast.caches.on_disk.cache_directory import DOCUMENTS
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.caches.search.link_texts import PageLinks, find_links
from holdfast.core.atomic_write import write_new
from holdfast.core.errors import BuildFailed, CacheInvalid, IoError
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import NotRegular, TooLarge
from holdfast.core.unicode_text import is_unicode
from holdfast.core.worker_pool import WorkerPool

# How many of all are done.
Progress = Callable[[int, int], None]

# A process takes this many documents at a time.
_BATCH = 256
# The oldest format of `marshal` that knows bytes: it does not look for objects it wrote before.
_FORMAT = 2
# A path below the sources, of a Markdown file that is taken as it stands; a source that a reader reads, or of which
# the document is there already; a document of a cache.
Source = str | SourceItem | KeptItem | Entry


class ReadSource(NamedTuple):
    """A document, the bytes of its file, how many bytes its content has, and what it includes.

    `included` has the path and the sha256 of each file that was asked for, empty where there is none. `file` is where
    the document stands already, if it does.
    """

    document: Document
    data: bytes
    size: int
    included: dict[str, str]
    file: str = ""


def read_document(sources: str, source: Source) -> ReadSource:
    """What a source becomes.

    BuildFailed, IoError or CacheInvalid where that ends the build; Unreadable where a listed source is passed over.
    """
    if isinstance(source, str):
        return _taken_as_it_stands(sources, source)
    if isinstance(source, SourceItem):
        return _read_by_its_reader(source)
    if isinstance(source, KeptItem):
        return _kept(source)
    return _of_a_cache(sources, source)


def source_path(sources: str, source: Source) -> str:
    """Where a source lies."""
    if isinstance(source, KeptItem):
        sources, source = source.cache, source.entry
    if isinstance(source, SourceItem):
        return source.path
    name = source if isinstance(source, str) else source.file
    return os.fsdecode(os.path.join(os.fsencode(sources), name.encode()))


def _taken_as_it_stands(sources: str, source: str) -> ReadSource:
    content = _read_source(sources, source)
    try:
        document = make_document(source, content)
    except UnicodeDecodeError as error:
        raise BuildFailed(f"'{source}' is not UTF-8 (byte {error.start}): convert it") from None
    data = encode_document(document)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise BuildFailed(f"'{source}' makes a document larger than {MAX_DOCUMENT_BYTES} bytes: split it")
    return ReadSource(document, data, len(content), {})


def _read_source(sources: str, source: str) -> bytes:
    try:
        # Which files are documents is part of the format: none is withheld.
        return Guard(sources, withholds=False).read(source_path(sources, source), MAX_DOCUMENT_BYTES)
    except Outside as error:
        raise BuildFailed(f"'{source}' {error.strerror}") from None
    except TooLarge as error:
        raise BuildFailed(f"'{source}' is {error.strerror}: split it") from None
    except NotRegular:
        raise BuildFailed(f"'{source}' is not a regular file") from None
    except OSError as error:
        raise IoError(f"'{source}' cannot be read: {error.strerror}") from None


def _read_by_its_reader(item: SourceItem) -> ReadSource:
    from holdfast.caches.readers.reader_table import read_source, reader_named

    reader = reader_named(item.reader)
    if reader is None:
        raise Unreadable(f"is to be read as '{item.reader}', which this release does not know")
    if not is_unicode(item.source):
        raise Unreadable("has a name that is not UTF-8")
    files = IncludedFiles.of(item)
    page = read_source(reader, read_item(item), item.source, files)
    try:
        content = page.text.encode()
    except UnicodeEncodeError:
        raise Unreadable("holds what is no Unicode text") from None
    document = make_document(item.source, content, Origin(reader.name, page.title, page.lines))
    encoded = encode_document(document)
    if len(encoded) > MAX_DOCUMENT_BYTES:
        raise Unreadable(f"makes a document larger than {MAX_DOCUMENT_BYTES} bytes")
    return ReadSource(document, encoded, len(content), files.asked)


def _kept(kept: KeptItem) -> ReadSource:
    """The document that is there, unless anything is odd about it: then the source is read."""
    try:
        read = _of_a_cache(kept.cache, kept.entry)
    except (IoError, CacheInvalid):
        return _read_by_its_reader(kept.item)
    document, origin = read.document, read.document.origin
    is_of_item = document.source == kept.item.source and origin is not None and origin.format == kept.item.reader
    return read if is_of_item and encode_document(document) == read.data else _read_by_its_reader(kept.item)


def _of_a_cache(cache: str, entry: Entry) -> ReadSource:
    path = source_path(cache, entry)
    try:
        data = Guard(cache, withholds=False, follows=False).read(path, MAX_DOCUMENT_BYTES)
    except OSError as error:
        raise IoError(f"document '{entry.id}' cannot be read: {error.strerror}") from None
    document = parse_document(data, expected_id=entry.id, expected_version=entry.version)
    return ReadSource(document, data, len(document.content.encode()), {}, path)


class SkippedSource(NamedTuple):
    """A listed source that could not be read, by which reader, and why, in words that follow its name."""

    source: str
    reader: str
    reason: str


class WrittenDocument(NamedTuple):
    """One document file as it was written: its name, the bytes of its content, the digest of its metadata, and where it
    links to."""

    id: str
    version: str
    name: str
    size: int
    origin: str
    labels: str
    links: str

    @property
    def page(self) -> PageLinks:
        """Its labels and links."""
        return PageLinks(self.labels, self.links)


class DocumentsJob(NamedTuple):
    """Documents to write below a directory in the making: all of a cache, or some of them.

    `items` are their sources in id order, below `sources` where they are paths. Where `staged` is empty they are read
    and not written.
    """

    sources: str
    staged: str
    items: Sequence[Source]


class WrittenBatch(NamedTuple):
    """Some documents, packed; what was passed over on the way, what was included, how many were there."""

    documents: bytes
    length: int
    skipped: list[SkippedSource]
    included: dict[str, dict[str, str]]
    reused: int


class WrittenDocuments:
    """All documents as they were written, in id order.

    `included` has, by source, the files that a text asked for, and the sha256 of each; `skipped` what was not read.
    What is known of documents is held packed: a cache may have a million of them.
    """

    def __init__(self) -> None:
        self.skipped: list[SkippedSource] = []
        self.included: dict[str, dict[str, str]] = {}
        self.reused = self._count = 0
        self._batches: list[bytes] = []

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[WrittenDocument]:
        for data in self._batches:
            yield from map(WrittenDocument._make, loads(data))  # noqa: S302  # a process of this build packed it

    def add(self, batch: WrittenBatch) -> None:
        """The next documents."""
        self._batches.append(batch.documents)
        self._count += batch.length
        self.skipped += batch.skipped
        self.included |= batch.included
        self.reused += batch.reused


def write_documents(pool: WorkerPool, job: DocumentsJob, progress: Progress) -> WrittenDocuments:
    """Write every source."""
    if job.staged:
        os.makedirs(os.path.join(job.staged, DOCUMENTS), exist_ok=True)
    jobs = (job._replace(items=job.items[at : at + _BATCH]) for at in range(0, len(job.items), _BATCH))
    batches: dict[int, WrittenBatch] = {}
    done = 0
    progress(0, len(job.items))
    for number, batch in pool.run(write_batch, jobs):
        batches[number] = batch
        done += batch.length + len(batch.skipped)
        progress(done, len(job.items))
    written = WrittenDocuments()
    for number in range(len(batches)):
        written.add(batches[number])
    return written


def write_batch(job: DocumentsJob) -> Iterator[WrittenBatch]:
    """Write some documents.

    Of several equal contents the first written gets the short name, which is put right when all are written.
    """
    target = os.path.join(job.staged, DOCUMENTS) if job.staged else ""
    documents: list[tuple[object, ...]] = []
    skipped: list[SkippedSource] = []
    included: dict[str, dict[str, str]] = {}
    reused = 0
    for source in job.items:
        try:
            read = read_document(job.sources, source)
        except Unreadable as error:
            skipped.append(_skipped(source, error))
            continue
        document = read.document
        name = _put_document(target, read) if target else ""
        links = find_links(document.source, document.content)
        origin = origin_digest(document.origin)
        documents.append((document.id, document.version, name, read.size, origin, *links))
        if read.included:
            included[document.source] = read.included
        reused += bool(read.file)
    yield WrittenBatch(dumps(documents, _FORMAT), len(documents), skipped, included, reused)


def _put_document(target: str, read: ReadSource) -> str:
    """Write a document below `target`, under its short name or, where that is taken, another; the name."""
    short, distinct = file_names(read.document)
    try:
        put_file(os.path.join(target, short), read)
    except FileExistsError:
        put_file(os.path.join(target, distinct), read)
        return distinct
    return short


def put_file(path: str, read: ReadSource) -> None:
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


def settle_names(folder: str, names: Sequence[tuple[str, str]]) -> None:
    """Rename files of a folder from the names that they have to those that the order of all documents asks for."""
    moved = [(old, new) for old, new in names if old != new]
    for old, new in moved:
        os.rename(os.path.join(folder, old), os.path.join(folder, new + ".moved"))
    for _, new in moved:
        os.rename(os.path.join(folder, new + ".moved"), os.path.join(folder, new))


def _skipped(source: Source, error: Unreadable) -> SkippedSource:
    item = source.item if isinstance(source, KeptItem) else source
    if not isinstance(item, SourceItem):
        raise error
    return SkippedSource(item.source, item.reader, str(error))
