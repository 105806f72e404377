"""Recompute the compiled index of a cache and compare it to the last byte."""

from __future__ import annotations

import os
from hashlib import sha256
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from holdfast.caches.build.document_table import DocumentTable, WrittenDocument, pack_documents
from holdfast.caches.build.index_files import IndexOwner, cache_columns, links_within, write_words
from holdfast.caches.build.index_ranges import ALL_KEYS, whole_part, words_part, write_run
from holdfast.caches.build.token_counts import SPILL_BYTES, DocumentCounts, RunSettings
from holdfast.caches.index_format import (
    IndexUnusable,
    Summary,
    find_section,
    find_summary,
    parse_header,
)
from holdfast.caches.on_disk.cache_directory import COMPILED, INDEX, MANIFEST, SECTIONS_FILE
from holdfast.caches.on_disk.index_reader import DIGESTS, WORDS, WORDS_FILE
from holdfast.caches.on_disk.recomputed_sections import RecompiledSections, first_difference
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.sorted_runs import packed
from holdfast.core.confined_paths import printable
from holdfast.core.regular_files import close_quietly
from holdfast.core.tokens import tokens_of_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.caches.build.index_files import CacheColumns
    from holdfast.caches.build.token_counts import Runs
    from holdfast.caches.cache_format import Document, Manifest
    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.on_disk.recomputed_sections import Leading

_DIGEST = 32
# So many documents are packed at a time.
_BATCH = 256


class Recompiled:
    """The index made again while the documents of a cache are checked, given in id order."""

    def __init__(self, directory: CacheDirectory, leading: Leading | None = links_within) -> None:
        """`leading` is as `RecompiledSections` takes it."""
        self._scratch = TemporaryDirectory(prefix="holdfast-")
        self._sections = RecompiledSections(directory, self._scratch.name, leading)
        self._counting = DocumentCounts(
            os.path.join(self._scratch.name, "run"), RunSettings(self._sections.counted_by, SPILL_BYTES), write_run
        )
        self._runs: Runs | None = None
        self._table = DocumentTable(self._scratch.name)
        self._waiting: list[WrittenDocument] = []  # for the table
        self._count = 0

    def __enter__(self) -> Recompiled:
        return self

    def __exit__(self, *exc: object) -> None:
        self._scratch.cleanup()

    def add(self, document: Document, data: bytes) -> None:
        """The next document, and the bytes of its file."""
        ((total, made),) = self._counting.add(self._count, [document])
        self._count += 1
        size = len(document.content.encode())
        self._waiting.append(
            WrittenDocument(
                *(document.id, document.version, "", size, total, tokens_of_bytes(size), sha256(data).digest()),
                *(self._sections.counted(made), origin_digest(document.origin)),
            )
        )
        if len(self._waiting) == _BATCH:
            self._pack()

    def _pack(self) -> None:
        if self._waiting:
            self._table.add(0, pack_documents(self._waiting))
            self._waiting = []

    def problems(
        self, directory: CacheDirectory, manifest: Manifest, owned: tuple[bytes | None, bytes]
    ) -> Iterator[tuple[str, str]]:
        """(file, problem) for everything in which the index and the cache differ.

        The digests of the manifest and of the index file are given, which must be sound; what is wrong with a document
        is for whoever calls `add`: with one left out, only the files that are there are looked at.
        """
        self._pack()
        for name in directory.names(COMPILED):
            if f"{COMPILED}/{name}" not in (WORDS_FILE, SECTIONS_FILE):
                yield printable(f"{COMPILED}/{name}"), "does not belong to the cache"
        try:
            descriptor = directory.open(WORDS_FILE)
        except OSError as error:
            yield WORDS_FILE, f"cannot be read: {error.strerror or 'it is missing'}"
            return
        try:
            columns = cache_columns(self._table.columns())
            yield from self._compared(descriptor, manifest, owned, columns)
            if self._count == len(manifest.entries) and owned[0] is not None:
                yield from self._sections.problems(
                    self._table, columns.documents, self._counted(), manifest.cache_version, (owned[0], owned[1])
                )
        except IndexUnusable as error:
            yield WORDS_FILE, str(error)
        finally:
            close_quietly(descriptor)

    def _compared(
        self, descriptor: int, manifest: Manifest, owned: tuple[bytes | None, bytes], columns: CacheColumns
    ) -> Iterator[tuple[str, str]]:
        def read(offset: int, length: int) -> bytes:
            return os.pread(descriptor, length, offset)

        header = parse_header(read, kind=WORDS, file_length=os.fstat(descriptor).st_size)
        differing = False
        of_manifest, of_index = owned
        if of_manifest != header.manifest_digest:
            yield MANIFEST, f"is not the one that {WORDS_FILE} was made from"
            differing = True
        if of_index != header.index_digest:
            yield INDEX, f"is not the one that {WORDS_FILE} was made from"
            differing = True
        if differing or of_manifest is None or self._count != len(manifest.entries):
            return
        section = find_section(header, DIGESTS)
        digests = columns.documents.digests
        for entry, at in zip(manifest.entries, range(0, len(digests), _DIGEST), strict=True):
            if os.pread(descriptor, _DIGEST, section.offset + at) != digests[at : at + _DIGEST]:
                yield entry.file, f"is not the one that {WORDS_FILE} was made from"
                differing = True
        if not differing:
            tokenizer = find_summary(read, header).tokenizer
            owner = IndexOwner(Summary(manifest.cache_version, tokenizer), of_manifest, of_index)
            yield from self._compared_bytes(descriptor, manifest, owner, columns)
            if self._sections.tokenizer not in ("", tokenizer):
                yield SECTIONS_FILE, f"counts tokens by another tokenizer than {WORDS_FILE}"

    def _compared_bytes(
        self, descriptor: int, manifest: Manifest, owner: IndexOwner, columns: CacheColumns
    ) -> Iterator[tuple[str, str]]:
        path = os.path.join(self._scratch.name, WORDS)
        runs = self._counted()
        part = whole_part(
            words_part(f"{path}-part", runs.words, ALL_KEYS, packed(columns.words.numbers), packed(runs.positions))
        )
        write_words(path, owner, manifest.entries, bytes(columns.documents.digests), columns.words, [part])
        at = first_difference(path, descriptor)
        if at is not None:
            yield WORDS_FILE, f"differs from what its documents give, at byte {at}"

    def _counted(self) -> Runs:
        if self._runs is None:
            self._runs = self._counting.finish()
        return self._runs
