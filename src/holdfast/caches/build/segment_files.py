"""Write the index of a cache whose documents are written: cut, make or reuse each segment, list them.

A segment whose documents and link texts are those of an earlier cache is linked from there; one with few changes is
edited; any other is made of its documents, in the worker pool. The bytes are the same whichever way.
"""

from __future__ import annotations

import os
from hashlib import sha256

from holdfast.caches.build.document_files import read_document
from holdfast.caches.index_format import IndexUnusable, Summary
from holdfast.caches.on_disk.cache_directory import COMPILED, LIST_FILE
from holdfast.caches.segments import edit
from holdfast.caches.segments.edit import DocumentChange
from holdfast.caches.segments.make import SegmentDocument, make_segment
from holdfast.caches.segments.segment_file import held_in_memory
from holdfast.caches.segments.segment_list import ListedSegment, cuts, encode_list, listed
from holdfast.core.atomic_write import write_new
from holdfast.core.collector import collector
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.caches.build.previous_cache import PreviousCache
    from holdfast.caches.build.publish import Listing
    from holdfast.caches.cache_format import Entry
    from holdfast.core.worker_pool import WorkerPool

    # A document by its entry, and the texts of links to it.
    Linked = tuple[Entry, Sequence[str]]

# Beyond this share of a segment's documents, and these few, making it anew is no dearer than an edit.
_SHARE_CHANGED, _FEW_CHANGED = 20, 8
_MOST_BYTES = 1 << 32


class SegmentChange(NamedTuple):
    """What changed in a segment: a document's place before, empty where it is new, and the document before and now."""

    was: range
    before: Linked | None
    after: Linked | None


class OldSegment(NamedTuple):
    """A segment of an earlier cache, and what of it changed since."""

    cache: str
    listed: ListedSegment
    changes: Sequence[SegmentChange]


class SegmentJob(NamedTuple):
    """A segment to write below `target`, of documents below `folder`; `old` is one that it may be made from."""

    folder: str
    target: str
    tokenizer: str
    documents: Sequence[Linked]
    old: OldSegment | None


class IndexOrder(NamedTuple):
    """Documents below `folder` to write an index of into `target`: their entries in id order, the texts of links to
    each, None where those are as they were in the `previous` cache; with such a one the digests of their metadata."""

    folder: str
    target: str
    tokenizer: str
    entries: Sequence[Entry]
    texts: Sequence[Sequence[str]] | None
    previous: PreviousCache | None = None
    origins: Sequence[str] = ()


def write_segments(pool: WorkerPool, order: IndexOrder, progress: Callable[[int, int], None]) -> list[ListedSegment]:
    """Write all segments; `progress` is given how many of the documents are indexed."""
    index = os.path.join(order.target, COMPILED)
    os.mkdir(index)
    total = len(order.entries)
    stretches = cuts([entry.id for entry in order.entries])
    rows: list[ListedSegment | None] = [None] * len(stretches)
    waiting: list[int] = []
    olds: dict[int, OldSegment] = {}
    done = 0
    progress(0, total)
    for at, (start, end) in enumerate(stretches):
        old = None
        if order.previous is not None:
            texts = order.texts and order.texts[start:end]
            old = order.previous.segment_of(order.entries[start:end], order.origins[start:end], texts)
        if old is not None and not old.changes and _linked(old, index):
            rows[at] = old.listed
            done += end - start
            continue
        if old is not None and len(old.changes) <= max(_FEW_CHANGED, (end - start) // _SHARE_CHANGED):
            olds[at] = old
        waiting.append(at)
    jobs = (_job(order, index, stretches[at], olds.get(at)) for at in waiting)
    for number, row in pool.run(write_segment, jobs):
        rows[waiting[number]] = row
        done += row.documents
        progress(done, total)
    progress(total, total)
    return [row for row in rows if row is not None]


def _job(order: IndexOrder, index: str, stretch: tuple[int, int], old: OldSegment | None) -> SegmentJob:
    start, end = stretch
    texts = order.texts[start:end] if order.texts is not None else None
    if texts is None and order.previous is not None:
        texts = order.previous.texts_of(order.entries[start:end]) if old is None else [()] * (end - start)
    documents = list(zip(order.entries[start:end], texts or [()] * (end - start), strict=True))
    return SegmentJob(order.folder, index, order.tokenizer, documents, old)


def _linked(old: OldSegment, index: str) -> bool:
    """Give the file of an old segment a name in a new index; False where that cannot be had."""
    source = os.path.join(old.cache, COMPILED, old.listed.name)
    try:
        os.link(source, os.path.join(index, old.listed.name), follow_symlinks=False)
    except OSError:
        return False
    return True


def write_segment(job: SegmentJob) -> Iterator[ListedSegment]:
    """Make one segment and write it."""
    with collector(runs=False):
        data = _edited(job) if job.old is not None else None
        if data is None:
            data = make_segment((_document(job.folder, each) for each in job.documents), job.tokenizer)
    row = listed(data)
    write_new(os.path.join(job.target, row.name), data)
    yield row


def _edited(job: SegmentJob) -> bytes | None:
    """The segment made from an old one; None where that cannot be."""
    if job.old is None:
        return None
    cache, row, changes = job.old
    try:
        data = read_regular(os.path.join(cache, COMPILED, row.name), limit=_MOST_BYTES)
        if sha256(data).digest() != row.digest:
            return None
        made = [
            DocumentChange(
                change.was,
                None if change.before is None else _document(cache, change.before),
                None if change.after is None else _document(job.folder, change.after),
            )
            for change in changes
        ]
        return edit.edit_segment(held_in_memory(data), made, job.tokenizer)
    except (OSError, IndexUnusable):
        return None


def _document(folder: str, linked: Linked) -> SegmentDocument:
    entry, texts = linked
    read = read_document(folder, entry)
    return SegmentDocument(entry, read.document, sha256(read.data).digest(), texts)


def write_list(target: str, segments: Sequence[ListedSegment], tokenizer: str, listing: Listing) -> None:
    """Write the list of segments of a cache that is listed so."""
    data = encode_list(
        segments, Summary(listing.cache_version, tokenizer), listing.manifest_digest, listing.index_digest
    )
    write_new(os.path.join(target, LIST_FILE), data)
