"""Segments asked: for a word, for a term, for a document. Pure; the bytes come from who opened the file."""

from __future__ import annotations

from holdfast.caches.segments.postings import INLINE, decode_term, decode_word
from holdfast.caches.segments.segment_file import (
    DOCUMENTS,
    FILTER,
    Place,
    SegmentFile,
    filtered,
    hash_of,
    parse_document_record,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.caches.cache_format import Entry
    from holdfast.caches.index_format import Read
    from holdfast.caches.segments.postings import PostingList
    from holdfast.caches.segments.step_lists import TermImpacts


class Segment(SegmentFile):
    """A segment with its columns; `numbers` are those of its documents and sections."""

    def __init__(self, read: Read, length: int) -> None:
        super().__init__(read, length)
        self.numbers = self.columns()
        self._filter: bytes | None = None

    def entry(self, place: Place) -> Entry:
        """The document at a place in the segment."""
        return parse_document_record(self.entry_at(DOCUMENTS, place, self.numbers.documents))

    def word(self, key: int) -> tuple[Sequence[int] | None, Sequence[int]] | None:
        """The places of the documents that hold a word, given its hash, and how often each does; without places (None)
        how often each document does."""
        held = self._held(key)
        return None if held is None else decode_word(held, self.numbers.documents)

    def term(self, key: int) -> tuple[PostingList, PostingList, int] | None:
        """The list of sections and that of documents of a term, given its hash, and how many sections hold it."""
        held = self._held(key)
        return None if held is None else decode_term(held, self.numbers.firsts)

    def _held(self, key: int) -> int | bytes | None:
        value = self.find(key)
        return value if value is None or value >= INLINE else self.record(value)

    def not_ruled_out(self, terms: Mapping[str, int]) -> list[str]:
        """The terms, given with their hashes, that the key filter does not rule out."""
        if self._filter is None:
            self._filter = self.part(FILTER)
        return filtered(self._filter, terms)


class SegmentedTerms:
    """The terms of several segments, whose documents follow each other, as those of one."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self.sections = [len(segment.numbers.section_tokens) for segment in segments]
        self.documents = [segment.numbers.documents for segment in segments]
        self.totals = sum(self.sections), sum(self.documents)

    def look_up(self, term: str) -> TermImpacts | None:
        """The lists of a term, numbered over all segments; None where none has it."""
        from holdfast.caches.segments.step_lists import TermImpacts, joined_steps, strongest  # of no use to `resolve`

        keys: dict[int, int] = {}
        sections: list[tuple[int, PostingList]] = []
        documents: list[tuple[int, PostingList]] = []
        holding = highest = 0
        for at, segment in enumerate(self._segments):
            seed = segment.numbers.seed
            if seed not in keys:
                keys[seed] = hash_of(term, seed, word=False)
            found = segment.term(keys[seed])
            if found is not None:
                own, shared, held = found
                sections.append((at, own))
                documents.append((at, shared))
                holding, highest = holding + held, max(highest, max(own.values, default=0))
        if not sections:
            return None
        steps = joined_steps(sections, self.sections, self.totals[0])
        of_documents = joined_steps(documents, self.documents, self.totals[1])
        return TermImpacts(holding, highest, steps, of_documents, strongest(of_documents))

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        """Terms that the filter of some segment does not rule out."""
        asked = list(terms)
        keys: dict[int, dict[str, int]] = {}
        found: dict[str, None] = {}
        for segment in self._segments:
            seed = segment.numbers.seed
            if seed not in keys:
                keys[seed] = {term: hash_of(term, seed, word=False) for term in asked}
            found |= dict.fromkeys(segment.not_ruled_out(keys[seed]))
        return found


def held_in_memory(data: bytes) -> Segment:
    """A segment by its bytes."""
    return Segment(lambda offset, length: data[offset : offset + length], len(data))
