"""Build a cache in shards: each part an immutable cache of a stretch of the documents, all put in place in one step.

The parts are compiled one after another, each with the texts of links that lead into it from all documents, so that
together they hold what the index of one cache would. A part whose documents and links are as they were is linked from
the old cache and not made again.
"""

from __future__ import annotations

import os
from shutil import copyfile

from holdfast.caches.build.build import (
    INDEXING,
    READING,
    WRITING,
    BuildOrder,
    DocumentsReport,
    build_notes,
    check_time,
    compile_written,
    in_id_order,
    tell_nobody,
    with_kept,
)
from holdfast.caches.build.document_files import DocumentsJob
from holdfast.caches.build.engines import open_engine
from holdfast.caches.build.old_index import OldCache
from holdfast.caches.build.publish import cache_contents, check_replaceable, part_paths
from holdfast.caches.build.source_files import worth_a_worker
from holdfast.caches.build.source_item import KeptItem
from holdfast.caches.build.spare_documents import drop_spare
from holdfast.caches.build.token_counts import SPILL_BYTES, RunSettings
from holdfast.caches.cache_format import Entry, cache_version, document_id
from holdfast.caches.index_format import IndexUnusable
from holdfast.caches.on_disk.cache_directory import DOCUMENTS, SHARDS
from holdfast.caches.origin_metadata import origins_digest
from holdfast.caches.search.link_texts import PageLinks, incoming
from holdfast.caches.shard_list import ShardList, ShardPart, cuts, encode_shards, part_name
from holdfast.caches.tokenizers import choose_tokenizer
from holdfast.core.atomic_write import StagedDirectory, write_new
from holdfast.core.collector import Collector
from holdfast.core.confined_paths import printable
from holdfast.core.errors import BuildFailed, CacheInvalid, IoError
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from holdfast.caches.build.build import PhaseProgress
    from holdfast.caches.build.document_files import SkippedSource, WrittenDocuments
    from holdfast.caches.build.source_item import SourceItem

    Item = SourceItem | KeptItem

# What is done of a part, in so many steps.
_STEPS = 100


def build_shards(
    items: Sequence[SourceItem],
    cache: str,
    shards: int,
    *,
    created_at: str,
    tokenizer: str | None = None,
    progress: PhaseProgress | None = None,
    tell: Callable[[str], None] | None = None,
    strict: bool = False,
    previous: str | None = None,
    unchanged: Container[str] = frozenset(),
    engine: str | None = None,
) -> DocumentsReport:
    """Compile listed sources into a cache of at most so many parts; what stands at `cache` is replaced.

    The rest is as in `build_documents`.
    """
    cache = os.path.abspath(cache)
    check_time(created_at)
    check_replaceable(cache, force=True)
    ordered = in_id_order(items)
    ids = [document_id(item.source) for item in ordered]
    kept = with_kept(ordered, [] if previous is None else part_paths(previous), unchanged)
    order = BuildOrder(
        *(created_at, True, choose_tokenizer(tokenizer), True, progress or tell_nobody, open_engine(engine, None))
    )
    try:
        # The workers are gone before the directory they write into is.
        with StagedDirectory(cache, cache_contents) as staged, order.engine, Collector(runs=True):
            stretches = [kept[start:end] for start, end in cuts(ids, shards)]
            report = _ShardedBuild(staged.path, order, stretches).write(strict=strict)
            order.progress(WRITING, 0, 1)
            staged.publish(replace=True)
            order.progress(WRITING, 1, 1)
    except OSError as error:
        raise IoError(f"'{printable(cache)}' cannot be written: {error.strerror}") from None
    drop_spare(cache)
    if tell is not None:
        for note in build_notes(cache, [], staged.kept):
            tell(note)
    return report


class _Listed(NamedTuple):
    """What a list of parts needs to know of a document, and what others need to know of its links."""

    id: str
    version: str
    origin: str
    size: int
    links: PageLinks


class _Part:
    """One part in the making: taken from the old cache, or written and then compiled."""

    def __init__(self, path: str, items: Sequence[Item]) -> None:
        self.path, self.items = path, items
        self.written: WrittenDocuments | None = None
        self.old_path = ""
        self.old_texts: list[list[str]] = []
        self.documents: list[_Listed] = []

    def take_old(self, tokenizer: str) -> bool:
        """Whether the old cache has a part of these very documents, whose index can be used."""
        paths = {item.cache if isinstance(item, KeptItem) else "" for item in self.items}
        path = paths.pop()
        if paths or not path:
            return False
        try:
            with OldCache(path) as old:
                old.open(tokenizer)
                entries = [item.entry for item in self.items if isinstance(item, KeptItem)]
                if old.manifest.entries != entries:
                    return False
                sources = old.sources
                self.documents = [
                    _Listed(entry.id, entry.version, origin.hex(), size, sources.page(place))
                    for place, (entry, origin, size) in enumerate(
                        zip(entries, sources.origins, sources.sizes, strict=True)
                    )
                ]
                self.old_path, self.old_texts = path, [sources.texts(place) for place in range(len(entries))]
        except (IndexUnusable, CacheInvalid, IoError):
            return False
        return True

    def was_written(self, written: WrittenDocuments) -> None:
        """Take note of what was written."""
        self.written, self.old_path = written, ""
        table = written.documents
        self.documents = [
            _Listed(name, version, origin, size, links)
            for (name, version, _, origin), size, links in zip(
                table.names(), table.columns().sizes, table.links(), strict=True
            )
        ]


