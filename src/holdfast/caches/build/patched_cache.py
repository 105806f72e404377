"""A cache made of an earlier one of which few documents have changed, without compiling the index again.

Few documents are edited, added or removed, or are led to by other links. Only the terms of those have other lists;
words are numbered by the length of documents, so those of documents whose number moves have other postings too; and
where the number of sections or documents changes, so do the numbers in all lists. Everything else is copied. Where much
has changed, or anything is odd about the old cache, nothing is patched, and the caller compiles the index from all
documents: the bytes are the same either way (docs/decisions/0024-incremental.md).
"""

from __future__ import annotations

import os
from array import array
from hashlib import sha256
from itertools import accumulate, repeat
from operator import sub

from holdfast.caches.build.changed_documents import CannotPatch, find_changes
from holdfast.caches.build.counted_alone import count_alone
from holdfast.caches.build.document_files import WrittenTotals, put_document
from holdfast.caches.build.document_table import WrittenDocument
from holdfast.caches.build.index_files import IndexFile, IndexOwner, encode_offsets
from holdfast.caches.build.old_index import OldCache
from holdfast.caches.build.patched_terms import PatchedTerms
from holdfast.caches.build.patched_words import word_changes
from holdfast.caches.build.publish import write_listing
from holdfast.caches.build.source_item import KeptItem
from holdfast.caches.build.token_counts import NOTHING
from holdfast.caches.cache_format import Entry
from holdfast.caches.document_names import file_names_of
from holdfast.caches.index_format import SUMMARY, IndexUnusable, Summary, encode_summary
from holdfast.caches.moved_fields import reseal_records
from holdfast.caches.on_disk import index_reader, section_index_reader
from holdfast.caches.on_disk.cache_directory import COMPILED, DOCUMENTS, SECTIONS_FILE
from holdfast.caches.on_disk.index_reader import DICTIONARY, NUMBERS, OFFSETS, POSTINGS, RECORDS
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.patched_postings import patch_postings
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.caches.section_index import section_compiler
from holdfast.caches.section_index.section_compiler import DocumentSource, encode_source, seal_section
from holdfast.caches.section_index.section_records import SectionColumns
from holdfast.caches.word_index import word_compiler
from holdfast.caches.word_index.word_compiler import make_columns
from holdfast.core.errors import CacheInvalid, IoError
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.changed_documents import Changes
    from holdfast.caches.build.publish import Listing
    from holdfast.caches.build.source_item import SourceItem
    from holdfast.caches.build.spare_documents import SpareDocuments
    from holdfast.caches.patched_postings import Change
    from holdfast.caches.section_index.section_compiler import DocumentSections
    from holdfast.caches.word_index.word_records import Columns

_CHUNK = 1 << 20


def patch_cache(
    staged: str,
    items: Sequence[SourceItem | KeptItem],
    previous: str,
    tokenizer: str,
    created_at: str,
    spare: SpareDocuments | None = None,
) -> tuple[Listing, WrittenTotals] | None:
    """Write a cache of these items, in id order, into a directory in the making, of a spare where there is one; None
    where that cannot be done by patching the previous one: the directory is empty then."""
    try:
        with OldCache(previous) as old:
            changes = find_changes(old, items, tokenizer)
            reused = sum([isinstance(item, KeptItem) for item in items])
            return _Patch(old, changes, tokenizer, spare).write(staged, created_at, reused)
    except (CannotPatch, IndexUnusable, CacheInvalid, IoError, Unreadable):
        for folder, _, names in os.walk(staged, topdown=False):
            for name in names:
                os.unlink(os.path.join(folder, name))
            if folder != staged:
                os.rmdir(folder)
        return None


