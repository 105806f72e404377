"""Receipts run again with the caches that they name, found by version and tokenizer below some roots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from holdfast.caches.meant_caches import MeantCaches
from holdfast.caches.on_disk.cache_listing import cache_of_version
from holdfast.caches.on_disk.joined_caches import NamedCache, ask_as_one
from holdfast.caches.on_disk.kept_caches import OpenCaches
from holdfast.caches.search.candidates import find_candidates
from holdfast.caches.search.receipts import Receipt
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_result import SearchResult, make_result
from holdfast.caches.search.search_source import SearchSource
from holdfast.caches.shapes import ConsideredSection
from holdfast.core.confined_paths import beneath
from holdfast.core.errors import CacheMissing

Result = TypeVar("Result")


class ReceiptReplay:
    """Many receipts, one after the other: each cache is looked for and opened once."""

    def __init__(
        self, roots: Sequence[str], *, only: str = "", by_name: bool = False, live: MeantCaches | None = None
    ) -> None:
        """Look below roots by version; `by_name`, for the caches of the first that have the names now; or ask one
        `only`; or the `live` ones of a project as it is now."""
        self._live = live
        self._roots, self._only, self._by_name, self.pool = roots, only, by_name, OpenCaches()
        self._paths: dict[tuple[str, str], str | CacheMissing] = {}

    def close(self) -> None:
        """Let go of the caches."""
        self.pool.close()

    def caches(self, receipt: Receipt) -> list[NamedCache]:
        """The caches of a receipt; CacheMissing where one does not stand here any more."""
        if self._live is not None:
            return self._live.caches
        if self._only:
            return [NamedCache(receipt.record["cache"], self._only)]
        if self._by_name:
            names = [each.name for each in receipt.caches] or [receipt.record["cache"]]
            return [NamedCache(name, self._named(name)) for name in names]
        if receipt.caches:
            return [NamedCache(each.name, self._path(each.cache_version, each.tokenizer)) for each in receipt.caches]
        record = receipt.record
        return [NamedCache(record["cache"], self._path(record["cache_version"], record["tokenizer"]["name"]))]

    def answered(self, receipt: Receipt) -> SearchResult:
        """The answer of now."""
        return self._asked(receipt, make_result)

    def considered(self, receipt: Receipt, most: int) -> list[ConsideredSection]:
        """What becomes now of the `most` sections that match best."""
        return self._asked(receipt, lambda source, request: find_candidates(source, request, most))

    def _asked(self, receipt: Receipt, ask: Callable[[SearchSource, SearchRequest], Result]) -> Result:
        named = self.caches(receipt)
        if receipt.caches:
            live = self._live
            code = None if live is None else live.code
            result, _ = ask_as_one(self.pool, named, receipt.request, ask, code, as_one=live is None)
            return result
        return self.pool.use(named[0].path, lambda cache: cache.ask(ask, receipt.request))

    def _named(self, name: str) -> str:
        path = beneath(self._roots[0], name) if name else None
        if path is None:
            raise CacheMissing("a receipt names no cache below the cache root")
        return path

    def _path(self, version: str, tokenizer: str) -> str:
        key = version, tokenizer
        for root in self._roots if key not in self._paths else ():
            try:
                self._paths[key] = cache_of_version(root, version, tokenizer)
                break
            except CacheMissing as error:
                self._paths.setdefault(key, CacheMissing(error.reason))
        found = self._paths[key]
        if isinstance(found, CacheMissing):
            raise CacheMissing(found.reason)
        return found
