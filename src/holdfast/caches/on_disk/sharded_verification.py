"""Check a cache in shards to the last byte: each part as a cache of its own, and all of them as the one they make."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.caches.cache_format import cache_version
from holdfast.caches.on_disk.cache_directory import SHARDS
from holdfast.caches.on_disk.manifest_reader import read_manifest
from holdfast.caches.on_disk.sharded_cache import read_shards
from holdfast.caches.on_disk.verification import CacheReport, Problem, verify_one
from holdfast.caches.origin_metadata import origin_digest, origins_digest
from holdfast.caches.search.link_texts import find_links, incoming
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheInvalid, IoError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.caches.build.document_table import DocumentTable
    from holdfast.caches.cache_format import Entry
    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.search.link_texts import PageLinks
    from holdfast.caches.shard_list import ShardList


def verify_parts(directory: CacheDirectory) -> CacheReport:
    """Every check of every part; that they are those of the list; and that links between them are in their indexes.

    All documents are read twice, one at a time: first for their links.
    """
    try:
        listed = read_shards(directory)
    except CacheInvalid as error:
        return CacheReport("", 0, [Problem(SHARDS, error.reason)])
    problems = [
        Problem(printable(name), "does not belong to the cache")
        for name in directory.names()
        if name not in {SHARDS, *[part.name for part in listed.parts]}
    ]
    whole = _Whole(directory, listed)
    problems += whole.problems
    for part in listed.parts:
        try:
            with directory.part(part.name) as held:
                report = verify_one(held, whole.leading if whole.is_known else None)
        except FileNotFoundError:
            problems.append(Problem(part.name, "is not here"))
            continue
        problems += [Problem(f"{part.name}/{file}", problem) for file, problem in report.problems]
        if (report.cache_version, report.document_count) != (part.cache_version, part.document_count):
            problems.append(Problem(part.name, f"is of another version than {SHARDS} says"))
    return CacheReport(listed.cache_version, listed.document_count, problems)


class _Whole:
    """All documents of all parts: what is wrong with them as one cache, and which links lead to each.

    `is_known` says that every document could be read. What is wrong with one is for who checks its part.
    """

    def __init__(self, directory: CacheDirectory, listed: ShardList) -> None:
        self.problems: list[Problem] = []
        self.is_known = True
        entries: list[Entry] = []
        pages: list[PageLinks] = []
        origins: list[tuple[str, str]] = []
        for part in listed.parts:
            try:
                with directory.part(part.name) as held:
                    own = read_manifest(held).entries
                    if own and own[0].id != part.first:
                        self.problems.append(Problem(part.name, f"begins with another document than {SHARDS} says"))
                    entries += own
                    for document in map(held.document, own):
                        pages.append(find_links(document.source, document.content))
                        origins.append((document.id, origin_digest(document.origin)))
            except (FileNotFoundError, CacheInvalid, IoError):
                self.is_known = False
        if self.is_known:
            self.problems += self._problems(entries, listed, origins_digest(origins))
            ids = [entry.id for entry in entries]
            self._texts = dict(zip(ids, incoming(ids, pages), strict=True))

    def _problems(self, entries: list[Entry], listed: ShardList, origins: str) -> Iterator[Problem]:
        if any(later.id <= earlier.id for earlier, later in pairwise(entries)):
            yield Problem(SHARDS, "lists parts whose documents are not in order")
        if origins != listed.origins:
            yield Problem(SHARDS, "origins does not match the metadata of the documents")
        if cache_version(entries, listed.origins) != listed.cache_version:
            yield Problem(SHARDS, "cache_version does not match the documents of the parts")

    def leading(self, table: DocumentTable) -> list[list[str]]:
        """The texts of the links that lead to each document of a part, from all parts."""
        return [self._texts[each.id] for each in table.names()]
