"""Open caches: one cache, found usable and asked; and those a server keeps open between its calls."""

from __future__ import annotations

import os
from _thread import allocate_lock
from time import time_ns

from holdfast.caches.cache_format import (
    MAX_MANIFEST_BYTES,
    check_index,
    check_manifest,
    document_id,
    parse_manifest,
)
from holdfast.caches.index_format import IndexUnusable
from holdfast.caches.on_disk.cache_directory import (
    DOCUMENTS,
    INDEX,
    MANIFEST,
    SECTIONS_FILE,
    CacheDirectory,
    look_into,
)
from holdfast.caches.on_disk.index_reader import WORDS_FILE, WordIndex
from holdfast.caches.selection import Selection, select
from holdfast.core.errors import CacheInvalid, IoError
from holdfast.core.file_identity import are_settled
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import TypeVar, TypeVarTuple

    from holdfast.caches.cache_format import Document, Entry, Manifest
    from holdfast.caches.on_disk.section_index_reader import SectionIndex
    from holdfast.caches.search.candidates import Candidate
    from holdfast.caches.search.document_search import DocumentSource
    from holdfast.caches.search.passage import Place
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_result import SearchResult
    from holdfast.caches.search.search_source import SearchSource
    from holdfast.caches.shapes import ReadAnswer, StaleAnswer
    from holdfast.core.file_identity import Identity

    Asked = TypeVarTuple("Asked")
    Result = TypeVar("Result")
    Identities = tuple[Identity, ...]

# Four threads on two caches; each holds five descriptors and some 50 bytes a document. Where more caches are asked, as
# one or in turn, one of each is kept, up to the second number.
MOST, MOST_DISTINCT = 8, 32
_WATCHED = (MANIFEST, INDEX, WORDS_FILE, SECTIONS_FILE, DOCUMENTS)


