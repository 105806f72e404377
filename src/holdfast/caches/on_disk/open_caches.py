"""An open cache, found usable and asked."""

from __future__ import annotations

import os

from holdfast.caches.cache_format import document_id
from holdfast.caches.index_format import IndexUnusable
from holdfast.caches.on_disk.cache_directory import (
    DOCUMENTS,
    INDEX,
    LIST_FILE,
    MANIFEST,
    SHARDS,
    CacheDirectory,
    checked_manifest,
    look_into,
)
from holdfast.caches.on_disk.index_reader import WordIndex
from holdfast.caches.selection import Selection, select
from holdfast.core.errors import CacheInvalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import TypeVar, TypeVarTuple

    from holdfast.caches.cache_format import Document, Entry, Manifest
    from holdfast.caches.on_disk.section_index_reader import SectionIndex
    from holdfast.caches.search.document_search import DocumentSource
    from holdfast.caches.search.passage import Place
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_result import SearchResult
    from holdfast.caches.search.search_source import SearchSource
    from holdfast.caches.segments.segment_file import Place as PlaceInCache
    from holdfast.caches.shapes import ReadAnswer, StaleAnswer
    from holdfast.core.file_identity import Identity

    Asked = TypeVarTuple("Asked")
    Result = TypeVar("Result")
    Identities = tuple[Identity, ...]

# The files whose identity says that a cache is what it was, beside those of its segments.
WATCHED = (MANIFEST, INDEX, LIST_FILE, DOCUMENTS)