class _ShardedBuild:
    """All parts of one build."""

    def __init__(self, staged: str, order: BuildOrder, stretches: Sequence[Sequence[Item]]) -> None:
        self._staged, self._order = staged, order
        self._parts = [_Part(os.path.join(staged, part_name(number)), items) for number, items in enumerate(stretches)]
        self._read, self._to_read = 0, 0
        self._reused = 0
        self._skipped: list[SkippedSource] = []
        self._included: dict[str, dict[str, str]] = {}

    def write(self, *, strict: bool) -> DocumentsReport:
        """Write every part and the list of them."""
        changed = [part for part in self._parts if not part.take_old(self._order.tokenizer)]
        self._write_documents(changed)
        if strict and self._skipped:
            source, _, reason = self._skipped[0]
            raise BuildFailed(f"'{source}' {reason}")
        self._parts = list(self._filled())
        if not self._parts:
            raise BuildFailed("there is no document in the sources: name others, or formats that this release reads")
        documents = [document for part in self._parts for document in part.documents]
        texts = iter(incoming([document.id for document in documents], [document.links for document in documents]))
        led = [[next(texts) for _ in part.documents] for part in self._parts]
        # Other documents call one by other names: its own part is made again.
        moved = [part for part, now in zip(self._parts, led, strict=True) if part.old_path and part.old_texts != now]
        self._write_documents(moved)
        versions = [self._made(number, part, led[number]) for number, part in enumerate(self._parts)]
        entries = [Entry(document.id, document.version, "") for document in documents]
        origins = origins_digest([(document.id, document.origin) for document in documents])
        version = cache_version(entries, origins)
        listed = [
            ShardPart(part_name(number), of_part, len(part.documents), part.documents[0].id)
            for number, (part, of_part) in enumerate(zip(self._parts, versions, strict=True))
        ]
        for number, part in enumerate(self._parts):
            if part.path != (place := os.path.join(self._staged, part_name(number))):
                os.rename(part.path, place)  # a part before it turned out to be empty
        write_new(os.path.join(self._staged, SHARDS), encode_shards(ShardList(version, origins, tuple(listed))))
        size = sum([document.size for document in documents])
        return DocumentsReport(version, len(documents), size, self._skipped, self._included, self._reused)

    def _write_documents(self, parts: Sequence[_Part]) -> None:
        self._to_read += sum([len(part.items) for part in parts])
        if parts:
            self._order.engine.grow(worth_a_worker(self._to_read))
        settings = RunSettings(self._order.tokenizer, SPILL_BYTES)
        for part in parts:
            before = self._read

            def show(done: int, _total: int, before: int = before) -> None:
                self._order.progress(READING, before + done, self._to_read)

            os.mkdir(part.path)
            written = self._order.engine.write_documents(DocumentsJob("", part.path, part.items, settings), show)
            part.was_written(written)
            self._read += len(part.items)
            self._reused += written.reused
            self._skipped += written.skipped
            self._included |= written.included

    def _filled(self) -> Iterator[_Part]:
        """The parts that have documents; what was made of others is removed."""
        for part in self._parts:
            if part.documents:
                yield part
            else:
                for run in _run_files(part):
                    os.unlink(run)
                os.rmdir(os.path.join(part.path, DOCUMENTS))
                os.rmdir(part.path)

    def _made(self, number: int, part: _Part, texts: Sequence[Sequence[str]]) -> str:
        """Compile a part, or link the old one; its version."""
        progress, total = self._order.progress, _STEPS * len(self._parts)

        def show(phase: str, done: int, of: int) -> None:
            progress(phase, _STEPS * number + _STEPS * done // max(of, 1), total)

        if part.written is not None:
            order = self._order._replace(progress=show)
            return compile_written(part.path, part.written, order, texts)[0].cache_version
        _link_tree(part.old_path, part.path)
        self._reused += len(part.documents)
        show(INDEXING, 1, 1)
        origins = origins_digest([(document.id, document.origin) for document in part.documents])
        return cache_version([Entry(document.id, document.version, "") for document in part.documents], origins)


def _run_files(part: _Part) -> list[str]:
    if part.written is None:
        return []
    runs = part.written.runs
    return [run.file for run in (*runs.words, *[run for _, run in runs.fields]) if run.file]  # an engine keeps its own


def _link_tree(source: str, target: str) -> None:
    """Give every file of a cache another name below a new directory, or copy it where there are no such links."""
    os.mkdir(target)
    with os.scandir(source) as entries:
        for entry in entries:
            path = os.path.join(target, entry.name)
            if entry.is_dir(follow_symlinks=False):
                _link_tree(entry.path, path)
                continue
            try:
                os.link(entry.path, path, follow_symlinks=False)
            except OSError:
                copyfile(entry.path, path, follow_symlinks=False)
