"""Build a cache from a folder of documents or from a list of sources, stage by stage: all of it, or nothing."""

from __future__ import annotations

import os
from itertools import repeat

from holdfast.caches.build.document_files import DocumentsJob, SkippedSource, WrittenTotals
from holdfast.caches.build.engines import open_engine
from holdfast.caches.build.index_files import (
    IndexOwner,
    cache_columns,
    links_within,
    table_lengths,
    table_sources,
    write_index,
)
from holdfast.caches.build.index_ranges import block_count, write_run
from holdfast.caches.build.link_counts import count_texts
from holdfast.caches.build.patched_cache import patch_cache
from holdfast.caches.build.publish import (
    cache_contents,
    check_replaceable,
    check_target,
    hidden_part,
    known_manifest,
    part_paths,
    target_exists,
    write_listing,
)
from holdfast.caches.build.source_files import check_distinct, find_sources, worth_a_worker
from holdfast.caches.build.source_item import KeptItem
from holdfast.caches.build.spare_documents import SpareDocuments, drop_spare
from holdfast.caches.build.token_counts import SPILL_BYTES, RunSettings
from holdfast.caches.cache_format import MAX_MANIFEST_BYTES, are_usable
from holdfast.caches.document_names import document_ids
from holdfast.caches.index_format import Summary, is_time
from holdfast.caches.on_disk.cache_directory import DOCUMENTS, MANIFEST
from holdfast.caches.tokenizers import USUAL, choose_tokenizer
from holdfast.core.atomic_write import StagedDirectory
from holdfast.core.collector import Collector
from holdfast.core.confined_paths import printable
from holdfast.core.errors import BuildFailed, CacheInvalid, IoError, UsageError
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from holdfast.caches.build.document_files import Progress, WrittenDocuments
    from holdfast.caches.build.document_table import DocumentColumns
    from holdfast.caches.build.engines import Engine
    from holdfast.caches.build.publish import Listing
    from holdfast.caches.build.source_documents import Source
    from holdfast.caches.build.source_item import SourceItem
    from holdfast.caches.cache_format import Entry
    from holdfast.caches.section_index.term_lists import FieldLengths

    Made = tuple[Listing, WrittenTotals]
    # A phase, and how much of all it has to do is done.
    PhaseProgress = Callable[[str, int, int], None]

# The phases of a build: documents are read, what was counted in them is compiled, the old cache is replaced.
READING, INDEXING, WRITING = "reading", "indexing", "writing"
# So many of what was skipped are named.
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


class BuildOrder(NamedTuple):
    """How a cache is to be made."""

    created_at: str
    force: bool
    tokenizer: str
    sections: bool
    progress: PhaseProgress
    engine: Engine


def build_cache(
    sources: str | os.PathLike[str],
    cache: str | os.PathLike[str],
    *,
    created_at: str,
    force: bool = False,
    progress: Progress | None = None,
    workers: int | None = None,
    tokenizer: str | None = None,
    sections: bool = True,
    tell: Callable[[str], None] | None = None,
    phases: PhaseProgress | None = None,
    engine: str | None = None,
) -> BuildReport:
    """Compile the documents below `sources` into a cache at `cache`, atomically and durably.

    `created_at` is the time the manifest carries, RFC 3339 in UTC. With `force` a cache that stands at the target is
    replaced in one step, once the new one is complete; anything else there is left alone and refused, and what was put
    there meanwhile is kept beside it. `tell` is given what a person should know of a build that succeeded: what was
    skipped, and what was kept. `engine` says where the work is done: `local`, in processes of this machine, `ray`,
    which starts one here, or `ray://HOST`, a cluster (extra `ray`). `workers` is how many processes share it, by
    default one a core. The bytes written depend on neither. `tokenizer` says how the tokens of sections are counted,
    by default by `estimate-1`. Without `sections` the cache has an index for `resolve` alone, which is there to be
    measured: `verify` misses the other.
    """
    sources, cache = os.path.realpath(os.fspath(sources)), os.path.abspath(os.fspath(cache))
    check_time(created_at)
    check_target(sources, cache, force=force)
    # Without sections the documents answer a search, and no extra is asked there.
    counted_by = choose_tokenizer(tokenizer) if sections else USUAL
    skipped: list[str] = []

    def tell_documents(phase: str, done: int, total: int) -> None:
        if phases is not None:
            phases(phase, done, total)
        if progress is not None and phase == READING:
            progress(done, total)

    def find(pool: Engine) -> Sequence[Source]:
        found = find_sources(sources, pool, workers, hidden_part(sources, cache))
        skipped.extend(found.skipped)
        return found.names

    order = BuildOrder(created_at, force, counted_by, sections, tell_documents, open_engine(engine, workers))
    listing, totals, kept = _build(sources, cache, find, order)
    if progress is not None:
        progress(totals.documents, totals.documents)
    if tell is not None:
        for note in build_notes(cache, skipped, kept):
            tell(note)
    return BuildReport(listing.cache_version, totals.documents, totals.size)


