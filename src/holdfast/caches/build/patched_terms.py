"""What becomes of the terms of an index when few documents have changed."""

from __future__ import annotations

from holdfast.caches.build.changed_documents import CannotPatch
from holdfast.caches.index_format import INLINE, IndexUnusable, keys_of
from holdfast.caches.search.link_texts import link_words
from holdfast.caches.search.word_terms import all_terms
from holdfast.caches.section_index.list_patches import replace_numbers, same_lists, shift_record
from holdfast.caches.section_index.section_compiler import encode_term
from holdfast.caches.section_index.section_records import has_documents, is_of_section
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
        self._extents = [range(self._firsts[each.was.start], self._firsts[each.was.stop]) for each in self._edited]
        self._new_extents = [range(new_firsts[each.now.start], new_firsts[each.now.stop]) for each in self._edited]

    def changes(self, before: Mapping[bytes, TermLists], after: Mapping[bytes, TermLists]) -> dict[bytes, Change]:
        """The terms that have other lists, given those of the edited documents alone, as they were and as they are."""
        was, now = [each.was for each in self._edited], [each.now for each in self._edited]
        # By the numbers of sections and documents among the edited ones alone.
        numbers = [number for extent in self._new_extents for number in extent]
        places = [place for each in now for place in each]
        changed: dict[bytes, Change] = {}
        in_links: set[bytes] | None = None
        for key in before.keys() | after.keys():
            earlier, new = before.get(key, _NO_LISTS), after.get(key, _NO_LISTS)
            if not self._is_moved and same_lists(earlier, new):
                continue
            lists = self._old.terms.lists(key, self._firsts)
            if lists is None:
                if not new.holding:
                    continue
                # What only links hold is not known to the index: nobody else may hold it so.
                if in_links is None:
                    in_links = self._linked_terms()
                if key in in_links:
                    raise CannotPatch
                lists = _NO_LISTS
            holding = lists.holding - earlier.holding + new.holding
            if not holding:
                changed[key] = None
                continue
            own = [numbers[at] for at in new.sections]
            shared = [places[at] for at in new.documents]
            found = TermLists(
                *replace_numbers(
                    *(lists.sections, lists.section_steps, self._extents, self._new_extents, own, new.section_steps)
                ),
                *replace_numbers(lists.documents, lists.document_steps, was, now, shared, new.document_steps),
                holding,
            )
            changed[key] = encode_term(key, found, self._new_firsts)
        if self._is_moved:
            self._shift_others(changed)
        return changed

    def _shift_others(self, changed: dict[bytes, Change]) -> None:
        """Terms that the edited documents do not hold, once sections have other numbers, and documents too."""
        sections, places = self._tables()
        grown = [
            (old, len(new) - len(old))
            for old, new in zip(self._extents, self._new_extents, strict=True)
            if len(old) != len(new)
        ]
        terms = self._old.terms
        terms.hold()
        for key, value in zip(*terms.entries(), strict=True):
            if key in changed:
                continue
            if value >= INLINE:
                table = sections if is_of_section(value) else places
                number = value & 0xFFFFFFFF
                changed[key] = value - number + _moved(table, (number,))[0]
                continue
            record = terms.record(value)
            if len(grown) == 1 and (self._are_same_places or not has_documents(record)):
                shifted = shift_record(record, key, *grown[0], self._firsts[-1])
                if shifted is not None:
                    if shifted != record:
                        changed[key] = shifted
                    continue
            lists = terms.lists(key, self._firsts)
            if lists is None:
                raise IndexUnusable("a term of the dictionary is none")
            found = lists._replace(sections=_moved(sections, lists.sections), documents=_moved(places, lists.documents))
            changed[key] = encode_term(key, found, self._new_firsts)

    def _tables(self) -> tuple[list[int], list[int]]:
        """The new number of each old section, and the new place of each old document; -1 where it is edited."""
        firsts, new_firsts = self._firsts, self._new_firsts
        sections, places = [-1] * firsts[-1], [-1] * (len(firsts) - 1)
        for place, old_place in enumerate(self._changes.kept):
            if old_place >= 0:
                places[old_place] = place
                sections[firsts[old_place] : firsts[old_place + 1]] = range(new_firsts[place], new_firsts[place + 1])
        return sections, places

    def _linked_terms(self) -> set[bytes]:
        """The keys of all terms of link texts."""
        texts = {text for leading in self._changes.texts for text in leading}
        return set(keys_of({term for text in texts for word in link_words([text]) for term in all_terms(word)}))


def _moved(table: Sequence[int], numbers: Sequence[int]) -> tuple[int, ...]:
    """Ascending numbers, once they are others; their order stays."""
    try:
        found = looked_up(table, numbers) if numbers else ()
    except IndexError:
        raise IndexUnusable("a list names what there is not") from None
    if found and min(found) < 0:
        raise IndexUnusable("a list names what its documents do not hold")
    return found
