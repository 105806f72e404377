"""Open a cache and read from it; say what a cache is, and which there are."""

from __future__ import annotations

import os
import stat

from holdfast.caches.index_format.container import IndexUnusable
from holdfast.caches.manifest import MAX_MANIFEST_BYTES, check_index, check_manifest, parse_manifest
from holdfast.caches.on_disk.compiled import CompiledIndex
from holdfast.caches.on_disk.directory import INDEX, MANIFEST, CacheDirectory, is_refusal, look_into
from holdfast.caches.selection import Selection, select
from holdfast.core.confined_paths import open_below, open_directory, printable
from holdfast.core.errors import CacheInvalid, CacheMissing, IoError
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import TypeVar

    from holdfast.caches.document import Document
    from holdfast.caches.manifest import Entry, Manifest
    from holdfast.caches.on_disk.section_index import SectionIndex
    from holdfast.caches.search.answers import Candidate, SearchResult

    Result = TypeVar("Result")


class Cache:
    """A cache that was found usable: its manifest holds together and its index agrees.

    Where a compiled index belongs to both, it stands for that check, and the manifest is parsed only when asked for.
    """

    def __init__(self, directory: CacheDirectory) -> None:
        self.directory = directory
        self._manifest: Manifest | None = None
        self._compiled: CompiledIndex | None = None
        self._sections: SectionIndex | None = None
        self._by_id: dict[str, Entry] | None = None
        try:
            self._compiled = CompiledIndex(directory)
        except IndexUnusable:
            self._manifest = _checked_manifest(directory)

    @property
    def is_compiled(self) -> bool:
        """Whether a compiled index belongs to the cache."""
        return self._compiled is not None

    @property
    def manifest(self) -> Manifest:
        """Everything the manifest says."""
        if self._manifest is None:
            self._manifest = _checked_manifest(self.directory)
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
        """One document by its id, proven by its hash; None when there is none."""
        if self._by_id is None:
            self._by_id = {entry.id: entry for entry in self.manifest.entries}
        entry = self._by_id.get(name)
        return None if entry is None else self.directory.document(entry)

    def resolve(self, query: str, budget: int) -> Selection:
        """The documents that answer a query within a token budget, ordered and explained."""
        if self._compiled is not None:
            try:
                return self._compiled.resolve(query, budget)
            except (IndexUnusable, CacheInvalid):
                self._compiled.close()
                self._compiled = None  # the documents have the last word, also about what is wrong
        return select(query, budget, self.documents())

    def search(self, query: str, budget: int, limit: int | None = None) -> SearchResult:
        """The sections that answer a query within a token budget, ordered, explained and cited."""

        def from_documents(tokenizer: str) -> SearchResult:
            from holdfast.caches.search.searching import search_documents

            return search_documents(query, budget, limit, self.documents(), self.manifest.cache_version, tokenizer)

        return self._from_sections(lambda sections: sections.search(query, budget, limit), from_documents)

    def candidates(self, query: str) -> list[Candidate]:
        """Every section that matches a query, best first, and why."""

        def from_documents(tokenizer: str) -> list[Candidate]:
            from holdfast.caches.search.searching import rank_documents

            return rank_documents(query, self.documents(), tokenizer)

        return self._from_sections(lambda sections: sections.candidates(query), from_documents)

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
        from holdfast.caches.on_disk.counted import tokenizer_of_documents

        try:
            tokenizer = tokenizer_of_documents(self.directory)
        except CacheInvalid as error:
            raise invalid or error from None
        return from_documents(tokenizer)  # the documents have the last word, also about what is wrong

    def _section_index(self) -> SectionIndex | None:
        if self._sections is None and self._compiled is not None:
            from holdfast.caches.on_disk.section_index import SectionIndex

            try:
                self._sections = SectionIndex(self.directory, self._compiled)
            except IndexUnusable:
                pass  # damaged, or of another ranking: the documents answer, where they may
        return self._sections


def _checked_manifest(directory: CacheDirectory) -> Manifest:
    """The manifest, found to hold together and to agree with the index; CacheInvalid otherwise."""
    manifest = _parsed_manifest(directory)
    _check(directory, manifest)
    return manifest


def _parsed_manifest(directory: CacheDirectory) -> Manifest:
    return parse_manifest(directory.read(MANIFEST, limit=MAX_MANIFEST_BYTES))


def _check(directory: CacheDirectory, manifest: Manifest) -> None:
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


class CacheSummary(NamedTuple):
    """What a cache says of itself, and whether its manifest and index hold together."""

    cache_version: str
    document_count: int
    total_bytes: int
    valid: bool


def inspect_cache(path: str | os.PathLike[str]) -> CacheSummary:
    """Describe a cache without reading its documents; an unreadable manifest is an answer, not an error."""
    return look_into(os.fspath(path), _inspect, lambda summary: summary.valid)


def _inspect(directory: CacheDirectory) -> CacheSummary:
    try:
        manifest = _parsed_manifest(directory)
    except CacheInvalid:
        return CacheSummary("", 0, 0, valid=False)
    total = directory.bytes_directly_inside()
    try:
        _check(directory, manifest)
    except CacheInvalid:
        return CacheSummary(manifest.cache_version, manifest.document_count, total, valid=False)
    return CacheSummary(manifest.cache_version, manifest.document_count, total, valid=True)


class ListedCache(NamedTuple):
    """A directory below the cache root; `path` can be passed on as a cache's name."""

    path: str
    has_manifest: bool


def list_caches(root: str | os.PathLike[str]) -> list[ListedCache]:
    """The directories directly below a root, sorted; links and directories still being built are left out."""
    from holdfast.core.staging import is_staging_name  # the writers' module: no other reading needs it

    shown = printable(os.fspath(root))
    found = []
    try:
        directory = open_directory(os.fspath(root))
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    name = printable(entry.name)
                    if entry.is_dir(follow_symlinks=False) and not is_staging_name(name):
                        found.append((name.encode(), entry.name, _has_manifest(directory, entry.name)))
        finally:
            os.close(directory)
    except OSError as error:
        if is_refusal(error):
            raise IoError(f"'{shown}' cannot be listed: {error.strerror}") from None
        raise CacheMissing(f"there is no directory '{shown}'") from None
    except ValueError:
        raise CacheMissing("a path cannot hold a NUL character") from None
    return [ListedCache(name.decode(), has_manifest) for name, _, has_manifest in sorted(found)]


def _has_manifest(root: int, name: str) -> bool:
    try:
        directory = open_below(root, name, listed=False)
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.stat(MANIFEST, dir_fd=directory, follow_symlinks=False).st_mode)
    except OSError:
        return False
    finally:
        os.close(directory)
