"""Build a cache from a folder of documents or from a list of sources, stage by stage: all of it, or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial

from holdfast.caches.build.build_order import INDEXING, READING, WRITING, BuildOrder
from holdfast.caches.build.document_files import (
    DocumentsJob,
    SkippedSource,
    Source,
    WrittenDocuments,
    settle_names,
    write_documents,
)
from holdfast.caches.build.previous_cache import PreviousCache, previous_cache
from holdfast.caches.build.publish import (
    cache_contents,
    check_replaceable,
    check_target,
    hidden_part,
    known_manifest,
    target_exists,
    write_listing,
)
from holdfast.caches.build.segment_files import IndexOrder, write_list, write_segments
from holdfast.caches.build.source_files import check_distinct, find_sources, worth_a_worker
from holdfast.caches.build.source_item import KeptItem, SourceItem, kinds_in_words
from holdfast.caches.cache_format import MAX_MANIFEST_BYTES, Entry, document_id, file_names_of, is_usable
from holdfast.caches.index_format import is_time
from holdfast.caches.on_disk.cache_directory import DOCUMENTS, MANIFEST
from holdfast.caches.search.link_texts import PageLinks, incoming
from holdfast.caches.tokenizers import choose_tokenizer
from holdfast.core.atomic_write import StagedDirectory
from holdfast.core.collector import collector
from holdfast.core.confined_paths import printable
from holdfast.core.errors import BuildFailed, CacheInvalid, IoError, UsageError
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import read_regular
from holdfast.core.worker_pool import WorkerPool

# At most this many of the skipped sources are named.
_NAMED = 20


class BuildReport(NamedTuple):
    """What a build made: its version, how many documents, and how many bytes they hold."""

    cache_version: str
    document_count: int
    total_bytes: int


class DocumentsReport(NamedTuple):
    """What a build from a list made.

    `skipped` are sources that could not be read, in id order. `included` has, of each source that was read and asks for
    other files, the sha256 of each of them by the path that it asked for, empty where there is none: a change of one
    changes the document. `reused` is how many documents were taken from the previous cache as they are.
    """

    cache_version: str
    document_count: int
    total_bytes: int
    skipped: list[SkippedSource]
    included: dict[str, dict[str, str]]
    reused: int


def build_cache(sources: str | os.PathLike[str], cache: str | os.PathLike[str], order: BuildOrder) -> BuildReport:
    """Compile the documents below `sources` into a cache at `cache`, atomically and durably."""
    sources, cache = os.path.realpath(os.fspath(sources)), os.path.abspath(os.fspath(cache))
    check_time(order.created_at)
    check_target(sources, cache, force=order.force)
    order = order._replace(tokenizer=choose_tokenizer(order.tokenizer))
    skipped: list[str] = []
    others: dict[str, int] = {}

    def find(pool: WorkerPool) -> Sequence[Source]:
        found = find_sources(sources, pool, order.workers, hidden_part(sources, cache))
        skipped.extend(found.skipped)
        others.update(found.other_kinds)
        return found.names

    report, aside = _build(cache, order, lambda staged, pool: _from_folder(sources, staged, find(pool), order, pool))
    for note in _notes(cache, skipped, aside):
        order.note(note)
    if others:
        order.note(f"{kinds_in_words(others)}: 'context add FOLDER' reads them")
    return BuildReport(*report[:3])


def build_documents(
    items: Sequence[SourceItem],
    cache: str | os.PathLike[str],
    order: BuildOrder,
    previous: str | None = None,
    unchanged: Container[str] = frozenset(),
    flushed: bool = False,
) -> DocumentsReport:
    """Compile listed sources into a cache at `cache`, each by its reader, atomically and durably.

    What cannot be read is passed over and named in the report; having no document at all ends the build. `previous` is
    the cache that was made of earlier sources, and `unchanged` the sources that are the same since, with the same
    readers and the same files included: their documents are taken from there, and the segments of the index that have
    no others; `flushed` says that the files of that cache are durable. The bytes are those of a build from nothing,
    whatever is unchanged.
    """
    cache = os.path.abspath(os.fspath(cache))
    check_time(order.created_at)
    check_replaceable(cache, force=order.force)
    counted_by = choose_tokenizer(order.tokenizer)
    order = order._replace(tokenizer=counted_by)
    ordered = with_kept(in_id_order(items), previous, unchanged)
    known = None if previous is None else previous_cache(previous, counted_by)
    durable: set[str] = set()

    def make(staged: str, pool: WorkerPool) -> DocumentsReport:
        to_read = ordered if known is None else [item for item in ordered if not isinstance(item, KeptItem)]
        pool.grow(worth_a_worker(len(to_read)) if order.workers is None else order.workers)
        written = _written(staged, "", to_read, order, pool)
        if order.strict and written.skipped:
            source, _, reason = written.skipped[0]
            raise BuildFailed(f"'{source}' {reason}")
        rows = _Rows(written, known, [item.entry for item in ordered if isinstance(item, KeptItem)] if known else [])
        if not rows.ids:
            raise BuildFailed("there is no document in the sources: name others, or formats that this release reads")
        report = _indexed(staged, rows, order, pool)
        if flushed:
            durable.update(rows.linked)
        return report

    report, aside = _build(cache, order, make, durable)
    for note in _notes(cache, [], aside):
        order.note(note)
    return report


def in_id_order(items: Sequence[SourceItem]) -> list[SourceItem]:
    """The items as their documents stand in a cache; BuildFailed where two would have one id."""
    names = [document_id(item.source) for item in items]
    if len(set(names)) < len(names):
        check_distinct(sorted(zip(names, [item.source for item in items], strict=True)))
    return [items[at] for at in sorted(range(len(items)), key=names.__getitem__)]


def with_kept(
    ordered: Sequence[SourceItem], previous: str | None, unchanged: Container[str]
) -> list[SourceItem | KeptItem]:
    """The items, those that are unchanged with the document that the previous cache has of them."""
    held: dict[str, Entry] = {}
    try:
        if previous is not None:
            data = read_regular(os.path.join(previous, MANIFEST), limit=MAX_MANIFEST_BYTES)
            held = {entry.id: entry for entry in known_manifest(data).entries if is_usable(entry)}
    except (OSError, CacheInvalid):
        pass  # no cache, or a damaged one: everything is read
    kept = [held.get(document_id(item.source)) for item in ordered]
    return [
        KeptItem._make((item, previous, entry)) if entry is not None and item.source in unchanged else item
        for item, entry in zip(ordered, kept, strict=True)
    ]


def check_time(created_at: str) -> None:
    """UsageError where the time that a manifest is to carry is none."""
    if not is_time(created_at.encode()):
        raise UsageError(f"created_at '{created_at}' is no time: write it as 2026-01-02T03:04:05Z")


def _build(
    cache: str,
    order: BuildOrder,
    make: Callable[[str, WorkerPool], DocumentsReport],
    durable: Container[str] = (),
) -> tuple[DocumentsReport, Sequence[str]]:
    """Write and publish a cache that `make` writes into a directory, flushing what is not `durable` by then; what was
    set aside of an old one."""
    try:
        # The workers are gone before the directory they write into is.
        with StagedDirectory(cache, cache_contents) as staged, WorkerPool() as pool:
            with collector(runs=True):  # readers of some formats make cycles
                report = make(staged.path, pool)
            order.progress(WRITING, 0, 1)
            staged.publish(replace=order.force, flush=order.flushes, durable=durable)
            order.progress(WRITING, 1, 1)
    except FileExistsError:
        raise target_exists(cache) from None
    except OSError as error:
        raise IoError(f"'{printable(cache)}' cannot be written: {error.strerror}") from None
    return report, staged.set_aside


def _from_folder(
    sources: str, staged: str, found: Sequence[Source], order: BuildOrder, pool: WorkerPool
) -> DocumentsReport:
    return _indexed(staged, _Rows(_written(staged, sources, found, order, pool), None, []), order, pool)


def _written(
    staged: str, sources: str, items: Sequence[Source], order: BuildOrder, pool: WorkerPool
) -> WrittenDocuments:
    return write_documents(pool, DocumentsJob(sources, staged, items), partial(order.progress, READING))


class _Rows:
    """What is known of all documents, in id order: of those that were written, and of those that a previous cache has.

    `names` are those of their files, `origins` the digests of their metadata, `linked` the paths of those that link
    to a file of the previous cache.
    """

    def __init__(self, written: WrittenDocuments, previous: PreviousCache | None, kept: Sequence[Entry]) -> None:
        self.written, self.previous = written, previous
        made = [(each.id, each.version, each.name, each.size, each.origin) for each in written]
        if previous is not None:
            origins, sizes = previous.origins(), previous.sizes()
            for entry in kept:
                place = previous.place_of[entry.id]
                made.append((entry.id, entry.version, "", sizes[place], origins[place]))
            made.sort()
        self.ids = [row[0] for row in made]
        self.versions = [row[1] for row in made]
        self._written_names = [row[2] for row in made]
        self.size = sum([row[3] for row in made])
        self.origins = [row[4] for row in made]
        self.names = file_names_of(self.ids, self.versions)
        self.reused = len(kept)
        self.linked: set[str] = set()

    def settle(self, staged: str) -> None:
        """Give every document file its name; those of the previous cache are linked."""
        folder = os.path.join(staged, DOCUMENTS)
        names = list(zip(self._written_names, self.names, strict=True))
        settle_names(folder, [(old, new) for old, new in names if old])
        if self.previous is not None:
            entries, place_of = self.previous.entries, self.previous.place_of
            self.linked = self.previous.link(
                [(entries[place_of[name]], new) for name, (old, new) in zip(self.ids, names, strict=True) if not old],
                folder,
            )

    def texts(self) -> Sequence[Sequence[str]] | None:
        """The texts of links to each document; None where all are as they were."""
        previous = self.previous
        if (
            previous is not None
            and self.ids == previous.ids
            and all(each.page == previous.page(previous.place_of[each.id]) for each in self.written)
        ):
            return None
        return incoming(self.ids, _Pages(self))


class _Pages:
    """The links of all documents, as often as they are asked for."""

    def __init__(self, rows: _Rows) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[PageLinks]:
        written, previous = self._rows.written, self._rows.previous
        if previous is None:
            return (each.page for each in written)
        made = {each.id: each.page for each in written}
        return (made.get(name) or previous.page(previous.place_of[name]) for name in self._rows.ids)


def _indexed(staged: str, rows: _Rows, order: BuildOrder, pool: WorkerPool) -> DocumentsReport:
    """Name the documents, index them, and list them."""
    rows.settle(staged)
    entries = [
        Entry._make((name, version, f"{DOCUMENTS}/{file}"))
        for name, version, file in zip(rows.ids, rows.versions, rows.names, strict=True)
    ]
    tokenizer = order.tokenizer or choose_tokenizer(None)
    index = IndexOrder(staged, staged, tokenizer, entries, rows.texts(), rows.previous, rows.origins)
    segments = write_segments(pool, index, partial(order.progress, INDEXING))
    listing = write_listing(staged, entries, rows.origins, order.created_at)
    write_list(staged, segments, tokenizer, listing)
    written = rows.written
    reused = written.reused + rows.reused
    return DocumentsReport(listing.cache_version, len(entries), rows.size, written.skipped, written.included, reused)


def _notes(cache: str, skipped: Sequence[str], aside: Sequence[str]) -> Iterator[str]:
    if skipped:
        more = f", and {len(skipped) - _NAMED} more" if len(skipped) > _NAMED else ""
        yield f"skipped: {', '.join(skipped[:_NAMED])}{more}"
    for path in aside:
        yield f"'{printable(cache)}' held more than a cache when it was replaced: kept as '{printable(path)}'"
