"""Read the section index of a cache: opened if it belongs to the cache, and asked which sections answer a query."""

from __future__ import annotations

from time import time_ns

from holdfast.caches.index_format import PAGE_SIZE, IndexUnusable, find_section, find_summary, key_of, read_section
from holdfast.caches.on_disk.cache_directory import SECTIONS_FILE, SECTIONS_KIND
from holdfast.caches.on_disk.index_reader import IndexReader, doubting
from holdfast.caches.on_disk.searched_index import SearchedIndex
from holdfast.caches.posting_record import PostingRecord, record_at
from holdfast.caches.search.proven_page import ProvenPage
from holdfast.caches.section_index.section_records import (
    HEAD_SIZE,
    LONGEST_RECORD,
    impact_numbers,
    impacts_length,
    longest_columns,
    longest_impacts,
    parse_columns,
    parse_impacts,
    parse_inline,
    parse_section,
)
from holdfast.caches.section_index.section_scores import Scores, SectionPlaces, WeighedTerm
from holdfast.caches.tokenizers import ESTIMATE, WITHOUT_EXTRA
from holdfast.core.bounded_store import BoundedStore
from holdfast.core.file_identity import are_settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.caches.index_format import DictionaryPage
    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.on_disk.index_reader import WordIndex
    from holdfast.caches.search.question import Question
    from holdfast.caches.search.section import Section
    from holdfast.caches.section_index.key_filter import KeyFilter
    from holdfast.caches.section_index.section_records import TermImpacts
    from holdfast.core.file_identity import Identity

KIND = SECTIONS_KIND
COLUMNS, SOURCES = "columns", "sources"
# Bytes, about, of the documents that were given last with what was worked out of them, and of lists of terms. A
# document has so many beside its content.
_MOST_OF_PAGES, _MOST_OF_TERMS, _PAGE_BYTES = 4 << 20, 24 << 20, 4096
# Of a large cache, room for so many lists with a byte for every section. Lists that are asked for again and again stay:
# where questions go round, the one used least recently is the one needed next.
_DENSE_LISTS = 64
# From so many misspelt words on the dictionary is worth reading as a whole, where it has no more than so many pages:
# 4 MiB, some 200,000 keys.
_OFTEN, _MOST_FILTERED = 2, 1024


