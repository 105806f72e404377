"""A cache made of an earlier one of which few documents have changed, without compiling the index again.

What is patched: documents that are edited and keep their links and their labels, in a cache that has the same documents
otherwise. Then link texts stay, and only the terms of the edited documents have other lists; words are numbered by the
length of documents, so those of documents whose number moves have other postings too; and where the number of sections
changes, so do the numbers in all lists. Everything else is copied. Where anything more has changed, or is odd about the
old cache, nothing is patched, and the caller compiles the index from all documents: the bytes are the same either way
(docs/decisions/0024-incremental.md).
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter
from hashlib import sha256
from itertools import accumulate, pairwise

from holdfast.caches.build.counted_alone import CountedDocuments, EditedDocument, count_alone
from holdfast.caches.build.document_files import WrittenDocument, WrittenDocuments, put_document
from holdfast.caches.build.index_files import IndexFile, IndexOwner, encode_offsets
from holdfast.caches.build.old_index import OldCache, Renumbered
from holdfast.caches.build.publish import write_listing
from holdfast.caches.build.source_documents import read_document
from holdfast.caches.build.source_item import KeptItem
from holdfast.caches.build.token_counts import NOTHING, Runs
from holdfast.caches.cache_format import Document, file_name
from holdfast.caches.index_format import (
    INLINE,
    SUMMARY,
    IndexUnusable,
    Summary,
    dictionary_pages,
    encode_summary,
    keys_of,
)
from holdfast.caches.on_disk import index_reader, section_index_reader
from holdfast.caches.on_disk.cache_directory import COMPILED, DOCUMENTS, SECTIONS_FILE
from holdfast.caches.on_disk.index_reader import DICTIONARY, OFFSETS, POSTINGS, RECORDS
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.patched_postings import patch_postings
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.caches.search.link_texts import link_words
from holdfast.caches.search.word_terms import all_terms
from holdfast.caches.section_index import section_compiler
from holdfast.caches.section_index.list_patches import replace_numbers, same_lists, shift_record
from holdfast.caches.section_index.section_compiler import (
    DocumentSource,
    encode_sources,
    encode_term,
    seal_section,
)
from holdfast.caches.section_index.section_records import SectionColumns, is_of_section
from holdfast.caches.section_index.term_lists import TermLists
from holdfast.caches.selection import words
from holdfast.caches.word_index import word_compiler
from holdfast.caches.word_index.word_compiler import encode_counts, make_columns
from holdfast.core.errors import CacheInvalid, IoError
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.publish import Listing
    from holdfast.caches.build.source_item import SourceItem
    from holdfast.caches.patched_postings import Change
    from holdfast.caches.section_index.section_compiler import DocumentSections
    from holdfast.caches.word_index.word_records import Columns

# Beyond this share of all documents, and these few, compiling everything is no dearer.
_SHARE_CHANGED, _FEW_CHANGED = 50, 8
# Beyond these the documents that have other numbers are not asked for their words: all words are looked at.
_SHARE_MOVED, _FEW_MOVED = 50, 64
_CHUNK = 1 << 20


class _Cannot(Exception):
    """This cannot be patched: everything is compiled."""


_NO_LISTS = TermLists((), b"", (), b"", 0)


def patch_cache(
    staged: str, items: Sequence[SourceItem | KeptItem], previous: str, tokenizer: str, created_at: str
) -> tuple[Listing, WrittenDocuments] | None:
    """Write a cache of these items, in id order, into a directory in the making; None where that cannot be done by
    patching the previous one: the directory is empty then."""
    try:
        with OldCache(previous) as old:
            return _Patch(old, items, tokenizer).write(staged, created_at)
    except (_Cannot, IndexUnusable, CacheInvalid, IoError, Unreadable):
        for folder, _, names in os.walk(staged, topdown=False):
            for name in names:
                os.unlink(os.path.join(folder, name))
            if folder != staged:
                os.rmdir(folder)
        return None


class _Patch:
    """What changes between a cache and the next."""

    def __init__(self, old: OldCache, items: Sequence[SourceItem | KeptItem], tokenizer: str) -> None:
        self._old, self._tokenizer = old, tokenizer
        entries = old.manifest.entries
        changed = [place for place, item in enumerate(items) if not isinstance(item, KeptItem)]
        if len(items) != len(entries) or len(changed) > max(_FEW_CHANGED, len(items) // _SHARE_CHANGED):
            raise _Cannot
        old.open(tokenizer)
        self._columns, self._sections, self._sources = old.columns, old.sections, old.sources
        self._firsts = list(self._sections.firsts)
        self._edited = []
        for place in changed:
            before, after = read_document(old.path, entries[place]), read_document("", items[place])
            self._edited.append(EditedDocument(place, before, after))
        ids = {edited.place: edited.after.document.id for edited in self._edited}
        for place, (item, entry) in enumerate(zip(items, entries, strict=True)):
            if (item.entry.id if isinstance(item, KeptItem) else ids[place]) != entry.id:
                raise _Cannot

    def write(self, staged: str, created_at: str) -> tuple[Listing, WrittenDocuments]:
        """Write everything."""
        texts = [self._sources[edited.place][2] for edited in self._edited]
        before, after = [
            count_alone([read.document for read in versions], texts, self._tokenizer, staged)
            for versions in ([each.before for each in self._edited], [each.after for each in self._edited])
        ]
        if any(one.links != other.links for one, other in zip(before.made, after.made, strict=True)):
            raise _Cannot
        self._grow(after.made)
        columns = self._new_columns(after)
        word_changes = self._word_changes(columns)
        term_changes = self._term_changes(before, after)
        documents = self._documents(columns, after)
        self._write_documents(staged, documents)
        listing = write_listing(staged, documents, created_at)
        summary = Summary(listing.cache_version, self._tokenizer)
        owner = IndexOwner(summary, listing.manifest_json, listing.index_json)
        os.mkdir(os.path.join(staged, COMPILED))
        self._write_words(staged, owner, documents, columns, word_changes, listing)
        self._write_sections(staged, owner, after.made, term_changes)
        included = {each.after.document.source: each.after.included for each in self._edited if each.after.included}
        reused = len(documents) - len(self._edited)
        return listing, WrittenDocuments(documents, Runs([], [], [], []), [], included, reused)

    def _new_columns(self, after: CountedDocuments) -> Columns:
        old = self._columns
        lengths = [old.words[number] for number in old.numbers]
        tokens = list(old.tokens)
        for edited, total in zip(self._edited, after.words, strict=True):
            lengths[edited.place] = total
            tokens[edited.place] = tokens_of_bytes(edited.after.size)
        return make_columns(lengths, tokens)

    def _word_changes(self, columns: Columns) -> dict[bytes, Change]:
        old = self._columns
        count = len(old.numbers)
        edited = {each.place for each in self._edited}
        moved = [place for place in range(count) if old.numbers[place] != columns.numbers[place]]
        keys: set[bytes] = set()
        if len(moved) > max(_FEW_MOVED, count // _SHARE_MOVED):
            keys.update(self._old.words.entries()[0])
        else:
            for place in moved:
                if place not in edited:
                    keys.update(keys_of(set(words(self._old.document(place).content))))
        before: dict[bytes, dict[int, int]] = {}
        after: dict[bytes, dict[int, int]] = {}
        for each in self._edited:
            for held, read in ((before, each.before), (after, each.after)):
                counted = Counter(words(read.document.content))
                for key, times in zip(keys_of(counted), counted.values(), strict=True):
                    held.setdefault(key, {})[each.place] = times
        if moved:
            keys.update(before.keys() & after.keys())
        numbers = Renumbered({old.numbers[place]: columns.numbers[place] for place in moved})
        gone = {old.numbers[place] for place in edited}
        changes: dict[bytes, Change] = {}
        for key in keys.union(before, after):
            if before.get(key) == after.get(key):
                if moved:
                    changes[key] = self._old.words.renumbered(key, count, numbers)
                continue
            counts = {
                numbers.by_old.get(number, number): times
                for number, times in self._old.words.counts(key, count).items()
                if number not in gone
            }
            counts |= {columns.numbers[place]: times for place, times in after.get(key, {}).items()}
            changes[key] = encode_counts(key, counts, count) if counts else None
        return changes

    def _term_changes(self, before: CountedDocuments, after: CountedDocuments) -> dict[bytes, Change]:
        extents = [range(*self._firsts[each.place : each.place + 2]) for each in self._edited]
        new_extents = [range(*self._new_firsts[each.place : each.place + 2]) for each in self._edited]
        places = [range(each.place, each.place + 1) for each in self._edited]
        numbers = [number for extent in new_extents for number in extent]  # by those of the edited documents alone
        changes: dict[bytes, Change] = {}
        in_links: set[bytes] | None = None
        for key in before.lists.keys() | after.lists.keys():
            earlier, new = before.lists.get(key, _NO_LISTS), after.lists.get(key, _NO_LISTS)
            if not self._is_grown and same_lists(earlier, new):
                continue
            lists = self._old.terms.lists(key, self._firsts)
            if lists is None:
                if not new.holding:
                    continue
                # What only links hold is not known to the index: nobody else may hold it so.
                if in_links is None:
                    in_links = self._linked_terms()
                if key in in_links:
                    raise _Cannot
                lists = _NO_LISTS
            holding = lists.holding - earlier.holding + new.holding
            if not holding:
                changes[key] = None
                continue
            own = [numbers[at] for at in new.sections]
            shared = [self._edited[at].place for at in new.documents]
            found = TermLists(
                *replace_numbers(lists.sections, lists.section_steps, extents, new_extents, own, new.section_steps),
                *replace_numbers(lists.documents, lists.document_steps, places, places, shared, new.document_steps),
                holding,
            )
            changes[key] = encode_term(key, found, self._new_firsts)
        if self._is_grown:
            self._shift_others(changes, extents, new_extents)
        return changes

    def _shift_others(self, changes: dict[bytes, Change], extents: list[range], new_extents: list[range]) -> None:
        """Terms that the edited documents do not hold, once sections have other numbers."""
        after = [extent.stop for extent in extents]
        moved = [0, *[new.stop - extent.stop for extent, new in zip(extents, new_extents, strict=True)]]
        grown = [
            (old, len(new) - len(old)) for old, new in zip(extents, new_extents, strict=True) if len(old) != len(new)
        ]
        for key, value in zip(*self._old.terms.entries(), strict=True):
            if key in changes:
                continue
            if value >= INLINE:
                if is_of_section(value):
                    changes[key] = value + moved[bisect_right(after, value & 0xFFFFFFFF)]
                continue
            if len(grown) == 1:
                record = self._old.terms.record(value)
                shifted = shift_record(record, key, *grown[0], self._firsts[-1])
                if shifted is not None:
                    if shifted != record:
                        changes[key] = shifted
                    continue
            lists = self._old.terms.lists(key, self._firsts)
            if lists is None:
                raise IndexUnusable("a term of the dictionary is none")
            sections, steps = replace_numbers(lists.sections, lists.section_steps, extents, new_extents, [], b"")
            changes[key] = encode_term(key, lists._replace(sections=sections, section_steps=steps), self._new_firsts)

    def _grow(self, made: Sequence[DocumentSections]) -> None:
        """Number the sections anew."""
        counts = [after - first for first, after in pairwise(self._firsts)]
        for edited, document in zip(self._edited, made, strict=True):
            counts[edited.place] = len(document.tokens)
        self._new_firsts = list(accumulate(counts, initial=0))
        self._is_grown = self._new_firsts != self._firsts

    def _linked_terms(self) -> set[bytes]:
        """The keys of all terms of link texts."""
        texts = {text for _, _, leading in self._sources for text in leading}
        return set(keys_of({term for text in texts for word in link_words([text]) for term in all_terms(word)}))

    def _documents(self, columns: Columns, after: CountedDocuments) -> list[WrittenDocument]:
        edited = {each.place: (each.after, made) for each, made in zip(self._edited, after.made, strict=True)}
        taken: set[str] = set()
        documents = []
        digests = self._old.digests()
        for place, entry in enumerate(self._old.manifest.entries):
            version, (origin, size, _), digest = entry.version, self._sources[place], digests[place]
            if place in edited:
                read, _ = edited[place]
                version, size = read.document.version, read.size
                origin, digest = origin_digest(read.document.origin), sha256(read.data).digest()
            name = file_name(Document(entry.id, version, "", ""), taken)
            number = columns.numbers[place]
            documents.append(
                WrittenDocument(
                    *(entry.id, version, name, size, columns.words[number], columns.tokens[place], digest),
                    *(NOTHING, origin),
                )
            )
        return documents

    def _write_documents(self, staged: str, documents: Sequence[WrittenDocument]) -> None:
        target = os.path.join(staged, DOCUMENTS)
        os.mkdir(target)
        edited = {each.place: each.after for each in self._edited}
        for place, (document, entry) in enumerate(zip(documents, self._old.manifest.entries, strict=True)):
            path = os.path.join(target, document.name)
            if place in edited:
                put_document(path, edited[place])
            else:
                self._old.link(entry, path)

    def _write_words(
        self,
        staged: str,
        owner: IndexOwner,
        documents: Sequence[WrittenDocument],
        columns: Columns,
        changes: dict[bytes, Change],
        listing: Listing,
    ) -> None:
        old = self._old.words
        with open(os.path.join(staged, index_reader.WORDS_FILE), "xb", buffering=_CHUNK) as file:
            target = IndexFile(file, 7)
            patched = patch_postings(*old.entries(), old.length(POSTINGS), changes)
            target.add(POSTINGS, old.pieces(patched))
            target.add(DICTIONARY, dictionary_pages(patched.keys, patched.values))
            target.add(index_reader.COLUMNS, [word_compiler.encode_columns(columns)], checked=True)
            records = [word_compiler.encode_record(place, entry) for place, entry in enumerate(listing.entries)]
            target.add(OFFSETS, [encode_offsets(map(len, records))])
            target.add(RECORDS, records)
            target.add(index_reader.DIGESTS, [document.digest for document in documents])
            target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
            target.seal(index_reader.WORDS, owner)

    def _moved_records(
        self, offsets: Sequence[int], first: int, after: int, moved: int
    ) -> list[bytes | tuple[int, int]]:
        """The records of sections, as they are or sealed with the numbers that they have now."""
        if not moved:
            return [(offsets[first], offsets[after])]
        data = b"".join(self._old.terms.copied(RECORDS, [(offsets[first], offsets[after])]))
        ends = [offset - offsets[first] for offset in offsets[first : after + 1]]
        return [
            seal_section(number, data[start + 4 : end])
            for number, (start, end) in enumerate(pairwise(ends), first + moved)
        ]

    def _write_sections(
        self, staged: str, owner: IndexOwner, made: Sequence[DocumentSections], changes: dict[bytes, Change]
    ) -> None:
        old, firsts = self._old.terms, self._firsts
        tokens, seconds = list(self._sections.tokens), list(self._sections.second_counts)
        offsets = old.offsets()
        sizes = [after - start for start, after in pairwise(offsets)]
        sources = list(self._sources)
        records: list[bytes | tuple[int, int]] = []
        at = moved = 0  # the next section of the old ones, and how much further its number is now
        for edited, document in zip(self._edited, made, strict=True):
            first, after = firsts[edited.place : edited.place + 2]
            records += self._moved_records(offsets, at, first, moved)
            ends = list(accumulate(document.sizes, initial=0))
            bodies = map(document.records.__getitem__, map(slice, ends, ends[1:]))
            records += [seal_section(number, body) for number, body in enumerate(bodies, first + moved)]
            tokens[first + moved : after + moved] = document.tokens
            seconds[first + moved : after + moved] = document.second_counts
            sizes[first + moved : after + moved] = [size + 4 for size in document.sizes]
            at, moved = after, moved + len(document.tokens) - (after - first)
            origin = origin_digest(edited.after.document.origin)
            sources[edited.place] = (origin, edited.after.size, sources[edited.place][2])
        records += self._moved_records(offsets, at, firsts[-1], moved)
        with open(os.path.join(staged, SECTIONS_FILE), "xb", buffering=_CHUNK) as file:
            target = IndexFile(file, 7)
            patched = patch_postings(*old.entries(), old.length(POSTINGS), changes)
            target.add(POSTINGS, old.pieces(patched))
            target.add(DICTIONARY, dictionary_pages(patched.keys, patched.values))
            columns = SectionColumns(tokens, self._new_firsts, seconds)
            target.add(section_index_reader.COLUMNS, [section_compiler.encode_columns(columns)], checked=True)
            target.add(OFFSETS, [encode_offsets(sizes)])
            target.add(RECORDS, old.copied(RECORDS, records))
            target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
            encoded = encode_sources(DocumentSource(*source) for source in sources)
            target.add(section_index_reader.SOURCES, [encoded], checked=True)
            target.seal(section_index_reader.KIND, owner)