def build_documents(
    items: Sequence[SourceItem],
    cache: str | os.PathLike[str],
    *,
    created_at: str,
    force: bool = False,
    workers: int | None = None,
    tokenizer: str | None = None,
    progress: PhaseProgress | None = None,
    tell: Callable[[str], None] | None = None,
    strict: bool = False,
    previous: str | None = None,
    unchanged: Container[str] = frozenset(),
    engine: str | None = None,
    spare: bool = False,
) -> DocumentsReport:
    """Compile listed sources into a cache at `cache`, each by its reader, atomically and durably.

    What cannot be read is passed over and told in the report; with `strict` it ends the build instead, and so does
    having no document at all. `previous` is the cache that was made of earlier sources, and `unchanged` the sources
    that are the same since, with the same readers and the same files included: their documents are taken from there.
    The bytes are those of a build from nothing, whatever is unchanged. With `spare` the names of documents of a cache
    that few edits replace are kept beside it for the next edit. The rest is as in `build_cache`.
    """
    cache = os.path.abspath(os.fspath(cache))
    check_time(created_at)
    check_replaceable(cache, force=force)
    counted_by = choose_tokenizer(tokenizer)
    ordered = in_id_order(items)
    kept_items = with_kept(ordered, [] if previous is None else part_paths(previous), unchanged)

    def find(pool: Engine) -> Sequence[Source]:
        pool.grow(worth_a_worker(len(ordered)) if workers is None else workers)
        return kept_items

    def patch(staged: StagedDirectory) -> Made | None:
        if previous is None:
            return None
        names = SpareDocuments(cache) if spare else None
        made = patch_cache(staged.path, kept_items, previous, counted_by, created_at, names)
        if made is not None and names is not None and names.is_worth_keeping:
            staged.keep_part(DOCUMENTS, names.path)
        return made

    def check(written: WrittenDocuments) -> None:
        if strict and written.skipped:
            source, _, reason = written.skipped[0]
            raise BuildFailed(f"'{source}' {reason}")
        if not len(written.documents):
            raise BuildFailed("there is no document in the sources: name others, or formats that this release reads")

    order = BuildOrder(created_at, force, counted_by, True, progress or tell_nobody, open_engine(engine, workers))
    listing, totals, kept = _build("", cache, find, order, check, patch)
    if tell is not None:
        for note in build_notes(cache, [], kept):
            tell(note)
    return DocumentsReport(listing.cache_version, *totals)


def in_id_order(items: Sequence[SourceItem]) -> list[SourceItem]:
    """The items as their documents stand in a cache; BuildFailed where two would have one id."""
    names = document_ids([item.source for item in items])
    if len(set(names)) < len(names):
        check_distinct(sorted(zip(names, [item.source for item in items], strict=True)))
    return [items[at] for at in sorted(range(len(items)), key=names.__getitem__)]


def with_kept(
    ordered: Sequence[SourceItem], previous: Sequence[str], unchanged: Container[str]
) -> list[SourceItem | KeptItem]:
    """The items, those that are unchanged with the document that one of the previous caches has of them."""
    held: dict[str, tuple[str, Entry]] = {}
    for cache in previous:
        try:
            data = read_regular(os.path.join(cache, MANIFEST), limit=MAX_MANIFEST_BYTES)
            entries = known_manifest(data).entries
        except (OSError, CacheInvalid):
            continue  # no cache, or a damaged one: everything is read
        if not are_usable(entries):
            entries = [entry for entry in entries if are_usable([entry])]
        held.update(zip([entry.id for entry in entries], zip(repeat(cache), entries, strict=False), strict=True))
    kept = list(map(held.get, document_ids([item.source for item in ordered])))
    return [
        KeptItem._make((item, *entry)) if entry is not None and item.source in unchanged else item
        for item, entry in zip(ordered, kept, strict=True)
    ]


def check_time(created_at: str) -> None:
    """UsageError where the time that a manifest is to carry is none."""
    if not is_time(created_at.encode()):
        raise UsageError(f"created_at '{created_at}' is no time: write it as 2026-01-02T03:04:05Z")