class Cache:
    """A cache that was found usable: its manifest holds together and its index agrees.

    Where a compiled index belongs to both, it replaces that check, and the manifest is parsed only when asked for.
    """

    def __init__(self, directory: CacheDirectory) -> None:
        self.directory = directory
        self._manifest: Manifest | None = None
        self._compiled: WordIndex | None = None
        self._sections: SectionIndex | None = None
        self._by_id: dict[str, Entry] | None = None
        try:
            self._compiled = WordIndex(directory)
        except IndexUnusable:
            self._manifest = checked_manifest(directory)

    @property
    def watched(self) -> tuple[str, ...]:
        """The files whose identity says that it is what it was."""
        segments = [] if self._compiled is None else self._compiled.segments
        return (*WATCHED, *[segment.path for segment in segments])

    @property
    def opened(self) -> Identities:
        """The identities of the watched files of its segments, as they were when those were opened."""
        return () if self._compiled is None else tuple([segment.identity for segment in self._compiled.segments])

    @property
    def weight(self) -> int:
        """How many files it holds open, about, in units of those of a small cache."""
        return 1 if self._compiled is None else 1 + len(self._compiled.segments) // 5

    @property
    def is_compiled(self) -> bool:
        """Whether a compiled index belongs to the cache."""
        return self._compiled is not None

    @property
    def manifest(self) -> Manifest:
        """Everything the manifest says."""
        if self._manifest is None:
            self._manifest = checked_manifest(self.directory)
        return self._manifest

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the directory; reading afterwards is an error."""
        if self._compiled is not None:
            self._compiled.close()
        self.directory.close()

    def ids(self) -> set[str]:
        """The ids of all documents."""
        return {entry.id for entry in self.manifest.entries}

    def documents(self) -> Iterator[Document]:
        """Every document in id order, each proven by its hash."""
        for entry in self.manifest.entries:
            yield self.directory.document(entry)

    def document(self, name: str) -> Document | None:
        """One document by its id or its source, proven by its hash; None when there is none."""
        if self._by_id is None:
            self._by_id = {entry.id: entry for entry in self.manifest.entries}
        entry = self._by_id.get(name) or self._by_id.get(document_id(name))
        return None if entry is None else self.directory.document(entry)

    def resolve(self, query: str, budget: int) -> Selection:
        """The documents that answer a query within a token budget, ordered and explained."""
        if self._compiled is not None:
            try:
                return self._compiled.resolve(query, budget)
            except (IndexUnusable, CacheInvalid):
                self._compiled.close()
                self._compiled = None  # the documents are read instead, and say what is wrong
        return select(query, budget, self.documents())

    def search(self, query: str, budget: int | None = None, limit: int | None = None) -> SearchResult:
        """The sections that answer a query, ordered and cited: within a token budget, or as many as it needs."""
        from holdfast.caches.on_disk.cache_listing import cache_name
        from holdfast.caches.search.search_request import SearchRequest

        return self.find(SearchRequest(query, budget, limit, cache=cache_name(self.directory.path)))

    def find(self, request: SearchRequest) -> SearchResult:
        """The answer to a request."""
        from holdfast.caches.search.search_result import make_result

        return self.ask(make_result, request)

    def ask(self, ask: Callable[[SearchSource, SearchRequest], Result], request: SearchRequest) -> Result:
        """What a function makes of the sections: those of the index, or where that cannot be used, of the documents."""
        return self._from_sections(
            lambda sections: sections.asked(ask, request),
            lambda tokenizer: ask(self._document_source(tokenizer), request),
        )

    def search_source(self, *, plain: bool) -> SearchSource:
        """What a search asks: the section index, or with `plain`, and where there is none that can be used, the
        documents; CacheInvalid where they may not stand for it."""
        sections = None if plain else self.section_index()
        if sections is not None:
            return sections
        return self._document_source(self._counted_by())

    def _counted_by(self) -> str:
        """The tokenizer of the documents where they replace the index as a fallback; CacheInvalid where they may
        not."""
        from holdfast.caches.on_disk.counted_by import tokenizer_of_documents

        return tokenizer_of_documents(self.directory)

    def _document_source(self, tokenizer: str) -> DocumentSource:
        from holdfast.caches.search.document_search import DocumentSource

        return DocumentSource(list(self.documents()), self.manifest.cache_version, tokenizer)

    @property
    def document_count(self) -> int:
        """How many documents there are."""
        return self._compiled.document_count if self._compiled is not None else self.manifest.document_count

    def read(self, place: Place, budget: int, name: str, prefix: str = "") -> ReadAnswer | StaleAnswer:
        """Lines of one document within a token budget, or that they are gone; `name` is what the cache is called.

        It may stand before the document's; `prefix` is what does so in the answer.
        """
        from holdfast.caches.search.asked_caches import without_prefix
        from holdfast.caches.search.passage import Count, FromCache, read_passage

        at, document = self._found(place.id)
        if document is None and (rest := without_prefix(place.id, name)) is not None:
            at, document = self._found(rest)

        def from_index(sections: SectionIndex) -> tuple[Count, FromCache]:
            counts = () if at is None else sections.tokens_of(at)
            return Count(budget, sections.tokenizer, counts), FromCache(name, sections.cache_version, prefix)

        def from_documents(tokenizer: str) -> tuple[Count, FromCache]:
            return Count(budget, tokenizer, ()), FromCache(name, self.manifest.cache_version, prefix)

        return read_passage(document, place, *self._from_sections(from_index, from_documents))

    def _found(self, name: str) -> tuple[PlaceInCache | None, Document | None]:
        """A document by its id or its source, proven by its hash, and its place where an index says it."""
        if self._compiled is not None:
            try:
                for spelled in dict.fromkeys((name, document_id(name))):
                    if (found := self._compiled.find(spelled)) is not None:
                        return found[0], self.directory.document(found[1])
            except IndexUnusable:
                self._compiled.close()
                self._compiled = None  # the manifest is asked instead
            else:
                return None, None
        return None, self.document(name)

    def _from_sections(self, ask: Callable[[SectionIndex], Result], from_documents: Callable[[str], Result]) -> Result:
        """The section index's result; the fallback is the documents, with the same result. CacheInvalid where they may
        not."""
        invalid: CacheInvalid | None = None
        if (sections := self.section_index()) is not None:
            try:
                return ask(sections)
            except IndexUnusable:
                pass
            except CacheInvalid as error:
                invalid = error
        try:
            tokenizer = self._counted_by()
        except CacheInvalid as error:
            raise invalid or error from None
        return from_documents(tokenizer)  # the documents are read instead, and say what is wrong

    @property
    def version(self) -> str:
        """The version of the cache, as its index or its manifest says it."""
        found = self.section_index()
        return found.cache_version if found is not None else self.manifest.cache_version

    def section_index(self) -> SectionIndex | None:
        """The section index, where there is one that can be used."""
        if self._sections is None and self._compiled is not None:
            from holdfast.caches.on_disk.section_index_reader import SectionIndex

            try:
                self._sections = SectionIndex(self.directory, self._compiled)
            except IndexUnusable:
                pass  # damaged, or of another ranking: the documents answer, where they may
        return self._sections


def usable_cache(directory: CacheDirectory) -> Cache:
    """The cache in a directory; CacheInvalid or IoError when it is not usable."""
    if directory.has(SHARDS):
        raise CacheInvalid("an earlier release built it in shards: run 'context sync'")
    return Cache(directory)


def open_cache(path: str | os.PathLike[str]) -> Cache:
    """A usable cache; CacheMissing, CacheInvalid or IoError when there is none."""
    place = os.fspath(path)
    if not os.path.isabs(place):
        try:
            # Whether it was replaced is asked later, and the path must mean then what it means now.
            place = os.path.join(os.getcwd(), place)
        except OSError:
            pass  # the working directory is gone: nothing is found
    return usable_cache(CacheDirectory(place))


def with_cache(path: str, use: Callable[[Cache], Result]) -> Result:
    """The result of `use` on one complete cache, begun again when the cache was replaced underneath."""
    return look_into(path, lambda directory: use(usable_cache(directory)), lambda _: True)
