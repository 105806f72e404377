"""Build a cache from a folder of documents, stage by stage: all of it, or nothing."""

from __future__ import annotations

import os

from holdfast.caches.build.document_files import write_documents
from holdfast.caches.build.index_files import IndexOwner, compile_parts, index_jobs, write_index, write_run
from holdfast.caches.build.publish import cache_contents, check_target, hidden_part, target_exists, write_listing
from holdfast.caches.build.source_files import find_sources
from holdfast.caches.build.token_counts import SPILL_BYTES, RunSettings, count_links
from holdfast.caches.index_format import Summary, is_time
from holdfast.caches.section_index.section_compiler import field_lengths
from holdfast.caches.tokenizers import USUAL, choose_tokenizer
from holdfast.caches.word_index.word_compiler import make_columns
from holdfast.core.atomic_write import StagedDirectory
from holdfast.core.confined_paths import printable
from holdfast.core.errors import IoError, UsageError
from holdfast.core.record import NamedTuple
from holdfast.core.worker_pool import WorkerPool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.caches.build.document_files import WrittenDocuments
    from holdfast.caches.section_index.term_lists import FieldLengths

    Progress = Callable[[int, int], None]

# So many of what was skipped are named.
_NAMED = 20


class BuildReport(NamedTuple):
    """What a build made: its version, how many documents, and how many bytes they hold."""

    cache_version: str
    document_count: int
    total_bytes: int


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
) -> BuildReport:
    """Compile the documents below `sources` into a cache at `cache`, atomically and durably.

    `created_at` is the time the manifest carries, RFC 3339 in UTC. With `force` a cache that stands at the target is
    replaced in one step, once the new one is complete; anything else there is left alone and refused, and what was put
    there meanwhile is kept beside it. `tell` is given what a person should know of a build that succeeded: what was
    skipped, and what was kept. `workers` is how many processes share the work, by default one a core; the bytes
    written do not depend on it. `tokenizer` says how the tokens of sections are counted, by default by `estimate-1`.
    Without `sections` the cache has an index for `resolve` alone, which is there to be measured: `verify` misses the
    other.
    """
    sources, cache = os.path.realpath(os.fspath(sources)), os.path.abspath(os.fspath(cache))
    if not is_time(created_at.encode()):
        raise UsageError(f"created_at '{created_at}' is no time: write it as 2026-01-02T03:04:05Z")
    check_target(sources, cache, force=force)
    # Without sections the documents answer a search, and no extra is asked there.
    counted_by = choose_tokenizer(tokenizer) if sections else USUAL
    try:
        # The workers are gone before the directory they write into is.
        with StagedDirectory(cache, cache_contents) as staged, WorkerPool() as pool:
            found = find_sources(sources, pool, workers, hidden_part(sources, cache))
            settings = RunSettings(counted_by, SPILL_BYTES, sections)
            written = write_documents(pool, sources, staged.path, found.names, settings, progress)
            documents, runs = written.documents, written.runs
            columns = make_columns([item.words for item in documents], [item.tokens for item in documents])
            lengths = _field_lengths(staged.path, written, settings) if sections else None
            jobs = index_jobs(staged.path, runs, columns.numbers, lengths, pool.size)
            parts = pool.run(compile_parts, jobs)  # the workers begin, while this process lists the documents
            listing = write_listing(staged.path, documents, created_at)
            owner = IndexOwner(Summary(listing.cache_version, counted_by), listing.manifest_json, listing.index_json)
            write_index(staged.path, owner, listing.entries, written, columns, parts, len(jobs))
            staged.publish(replace=force)
    except FileExistsError:
        raise target_exists(cache) from None
    except OSError as error:
        raise IoError(f"'{printable(cache)}' cannot be written: {error.strerror}") from None
    if progress is not None:
        progress(len(documents), len(documents))
    if tell is not None:
        for note in _notes(cache, found.skipped, staged.kept):
            tell(note)
    return BuildReport(listing.cache_version, len(documents), sum([item.size for item in documents]))


def _field_lengths(staged: str, written: WrittenDocuments, settings: RunSettings) -> FieldLengths:
    """The lengths of all fields, once what documents link to is counted too."""
    ids, made = [item.id for item in written.documents], [item.sections for item in written.documents]
    pages = [document.links for document in made]
    links = count_links(ids, pages, os.path.join(staged, settings.name), settings.limit, write_run)
    written.runs.fields.extend(links.fields)
    return field_lengths(made, links.lengths, written.runs.body_lengths)


def _notes(cache: str, skipped: Sequence[str], kept: Sequence[str]) -> Iterator[str]:
    if skipped:
        more = f", and {len(skipped) - _NAMED} more" if len(skipped) > _NAMED else ""
        yield f"skipped: {', '.join(skipped[:_NAMED])}{more}"
    for path in kept:
        yield f"'{printable(cache)}' held more than a cache when it was replaced: kept as '{printable(path)}'"
