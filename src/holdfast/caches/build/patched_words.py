"""What becomes of the words of an index when few documents have changed."""

from __future__ import annotations

from collections import Counter

from holdfast.caches.build.old_index import Renumbered
from holdfast.caches.index_format import keys_of
from holdfast.caches.selection import words
from holdfast.caches.word_index.word_compiler import encode_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.build.changed_documents import Changes
    from holdfast.caches.build.old_index import OldCache
    from holdfast.caches.patched_postings import Change
    from holdfast.caches.word_index.word_records import Columns

    Held = dict[bytes, dict[int, int]]  # key -> number of an edited document -> how often it holds it

# Beyond these the documents that have other numbers are not asked for their words: all words are looked at.
_SHARE_MOVED, _FEW_MOVED = 50, 64


def word_changes(old: OldCache, changes: Changes, columns: Columns) -> dict[bytes, Change]:
    """The words that have other postings, once documents have these columns."""
    numbers = _numbers(old, changes, columns)
    before, after = _held(old, changes, columns, numbers)
    changed: dict[bytes, Change] = {}
    gone = {old.columns.numbers[edited.was.start] for edited in changes.edited if edited.was}
    for key in before.keys() | after.keys():
        if before.get(key) == after.get(key):
            continue
        counts = {
            numbers.by_old[number]: times
            for number, times in old.words.counts(key, numbers.old_count).items()
            if number not in gone
        }
        counts |= after.get(key, {})
        changed[key] = encode_counts(key, counts, numbers.count) if counts else None
    if not numbers.is_same:
        for key in _moved_keys(old, changes, columns, numbers) | before.keys() & after.keys():
            if key not in changed:
                changed[key] = old.words.renumbered(key, numbers)
    return changed


def _numbers(old: OldCache, changes: Changes, columns: Columns) -> Renumbered:
    by_old = [-1] * old.columns.count
    for place, old_place in enumerate(changes.old_places):
        if old_place >= 0:
            by_old[old.columns.numbers[old_place]] = columns.numbers[place]
    return Renumbered(by_old, columns.count)


def _held(old: OldCache, changes: Changes, columns: Columns, numbers: Renumbered) -> tuple[Held, Held]:
    """The words of edited documents before and after, by the numbers that those have now; -1 has what is gone."""
    before: Held = {}
    after: Held = {}
    for at, edited in enumerate(changes.edited):
        if edited.before is not None:
            number = numbers.by_old[old.columns.numbers[edited.was.start]]
            _count(before, edited.before.document.content, number if number >= 0 else -1 - at)
        if edited.after is not None:
            _count(after, edited.after.document.content, columns.numbers[edited.now.start])
    return before, after


def _count(held: Held, content: str, number: int) -> None:
    counted = Counter(words(content))
    for key, times in zip(keys_of(counted), counted.values(), strict=True):
        held.setdefault(key, {})[number] = times


def _moved_keys(old: OldCache, changes: Changes, columns: Columns, numbers: Renumbered) -> set[bytes]:
    """The words of documents that have other numbers than before, all words where those are many."""
    moved = [
        place
        for place, old_place in enumerate(changes.kept)
        if old_place >= 0 and old.columns.numbers[old_place] != columns.numbers[place]
    ]
    if numbers.count != numbers.old_count or len(moved) > max(_FEW_MOVED, numbers.count // _SHARE_MOVED):
        old.words.hold()
        return set(old.words.entries()[0])
    return {key for place in moved for key in keys_of(set(words(old.document(changes.kept[place]).content)))}
