"""Recompute the section index of a cache and compare it to the last byte."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.caches.build.index_files import IndexOwner, links_within, table_lengths, table_sources, write_sections
from holdfast.caches.build.index_ranges import ALL_KEYS, sections_part, whole_part, write_run
from holdfast.caches.build.link_counts import count_texts
from holdfast.caches.build.token_counts import SPILL_BYTES
from holdfast.caches.index_format import IndexUnusable, Summary, find_section, find_summary, parse_header, read_section
from holdfast.caches.on_disk.cache_directory import SECTIONS_FILE
from holdfast.caches.on_disk.section_index_reader import COLUMNS, KIND
from holdfast.caches.section_index.section_records import parse_columns
from holdfast.caches.sorted_runs import packed
from holdfast.caches.tokenizers import BYTES, choose_tokenizer
from holdfast.core.errors import UsageError
from holdfast.core.regular_files import close_quietly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.caches.build.document_table import DocumentColumns, DocumentTable
    from holdfast.caches.build.token_counts import Runs
    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.section_index.section_compiler import DocumentSections
    from holdfast.caches.section_index.section_records import SectionColumns

    Leading = Callable[[DocumentTable], Sequence[Sequence[str]]]

_CHUNK = 1 << 20


class RecompiledSections:
    """The section index made again while the documents of a cache are checked, given in id order.

    Where the tokenizer that the index names is not installed, the token counts it holds are taken as they are.
    """

    def __init__(self, directory: CacheDirectory, scratch: str, leading: Leading | None = links_within) -> None:
        """`leading` gives the texts of links to each document; None where nothing knows them, and nothing is said."""
        self._directory, self._scratch, self._leading = directory, scratch, leading
        self.tokenizer, self._problem, self._recorded_columns = self._recorded()
        # What the tokens of the documents must be counted by: bytes, where nothing better is known or installed.
        self.counted_by = self.tokenizer if self.tokenizer and self._recorded_columns is None else BYTES
        self._count = 0  # of their sections

    def _recorded(self) -> tuple[str, str, SectionColumns | None]:
        """The tokenizer that the index names, what is wrong with the index, and its columns if their counts must do."""
        try:
            descriptor = self._directory.open(SECTIONS_FILE)
        except FileNotFoundError:
            return "", "is missing", None
        except OSError as error:
            return "", f"cannot be read: {error.strerror}", None

        def read(offset: int, length: int) -> bytes:
            return os.pread(descriptor, length, offset)

        try:
            header = parse_header(read, kind=KIND, file_length=os.fstat(descriptor).st_size)
            tokenizer = find_summary(read, header).tokenizer
            try:
                if choose_tokenizer(tokenizer) == tokenizer:
                    return tokenizer, "", None
            except UsageError:
                pass  # not installed
            return tokenizer, "", parse_columns(read_section(read, find_section(header, COLUMNS)))
        except IndexUnusable as error:
            return "", str(error), None
        except MemoryError:
            return "", "claims to be larger than can be held", None
        finally:
            close_quietly(descriptor)

    def counted(self, made: DocumentSections) -> DocumentSections:
        """What was counted of the next document, with the token counts that must do."""
        if (recorded := self._recorded_columns) is not None:
            after = self._count + len(made.tokens)
            tokens = list(recorded.tokens[self._count : after])
            made = made._replace(
                tokens=tokens + made.tokens[len(tokens) :],
                second_counts=list(recorded.second_counts[self._count : after]),
            )
            self._count = after
        return made

    def problems(
        self, table: DocumentTable, numbers: DocumentColumns, runs: Runs, cache_version: str, owned: tuple[bytes, bytes]
    ) -> Iterator[tuple[str, str]]:
        """(file, problem) when the index is not what its documents give; `owned` are the digests of its owner."""
        if self._problem:
            yield SECTIONS_FILE, self._problem
        if not self.tokenizer or self._leading is None:
            return
        path = os.path.join(self._scratch, KIND)
        summary = Summary(cache_version, self.tokenizer)
        texts = self._leading(table)
        links = count_texts(texts, os.path.join(self._scratch, "run"), SPILL_BYTES, write_run)
        lengths = list(map(packed, table_lengths(numbers, links.lengths, runs.body_lengths)))
        part = whole_part(sections_part(f"{path}-part", [*runs.fields, *links.fields], ALL_KEYS, lengths))
        write_sections(
            path,
            IndexOwner(summary, *owned),
            numbers,
            table.records(),
            [part],
            table_sources(table, numbers.sizes, texts) if table.has_origins else b"",
        )
        try:
            descriptor = self._directory.open(SECTIONS_FILE)
        except OSError as error:
            yield SECTIONS_FILE, f"cannot be read: {error.strerror or 'it is missing'}"
            return
        try:
            at = first_difference(path, descriptor)
        finally:
            close_quietly(descriptor)
        if at is not None:
            yield SECTIONS_FILE, f"differs from what its documents give, at byte {at}"


def first_difference(path: str, descriptor: int) -> int | None:
    """The first byte in which two files differ, or None."""
    at = 0
    with open(path, "rb") as file:
        while (expected := file.read(_CHUNK)) == (actual := os.pread(descriptor, _CHUNK, at)):
            if not expected:
                return None
            at += len(expected)
    differing = (place for place, (one, other) in enumerate(zip(expected, actual, strict=False)) if one != other)
    return at + next(differing, min(len(expected), len(actual)))
