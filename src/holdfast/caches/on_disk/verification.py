"""Check a cache to the last byte and name everything that is wrong; its index is made again from its documents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from holdfast.caches.cache_format import (
    MAX_DOCUMENT_BYTES,
    MAX_MANIFEST_BYTES,
    Document,
    Entry,
    Manifest,
    check_index,
    check_manifest,
    document_id,
    encode_document,
    parse_document,
    parse_manifest,
    stays_inside,
)
from holdfast.caches.index_format import IndexUnusable, Summary, manifest_digest, parse_summary, summary_bytes
from holdfast.caches.listing_text import encode_index, encode_manifest
from holdfast.caches.on_disk.cache_directory import (
    CACHE_NAMES,
    COMPILED,
    DOCUMENTS,
    INDEX,
    LIST_FILE,
    MANIFEST,
    CacheDirectory,
    look_into,
)
from holdfast.caches.on_disk.index_reader import OpenFile, OpenSegment, doubting
from holdfast.caches.origin_metadata import OriginsDigest, origin_digest
from holdfast.caches.search.link_texts import PageLinks, find_links, incoming
from holdfast.caches.segments.make import SegmentDocument, make_segment
from holdfast.caches.segments.segment_file import DIGESTS
from holdfast.caches.segments.segment_list import SegmentList, cuts, encode_list, listed, parse_list
from holdfast.caches.segments.token_counts import DocumentSections
from holdfast.caches.tokenizers import BYTES, choose_tokenizer
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheInvalid, UsageError

Problems = Iterator[tuple[str, str]]

_DIGEST = 32


class Problem(NamedTuple):
    """One thing that is wrong with a cache, and the file it is wrong with."""

    file: str
    problem: str


class CacheReport(NamedTuple):
    """The outcome of checking every byte of a cache."""

    cache_version: str
    document_count: int
    problems: list[Problem]

    @property
    def valid(self) -> bool:
        """Whether nothing at all was found wrong."""
        return not self.problems


def verify_cache(path: str | os.PathLike[str]) -> CacheReport:
    """Every check of the format, every byte read, every problem named; a file that is not listed is one too."""
    return look_into(os.fspath(path), _verify, lambda report: report.valid)


def _verify(directory: CacheDirectory) -> CacheReport:
    try:
        data = directory.read(MANIFEST, limit=MAX_MANIFEST_BYTES)
        manifest = parse_manifest(data)
    except CacheInvalid as error:
        return CacheReport("", 0, [Problem(MANIFEST, error.reason)])
    problems = [Problem(MANIFEST, text) for text in check_manifest(manifest)]
    if not problems and data != encode_manifest(manifest):
        problems.append(Problem(MANIFEST, "is not in canonical form"))
    if not _is_moment(manifest.created_at):
        problems.append(Problem(MANIFEST, f"created_at '{manifest.created_at}' is no time"))
    of_manifest = manifest_digest([data])
    del data  # as long as all that is known of the documents
    of_index = _index_digest(directory, manifest, problems)
    if directory.has(COMPILED) and of_index is not None and not problems:
        index = IndexVerification()
        problems.extend(_document_problems(directory, manifest, index))
        found = index.problems(directory, manifest, (of_manifest, of_index))
        problems.extend([Problem(file, text) for file, text in found])
    else:
        problems.extend(_document_problems(directory, manifest, None))
    problems.extend(_orphans(directory, manifest))
    return CacheReport(manifest.cache_version, manifest.document_count, problems)


def _is_moment(text: str) -> bool:
    """Whether a text is an RFC 3339 time."""
    try:
        return text[10:11] == "T" and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _index_digest(directory: CacheDirectory, manifest: Manifest, problems: list[Problem]) -> bytes | None:
    """The sha256 of the index file, its problems added to those given; None when there is none to read."""
    try:
        data = directory.read(INDEX, limit=MAX_MANIFEST_BYTES)
    except CacheInvalid as error:
        problems.append(Problem(INDEX, error.reason))
        return None
    found = check_index(data, manifest)
    if not found and data != encode_index({entry.id: entry for entry in manifest.entries}.values()):
        found = ["is not in canonical form"]
    problems.extend([Problem(INDEX, text) for text in found])
    return sha256(data).digest()


def _document_problems(
    directory: CacheDirectory, manifest: Manifest, index: IndexVerification | None
) -> Iterator[Problem]:
    origins = OriginsDigest()
    for entry in manifest.entries:
        if not stays_inside(entry.file):
            continue  # named among the manifest's problems, and never opened
        try:
            data = directory.read(entry.file, limit=MAX_DOCUMENT_BYTES)
            document = parse_document(data, expected_id=entry.id, expected_version=entry.version)
        except CacheInvalid as error:
            yield Problem(entry.file, error.reason)
            continue
        if document_id(document.source) != document.id:
            yield Problem(entry.file, f"source '{document.source}' does not give the id '{document.id}'")
        elif data != encode_document(document):
            yield Problem(entry.file, "is not in canonical form")
        origins.add(document.id, origin_digest(document.origin))
        if index is not None:
            index.add(document, data)
    if origins.count == len(manifest.entries) and origins.finish() != manifest.origins:
        yield Problem(MANIFEST, "build_config.origins does not match the metadata of the documents")


def _orphans(directory: CacheDirectory, manifest: Manifest) -> Iterator[Problem]:
    for name in directory.names():
        if name not in CACHE_NAMES:
            yield Problem(printable(name), "does not belong to the cache")
    listed = {entry.file for entry in manifest.entries}
    for name in directory.names(DOCUMENTS):
        if f"{DOCUMENTS}/{name}" not in listed:
            yield Problem(printable(f"{DOCUMENTS}/{name}"), "is not listed in the manifest")


class IndexVerification:
    """What the index must be, gathered while the documents of a cache are checked, given in id order."""

    def __init__(self) -> None:
        self._pages: list[PageLinks] = []
        self._digests: list[bytes] = []

    def add(self, document: Document, data: bytes) -> None:
        """The next document, and the bytes of its file."""
        self._pages.append(find_links(document.source, document.content))
        self._digests.append(sha256(data).digest())

    def problems(self, directory: CacheDirectory, manifest: Manifest, owned: tuple[bytes | None, bytes]) -> Problems:
        """(file, problem) for whatever is not as it should be, given the digests of the manifest and the index file.

        Documents are read again, those of one segment at a time. What is wrong with a document is for the caller: with
        one left out, only the files that are there are looked at.
        """
        try:
            found, summary = _read_list(directory)
        except IndexUnusable as error:
            yield LIST_FILE, str(error)
            return
        names = {row.name for row in found.segments}
        for name in directory.names(COMPILED):
            if f"{COMPILED}/{name}" != LIST_FILE and name not in names:
                yield printable(f"{COMPILED}/{name}"), "does not belong to the cache"
        differing = False
        for file, expected, stated in zip(
            (MANIFEST, INDEX), owned, (found.header.manifest_digest, found.header.index_digest), strict=True
        ):
            if expected != stated:
                yield file, f"is not the one that {LIST_FILE} was made from"
                differing = True
        if differing or len(self._digests) != len(manifest.entries):
            return
        yield from self._segments(directory, manifest, found, summary, owned)

    def _segments(
        self,
        directory: CacheDirectory,
        manifest: Manifest,
        found: SegmentList,
        summary: Summary,
        owned: tuple[bytes | None, bytes],
    ) -> Problems:
        entries = manifest.entries
        texts = incoming([entry.id for entry in entries], self._pages)
        counted_by = _installed(summary.tokenizer)
        rows = []
        for number, (start, end) in enumerate(cuts([entry.id for entry in entries])):
            segment: OpenSegment | None = None
            problem = "is missing"
            if number < len(found.segments):
                try:
                    segment = OpenSegment(directory, found.segments[number])
                except IndexUnusable as error:
                    problem = str(error)
            file = f"{COMPILED}/{found.segments[number].name}" if number < len(found.segments) else LIST_FILE
            if segment is None:
                yield file, problem
                continue
            altered = list(self._altered(segment, entries[start:end], self._digests[start:end]))
            if altered:
                for each in altered:
                    yield each, f"is not the one that {file} was made from"
                continue
            recorded = None if counted_by else _Recorded(segment)
            documents = (
                SegmentDocument(entry, directory.document(entry), digest, leading)
                for entry, digest, leading in zip(
                    entries[start:end], self._digests[start:end], texts[start:end], strict=True
                )
            )
            try:
                data = make_segment(documents, counted_by or BYTES, recorded or (lambda made: made))
            except CacheInvalid as error:
                yield file, f"cannot be compared: {error.reason}"  # a document changed meanwhile
                continue
            rows.append(listed(data))
            at = _first_difference(directory, file, data)
            segment.close()
            if at is not None:
                yield file, f"differs from what its documents give, at byte {at}"
        of_manifest, of_index = owned
        if len(rows) == len(found.segments) and of_manifest is not None:
            data = encode_list(rows, Summary(manifest.cache_version, summary.tokenizer), of_manifest, of_index)
            at = _first_difference(directory, LIST_FILE, data)
            if at is not None:
                yield LIST_FILE, f"differs from what its documents give, at byte {at}"
        elif len(cuts([entry.id for entry in entries])) != len(found.segments):
            yield LIST_FILE, "lists other segments than its documents give"

    def _altered(self, segment: OpenSegment, entries: Sequence[Entry], digests: Sequence[bytes]) -> Iterator[str]:
        """The files of documents that are not those that a segment was made from."""
        try:
            held = segment.part(DIGESTS)
        except IndexUnusable:
            return
        if len(held) == _DIGEST * len(entries):
            for at, (entry, digest) in enumerate(zip(entries, digests, strict=True)):
                if held[_DIGEST * at : _DIGEST * (at + 1)] != digest:
                    yield entry.file


@doubting
def _read_list(directory: CacheDirectory) -> tuple[SegmentList, Summary]:
    file = OpenFile(directory, LIST_FILE)
    try:
        found = parse_list(file.read, file.length)
        return found, parse_summary(summary_bytes(file.read, found.header))
    finally:
        file.close()


def _installed(tokenizer: str) -> str:
    """The tokenizer, where it is installed; else nothing, and recorded counts are taken as they are."""
    try:
        return tokenizer if choose_tokenizer(tokenizer) == tokenizer else ""
    except UsageError:
        return ""


class _Recorded:
    """Puts the token counts that a segment has in place of those made, document by document."""

    def __init__(self, segment: OpenSegment) -> None:
        self._columns, self._at = segment.numbers, 0

    def __call__(self, made: DocumentSections) -> DocumentSections:
        after = self._at + len(made.tokens)
        tokens = list(self._columns.section_tokens[self._at : after])
        counts = list(self._columns.second_counts[self._at : after])
        self._at = after
        return made._replace(tokens=tokens + made.tokens[len(tokens) :], second_counts=counts)


def _first_difference(directory: CacheDirectory, file: str, expected: bytes) -> int | None:
    """The first byte in which a file differs from what it should be, or None."""
    try:
        opened = OpenFile(directory, file)
        actual = opened.read(0, opened.length)
        opened.close()
    except IndexUnusable:
        return 0
    if actual == expected:
        return None
    differing = (at for at, (one, other) in enumerate(zip(expected, actual, strict=False)) if one != other)
    return next(differing, min(len(expected), len(actual)))
