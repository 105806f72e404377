"""A cache that is built again: its listing, and its segments, which are reused as far as they are the same."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from holdfast.caches.build.document_files import read_document
from holdfast.caches.build.publish import known_manifest
from holdfast.caches.build.segment_files import OldSegment, SegmentChange
from holdfast.caches.cache_format import MAX_MANIFEST_BYTES, Entry, check_manifest
from holdfast.caches.index_format import IndexUnusable, parse_summary
from holdfast.caches.on_disk.cache_directory import DOCUMENTS, MANIFEST, CacheDirectory
from holdfast.caches.on_disk.index_reader import OpenSegment, doubting, open_list
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.search.link_texts import PageLinks
from holdfast.caches.segments.segment_file import SegmentSources
from holdfast.caches.segments.segment_list import ListedSegment
from holdfast.core import posix_calls
from holdfast.core.atomic_write import write_new
from holdfast.core.errors import CacheInvalid, CacheMissing, IoError
from holdfast.core.regular_files import close_quietly

_NO_ORIGIN = origin_digest(None)
_DIGITS = 64  # hex digits of a digest
_FOLDER = posix_calls.DIRECTORY | posix_calls.O_NOFOLLOW


def previous_cache(path: str, tokenizer: str) -> PreviousCache | None:
    """The cache at a path, where its index is whole and says what is needed of its sources; else None."""
    try:
        return PreviousCache(path, tokenizer)
    except (IndexUnusable, CacheInvalid, CacheMissing, IoError):
        return None


class PreviousCache:
    """What a cache has of its documents, by id and by segment."""

    def __init__(self, path: str, tokenizer: str) -> None:
        self.path = path
        with CacheDirectory(path) as directory:
            self._open(directory, tokenizer)

    @doubting
    def _open(self, directory: CacheDirectory, tokenizer: str) -> None:
        manifest = known_manifest(directory.read(MANIFEST, limit=MAX_MANIFEST_BYTES))
        if check_manifest(manifest):
            raise IndexUnusable("of a cache that is none")
        listed, summary = open_list(directory)
        found = parse_summary(summary)
        if (found.cache_version, found.tokenizer) != (manifest.cache_version, tokenizer):
            raise IndexUnusable("of another cache, or counted by another tokenizer")
        self.entries = manifest.entries
        self.rows: list[ListedSegment] = listed.segments
        self.ids = [entry.id for entry in self.entries]
        self.place_of = dict(zip(self.ids, range(len(self.ids)), strict=True))
        self._segment_of: list[int] = []  # by place
        self._firsts: list[int] = []
        self._sources: list[SegmentSources] = []
        for number, row in enumerate(self.rows):
            segment = OpenSegment(directory, row)
            self._firsts.append(len(self._segment_of))
            self._segment_of += [number] * row.documents
            self._sources.append(SegmentSources(segment, row.documents))
            segment.close()
        if len(self._segment_of) != len(self.entries):
            raise IndexUnusable("of other documents")

    def size(self, place: int) -> int:
        """The bytes of a document's content."""
        number = self._segment_of[place]
        return self._sources[number].sizes[place - self._firsts[number]]

    def origins(self) -> list[str]:
        """The digest of each document's metadata."""
        data = b"".join([sources.origins for sources in self._sources]).hex()
        return [_origin(data, number) for number in range(len(data) // _DIGITS)]

    def sizes(self) -> list[int]:
        """The bytes of each document's content."""
        return list(chain.from_iterable([sources.sizes for sources in self._sources]))

    def page(self, place: int) -> PageLinks:
        """The labels and links of a document."""
        number = self._segment_of[place]
        sources, own = self._sources[number], place - self._firsts[number]
        return PageLinks(sources.labels[own].decode(), sources.links[own].decode())

    def texts(self, place: int) -> list[str]:
        """The texts of links to a document."""
        number = self._segment_of[place]
        data = self._sources[number].texts[place - self._firsts[number]]
        return data.decode().split("\n") if data else []

    def texts_of(self, entries: Sequence[Entry]) -> list[list[str]]:
        """The texts of links to documents, all of which this cache has."""
        return [self.texts(self.place_of[entry.id]) for entry in entries]

    def segment_of(
        self, entries: Sequence[Entry], origins: Sequence[str], texts: Sequence[Sequence[str]] | None
    ) -> OldSegment | None:
        """The segment that has most of these documents, and what is different; None where none has any.

        `origins` are the digests of their metadata, which can change alone: another file may give a page its title.
        `texts` are those of links to each, None where all are as they were.
        """
        places = [self.place_of[entry.id] for entry in entries if entry.id in self.place_of]
        if not places:
            return None
        ((number, _),) = Counter([self._segment_of[place] for place in places]).most_common(1)
        row, first, known = self.rows[number], self._firsts[number], self._sources[number].origins.hex()
        before = dict(zip(self.ids[first : first + row.documents], range(row.documents), strict=True))
        after = {entry.id: position for position, entry in enumerate(entries)}
        changes: list[SegmentChange] = []
        at = 0  # the place in the segment of the next old document
        for name in sorted(before.keys() | after.keys()):
            was = range(at, at + (name in before))
            at = was.stop
            position = after.get(name)
            old = self._linked(first + was.start) if was else None
            new = None
            if position is not None:
                as_before = old[1] if old else self.texts(self.place_of[name]) if texts is None else ()
                new = entries[position], as_before if texts is None else texts[position]
            if old != new or (was and _origin(known, was.start) != origins[after[name]]):
                changes.append(SegmentChange(was, old, new))
        return OldSegment(self.path, row, changes)

    def _linked(self, place: int) -> tuple[Entry, list[str]]:
        return self.entries[place], self.texts(place)

    def link(self, files: Iterable[tuple[Entry, str]], target: str) -> set[str]:
        """Give document files names in a directory too, or copy them where the file system has no such links; the paths
        of those that were not copied."""
        own = their = -1
        linked: set[str] = set()
        try:
            own = posix_calls.open(os.path.join(self.path, DOCUMENTS), _FOLDER)
            their = posix_calls.open(target, _FOLDER)
            for entry, name in files:
                folder, _, file = entry.file.partition("/")
                try:
                    if folder != DOCUMENTS or "/" in file:
                        raise OSError  # another program's: not where documents are
                    posix_calls.link(file, name, src_dir_fd=own, dst_dir_fd=their, follow_symlinks=False)
                except OSError:
                    write_new(os.path.join(target, name), read_document(self.path, entry).data)
                else:
                    linked.add(f"{target}/{name}")
        finally:
            close_quietly(own)
            close_quietly(their)
        return linked


def _origin(digests: str, number: int) -> str:
    found = digests[number * _DIGITS : (number + 1) * _DIGITS]
    return found if found.strip("0") else _NO_ORIGIN
