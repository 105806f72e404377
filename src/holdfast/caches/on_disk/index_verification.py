"""Make the index of a cache again from its documents, segment by segment, and compare it to the last byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

from holdfast.caches.cache_format import Document, Entry, Manifest
from holdfast.caches.index_format import IndexUnusable, Summary, parse_summary, summary_bytes
from holdfast.caches.on_disk.cache_directory import COMPILED, INDEX, LIST_FILE, MANIFEST, CacheDirectory
from holdfast.caches.on_disk.index_reader import OpenFile, OpenSegment, doubting
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
