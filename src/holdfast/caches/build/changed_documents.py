"""Which documents of a cache are others than before: edited, added, removed, or led to by other links."""

from __future__ import annotations

from bisect import bisect_left

from holdfast.caches.build.source_documents import read_document
from holdfast.caches.build.source_item import KeptItem
from holdfast.caches.cache_format import document_id
from holdfast.caches.search.link_texts import PageLinks, find_links, incoming
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.old_index import OldCache
    from holdfast.caches.build.source_documents import ReadSource
    from holdfast.caches.build.source_item import SourceItem

# Beyond this share of all documents, and these few, compiling everything is no dearer.
_SHARE_CHANGED, _FEW_CHANGED = 50, 8


class CannotPatch(Exception):
    """This cannot be patched: everything is compiled."""


class EditedDocument(NamedTuple):
    """A document as it was and as it is, with the texts of links that led and lead to it; one of the two may be none.

    `was` and `now` are its place among all, or, empty, where it would stand.
    """

    was: range
    now: range
    before: ReadSource | None
    after: ReadSource | None
    texts_before: Sequence[str]
    texts: Sequence[str]


class Changes(NamedTuple):
    """Edited documents in id order; by place, the id, the old place or -1, link texts and links of each document now.

    `kept` has the same as `old_places`, but -1 for those that are edited.
    """

    edited: list[EditedDocument]
    ids: list[str]
    old_places: list[int]
    kept: list[int]
    texts: list[Sequence[str]]
    pages: list[PageLinks]


def find_changes(old: OldCache, items: Sequence[SourceItem | KeptItem], tokenizer: str) -> Changes:
    """What is different between an old cache, which is opened, and items in id order; CannotPatch where it is much."""
    entries = old.manifest.entries
    old_ids = [entry.id for entry in entries]
    ids = [item.entry.id if isinstance(item, KeptItem) else document_id(item.source) for item in items]
    place_of = {name: place for place, name in enumerate(old_ids)}
    old_places = [place_of.get(name, -1) for name in ids]
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
    pages = [
        _links(after[name]) if name in after else PageLinks(*old.sources[place][3])
        for name, place in zip(ids, old_places, strict=True)
    ]
    old_pages = [PageLinks(*source[3]) for source in old.sources]
    texts: list[Sequence[str]] = [source[2] for source in old.sources]
    if (ids, pages) != (old_ids, old_pages):
        texts = list(incoming(ids, pages))
        led_to = [
            name
            for name, place, leading in zip(ids, old_places, texts, strict=True)
            if name not in touched and list(leading) != old.sources[place][2]
        ]
        if len(touched) + len(gone) + len(led_to) > most:
            raise CannotPatch
        for name in led_to:
            before[name] = after[name] = read_document(old.path, entries[place_of[name]])
    edited = []
    for name in sorted(before.keys() | after.keys()):
        was, now = _place(old_ids, name), _place(ids, name)
        texts_before = old.sources[was.start][2] if was else ()
        leading = texts[now.start] if now else ()
        edited.append(EditedDocument(was, now, before.get(name), after.get(name), texts_before, leading))
    kept = [-1 if name in after else place for name, place in zip(ids, old_places, strict=True)]
    return Changes(edited, ids, old_places, kept, texts, pages)


def _links(read: ReadSource) -> PageLinks:
    return find_links(read.document.source, read.document.content)


def _place(ids: Sequence[str], name: str) -> range:
    at = bisect_left(ids, name)
    return range(at, at + (at < len(ids) and ids[at] == name))
