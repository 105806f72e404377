"""`resolve` over the parts of a cache in shards: the choice that one cache with all documents would make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.index_format import IndexUnusable
from holdfast.caches.selection import Selection, make_hit, words
from holdfast.caches.word_index.sharded_words import choose_of_several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.on_disk.open_caches import Cache


def resolve_parts(parts: Sequence[Cache], query: str, budget: int) -> Selection:
    """What `selection.select` gives of all documents; IndexUnusable or CacheInvalid when anything does not hold."""
    terms = words(query)
    indexes = [part.word_index() for part in parts]
    found = [index.matched(terms) for index in indexes]
    hits, used = [], 0
    for at, (place, matches, total, tokens) in choose_of_several(found, budget):
        entry = indexes[at].entry(place)
        content, size = parts[at].directory.content(entry)
        hit = make_hit(entry, content, size, terms, matches, total)
        if hit.tokens != tokens:
            raise IndexUnusable("a document has another size")
        hits.append(hit)
        used += tokens
    count = sum([index.document_count for index in indexes])
    return Selection(hits, query, budget, used, count, count - len(hits))
