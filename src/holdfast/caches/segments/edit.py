"""Change a segment where few of its documents changed: the bytes of one that is made of all its documents. Pure.

Only the terms of changed documents have other lists; all other records are copied in stretches. Where the number of
sections or documents changes, the numbers in all lists move, and every list is decoded and encoded.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, repeat
from operator import and_

from holdfast.caches.segments.make import SegmentDocument, count_segment, looked_up, postings_of
from holdfast.caches.segments.postings import (
    INLINE,
    SECTION,
    TermLists,
    decode_term,
    decode_word,
    encode_term,
    encode_word,
    inline_value,
    parse_inline,
    record_end,
)
from holdfast.caches.segments.segment_file import FILTER, POSTINGS, Segment
from holdfast.caches.segments.segment_table import (
    SegmentTable,
    dictionary_of,
    encode_parts,
    extended_filter,
    ordered_entries,
    table_of,
)
from holdfast.core.record import NamedTuple

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
        """Put what a segment has of the changed documents into the table, the last first: places before it stay."""
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
        old = _OldKeys(*dictionary_of(self._old), self._old.part(POSTINGS))
        changed = self._changed(old)
        if self._documents_move or self._sections_move:
            entries = self._renumbered(old, changed)
        else:
            entries = _spliced(old, changed)
        return encode_parts(self._table, *entries, 0, self._filter(old.hashes, entries[0], changed))

    def _filter(self, before: array[int], now: array[int], changed: dict[int, int | bytes | None]) -> bytes | None:
        """The filter of the keys now, from the old one where no term is gone; None where it must be made."""
        there = [before[at : at + 1] == array("Q", [key]) for key in changed for at in (bisect_left(before, key),)]
        terms = [(key, held, was) for (key, held), was in zip(changed.items(), there, strict=True) if not key & 1]
        if any(held is None and was for _, held, was in terms):
            return None
        count = len(now) - sum(map(and_, now, repeat(1)))
        return extended_filter(self._old.part(FILTER), count, [key for key, _, was in terms if not was])

    def _changed(self, old: _OldKeys) -> dict[int, int | bytes | None]:
        """By hash, what the dictionary has now, or the record, of every key of the changed documents; None: nothing."""
        found: dict[int, int | bytes | None] = {}
        before, after = postings_of(self._before.text, 0), postings_of(self._after.text, 0)
        firsts = self._before.text.lengths.firsts, self._after.text.lengths.firsts
        stay = not (self._documents_move or self._sections_move) and firsts[0] == firsts[1]
        places, numbers = self._new_numbers()
        for key in before.keys() | after.keys():
            was, now, held = before.get(key), after.get(key), old.find(key)
            if stay and was == now:
                continue
            if key & 1:
                counts = {}
                for place, times in _word_counts(held, len(self._places)):
                    if (moved := self._places[place]) != _GONE:
                        counts[moved] = times
                counts.update([(places[place], times) for place, times in _word_counts(now, len(firsts[1]) - 1)])
                ordered = sorted(counts)
                documents = self._populations[1]
                found[key] = encode_word(ordered, [counts[place] for place in ordered], documents) if counts else None
                continue
            lists, gone, come = _term(held, self._firsts), _term(was, firsts[0]), _term(now, firsts[1])
            lists = TermLists(
                *_merged(
                    lists.sections, lists.section_steps, self._sections, (come.sections, come.section_steps, numbers)
                ),
                *_merged(
                    lists.documents, lists.document_steps, self._places, (come.documents, come.document_steps, places)
                ),
                lists.holding - gone.holding + come.holding,
            )
            is_held = lists.sections or lists.documents
            found[key] = encode_term(lists, self._new_firsts) if is_held else None
        return found

    def _new_numbers(self) -> tuple[list[int], list[int]]:
        """By place and by section among the changed documents that there still are, place and number among all."""
        unchanged = {*self._places}
        places = [place for place in range(self._populations[1]) if place not in unchanged]
        firsts = self._new_firsts
        return places, [number for place in places for number in range(firsts[place], firsts[place + 1])]

    def _renumbered(
        self, old: _OldKeys, changed: dict[int, int | bytes | None]
    ) -> tuple[array[int], array[int], list[bytes | memoryview]]:
        """The dictionary and the records where the numbers of sections or documents move in all lists."""
        entries = {key: now for key, now in changed.items() if now is not None}
        for key, value in zip(old.hashes, old.values, strict=True):
            if key not in changed:
                entries[key] = self._moved_word(old.held(value)) if key & 1 else self._moved_term(old.held(value))
        return ordered_entries(entries)

    def _moved_word(self, held: int | bytes) -> int | bytes:
        if not self._documents_move:
            return held
        counts = dict(_word_counts(held, len(self._places)))
        return encode_word(looked_up(self._places, list(counts)), list(counts.values()), self._populations[1])

    def _moved_term(self, held: int | bytes) -> int | bytes:
        if isinstance(held, int):
            kind, number, step = parse_inline(held)
            moved = inline_value(kind, self._sections[number] if kind == SECTION else self._places[number], step)
            if moved is not None:
                return moved
        old = _term(held, self._firsts)
        sections = looked_up(self._sections, old.sections) if old.sections else ()
        documents = looked_up(self._places, old.documents) if old.documents else ()
        lists = TermLists(sections, old.section_steps, documents, old.document_steps, old.holding)
        return encode_term(lists, self._new_firsts)


def _spliced(
    old: _OldKeys, changed: dict[int, int | bytes | None]
) -> tuple[array[int], array[int], list[bytes | memoryview]]:
    """The dictionary and the records: what changed, and between it stretches of the old ones."""
    hashes, values, postings = old
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


def _order_changes(moved: Sequence[int]) -> bool:
    return any(now not in (was, _GONE) for was, now in enumerate(moved))


class _OldKeys(NamedTuple):
    """The dictionary of a segment: hashes, ascending, their values, and the records."""

    hashes: array[int]
    values: array[int]
    postings: bytes

    def find(self, key: int) -> int | bytes | None:
        """What there is for a hash: a dictionary value that says it, or a record."""
        at = bisect_left(self.hashes, key)
        return None if at == len(self.hashes) or self.hashes[at] != key else self.held(self.values[at])

    def held(self, value: int) -> int | bytes:
        """What a dictionary value says, or leads to."""
        if value >= INLINE:
            return value
        return self.postings[value : value + record_end(self.postings[value : value + 16])]


def _merged(
    numbers: Sequence[int], steps: bytes, moved: Sequence[int], come: tuple[Sequence[int], bytes, Sequence[int]]
) -> tuple[Sequence[int], bytes]:
    """Old numbers, as they are now and without those that are gone, and new ones, given with what they are now."""
    found = {now: step for number, step in zip(numbers, steps, strict=True) if (now := moved[number]) != _GONE}
    own, own_steps, among_all = come
    found.update({among_all[number]: step for number, step in zip(own, own_steps, strict=True)})
    ordered = sorted(found)
    return ordered, bytes(map(found.__getitem__, ordered))


def _word_counts(held: int | bytes | None, documents: int) -> Iterable[tuple[int, int]]:
    """The places of a word's documents, and how often each holds it."""
    if held is None:
        return ()
    places, counts = decode_word(held, documents)
    if places is None:
        return ((place, times) for place, times in enumerate(counts) if times)
    return zip(places, counts, strict=True)


def _term(held: int | bytes | None, firsts: Sequence[int]) -> TermLists:
    if held is None:
        return _NO_LISTS
    own, documents, holding = decode_term(held, firsts)
    return TermLists(*own.listed(), *documents.listed(), holding)


def _record_start(values: array[int], at: int, end: int) -> int:
    """Where the first record of an entry from this one on begins."""
    while at < len(values):
        if values[at] < INLINE:
            return values[at]
        at += 1
    return end
