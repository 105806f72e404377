"""A cache in parts searched as the one cache it was cut from: the same answers, to the byte. Pure.

Parts follow each other in the order of ids, so a section has the number, and a document the place, that it would have
in one cache; counts are added up as over several caches. Nothing of the parts shows in an answer.
"""

from __future__ import annotations

from holdfast.caches.search.joined_search import JoinedSource
from holdfast.caches.search.under import documents_under

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar, TypeVarTuple

    from holdfast.caches.search.proven_page import ProvenPage
    from holdfast.caches.search.search_source import SearchSource

    Asked = TypeVarTuple("Asked")
    Found = TypeVar("Found")


class ShardedSource(JoinedSource):
    """The `SearchSource` of the parts of one cache, each by its name; what a part raises comes as it is."""

    def __init__(self, cache_version: str, parts: Mapping[str, SearchSource]) -> None:
        super().__init__(parts)
        self.cache_version = cache_version
        self.caches = ()

    def holding(self, term: str) -> int:
        """How many sections hold a term."""
        return sum([self._sources[at].holding(term) for at in self._holders.get(term, self._everywhere)])

    def page(self, place: int, prefix: str = "") -> ProvenPage:
        """A document, proven by its hash."""
        at, own = self._part_at(place)
        return self._sources[at].page(own, prefix)

    def prefix(self, place: int) -> str:  # noqa: ARG002  # as every source takes it
        """Nothing: one cache is asked."""
        return ""

    def within(self, under: str, cache: str) -> Callable[[int], bool]:
        """What tells whether a document is under a folder or a pattern."""
        return documents_under(under, cache, self.document_count, self.id_of)

    def ask_part(self, at: int, give: Callable[[*Asked], Found], *asked: *Asked) -> Found:  # noqa: ARG002  # as `JoinedSource` takes it
        """What one part gives."""
        return give(*asked)
