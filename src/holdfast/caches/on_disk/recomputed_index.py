"""Recompute the compiled index of a cache and compare it to the last byte."""

from __future__ import annotations

import os
from hashlib import sha256
from tempfile import TemporaryDirectory

from holdfast.caches.build.index_files import IndexOwner, write_words
from holdfast.caches.build.index_ranges import ALL_KEYS, whole_part, words_part, write_run
from holdfast.caches.build.token_counts import SPILL_BYTES, DocumentCounts, RunSettings
from holdfast.caches.index_format import (
    FIRST_BYTES,
    IndexUnusable,
    Summary,
    find_section,
    find_summary,
    manifest_digest,
    parse_header,
)
from holdfast.caches.on_disk.cache_directory import COMPILED, INDEX, MANIFEST, SECTIONS_FILE
from holdfast.caches.on_disk.index_reader import DIGESTS, WORDS, WORDS_FILE
from holdfast.caches.on_disk.recomputed_sections import RecompiledSections, first_difference
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.search.link_texts import incoming
from holdfast.caches.sorted_runs import packed
from holdfast.caches.word_index.word_compiler import make_columns
from holdfast.core.confined_paths import printable
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import close_quietly
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.caches.build.token_counts import Runs
    from holdfast.caches.cache_format import Document, Manifest
    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.on_disk.recomputed_sections import Leading

_DIGEST = 32


class _Counted(NamedTuple):
    """What the index of words holds of one document."""

    words: int
    tokens: int
    digest: bytes


class Recompiled:
    """The index made again while the documents of a cache are checked, given in id order."""

    def __init__(self, directory: CacheDirectory, leading: Leading | None = incoming) -> None:
        """`leading` is as `RecompiledSections` takes it."""
        self._scratch = TemporaryDirectory(prefix="holdfast-")
        self._sections = RecompiledSections(directory, self._scratch.name, leading)
        self._counting = DocumentCounts(
            os.path.join(self._scratch.name, "run"), RunSettings(self._sections.counted_by, SPILL_BYTES), write_run
        )
        self._runs: Runs | None = None
        self._documents: list[_Counted] = []

    def __enter__(self) -> Recompiled:
        return self

    def __exit__(self, *exc: object) -> None:
        self._scratch.cleanup()

    def add(self, document: Document, data: bytes) -> None:
        """The next document, and the bytes of its file."""
        ((total, sections),) = self._counting.add(len(self._documents), [document])
        size = len(document.content.encode())
        self._sections.add(document.id, sections, origin_digest(document.origin), size)
        self._documents.append(_Counted(total, tokens_of_bytes(size), sha256(data).digest()))

    def problems(
        self, directory: CacheDirectory, manifest: Manifest, data: bytes, index: bytes
    ) -> Iterator[tuple[str, str]]:
        """(file, problem) for everything in which the index and the cache differ.

        The manifest's and the index file's bytes are given, and must be sound; what is wrong with a document is for
        whoever calls `add`: with one left out, only the files that are there are looked at.
        """
        for name in directory.names(COMPILED):
            if f"{COMPILED}/{name}" not in (WORDS_FILE, SECTIONS_FILE):
                yield printable(f"{COMPILED}/{name}"), "does not belong to the cache"
        try:
            descriptor = directory.open(WORDS_FILE)
        except OSError as error:
            yield WORDS_FILE, f"cannot be read: {error.strerror or 'it is missing'}"
            return
        try:
            yield from self._compared(descriptor, manifest, data, index)
            if len(self._documents) == len(manifest.entries):
                yield from self._sections.problems(self._counted(), manifest.cache_version, data, index)
        except IndexUnusable as error:
            yield WORDS_FILE, str(error)
        finally:
            close_quietly(descriptor)

    def _compared(self, descriptor: int, manifest: Manifest, data: bytes, index: bytes) -> Iterator[tuple[str, str]]:
        def read(offset: int, length: int) -> bytes:
            return os.pread(descriptor, length, offset)

        header = parse_header(read, kind=WORDS, file_length=os.fstat(descriptor).st_size)
        differing = False
        if manifest_digest([data[:FIRST_BYTES], data[FIRST_BYTES:]]) != header.manifest_digest:
            yield MANIFEST, f"is not the one that {WORDS_FILE} was made from"
            differing = True
        if sha256(index).digest() != header.index_digest:
            yield INDEX, f"is not the one that {WORDS_FILE} was made from"
            differing = True
        if differing or len(self._documents) != len(manifest.entries):
            return
        section = find_section(header, DIGESTS)
        for place, (entry, document) in enumerate(zip(manifest.entries, self._documents, strict=True)):
            if os.pread(descriptor, _DIGEST, section.offset + _DIGEST * place) != document.digest:
                yield entry.file, f"is not the one that {WORDS_FILE} was made from"
                differing = True
        if not differing:
            tokenizer = find_summary(read, header).tokenizer
            summary = Summary(manifest.cache_version, tokenizer)
            yield from self._compared_bytes(descriptor, manifest, summary, data, index)
            if self._sections.tokenizer not in ("", tokenizer):
                yield SECTIONS_FILE, f"counts tokens by another tokenizer than {WORDS_FILE}"

    def _compared_bytes(
        self, descriptor: int, manifest: Manifest, summary: Summary, data: bytes, index: bytes
    ) -> Iterator[tuple[str, str]]:
        path = os.path.join(self._scratch.name, WORDS)
        columns = make_columns([item.words for item in self._documents], [item.tokens for item in self._documents])
        runs = self._counted()
        part = whole_part(
            words_part(f"{path}-part", runs.words, ALL_KEYS, packed(columns.numbers), packed(runs.positions))
        )
        digests = [document.digest for document in self._documents]
        write_words(path, IndexOwner(summary, data, index), manifest.entries, digests, columns, [part])
        at = first_difference(path, descriptor)
        if at is not None:
            yield WORDS_FILE, f"differs from what its documents give, at byte {at}"

    def _counted(self) -> Runs:
        if self._runs is None:
            self._runs = self._counting.finish()
        return self._runs
