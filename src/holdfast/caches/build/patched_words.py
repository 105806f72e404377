"""What becomes of the words of an index when few documents have changed."""

from __future__ import annotations

from collections import Counter

from holdfast.caches.index_format import INLINE, keys_of
from holdfast.caches.moved_numbers import MovedNumbers
from holdfast.caches.moved_values import move_inline
from holdfast.caches.on_disk.index_reader import NUMBERS
from holdfast.caches.selection import words
from holdfast.caches.word_index.word_compiler import encode_counts
from holdfast.caches.word_index.word_patches import move_dense, move_groups, move_records
from holdfast.caches.word_index.word_records import parse_postings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.changed_documents import Changes, EditedDocument
    from holdfast.caches.build.old_index import OldCache, OldIndex
    from holdfast.caches.patched_postings import Change
    from holdfast.caches.word_index.word_records import Columns

    Held = dict[bytes, dict[int, int]]  # key -> which of the edited documents -> how often it holds it


def word_changes(old: OldCache, changes: Changes, columns: Columns) -> dict[bytes, Change]:
    """The words that have other postings, once documents have these columns; the others are moved in the old index."""
    edited = changes.edited
    before, after = _held(edited)
    was = [old.columns.numbers[each.was.start] if each.was else -1 for each in edited]
    now = [columns.numbers[each.now.start] if each.now else -1 for each in edited]
    # Documents that are not edited are in the same order as before.
    gone, new = [[number for number in numbers if number >= 0] for numbers in (was, now)]
    numbers = MovedNumbers.around(gone, new, old.columns.count, columns.count)
    are_moved = not numbers.is_same or was != now
    formerly = set(was)
    changed: dict[bytes, Change] = {}
    if not numbers.is_same:
        old.words.hold(NUMBERS)
    for key in before.keys() | after.keys():
        if are_moved or before.get(key) != after.get(key):
            added = {now[at]: times for at, times in after.get(key, {}).items()}
            changed[key] = _changed_word(old.words, key, numbers, formerly, len(before.get(key, ())), added)
    if not numbers.is_same:
        _move_others(old.words, numbers, changed)
    return changed


def _held(edited: Sequence[EditedDocument]) -> tuple[Held, Held]:
    """The words of edited documents before and after."""
    before: Held = {}
    after: Held = {}
    for at, each in enumerate(edited):
        for held, read in ((before, each.before), (after, each.after)):
            if read is not None:
                counted = Counter(words(read.document.content))
                for key, times in zip(keys_of(counted), counted.values(), strict=True):
                    held.setdefault(key, {})[at] = times
    return before, after


def _changed_word(
    old: OldIndex, key: bytes, numbers: MovedNumbers, was: set[int], gone: int, added: dict[int, int]
) -> Change:
    """What a word becomes that edited documents hold or held: those have these numbers, and so many of them held it."""
    value = old.value(key)
    if value is not None and value < INLINE:
        record = old.word_record(value, numbers.old_count)
        made = move_dense(record.data, key, numbers, gone, added.items())
        if made is not None:
            return made
        found = parse_postings(record, key, numbers.old_count)
        if found.dense is None:
            return move_groups(key, found.groups, numbers, added.items())
    counts = {
        numbers.table[number]: times
        for number, times in old.counts(key, numbers.old_count).items()
        if number not in was
    }
    counts |= added
    return encode_counts(key, counts, numbers.count) if counts else None


def _move_others(old: OldIndex, numbers: MovedNumbers, changed: dict[bytes, Change]) -> None:
    """The words that no edited document holds, once documents have other numbers."""
    values = old.dictionary.values
    packed = old.hold(NUMBERS)
    moved, left = move_records(packed, [value for value in values if value < INLINE], old.end, numbers)
    for key in old.dictionary.keys_of(left):
        if key not in changed:
            changed[key] = _changed_word(old, key, numbers, set(), 0, {})
    old.move({NUMBERS: moved}, move_inline(values.tobytes(), numbers))
