"""Read the section index of a cache: opened if it belongs to the cache, looked up in place, never believed blindly.

As with the index of words, every part is read with `pread` and checked before it is used; whatever is wrong,
`IndexUnusable` is the answer, and the documents are read instead.
"""

from __future__ import annotations

import os

from holdfast.caches.document import parse_document
from holdfast.caches.index.container import IndexUnusable, find_section, parse_header, read_section
from holdfast.caches.index.dictionary import PAGE_SIZE, key_of, look_up
from holdfast.caches.on_disk.compiled import MISLED
from holdfast.caches.on_disk.directory import SECTIONS_FILE
from holdfast.caches.search.answers import SearchResult
from holdfast.caches.search.choosing import choose, ranked
from holdfast.caches.search.postings import HEAD_SIZE, longest_record, parse_alone, parse_record, record_length
from holdfast.caches.search.records import LONGEST_RECORD, parse_columns, parse_section, parse_summary
from holdfast.caches.search.scores import Scores
from holdfast.caches.search.searching import make_candidate, make_hit
from holdfast.caches.search.terms import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.document import Document
    from holdfast.caches.index.container import Section as FileSection
    from holdfast.caches.on_disk.compiled import CompiledIndex
    from holdfast.caches.on_disk.directory import CacheDirectory
    from holdfast.caches.search.answers import Candidate, SectionHit
    from holdfast.caches.search.postings import TermImpacts
    from holdfast.caches.search.section import Section

KIND = "sections-1"
POSTINGS, DICTIONARY, COLUMNS, OFFSETS, RECORDS, SUMMARY = (
    *("postings", "dictionary", "columns"),
    *("offsets", "records", "summary"),
)
_FIRST_READ = 4096


class SectionIndex:
    """The open section index of one cache; `words` is the index of the same cache that knows its documents."""

    def __init__(self, directory: CacheDirectory, words: CompiledIndex) -> None:
        """Open the index; IndexUnusable when there is none, or it is not that of this cache."""
        self._directory, self._words = directory, words
        self._descriptor = -1
        try:
            self._descriptor = directory.open(SECTIONS_FILE)
            self._open()
        except OSError as error:
            self.close()
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        header = parse_header(self._read, kind=KIND, file_length=os.fstat(self._descriptor).st_size)
        if (header.manifest_digest, header.index_digest) != self._words.belongs_to:
            raise IndexUnusable("of another cache")
        self._postings = find_section(header, POSTINGS)
        self._dictionary = find_section(header, DICTIONARY)
        self._offsets = find_section(header, OFFSETS)
        self._records = find_section(header, RECORDS)
        self._columns = parse_columns(read_section(self._read, find_section(header, COLUMNS)))
        self.summary = parse_summary(read_section(self._read, find_section(header, SUMMARY)))
        sections, documents = len(self._columns.tokens), len(self._columns.firsts) - 1
        if documents != self._words.document_count:
            raise IndexUnusable("of other documents")
        self._populations = (documents, sections, documents, sections)

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()

    def search(self, query: str, budget: int, limit: int | None) -> SearchResult:
        """What `search_documents` gives, each document that a section is of read and proven.

        IndexUnusable, CacheInvalid or IoError when anything does not hold: then the documents have the last word.
        """
        try:
            return self._search(query, budget, limit)
        except OSError as error:
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        except MISLED as error:
            raise IndexUnusable(f"misleading: {type(error).__name__}") from None

    def candidates(self, query: str) -> list[Candidate]:
        """What `rank_documents` gives."""
        try:
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
        except OSError as error:
            raise IndexUnusable(f"cannot be read: {error.strerror}") from None
        except MISLED as error:
            raise IndexUnusable(f"misleading: {type(error).__name__}") from None

    def _search(self, query: str, budget: int, limit: int | None) -> SearchResult:
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

    def scores(self, query: str) -> Scores:
        """What the query is worth to every section that matches."""
        found = [(term, fields) for term in query_terms(query) if (fields := self._look_up(term))]
        return Scores(found, self._columns.firsts)

    def _hit(self, number: int, scores: Scores, held: dict[int, Document]) -> SectionHit:
        place = scores.document_of(number)
        if place not in held:
            entry = self._words.entry(place)
            data = self._directory.read(entry.file)
            held[place] = parse_document(data, expected_id=entry.id, expected_version=entry.version)
        return make_hit(held[place], self._section(number), self._columns.tokens[number], scores.impacts(number))

    def _section(self, number: int) -> Section:
        ends = self._part(self._offsets, 8 * number, 16)
        start, end = int.from_bytes(ends[:8], "little"), int.from_bytes(ends[8:], "little")
        if end - start > LONGEST_RECORD:
            raise IndexUnusable("a section record longer than any")
        return parse_section(self._part(self._records, start, end - start), number)

    def _look_up(self, term: str) -> TermImpacts | None:
        section = self._dictionary
        key = key_of(term)

        def read_page(number: int) -> bytes:
            return self._read(section.offset + number * PAGE_SIZE, PAGE_SIZE)

        value = look_up(read_page, section.length // PAGE_SIZE, key)
        if value is None:
            return None
        return parse_alone(value, self._populations) or self._record(value, key)

    def _record(self, offset: int, key: bytes) -> TermImpacts:
        section = self._postings
        data = self._part(section, offset, min(_FIRST_READ, section.length - offset))
        length = record_length(data[:HEAD_SIZE])
        if length > longest_record(self._populations):
            raise IndexUnusable("impacts longer than any")
        if length > len(data):
            data = self._part(section, offset, length)
        return parse_record(data[:length], key, self._populations)

    def _part(self, section: FileSection, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0 or offset + length > section.length:
            raise IndexUnusable(f"section {section.name} is left")
        return self._read(section.offset + offset, length)

    def _read(self, offset: int, length: int) -> bytes:
        data = os.pread(self._descriptor, length, offset)
        if len(data) != length:
            raise IndexUnusable("cut short")
        return data