def tell_nobody(phase: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""


def _build(
    sources: str,
    cache: str,
    find: Callable[[Engine], Sequence[Source]],
    order: BuildOrder,
    check: Callable[[WrittenDocuments], None] = lambda _written: None,
    patch: Callable[[StagedDirectory], Made | None] = lambda _staged: None,
) -> tuple[Listing, WrittenTotals, Sequence[str]]:
    """Write and publish a cache of the sources that are found, in id order; what was kept of an old one.

    `check` sees what was written before anything is compiled, and may end the build. `patch` may write it all itself.
    """
    progress = order.progress
    try:
        # The workers are gone before the directory they write into is.
        with StagedDirectory(cache, cache_contents) as staged, order.engine as engine:
            made = patch(staged)
            if made is None:
                with Collector(runs=True):  # readers of some formats make cycles
                    made = _compile(sources, staged.path, find(engine), order, check)
            listing, totals = made
            progress(WRITING, 0, 1)
            staged.publish(replace=order.force)
            progress(WRITING, 1, 1)
    except FileExistsError:
        raise target_exists(cache) from None
    except OSError as error:
        raise IoError(f"'{printable(cache)}' cannot be written: {error.strerror}") from None
    if not staged.has_kept_part:
        drop_spare(cache)
    return listing, totals, staged.kept


def _compile(
    sources: str,
    staged: str,
    found: Sequence[Source],
    order: BuildOrder,
    check: Callable[[WrittenDocuments], None],
) -> Made:
    """Write the documents of all sources, and compile the index of them."""
    progress = order.progress
    settings = RunSettings(order.tokenizer, SPILL_BYTES, order.sections)
    job = DocumentsJob(sources, staged, found, settings)
    written = order.engine.write_documents(job, lambda done, total: progress(READING, done, total))
    check(written)
    listing, size = compile_written(staged, written, order)
    return listing, WrittenTotals(len(written.documents), size, written.skipped, written.included, written.reused)


def compile_written(
    staged: str, written: WrittenDocuments, order: BuildOrder, texts: Sequence[Sequence[str]] | None = None
) -> tuple[Listing, int]:
    """Compile the index of documents that are written, and list them; how many bytes their contents have.

    `texts` are those of the links that lead to each of them; unless given, of links between them alone.
    """
    progress, engine = order.progress, order.engine
    settings = RunSettings(order.tokenizer, SPILL_BYTES, order.sections)
    documents, runs = written.documents, written.runs
    columns = cache_columns(documents.columns())
    numbers = columns.documents
    lengths, sources_of = None, b""
    if order.sections:
        lengths, sources_of = lengths_with_links(staged, written, numbers, settings, texts)
    compiled = _Compiled(progress, block_count(runs))
    # The workers begin, while this process lists the documents.
    count, parts = engine.compile_index(staged, runs, columns.words.numbers, lengths)
    listing = write_listing(staged, documents.names, len(documents), order.created_at)
    summary = Summary(listing.cache_version, order.tokenizer)
    owner = IndexOwner(summary, listing.manifest_digest, listing.index_digest)
    write_index(staged, owner, listing.entries, written, columns, parts, count, sources_of, compiled.tell)
    return listing, sum(numbers.sizes)


class _Compiled:
    """Tells how much of an index is compiled, of so many blocks of runs."""

    def __init__(self, progress: PhaseProgress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0
        progress(INDEXING, 0, total)

    def tell(self, more: int) -> None:
        """So many more blocks are done; a block that two processes share counts once."""
        self._done = min(self._done + more, self._total)
        self._progress(INDEXING, self._done, self._total)


def lengths_with_links(
    staged: str,
    written: WrittenDocuments,
    numbers: DocumentColumns,
    settings: RunSettings,
    texts: Sequence[Sequence[str]] | None = None,
) -> tuple[FieldLengths, bytes]:
    """The lengths of all fields, once what documents link to is counted too; and what the index keeps of sources.

    `texts` is as in `compile_written`.
    """
    table = written.documents
    leading = texts if texts is not None else links_within(table)
    links = count_texts(leading, os.path.join(staged, settings.name), settings.limit, write_run)
    written.runs.fields.extend(links.fields)
    kept = table_sources(table, numbers.sizes, leading) if table.has_origins else b""
    return table_lengths(numbers, links.lengths, written.runs.body_lengths), kept


def build_notes(cache: str, skipped: Sequence[str], kept: Sequence[str]) -> Iterator[str]:
    if skipped:
        more = f", and {len(skipped) - _NAMED} more" if len(skipped) > _NAMED else ""
        yield f"skipped: {', '.join(skipped[:_NAMED])}{more}"
    for path in kept:
        yield f"'{printable(cache)}' held more than a cache when it was replaced: kept as '{printable(path)}'"
