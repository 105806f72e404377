"""Which documents of a cache are others than before: edited, added, removed, or led to by other links."""

from __future__ import annotations

from bisect import bisect_left

from holdfast.caches.build.source_documents import read_document
from holdfast.caches.build.source_item import KeptItem
from holdfast.caches.cache_format import document_id
from holdfast.caches.search.link_texts import NO_LINKS, find_links, incoming
from holdfast.core.record import NamedTuple, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.old_index import OldCache
    from holdfast.caches.build.source_documents import ReadSource
    from holdfast.caches.build.source_item import SourceItem
    from holdfast.caches.search.link_texts import PageLinks

Anything = TypeVar("Anything")

# Beyond this share of all documents, and these few, compiling everything is no dearer.
_SHARE_CHANGED, _FEW_CHANGED = 50, 8


class CannotPatch(Exception):
    """This cannot be patched: everything is compiled."""


class EditedDocument(NamedTuple):
    """A document as it was and as it is, with the texts of links that led and lead to it, and where it leads now; one
    of the two may be none.

    `was` and `now` are its place among all, or, empty, where it would stand.
    """

    was: range
    now: range
    before: ReadSource | None
    after: ReadSource | None
    texts_before: Sequence[str]
    texts: Sequence[str]
    page: PageLinks


class Changes(NamedTuple):
    """Edited documents and, by place, the id of each document now; both in id order.

    `kept` are stretches of the others: from which old place, to below which, and at which place they begin now.
    """

    edited: list[EditedDocument]
    ids: list[str]
    kept: list[tuple[int, int, int]]

    def spliced(self, old: Sequence[Anything], made: Sequence[Anything]) -> list[Anything]:
        """What is said of each document now, by place: given what was said before, and what is made of each edited
        document that there still is."""
        found: list[Anything] = []
        at = 0
        new = iter(made)
        for each in self.edited:
            found += old[at : each.was.start]
            found += [next(new) for _ in each.now]
            at = each.was.stop
        found += old[at:]
        return found


def find_changes(old: OldCache, items: Sequence[SourceItem | KeptItem], tokenizer: str) -> Changes:
    """What is different between an old cache, which is opened, and items in id order; CannotPatch where it is much."""
    entries = old.manifest.entries
    old_ids = [entry.id for entry in entries]
    ids = [item.entry.id if isinstance(item, KeptItem) else document_id(item.source) for item in items]
    place_of = dict(zip(old_ids, range(len(old_ids)), strict=True))
    touched = {name for name, item in zip(ids, items, strict=True) if not isinstance(item, KeptItem)}
    gone = place_of.keys() - set(ids)
    most = max(_FEW_CHANGED, len(items) // _SHARE_CHANGED)
    if not items or len(touched) + len(gone) > most:
        raise CannotPatch
    old.open(tokenizer)
    before = {name: read_document(old.path, entries[place_of[name]]) for name in gone | touched if name in place_of}
    after = {name: read_document("", item) for name, item in zip(ids, items, strict=True) if name in touched}
    if any(read.document.id != name for name, read in after.items()):
        raise CannotPatch
    pages = {name: find_links(read.document.source, read.document.content) for name, read in after.items()}
    leading: dict[str, Sequence[str]] = {}
    if ids != old_ids or any(page != old.sources.page(place_of[name]) for name, page in pages.items()):
        all_pages = [pages[name] if name in pages else old.sources.page(place_of[name]) for name in ids]
        leading = dict(zip(ids, incoming(ids, all_pages), strict=True))
        led_to = [
            name
            for name, texts in leading.items()
            if name not in touched and list(texts) != old.sources.texts(place_of[name])
        ]
        if len(touched) + len(gone) + len(led_to) > most:
            raise CannotPatch
        for name in led_to:
            before[name] = after[name] = read_document(old.path, entries[place_of[name]])
            pages[name] = old.sources.page(place_of[name])
    edited = []
    for name in sorted(before.keys() | after.keys()):
        was, now = _place(old_ids, name), _place(ids, name)
        texts_before = old.sources.texts(was.start) if was else []
        texts = leading.get(name, texts_before if now else [])
        edited.append(
            EditedDocument(
                *(was, now, before.get(name), after.get(name)), texts_before, texts, pages.get(name, NO_LINKS)
            )
        )
    return Changes(edited, ids, _between(edited, len(old_ids)))


def _between(edited: Sequence[EditedDocument], old_count: int) -> list[tuple[int, int, int]]:
    starts = [(0, 0), *[(each.was.stop, each.now.stop) for each in edited]]
    ends = [*[each.was.start for each in edited], old_count]
    return [(start, end, now) for (start, now), end in zip(starts, ends, strict=True) if start < end]


def _place(ids: Sequence[str], name: str) -> range:
    at = bisect_left(ids, name)
    return range(at, at + (at < len(ids) and ids[at] == name))
