"""Read the section index of a cache: opened if it belongs to the cache, and asked which sections answer a query."""

from __future__ import annotations

from holdfast.caches.index_format import IndexUnusable, find_section, find_summary, key_of, read_section
from holdfast.caches.on_disk.cache_directory import SECTIONS_FILE
from holdfast.caches.on_disk.index_reader import IndexReader, doubting
from holdfast.caches.search.budget_choice import choose, ranked
from holdfast.caches.search.document_search import make_candidate, make_hit
from holdfast.caches.search.search_result import SearchResult
from holdfast.caches.search.terms import query_terms
from holdfast.caches.section_index.section_records import (
    HEAD_SIZE,
    LONGEST_RECORD,
    impacts_length,
    longest_columns,
    longest_impacts,
    parse_columns,
    parse_impacts,
    parse_inline,
    parse_section,
)
from holdfast.caches.section_index.section_scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.on_disk.index_reader import WordIndex
    from holdfast.caches.search.search_result import Candidate, SectionHit
    from holdfast.caches.search.section import Section
    from holdfast.caches.section_index.section_records import TermImpacts

KIND = "sections-1"
COLUMNS = "columns"


class SectionIndex(IndexReader):
    """The open section index of one cache; `words` is the index of the same cache that knows its documents."""

    def __init__(self, directory: CacheDirectory, words: WordIndex) -> None:
        """Open the index; IndexUnusable when there is none, or it is not that of this cache."""
        self._words = words
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
        self._populations = (documents, sections, documents, sections)

    @doubting
    def search(self, query: str, budget: int, limit: int | None) -> SearchResult:
        """What `search_documents` gives, each document that a section is of read and proven.

        IndexUnusable, CacheInvalid or IoError when anything does not hold: the caller falls back to the documents.
        """
        scores = self.scores(query)
        columns = self._columns
        choice = choose(
            *(scores.scores, columns.tokens, scores.document_of, budget, limit),
            strong=scores.strong,
            fitting=columns.fitting,
        )
        held: dict[int, Document] = {}
        hits = [self._hit(number, scores, held) for number in choice.numbers]
        return SearchResult(
            *(hits, self.summary.cache_version, query, budget, limit),
            *(choice.tokens_used, choice.considered, choice.excluded_by_budget, self.summary.tokenizer),
        )

    @doubting
    def candidates(self, query: str) -> list[Candidate]:
        """What `rank_documents` gives."""
        scores = self.scores(query)
        return [
            make_candidate(
                self._words.entry(scores.document_of(number)).id,
                self._section(number),
                self._columns.tokens[number],
                scores.impacts(number),
            )
            for number in ranked(scores.scores)
        ]

    @doubting
    def tokens_of(self, place: int) -> Sequence[int]:
        """The tokens of each section of the document at a place in id order."""
        first, after = self._columns.firsts[place : place + 2]
        return self._columns.tokens[first:after]

    def scores(self, query: str) -> Scores:
        """What the query is worth to every section that matches."""
        found = [(term, fields) for term in query_terms(query) if (fields := self._look_up(term))]
        return Scores(found, self._columns.firsts)

    def _hit(self, number: int, scores: Scores, held: dict[int, Document]) -> SectionHit:
        place = scores.document_of(number)
        if place not in held:
            held[place] = self._directory.document(self._words.entry(place))
        return make_hit(held[place], self._section(number), self._columns.tokens[number], scores.impacts(number))

    def _section(self, number: int) -> Section:
        return parse_section(self._record(number, longest=LONGEST_RECORD), number)

    def _look_up(self, term: str) -> TermImpacts | None:
        key, populations = key_of(term), self._populations
        value = self._value_of(key)
        if value is None:
            return None
        alone = parse_inline(value, populations)
        if alone is not None:
            return alone
        first = self._first_of_posting(value)
        length = impacts_length(first[:HEAD_SIZE])
        data = self._whole_posting(value, first, length, longest=longest_impacts(populations))
        return parse_impacts(data, key, populations)
