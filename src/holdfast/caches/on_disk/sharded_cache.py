"""A cache in shards, open: asked as the one cache that it was cut from, as far as its parts are here."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from holdfast.caches.cache_format import FORMAT_VERSION, HASH_ALGORITHM, Manifest, cache_version, document_id
from holdfast.caches.index_format import IndexUnusable
from holdfast.caches.on_disk.cache_directory import SHARDS
from holdfast.caches.on_disk.cache_listing import cache_name
from holdfast.caches.on_disk.counted_by import tokenizer_of_documents
from holdfast.caches.on_disk.index_reader import doubting
from holdfast.caches.on_disk.open_caches import WATCHED, Cache
from holdfast.caches.on_disk.searched_index import SearchedIndex
from holdfast.caches.on_disk.sharded_resolve import resolve_parts
from holdfast.caches.search.asked_caches import without_prefix
from holdfast.caches.search.document_search import DocumentSource
from holdfast.caches.search.search_request import LeftOut
from holdfast.caches.search.sharded_search import ShardedSource
from holdfast.caches.selection import select
from holdfast.caches.shard_list import MAX_LIST_BYTES, parse_shards
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheInvalid, CacheMissing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.on_disk.cache_directory import CacheDirectory
    from holdfast.caches.search.document_search import DocumentSource
    from holdfast.caches.search.passage import Place
    from holdfast.caches.selection import Selection
    from holdfast.caches.shapes import ReadAnswer, StaleAnswer
    from holdfast.caches.shard_list import ShardList

# What an answer says of a part that is not in the cache root of who answers.
NOT_HERE = "not here"


def read_shards(directory: CacheDirectory) -> ShardList:
    """What `shards.json` says; CacheInvalid where it is none."""
    return parse_shards(directory.read(SHARDS, limit=MAX_LIST_BYTES))


def watched_parts(directory: CacheDirectory) -> tuple[str, ...]:
    """The files whose identity says that a cache in shards is what it was: of all parts that are here.

    The directory itself is one of them: a part that is put there is asked at the next call.
    """
    try:
        names = [part.name for part in read_shards(directory).parts]
    except CacheInvalid:
        return (SHARDS,)
    return (".", SHARDS, *[f"{name}/{file}" for name in names if directory.has(name) for file in WATCHED])


class ShardedIndex(SearchedIndex, ShardedSource):
    """The section indexes of the parts that are here."""

    @doubting
    def tokens_of(self, place: int) -> Sequence[int]:
        """The tokens of each section of the document at a place in id order."""
        return [self.tokens_at(number) for number in range(*self.extent(place))]


class ShardedCache(Cache):
    """The parts of a cache that are here, each found usable and the one that the list names.

    What needs all documents raises CacheMissing where a part is not here; a search says in its answer which it lacks.
    """

    def __init__(self, directory: CacheDirectory) -> None:
        self.directory = directory
        self._listed = read_shards(directory)
        self.parts: dict[str, Cache] = {}
        self._whole_manifest: Manifest | None = None
        self._joined: ShardedIndex | None = None
        self._by_id = None
        missing = []
        for part in self._listed.parts:
            try:
                held = directory.part(part.name)
            except FileNotFoundError:
                missing.append(LeftOut(f"{self._name()}/{part.name}", NOT_HERE))
                continue
            opened = self.parts[part.name] = Cache(held)
            opened.whole_version = self._listed.cache_version
            if opened.document_count != part.document_count or opened.version != part.cache_version:
                raise CacheInvalid(f"'{part.name}' is of another version than {SHARDS} says: run 'context sync'")
        self.left_out = tuple(missing)
        if not self.parts:
            raise CacheMissing(f"no part of '{self._name()}' is here: 'context sync' builds it")
        self.watched, self.weight = watched_parts(directory), len(self.parts)

    def _name(self) -> str:
        return cache_name(self.directory.path)

    @property
    def is_compiled(self) -> bool:
        """Whether every part has its index."""
        return all(part.is_compiled for part in self.parts.values())

    @property
    def version(self) -> str:
        """The version of the whole."""
        return self._listed.cache_version

    @property
    def manifest(self) -> Manifest:
        """What the manifest of one cache with all documents would say; the files are those of the parts."""
        if self._whole_manifest is None:
            self._all_here()
            entries = [
                entry._replace(file=f"{name}/{entry.file}")
                for name, part in self.parts.items()
                for entry in part.manifest.entries
            ]
            listed, created_at = self._listed, max([part.manifest.created_at for part in self.parts.values()])
            if cache_version(entries, listed.origins) != listed.cache_version:
                raise CacheInvalid(f"the parts are not those of {SHARDS}: run 'context sync'")
            self._whole_manifest = Manifest(
                *(listed.cache_version, FORMAT_VERSION, HASH_ALGORITHM, created_at, len(entries), entries),
                listed.origins,
            )
        return self._whole_manifest

    def close(self) -> None:
        """Let go of all parts; reading afterwards is an error."""
        for part in self.parts.values():
            part.close()
        self.directory.close()

    @property
    def document_count(self) -> int:
        """How many documents the whole has."""
        return self._listed.document_count

    def resolve(self, query: str, budget: int) -> Selection:
        """The documents that answer a query within a token budget, of all parts as of one cache."""
        self._all_here()
        try:
            return resolve_parts(list(self.parts.values()), query, budget)
        except (IndexUnusable, CacheInvalid):
            return select(query, budget, self.documents())  # the documents say what is wrong

    def read(self, place: Place, budget: int, name: str, prefix: str = "") -> ReadAnswer | StaleAnswer:
        """Lines of one document, of the part that has it; CacheMissing where that is not here."""
        firsts = [part.first for part in self._listed.parts]
        spelled = [text for text in (place.id, without_prefix(place.id, name)) if text is not None]
        places = [bisect_right(firsts, each) - 1 for text in spelled for each in (text, document_id(text))]
        names = list(dict.fromkeys([self._listed.parts[max(at, 0)].name for at in places]))
        value: ReadAnswer | StaleAnswer | None = None
        for part in [self.parts[each] for each in names if each in self.parts]:
            value = part.read(place, budget, name, prefix)
            if "error" not in value or value["state"] != "no such document":
                return value
        absent = next((each for each in names if each not in self.parts), "")
        if absent or value is None:
            raise self._not_here(absent)
        return value

    def _documents_here(self) -> Iterator[Document]:
        for part in self.parts.values():
            yield from part.documents()

    def _document_source(self, tokenizer: str) -> DocumentSource:
        return DocumentSource(list(self._documents_here()), self._listed.cache_version, tokenizer)

    def _counted_by(self) -> str:
        """What the documents are counted by where they stand for the indexes."""
        found = {tokenizer_of_documents(part.directory) for part in self.parts.values()}
        if len(found) != 1:
            raise CacheInvalid("the tokens of its parts are counted in different ways: run 'context sync'")
        return found.pop()

    def section_index(self) -> ShardedIndex | None:
        """The section indexes of the parts that are here as one; None where one of them cannot be used."""
        if self._joined is None:
            found = {name: part.section_index() for name, part in self.parts.items()}
            held = {name: index for name, index in found.items() if index is not None}
            if len(held) == len(found) and len({index.tokenizer for index in held.values()}) == 1:
                self._joined = ShardedIndex(self._listed.cache_version, held)
        return self._joined

    def _all_here(self) -> None:
        if self.left_out:
            raise self._not_here(self.left_out[0].name.rpartition("/")[2])

    def _not_here(self, part: str) -> CacheMissing:
        whole = printable(self._name())
        return CacheMissing(f"'{part}' of '{whole}' is not here: ask who holds it, or build it by 'context sync'")
