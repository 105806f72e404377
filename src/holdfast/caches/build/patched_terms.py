"""What becomes of the terms of an index when few documents have changed."""

from __future__ import annotations

from holdfast.caches.index_format import INLINE, IndexUnusable
from holdfast.caches.moved_numbers import MovedNumbers
from holdfast.caches.moved_values import move_inline
from holdfast.caches.on_disk.index_reader import NUMBERS, POSTINGS
from holdfast.caches.posting_record import PostingRecord
from holdfast.caches.section_index.list_patches import (
    dense_record,
    move_record,
    move_records,
    replace_dense,
    replace_numbers,
    same_lists,
)
from holdfast.caches.section_index.section_compiler import encode_term
from holdfast.caches.section_index.section_records import TermImpacts
from holdfast.caches.section_index.step_lists import NO_STEPS, DenseSteps
from holdfast.caches.section_index.term_lists import TermLists
from holdfast.caches.sorted_runs import looked_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.caches.build.changed_documents import Changes
    from holdfast.caches.build.old_index import OldCache
    from holdfast.caches.patched_postings import Change

_NO_LISTS = TermLists((), b"", (), b"", 0)


class PatchedTerms:
    """The terms of an old cache, once some documents are others and sections have new numbers."""

    def __init__(self, old: OldCache, changes: Changes, new_firsts: Sequence[int]) -> None:
        self._old, self._changes, self._edited = old, changes, changes.edited
        self._firsts, self._new_firsts = list(old.sections.firsts), new_firsts
        self._are_same_places = all(len(each.was) == len(each.now) for each in self._edited)
        self._is_moved = self._firsts != new_firsts or not self._are_same_places
        self._was, self._now = [each.was for each in self._edited], [each.now for each in self._edited]
        self._moved_sections, self._moved_documents = self._moved_numbers()
        self._extents = [range(self._firsts[each.was.start], self._firsts[each.was.stop]) for each in self._edited]
        self._new_extents = [range(new_firsts[each.now.start], new_firsts[each.now.stop]) for each in self._edited]
        # By the numbers of sections and documents among the edited ones alone.
        self._numbers = [number for extent in self._new_extents for number in extent]
        self._places = [place for now in self._now for place in now]

    def changes(self, before: Mapping[bytes, TermLists], after: Mapping[bytes, TermLists]) -> dict[bytes, Change]:
        """The terms that have other lists, given those of the edited documents alone, as they were and as they are."""
        changed: dict[bytes, Change] = {}
        terms = self._old.terms
        if self._is_moved:
            self._hold()
        for key in before.keys() | after.keys():
            earlier, new = before.get(key, _NO_LISTS), after.get(key, _NO_LISTS)
            if not self._is_moved and same_lists(earlier, new):
                continue
            said = terms.impacts(key, self._firsts)
            if said is None:
                said = TermImpacts(0, 0, NO_STEPS, NO_STEPS)
            changed[key] = self._replaced(key, said, said.holding - earlier.holding + new.holding, new)
        if self._is_moved:
            self._move_others(changed)
        return changed

    def _hold(self) -> PostingRecord:
        """All records and numbers: most of them are asked for."""
        return PostingRecord(self._old.terms.hold(POSTINGS), self._old.terms.hold(NUMBERS))

    def _replaced(self, key: bytes, said: TermImpacts, holding: int, new: TermLists) -> Change:
        """What a term becomes that the edited documents hold so, and so many sections of all."""
        numbers, places = self._numbers, self._places
        own = [numbers[at] for at in new.sections]
        shared = [places[at] for at in new.documents]
        documents = replace_numbers(
            *(said.documents.numbers, said.documents.steps, self._was, self._now, shared, new.document_steps)
        )
        if not holding and not documents[0]:
            return None
        if isinstance(said.sections, DenseSteps):  # it stays as it is, but for a few bytes
            made = replace_dense(said.sections.by_number, self._moved_sections, own, new.section_steps)
            if made is not None:
                most = max(said.highest, *new.section_steps, 0)
                return dense_record(key, made, most, documents, holding, len(self._new_firsts) - 1)
        sections = replace_numbers(
            *(said.sections.numbers, said.sections.steps, self._extents, self._new_extents, own, new.section_steps)
        )
        return encode_term(key, TermLists(*sections, *documents, holding), self._new_firsts)

    def _move_others(self, changed: dict[bytes, Change]) -> None:
        """Terms that the edited documents do not hold, once sections have other numbers, and documents too."""
        sections, documents = self._moved_sections, self._moved_documents
        terms = self._old.terms
        values = terms.dictionary.values
        places = [value for value in values if value < INLINE]
        data, numbers, left = move_records(self._hold(), places, sections, documents)
        left_places = [places[position] for position in left]
        for place, key in zip(left_places, terms.dictionary.keys_of(left_places), strict=True):
            if key in changed:
                continue
            record = terms.record(place, sections.old_count)
            changed[key] = move_record(record, key, sections, documents)
            if changed[key] is None:
                lists = terms.lists(key, self._firsts)
                if lists is None:
                    raise IndexUnusable("a term of the dictionary is none")
                found = lists._replace(
                    sections=_moved(sections.table, lists.sections), documents=_moved(documents.table, lists.documents)
                )
                changed[key] = encode_term(key, found, self._new_firsts)
        terms.move({POSTINGS: data, NUMBERS: numbers}, move_inline(values.tobytes(), sections, documents))

    def _moved_numbers(self) -> tuple[MovedNumbers, MovedNumbers]:
        """What numbers the sections have that are of no edited document, and what places those documents."""
        firsts, new_firsts = self._firsts, self._new_firsts
        documents = MovedNumbers(self._changes.kept, len(firsts) - 1, len(new_firsts) - 1)
        kept = [(firsts[start], firsts[end], new_firsts[new]) for start, end, new in documents.kept]
        return MovedNumbers(kept, firsts[-1], new_firsts[-1]), documents


def _moved(table: Sequence[int], numbers: Sequence[int]) -> tuple[int, ...]:
    """Ascending numbers, once they are others; their order stays."""
    try:
        found = looked_up(table, numbers) if numbers else ()
    except IndexError:
        raise IndexUnusable("a list names what there is not") from None
    if found and min(found) < 0:
        raise IndexUnusable("a list names what its documents do not hold")
    return found