class SectionIndex(SearchedIndex, IndexReader):
    """The open section index of one cache; `words` is the index of the same cache that knows its documents."""

    def __init__(self, directory: CacheDirectory, words: WordIndex) -> None:
        """Open the index; IndexUnusable when there is none, or it is not that of this cache."""
        self._words = words
        # Lists of the terms of a question that is being put together, and pages of the dictionary that were met.
        self._held: dict[str, TermImpacts] = {}
        self._met_pages: dict[int, DictionaryPage] = {}
        self._pages: BoundedStore[tuple[ProvenPage, str, tuple[Identity, ...]]] = BoundedStore(None, _MOST_OF_PAGES)
        self._terms: BoundedStore[TermImpacts] = BoundedStore(None, _MOST_OF_TERMS, keeps_regulars=True)
        self._misspelt = 0  # words that many were looked up beside
        self._filter: KeyFilter | None = None
        super().__init__(directory, SECTIONS_FILE)

    def _open(self) -> None:
        header = self._read_header(KIND)
        if (header.manifest_digest, header.index_digest) != self._words.belongs_to:
            raise IndexUnusable("of another cache")
        columns = find_section(header, COLUMNS)
        if columns.length > longest_columns(self._words.document_count):
            raise IndexUnusable("more sections than so many documents should have")
        self._columns = parse_columns(read_section(self._read, columns))
        self.summary = find_summary(self._read, header)
        sections, documents = len(self._columns.tokens), len(self._columns.firsts) - 1
        if documents != self._words.document_count:
            raise IndexUnusable("of other documents")
        self._populations = (sections, documents)
        self._terms.max_bytes = max(_MOST_OF_TERMS, _DENSE_LISTS * sections)
        self._places = SectionPlaces(self._columns.firsts)

    @doubting
    def tokens_of(self, place: int) -> Sequence[int]:
        """The tokens of each section of the document at a place in id order."""
        first, after = self._columns.firsts[place : place + 2]
        return self._columns.tokens[first:after]

    @property
    def cache_version(self) -> str:
        return self.summary.cache_version

    @property
    def tokenizer(self) -> str:
        return self.summary.tokenizer

    @property
    def document_count(self) -> int:
        return self._words.document_count

    @property
    def tokens(self) -> Sequence[int]:
        """Of every section, the tokens of its content."""
        return self._columns.tokens

    @property
    def section_count(self) -> int:
        return len(self._columns.tokens)

    def holding(self, term: str) -> int:
        """How many sections hold a term; its lists are kept until a question is asked."""
        found = self._look_up(term, self._met_pages)
        if found is None:
            return 0
        self._held[term] = found
        return found.holding

    def may_hold(self, terms: Mapping[str, int]) -> Iterable[str]:
        """Prefilter: drops terms that are certainly absent (no false negatives).

        The first time all of them: reading the whole dictionary pays where misspelt words come again, in a server.
        """
        self._misspelt += 1
        count = self._dictionary.length // PAGE_SIZE
        if self._misspelt < _OFTEN or count > _MOST_FILTERED:
            return terms
        if self._filter is None:
            from holdfast.caches.section_index.key_filter import KeyFilter  # few words are misspelt

            self._filter = KeyFilter(self._dictionary_page, count)
        return self._filter.may_hold(terms)

    def matches(self, question: Question) -> Scores:
        """The sections that match, and what the question is worth to each."""
        held, pages = self._held, self._met_pages
        self._held, self._met_pages = {}, {}
        terms = []
        for term, weight in question.weights.items():
            impacts = held[term] if term in held else self._look_up(term, pages)
            if impacts is not None:
                terms.append(WeighedTerm(term, weight, impacts))
        return Scores(question, terms, self._columns.firsts, self._places)

    def section(self, number: int) -> Section:
        """The section of this number: its document, lines and headings."""
        section, _ = parse_section(self._record(number, longest=LONGEST_RECORD), number)
        return section

    def name_tokens(self, number: int) -> int:
        """The tokens of a section's name, where the tokenizer needs an extra."""
        counted = self._columns.second_counts
        return counted[number] if counted and self.tokenizer not in WITHOUT_EXTRA else 0

    def text_weight(self, number: int) -> int | None:
        """The token weight of a section's text, where the build counted it."""
        counted = self._columns.second_counts
        if not counted or self.tokenizer != ESTIMATE:
            return None
        from holdfast.core.token_estimate import restored_weight  # what counts by it has loaded it

        return restored_weight(self._columns.tokens[number], counted[number])

    def id_of(self, place: int) -> str:
        """The id of a document."""
        return self._words.entry(place).id

    def page(self, place: int, prefix: str = "") -> ProvenPage:
        """A document, proven by its hash; one that was read before, if its file is still that one by its identity."""
        kept = self._pages.get((place, prefix))
        if kept is not None and self._directory.identity((kept[1],)) == kept[2]:
            return kept[0]
        started = time_ns()
        entry = self._words.entry(place)
        seen = self._directory.identity((entry.file,))  # before it is read: a later change is then seen as one
        document = self._directory.document(entry)
        first = self._columns.firsts[place]
        _, title = parse_section(self._record(first, longest=LONGEST_RECORD), first)
        page = ProvenPage(document, title, prefix)
        if seen is not None and are_settled(seen, started):
            # Its sections stand in it once more, and what is told of them.
            self._pages.put((place, prefix), (page, entry.file, seen), 2 * len(document.content) + _PAGE_BYTES)
        return page

    def prefix(self, place: int) -> str:  # noqa: ARG002  # as every source takes it
        """Nothing: one cache is asked."""
        return ""

    def within(self, under: str, cache: str) -> Callable[[int], bool]:
        """A predicate: whether a document is under a folder or matches a pattern."""
        from holdfast.caches.search.under import documents_under  # few searches keep to a part

        return documents_under(under, cache, self.document_count, self.id_of)

    def extent(self, place: int) -> tuple[int, int]:
        """The number of a document's first section, and of the first after its last."""
        return self._columns.firsts[place], self._columns.firsts[place + 1]

    def _look_up(self, term: str, pages: dict[int, DictionaryPage]) -> TermImpacts | None:
        key, populations = key_of(term), self._populations
        known = self._terms.get(key)
        if known is not None:
            return known
        value = self._value_of(key, pages)
        if value is None:
            return None
        alone = parse_inline(value, self._columns.firsts)
        if alone is not None:
            return alone
        at = record_at(value)
        first = self._first_of_posting(at)
        length = impacts_length(first[:HEAD_SIZE])
        data = self._whole_posting(at, first, length, longest=longest_impacts(populations))
        record = PostingRecord(data, self._numbers_of(value, impact_numbers(data, populations[0])))
        found = parse_impacts(record, key, populations, looked_up=True)
        self._terms.put(key, found, found.sections.weight + found.documents.weight)
        return found