class _Patch:
    """What changes between a cache and the next."""

    def __init__(self, old: OldCache, changes: Changes, tokenizer: str, spare: SpareDocuments | None) -> None:
        self._spare = spare
        self._old, self._changes, self._tokenizer = old, changes, tokenizer
        self._edited = changes.edited
        self._was = [(each.before, each.texts_before) for each in self._edited if each.before is not None]
        self._now = [(each.after, each.texts) for each in self._edited if each.after is not None]
        self._firsts = list(old.sections.firsts)

    def write(self, staged: str, created_at: str, reused: int) -> tuple[Listing, WrittenTotals]:
        """Write everything."""
        before, after = [
            count_alone(
                [read.document for read, _ in versions], [texts for _, texts in versions], self._tokenizer, staged
            )
            for versions in (self._was, self._now)
        ]
        self._new_firsts = self._grown(after.made)
        columns = self._new_columns(after.words)
        word_changed = word_changes(self._old, self._changes, columns)
        term_changed = PatchedTerms(self._old, self._changes, self._new_firsts).changes(before.lists, after.lists)
        documents = self._documents(columns)
        self._write_documents(staged, documents)
        entries = [Entry._make((each.id, each.version, f"{DOCUMENTS}/{each.name}")) for each in documents]
        listing = write_listing(staged, lambda: documents, len(documents), created_at, entries)
        summary = Summary(listing.cache_version, self._tokenizer)
        owner = IndexOwner(summary, listing.manifest_digest, listing.index_digest)
        os.mkdir(os.path.join(staged, COMPILED))
        self._write_words(staged, owner, documents, columns, word_changed, entries)
        self._write_sections(staged, owner, documents, after.made, term_changed)
        included = {read.document.source: read.included for read, _ in self._now if read.included}
        size = sum([document.size for document in documents])
        return listing, WrittenTotals(len(documents), size, [], included, reused)

    def _new_columns(self, totals: Sequence[int]) -> Columns:
        old = self._old.columns
        lengths = self._changes.spliced(list(map(old.words.__getitem__, old.numbers)), totals)
        sizes = [tokens_of_bytes(read.size) for read, _ in self._now]
        return make_columns(lengths, self._changes.spliced(list(old.tokens), sizes))

    def _grown(self, made: Sequence[DocumentSections]) -> list[int]:
        """The first section of each document, and last how many there are."""
        counts = list(map(sub, self._firsts[1:], self._firsts))
        return list(accumulate(self._changes.spliced(counts, [len(document.tokens) for document in made]), initial=0))

    def _documents(self, columns: Columns) -> list[WrittenDocument]:
        now, spliced, sources = [read for read, _ in self._now], self._changes.spliced, self._old.sources
        versions = spliced(
            [entry.version for entry in self._old.manifest.entries], [read.document.version for read in now]
        )
        documents = zip(
            *(self._changes.ids, versions, file_names_of(self._changes.ids, versions)),
            spliced(sources.sizes, [read.size for read in now]),
            *(map(columns.words.__getitem__, columns.numbers), columns.tokens),
            spliced(self._old.digests(), [sha256(read.data).digest() for read in now]),
            repeat(NOTHING, len(versions)),
            spliced(
                [origin.hex() for origin in sources.origins], [origin_digest(read.document.origin) for read in now]
            ),
            strict=True,
        )
        return list(map(WrittenDocument._make, documents))

    def _write_documents(self, staged: str, documents: Sequence[WrittenDocument]) -> None:
        target = os.path.join(staged, DOCUMENTS)
        names = [document.name for document in documents]
        kept = [
            pair
            for start, end, now in self._changes.kept
            for pair in zip(self._old.manifest.entries[start:end], names[now : now + end - start], strict=True)
        ]
        if self._spare is not None:
            self._spare.fill(target, self._old, kept)
        else:
            os.mkdir(target)
            self._old.link(kept, target)
        for each in self._edited:
            if each.after is not None:
                put_document(os.path.join(target, documents[each.now.start].name), each.after)

    def _write_words(
        self,
        staged: str,
        owner: IndexOwner,
        documents: Sequence[WrittenDocument],
        columns: Columns,
        changes: dict[bytes, Change],
        entries: list[Entry],
    ) -> None:
        old = self._old.words
        with open(os.path.join(staged, index_reader.WORDS_FILE), "xb", buffering=_CHUNK) as file:
            target = IndexFile(file, 9)
            patched = patch_postings(old.dictionary, old.end, changes)
            target.add_postings(old.copied(POSTINGS, patched.records), old.copied(NUMBERS, patched.numbers))
            target.add(DICTIONARY, patched.pages)
            target.add(index_reader.COLUMNS, [word_compiler.encode_columns(columns)], checked=True)
            sizes, records = self._records(entries)
            target.add(OFFSETS, [encode_offsets(sizes)])
            target.add(RECORDS, old.copied(RECORDS, records))
            target.add(index_reader.DIGESTS, [document.digest for document in documents])
            target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
            target.seal(index_reader.WORDS, owner)

    def _records(self, entries: list[Entry]) -> tuple[list[int], list[bytes | tuple[int, int]]]:
        """The records of documents, and how long each is: as they are where the document stands where it did."""
        offsets = self._old.words.offsets()
        sizes = list(map(sub, offsets[1:], offsets))
        old_entries = self._old.manifest.entries
        made_sizes: list[int] = []
        made: list[bytes | tuple[int, int]] = []
        for start, end, now in [*self._changes.kept, (len(old_entries), len(old_entries), len(entries))]:
            for place in range(len(made_sizes), now):
                record = word_compiler.encode_record(place, entries[place])
                made_sizes.append(len(record))
                made.append(record)
            if entries[now : now + end - start] != old_entries[start:end]:  # some have other file names
                records = [
                    word_compiler.encode_record(place, entries[place]) for place in range(now, now + end - start)
                ]
                made_sizes += map(len, records)
                made += records
                continue
            made_sizes += sizes[start:end]
            if start == now:
                made.append((offsets[start], offsets[end]))
            else:
                data = b"".join(self._old.words.copied(RECORDS, [(offsets[start], offsets[end])]))
                made.append(reseal_records(data, sizes[start:end], start, now))
        return made_sizes, made

    def _moved_records(
        self, offsets: Sequence[int], first: int, after: int, moved: int
    ) -> list[bytes | tuple[int, int]]:
        """The records of sections, as they are or sealed with the numbers that they have now."""
        if not moved:
            return [(offsets[first], offsets[after])]
        data = b"".join(self._old.terms.copied(RECORDS, [(offsets[first], offsets[after])]))
        sizes = list(map(sub, offsets[first + 1 : after + 1], offsets[first:after]))
        return [reseal_records(data, sizes, first, first + moved)]

    def _sources(self, documents: Sequence[WrittenDocument]) -> bytes:
        """What the index keeps of sources: nothing where no document has an origin."""
        nothing = origin_digest(None)
        if all(document.origin == nothing for document in documents):
            return b""
        made = []
        for each in self._edited:
            packed = b"", b""
            if each.now:
                document = documents[each.now.start]
                packed = encode_source(DocumentSource(document.origin, document.size, each.texts, each.page))
            made.append((each.was, packed))
        return self._old.sources.spliced(made)

    def _write_sections(
        self,
        staged: str,
        owner: IndexOwner,
        documents: Sequence[WrittenDocument],
        made: Sequence[DocumentSections],
        changes: dict[bytes, Change],
    ) -> None:
        old, firsts = self._old.terms, self._firsts
        tokens, seconds = array("I", self._old.sections.tokens), array("H", self._old.sections.second_counts)
        offsets = old.offsets()
        sizes = list(map(sub, offsets[1:], offsets))
        records: list[bytes | tuple[int, int]] = []
        at = moved = 0  # the next section of the old ones, and how much further its number is now
        counted = iter(made)
        for edited in self._edited:
            document = next(counted) if edited.now else NOTHING
            first, after = firsts[edited.was.start], firsts[edited.was.stop]
            records += self._moved_records(offsets, at, first, moved)
            ends = list(accumulate(document.sizes, initial=0))
            bodies = map(document.records.__getitem__, map(slice, ends, ends[1:]))
            records += [seal_section(number, body) for number, body in enumerate(bodies, first + moved)]
            tokens[first + moved : after + moved] = array("I", document.tokens)
            seconds[first + moved : after + moved] = array("H", document.second_counts)
            sizes[first + moved : after + moved] = [size + 4 for size in document.sizes]
            at, moved = after, moved + len(document.tokens) - (after - first)
        records += self._moved_records(offsets, at, firsts[-1], moved)
        sources = self._sources(documents)
        with open(os.path.join(staged, SECTIONS_FILE), "xb", buffering=_CHUNK) as file:
            target = IndexFile(file, 9 if sources else 8)
            patched = patch_postings(old.dictionary, old.end, changes)
            target.add_postings(old.copied(POSTINGS, patched.records), old.copied(NUMBERS, patched.numbers))
            target.add(DICTIONARY, patched.pages)
            columns = SectionColumns(tokens, self._new_firsts, seconds)
            target.add(section_index_reader.COLUMNS, [section_compiler.encode_columns(columns)], checked=True)
            target.add(OFFSETS, [encode_offsets(sizes)])
            target.add(RECORDS, old.copied(RECORDS, records))
            target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
            if sources:
                target.add(section_index_reader.SOURCES, [sources], checked=True)
            target.seal(section_index_reader.KIND, owner)
