"""Change a segment where few of its documents changed: the bytes of one that is made of all its documents. Pure.

Only the terms of changed documents have other lists; all other records are copied in stretches. Where the number of
sections or documents changes, the numbers in all lists move, and every list is decoded and encoded.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import accumulate, repeat
from operator import and_

from holdfast.caches.segments.make import CountedSegment, count_segment, term_lists, word_counts
from holdfast.caches.segments.postings import (
    INLINE,
    SECTION,
    PostingList,
    TermLists,
    decode_inline_term,
    decode_term,
    decode_word,
    encode_term,
    encode_word,
    inline_value,
    parse_inline,
    record_end,
)
from holdfast.caches.segments.segment_file import FILTER, POSTINGS, hash_of
from holdfast.caches.segments.segment_table import SegmentTable, dictionary_of, encode_parts, extended_filter, table_of
from holdfast.caches.segments.term_lists import looked_up
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.caches.segments.make import SegmentDocument
    from holdfast.caches.segments.segment import Segment

    Words = tuple[Sequence[int], Sequence[int]]  # places, and how often each holds the word

_NO_WORDS: Words = ((), ())
_NO_LISTS = TermLists((), b"", (), b"", 0)
_GONE = -1


class DocumentChange(NamedTuple):
    """A document as it was and as it is; one of the two may be none. `was` is its place in the segment, or, empty,
    where it is to be."""

    was: range
    before: SegmentDocument | None
    after: SegmentDocument | None


def edit_segment(old: Segment, changes: Sequence[DocumentChange], tokenizer: str) -> bytes | None:
    """The bytes of a segment once these documents, in id order, changed; None where it must be made of all documents.

    IndexUnusable where the segment is damaged, or keeps nothing of sources.
    """
    columns = old.numbers
    if columns.seed or not columns.documents:
        return None
    return _Edit(old, changes, tokenizer).encode()


class _Edit:
    def __init__(self, old: Segment, changes: Sequence[DocumentChange], tokenizer: str) -> None:
        columns = old.numbers
        self._old, self._firsts = old, columns.firsts
        self._before = count_segment([change.before for change in changes if change.before is not None], tokenizer)
        self._after = count_segment([change.after for change in changes if change.after is not None], tokenizer)
        self._table = table_of(old, columns)
        self._put(changes)
        self._new_firsts = self._table.firsts()
        self._places, self._sections = self._moved(changes)
        self._populations = self._new_firsts[-1], len(self._new_firsts) - 1
        was = columns.firsts[-1], columns.documents
        self._documents_move = self._populations[1] != was[1] or _order_changes(self._places)
        self._sections_move = self._populations[0] != was[0] or _order_changes(self._sections)

    def _put(self, changes: Sequence[DocumentChange]) -> None:
        """Put what is kept of the changed documents into the table, the last first: places before it stay."""
        firsts, made = self._firsts, self._after.table
        ends = list(accumulate(made.section_counts, initial=0))
        at = len(made.words)
        for change in reversed(changes):
            one = SegmentTable()
            if change.after is not None:
                at -= 1
                one = made.document(at, ends)
            sections = range(firsts[change.was.start], firsts[change.was.stop])
            self._table.put(change.was, sections, one)

    def _moved(self, changes: Sequence[DocumentChange]) -> tuple[list[int], list[int]]:
        """By old place and by old section, its place and its number now; -1 where its document changed."""
        firsts, now = self._firsts, self._new_firsts
        places: list[int] = []
        sections: list[int] = []
        at = place = 0
        for change in [*changes, None]:
            end = len(firsts) - 1 if change is None else change.was.start
            places += range(place, place + end - at)
            sections += range(now[place], now[place] + firsts[end] - firsts[at])
            place += end - at
            if change is not None:
                places += [_GONE] * len(change.was)
                sections += [_GONE] * (firsts[change.was.stop] - firsts[change.was.start])
                place += change.after is not None
                at = change.was.stop
        return places, sections

    def encode(self) -> bytes:
        """The bytes of the segment now."""
        hashes, values = dictionary_of(self._old)
        postings = self._old.part(POSTINGS)
        changed = self._changed(hashes, values, postings)
        if self._documents_move or self._sections_move:
            entries = self._renumbered(hashes, values, postings, changed)
        else:
            entries = self._spliced(hashes, values, postings, changed)
        return encode_parts(self._table, *entries, 0, self._filter(hashes, entries[0], changed))

    def _filter(self, before: array[int], now: array[int], changed: dict[int, int | bytes | None]) -> bytes | None:
        """The filter of the keys now, from the old one where no term is gone; None where it must be made."""
        there = [before[at : at + 1] == array("Q", [key]) for key in changed for at in (bisect_left(before, key),)]
        terms = [(key, held, was) for (key, held), was in zip(changed.items(), there, strict=True) if not key & 1]
        if any(held is None and was for _, held, was in terms):
            return None
        count = len(now) - sum(map(and_, now, repeat(1)))
        return extended_filter(self._old.part(FILTER), count, [key for key, _, was in terms if not was])

    def _changed(self, hashes: array[int], values: array[int], postings: bytes) -> dict[int, int | bytes | None]:
        """By hash, what the dictionary has now, or the record, of every key of the changed documents; None: nothing."""
        found: dict[int, int | bytes | None] = {}
        places, numbers = self._new_numbers()
        held = _lists_of(self._before)
        made = _lists_of(self._after)
        stay = not (self._documents_move or self._sections_move)  # then places and numbers compare
        for key in held.words.keys() | made.words.keys():
            if stay and held.words.get(key) == made.words.get(key):
                continue
            counts = dict(self._old_words(hashes, values, postings, key))
            theirs = made.words.get(key, _NO_WORDS)
            counts.update(zip(looked_up(places, theirs[0]) if theirs[0] else (), theirs[1], strict=True))
            ordered = sorted(counts)
            documents = self._populations[1]
            found[key] = encode_word(ordered, [counts[place] for place in ordered], documents) if counts else None
        for key in held.terms.keys() | made.terms.keys():
            gone, come = held.terms.get(key, _NO_LISTS), made.terms.get(key, _NO_LISTS)
            if stay and _is_same(gone, come):
                continue
            old = self._old_term(hashes, values, postings, key)
            lists = TermLists(
                *_merged(old.sections, old.section_steps, self._sections, (come.sections, come.section_steps, numbers)),
                *_merged(
                    old.documents, old.document_steps, self._places, (come.documents, come.document_steps, places)
                ),
                old.holding - gone.holding + come.holding,
            )
            is_held = lists.sections or lists.documents
            found[key] = encode_term(lists, self._new_firsts) if is_held else None
        return found

    def _new_numbers(self) -> tuple[list[int], list[int]]:
        """By place and by section among the changed documents that there still are, place and number among all."""
        kept = {place for place in self._places if place != _GONE}
        places = [place for place in range(self._populations[1]) if place not in kept]
        firsts = self._new_firsts
        return places, [number for place in places for number in range(firsts[place], firsts[place + 1])]

    def _old_words(
        self, hashes: array[int], values: array[int], postings: bytes, key: int
    ) -> Iterator[tuple[int, int]]:
        """Of a word, the documents that did not change, by their places now, and how often each holds it."""
        at = bisect_left(hashes, key)
        if at == len(hashes) or hashes[at] != key:
            return
        for place, times in _decoded_word(values[at], postings, len(self._places)):
            if (now := self._places[place]) != _GONE:
                yield now, times

    def _old_term(self, hashes: array[int], values: array[int], postings: bytes, key: int) -> TermLists:
        at = bisect_left(hashes, key)
        if at == len(hashes) or hashes[at] != key:
            return _NO_LISTS
        return _decoded_term(values[at], postings, self._firsts)

    def _spliced(
        self, hashes: array[int], values: array[int], postings: bytes, changed: dict[int, int | bytes | None]
    ) -> tuple[array[int], array[int], list[bytes | memoryview]]:
        """The dictionary and the records: what changed, and between it stretches of the old ones."""
        made = array("Q"), array("I")
        parts: list[bytes | memoryview] = []
        view, length = memoryview(postings), 0
        at = start = 0  # the next old entry, and where its record begins, or that of the next that has one
        for key in [*sorted(changed), None]:
            end = len(hashes) if key is None else bisect_left(hashes, key, at)
            stop = _record_start(values, end, len(postings))
            made[0].extend(hashes[at:end])
            moved = length - start
            made[1].extend([value + moved if value < INLINE else value for value in values[at:end]])
            parts.append(view[start:stop])
            length += stop - start
            at, start = end, stop
            if key is None:
                break
            if at < len(hashes) and hashes[at] == key:
                at += 1
                start = _record_start(values, at, len(postings))
            held = changed[key]
            if held is not None:
                made[0].append(key)
                made[1].append(held if isinstance(held, int) else length)
                if isinstance(held, bytes):
                    parts.append(held)
                    length += len(held)
        return *made, parts

    def _renumbered(
        self, hashes: array[int], values: array[int], postings: bytes, changed: dict[int, int | bytes | None]
    ) -> tuple[array[int], array[int], list[bytes | memoryview]]:
        """The same where the numbers of sections or documents move in all lists."""
        held: dict[int, int | bytes] = {key: now for key, now in changed.items() if now is not None}
        for key, value in zip(hashes, values, strict=True):
            if key not in changed:
                held[key] = self._moved_word(value, postings) if key & 1 else self._moved_term(value, postings)
        made, length = array("I"), 0
        parts: list[bytes | memoryview] = []
        ordered = array("Q", sorted(held))
        for key in ordered:
            now = held[key]
            if isinstance(now, int):
                made.append(now)
            else:
                made.append(length)
                parts.append(now)
                length += len(now)
        return ordered, made, parts

    def _moved_word(self, value: int, postings: bytes) -> int | bytes:
        if not self._documents_move:
            return value if value >= INLINE else _record(postings, value)
        if value >= INLINE:
            return self._moved_inline(value)
        counts = dict(_decoded_word(value, postings, len(self._places)))
        return encode_word(looked_up(self._places, list(counts)), list(counts.values()), self._populations[1])

    def _moved_term(self, value: int, postings: bytes) -> int | bytes:
        if value >= INLINE and (moved := self._moved_inline(value, or_none=True)):
            return moved
        old = _decoded_term(value, postings, self._firsts)
        sections = looked_up(self._sections, old.sections) if old.sections else ()
        documents = looked_up(self._places, old.documents) if old.documents else ()
        lists = TermLists(sections, old.section_steps, documents, old.document_steps, old.holding)
        return encode_term(lists, self._new_firsts)

    def _moved_inline(self, value: int, *, or_none: bool = False) -> int | bytes:
        kind, number, held = parse_inline(value)
        now = self._sections[number] if kind == SECTION else self._places[number]
        moved = inline_value(kind, now, held)
        if moved is None and not or_none:
            return encode_word([now], [held], self._populations[1])
        return moved or 0


def _order_changes(moved: Sequence[int]) -> bool:
    return any(now not in (was, _GONE) for was, now in enumerate(moved))


class _Lists(NamedTuple):
    words: dict[int, Words]
    terms: dict[int, TermLists]


def _lists_of(counted: CountedSegment) -> _Lists:
    """By hash, what some documents alone give, numbered among themselves."""
    if not len(counted.table.words):
        return _Lists({}, {})
    words = {hash_of(word, 0, word=True): (places, counts) for word, places, counts in word_counts(counted.text)}
    return _Lists(words, {hash_of(term, 0, word=False): lists for term, lists in term_lists(counted.text)})


def _is_same(one: TermLists, other: TermLists) -> bool:
    return (list(one.sections), one.section_steps, list(one.documents), *one[3:]) == (
        list(other.sections),
        other.section_steps,
        list(other.documents),
        *other[3:],
    )


def _merged(
    numbers: Sequence[int], steps: bytes, moved: Sequence[int], come: tuple[Sequence[int], bytes, Sequence[int]]
) -> tuple[Sequence[int], bytes]:
    """Old numbers, as they are now and without those that are gone, and new ones, given with what they are now."""
    found = {now: step for number, step in zip(numbers, steps, strict=True) if (now := moved[number]) != _GONE}
    own, own_steps, among_all = come
    found.update({among_all[number]: step for number, step in zip(own, own_steps, strict=True)})
    ordered = sorted(found)
    return ordered, bytes(map(found.__getitem__, ordered))


def _record(postings: bytes, offset: int) -> bytes:
    return postings[offset : offset + record_end(postings[offset : offset + 16])]


def _decoded_word(value: int, postings: bytes, documents: int) -> Iterable[tuple[int, int]]:
    if value >= INLINE:
        _, place, times = parse_inline(value)
        return [(place, times)]
    found, large = decode_word(_record(postings, value), documents)
    places, counts = found.listed()
    if not large:
        return zip(places, counts, strict=True)
    true = iter(large)
    return [(place, next(true) if count == 255 else count) for place, count in zip(places, counts, strict=True)]


def _decoded_term(value: int, postings: bytes, firsts: Sequence[int]) -> TermLists:
    own: PostingList
    documents: PostingList
    if value >= INLINE:
        own, documents, holding = decode_inline_term(value, firsts)
    else:
        own, documents, holding = decode_term(_record(postings, value), firsts[-1], len(firsts) - 1)
    return TermLists(*own.listed(), *documents.listed(), holding)


def _record_start(values: array[int], at: int, end: int) -> int:
    """Where the first record of an entry from this one on begins."""
    while at < len(values):
        if values[at] < INLINE:
            return values[at]
        at += 1
    return end
