"""The base of every open section index, of one cache or of its parts: answers searches of it."""

from __future__ import annotations

from holdfast.caches.on_disk.index_reader import doubting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.search.candidates import Candidate
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_result import SearchResult
    from holdfast.caches.search.search_source import SearchSource


class SearchedIndex:
    """The searches of a class that is a `SearchSource`.

    IndexUnusable, CacheInvalid or IoError when anything does not hold: the caller falls back to the documents.
    """

    @doubting
    def search(self: SearchSource, request: SearchRequest) -> SearchResult:
        """The answer, each document that a section is of read and proven."""
        from holdfast.caches.search.search_result import make_result  # of no use to who builds

        return make_result(self, request)

    @doubting
    def candidates(self: SearchSource, request: SearchRequest, most: int) -> tuple[list[Candidate], int]:
        """The sections that match, best first, and how many there are."""
        from holdfast.caches.search.candidates import find_candidates

        return find_candidates(self, request, most)