class Cache:
    """A cache that was found usable: its manifest holds together and its index agrees.

    Where a compiled index belongs to both, it stands for that check, and the manifest is parsed only when asked for.
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
        if self._sections is not None:
            self._sections.close()
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

    def search(self, query: str, budget: int, limit: int | None = None) -> SearchResult:
        """The sections that answer a query within a token budget, ordered and cited."""
        from holdfast.caches.on_disk.cache_listing import cache_name
        from holdfast.caches.search.search_request import SearchRequest

        return self.find(SearchRequest(query, budget, limit, cache=cache_name(self.directory.path)))

    def find(self, request: SearchRequest) -> SearchResult:
        """The answer to a request."""
        from holdfast.caches.search.search_result import make_result

        return self._from_sections(
            lambda sections: sections.search(request),
            lambda tokenizer: make_result(self._document_source(tokenizer), request),
        )

    def candidates(self, request: SearchRequest, most: int) -> tuple[list[Candidate], int]:
        """The sections that match, best first, at most so many, what became of each and why; and how many there are."""
        from holdfast.caches.search.candidates import find_candidates

        return self._from_sections(
            lambda sections: sections.candidates(request, most),
            lambda tokenizer: find_candidates(self._document_source(tokenizer), request, most),
        )

    def search_source(self, *, plain: bool) -> SearchSource:
        """What a search asks: the section index, or with `plain`, and where there is none that can be used, the
        documents; CacheInvalid where they may not stand for it."""
        sections = None if plain else self._section_index()
        if sections is not None:
            return sections
        from holdfast.caches.on_disk.counted_by import tokenizer_of_documents

        return self._document_source(tokenizer_of_documents(self.directory))

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
            summary = sections.summary
            counts = () if at is None else sections.tokens_of(at)
            return Count(budget, summary.tokenizer, counts), FromCache(name, summary.cache_version, prefix)

        def from_documents(tokenizer: str) -> tuple[Count, FromCache]:
            return Count(budget, tokenizer, ()), FromCache(name, self.manifest.cache_version, prefix)

        return read_passage(document, place, *self._from_sections(from_index, from_documents))

    def _found(self, name: str) -> tuple[int | None, Document | None]:
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
        """What the section index gives, or the documents where they give the same; CacheInvalid where they may not."""
        invalid: CacheInvalid | None = None
        if (sections := self._section_index()) is not None:
            try:
                return ask(sections)
            except IndexUnusable:
                pass
            except CacheInvalid as error:
                invalid = error
        from holdfast.caches.on_disk.counted_by import tokenizer_of_documents

        try:
            tokenizer = tokenizer_of_documents(self.directory)
        except CacheInvalid as error:
            raise invalid or error from None
        return from_documents(tokenizer)  # the documents are read instead, and say what is wrong

    def _section_index(self) -> SectionIndex | None:
        if self._sections is None and self._compiled is not None:
            from holdfast.caches.on_disk.section_index_reader import SectionIndex

            try:
                self._sections = SectionIndex(self.directory, self._compiled)
            except IndexUnusable:
                pass  # damaged, or of another ranking: the documents answer, where they may
        return self._sections


def checked_manifest(directory: CacheDirectory) -> Manifest:
    """The manifest, found to hold together and to agree with the index; CacheInvalid otherwise."""
    manifest = read_manifest(directory)
    check_listings(directory, manifest)
    return manifest


def read_manifest(directory: CacheDirectory) -> Manifest:
    return parse_manifest(directory.read(MANIFEST, limit=MAX_MANIFEST_BYTES))


def check_listings(directory: CacheDirectory, manifest: Manifest) -> None:
    problems = check_manifest(manifest)
    if not problems:
        problems = check_index(directory.read(INDEX, limit=MAX_MANIFEST_BYTES), manifest)
    if problems:
        raise CacheInvalid(problems[0])


def open_cache(path: str | os.PathLike[str]) -> Cache:
    """A usable cache; CacheMissing, CacheInvalid or IoError when there is none."""
    place = os.fspath(path)
    if not os.path.isabs(place):
        try:
            # Whether it was replaced is asked later, and the path must mean then what it means now.
            place = os.path.join(os.getcwd(), place)
        except OSError:
            pass  # the working directory is gone: nothing is found
    return Cache(CacheDirectory(place))


def with_cache(path: str, use: Callable[[Cache], Result]) -> Result:
    """The result of `use` on one complete cache, begun again when the cache was replaced underneath."""
    return look_into(path, lambda directory: use(Cache(directory)), lambda _: True)


class TakenCache(NamedTuple):
    """A cache that one caller uses, and its identity if it may be kept afterwards."""

    path: str
    cache: Cache
    identity: Identities | None

    def give_up(self) -> bool:
        """Close the cache; whether it is still what stands at its path."""
        current = self.cache.directory.is_current()
        self.cache.close()
        return current


class OpenCaches:
    """Caches that no call uses right now. A call takes one out and puts it back, so that no two share one."""

    def __init__(self, clock_ns: Callable[[], int] = time_ns) -> None:
        self._clock_ns = clock_ns
        self._lock = allocate_lock()
        self.joining = allocate_lock()  # held by who takes many at once: else calls together would take too many
        self._idle: list[tuple[str, Cache, Identities]] = []  # least recently used first
        self._counts = {"hits": 0, "misses": 0, "uncached": 0}
        self.stale = 0  # kept caches that were replaced or changed, and so not used

    def use(self, path: str, ask: Callable[[Cache, *Asked], Result], *asked: *Asked) -> Result:
        """What a method of `Cache` gives, asked of the complete cache that stands at the path now.

        It is begun again when the cache was replaced underneath, as in `with_cache`.
        """
        while True:
            taken = self.take(path)
            try:
                result = ask(taken.cache, *asked)
            except (CacheInvalid, IoError):
                if taken.give_up():
                    raise
            except BaseException:
                taken.give_up()
                raise
            else:
                self.put_back(taken)
                return result

    def take(self, path: str) -> TakenCache:
        """The complete cache that stands at the path now, for one caller, who puts it back or gives it up."""
        kept = self._take(path)
        cache, identity = kept or self._open(path)
        self._count("hits" if kept else "misses" if identity else "uncached")
        return TakenCache(path, cache, identity)

    def telemetry(self) -> dict[str, dict[str, int]]:
        """How often a call found its cache open (a hit), opened it, or opened one that may not be kept (`uncached`)."""
        with self._lock:
            return {"cache": dict(self._counts)} if any(self._counts.values()) else {}

    def close(self) -> None:
        """Let go of everything that is kept."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, cache, _ in idle:
            cache.close()

    def _take(self, path: str) -> tuple[Cache, Identities | None] | None:
        """A kept cache that is still, in every file that counts, what stands at the path."""
        while True:
            with self._lock:
                at = next((at for at, kept in enumerate(self._idle) if kept[0] == path), None)
                if at is None:
                    return None
                _, cache, identity = self._idle.pop(at)
            if cache.directory.is_unchanged(_WATCHED, identity):
                return cache, identity
            with self._lock:
                self.stale += 1
            cache.close()

    def _open(self, path: str) -> tuple[Cache, Identities | None]:
        """The cache at the path, and its identity if it may be kept: every later change must show in that."""
        while True:
            started = self._clock_ns()
            directory = CacheDirectory(path)
            identity = directory.identity(_WATCHED)  # before anything is read: a later change is then seen as one
            try:
                cache = Cache(directory)
            except (CacheInvalid, IoError):
                current = directory.is_current()
                directory.close()
                if current:
                    raise
            except BaseException:
                directory.close()
                raise
            else:
                may_be_kept = identity is not None and cache.is_compiled and are_settled(identity, started)
                return cache, identity if may_be_kept else None

    def put_back(self, taken: TakenCache) -> None:
        """Keep a cache for the next call, if it may be kept; what was used least is let go of for it."""
        path, cache, identity = taken
        if identity is None or not cache.is_compiled:
            cache.close()
            return
        dropped: list[Cache] = []
        with self._lock:
            self._idle.append((path, cache, identity))
            while len(self._idle) > MOST and (at := self._to_be_dropped()) is not None:
                dropped.append(self._idle.pop(at)[1])
        for old in dropped:
            old.close()

    def _to_be_dropped(self) -> int | None:
        """Which one to let go of where there are many: the first of which another is kept, else the first of all."""
        paths = [path for path, _, _ in self._idle]
        again = next((at for at, path in enumerate(paths) if path in paths[at + 1 :]), None)
        return again if again is not None else 0 if len(paths) > MOST_DISTINCT else None

    def _count(self, outcome: str) -> None:
        with self._lock:
            self._counts[outcome] += 1
