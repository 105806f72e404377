"""Ask the index of a cache which sections answer a query: its segments as one `SearchSource`."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from time import time_ns

from holdfast.caches.index_format import parse_summary
from holdfast.caches.on_disk.index_reader import doubting
from holdfast.caches.search.proven_page import ProvenPage
from holdfast.caches.search.section import parse_section
from holdfast.caches.segments.section_scores import Scores, WeighedTerm
from holdfast.caches.segments.segment_file import RECORDS, Place, Position
from holdfast.caches.segments.step_lists import SegmentedTerms
from holdfast.caches.tokenizers import ESTIMATE, WITHOUT_EXTRA
from holdfast.core.bounded_store import BoundedStore
from holdfast.core.file_identity import are_settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.on_disk.index_reader import OpenSegment, WordIndex
    from holdfast.caches.search.question import Question
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_source import SearchSource
    from holdfast.caches.search.section import Section
    from holdfast.caches.segments.step_lists import TermImpacts
    from holdfast.core.file_identity import Identity

    Result = TypeVar("Result")

# Bytes, about, of the documents that were given last with what was worked out of them, and of lists of terms. A
# document has this many beside its content.
_MOST_OF_PAGES, _MOST_OF_TERMS, _PAGE_BYTES = 4 << 20, 24 << 20, 4096
# Of a large cache, room for this many lists with a byte for every section. Lists that are asked for again stay: where
# questions go round, the one used least recently is the one needed next.
_DENSE_LISTS = 64


class SectionIndex:
    """The segments of one cache, asked for sections; `words` is its open index.

    Sections are numbered, and documents have places, over all segments.
    """

    lists = range(0)

    def __init__(self, directory: CacheDirectory, words: WordIndex) -> None:
        """IndexUnusable where the index is of another ranking."""
        self._directory, self._words, self._segments = directory, words, words.segments
        self.summary = parse_summary(words.summary)
        # Lists of the terms of a question that is being put together.
        self._asked: dict[str, TermImpacts] = {}
        self._pages: BoundedStore[tuple[ProvenPage, str, tuple[Identity, ...]]] = BoundedStore(None, _MOST_OF_PAGES)
        self._terms: BoundedStore[TermImpacts] = BoundedStore(None, _MOST_OF_TERMS, keeps_regulars=True)
        self._open()

    @doubting
    def _open(self) -> None:
        columns = [segment.numbers for segment in self._segments]
        self._segmented = SegmentedTerms(self._segments)
        self._first_numbers = list(accumulate(self._segmented.sections, initial=0))
        self.tokens: Sequence[int]
        if len(columns) == 1:
            self.tokens, self._firsts = columns[0].section_tokens, columns[0].firsts
        else:
            self.tokens, self._firsts = _joined_columns(self._segments)
        self._terms.max_bytes = max(_MOST_OF_TERMS, _DENSE_LISTS * self.section_count)

    @doubting
    def asked(self, ask: Callable[[SearchSource, SearchRequest], Result], request: SearchRequest) -> Result:
        """What a function makes of the sections, each document that it gives one of read and proven.

        IndexUnusable, CacheInvalid or IoError when anything does not hold: the caller falls back to the documents.
        """
        return ask(self, request)

    @doubting
    def tokens_of(self, place: Place) -> Sequence[int]:
        """The tokens of each section of the document at a place in id order."""
        first, after = self._firsts[place : place + 2]
        return self.tokens[first:after]

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
    def section_count(self) -> int:
        return self._first_numbers[-1]

    def holding(self, term: str) -> int:
        """How many sections hold a term; its lists are kept until a question is asked."""
        found = self._look_up(term)
        if found is None:
            return 0
        self._asked[term] = found
        return found.holding

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        """Terms that the filter of some segment does not rule out."""
        return self._segmented.may_hold(terms)

    def matches(self, question: Question) -> Scores:
        """The sections that match, and what the question is worth to each."""
        asked, self._asked = self._asked, {}
        terms = []
        for term, weight in question.terms.items():
            impacts = asked[term] if term in asked else self._look_up(term)
            if impacts is not None:
                terms.append(WeighedTerm(term, weight, impacts))
        return Scores(question, terms, self._firsts)

    def section(self, number: int) -> Section:
        """Where a section is."""
        return self._section(number)[0]

    def _section(self, number: int) -> tuple[Section, str]:
        at = bisect_right(self._first_numbers, number) - 1
        own = Position(number - self._first_numbers[at])
        return parse_section(self._segments[at].entry_at(RECORDS, own, self._segmented.sections[at]))

    def name_tokens(self, number: int) -> int:
        """The tokens of a section's name, where the tokenizer needs an extra."""
        return self._second_count(number) or 0 if self.tokenizer not in WITHOUT_EXTRA else 0

    def text_weight(self, number: int) -> int | None:
        """What a section's text weighs, where the build counted that."""
        if self.tokenizer != ESTIMATE or (counted := self._second_count(number)) is None:
            return None
        from holdfast.core.token_estimate import restored_weight  # what counts by it has loaded it

        return restored_weight(self.tokens[number], counted)

    def _second_count(self, number: int) -> int | None:
        at = bisect_right(self._first_numbers, number) - 1
        counted = self._segments[at].numbers.second_counts
        return counted[number - self._first_numbers[at]] if counted else None

    def id_of(self, place: int) -> str:
        """The id of a document."""
        return self._words.entry(Place(place)).id

    def page(self, place: int, prefix: str = "") -> ProvenPage:
        """A document, proven by its hash; one that was read before, if its file is still that one by its identity."""
        kept = self._pages.get((place, prefix))
        if kept is not None and self._directory.identity((kept[1],)) == kept[2]:
            return kept[0]
        started = time_ns()
        entry = self._words.entry(Place(place))
        seen = self._directory.identity((entry.file,))  # before it is read: a later change is then seen as one
        document = self._directory.document(entry)
        _, title = self._section(self._firsts[place])
        page = ProvenPage(document, title, prefix)
        if seen is not None and are_settled(seen, started):
            # Its sections stand in it once more, and what is told of them.
            self._pages.put((place, prefix), (page, entry.file, seen), 2 * len(document.content) + _PAGE_BYTES)
        return page

    def prefix(self, place: int) -> str:  # noqa: ARG002  # as every source takes it
        """Nothing: one cache is asked."""
        return ""

    def within(self, under: str, cache: str) -> Callable[[int], bool]:
        """What tells whether a document is under a folder or a pattern."""
        from holdfast.caches.search.under import documents_under  # few searches keep to a part

        return documents_under(under, cache, self.document_count, self.id_of)

    def extent(self, place: int) -> tuple[int, int]:
        """The number of a document's first section, and of the first after its last."""
        return self._firsts[place], self._firsts[place + 1]

    def _look_up(self, term: str) -> TermImpacts | None:
        known = self._terms.get(term)
        if known is not None:
            return known
        found = self._segmented.look_up(term)
        if found is not None:
            self._terms.put(term, found, found.sections.weight + found.documents.weight)
        return found


def _joined_columns(segments: Sequence[OpenSegment]) -> tuple[Sequence[int], Sequence[int]]:
    """The tokens of all sections, and the first section of each document of all with, last, how many there are."""
    from array import array  # most caches have one segment

    tokens, firsts = array("I"), array("I", [0])
    for segment in segments:
        base = firsts[-1]
        tokens.extend(array("I", segment.numbers.section_tokens))
        firsts.extend([base + first for first in segment.numbers.firsts[1:]])
    return tokens, firsts
