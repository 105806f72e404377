"""The functions of the public Python API: the operations, for callers that already hold Python values."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.caches.on_disk.cache_listing import inspect_cache, list_caches
from holdfast.caches.on_disk.open_caches import Cache, open_cache, with_cache
from holdfast.caches.operations import BUDGET, LIMIT, QUERY, SEARCH_QUERY
from holdfast.operation import expectation, fits
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.caches.build.build import BuildReport
    from holdfast.caches.on_disk.verification import CacheReport
    from holdfast.caches.search.search_result import SearchResult
    from holdfast.caches.selection import Selection
    from holdfast.operation import Parameter

__all__ = ["build_cache", "inspect_cache", "list_caches", "open_cache", "resolve", "search", "verify_cache"]


def build_cache(
    sources: str | os.PathLike[str],
    cache: str | os.PathLike[str],
    *,
    force: bool = False,
    created_at: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    tokenizer: str | None = None,
) -> BuildReport:
    """Compile the Markdown below `sources` into a cache at `cache`, all or nothing.

    With `force` an existing cache is replaced in one step. `created_at` (RFC 3339, UTC) fixes the one field of a cache
    that is not a function of its sources. `progress` is called with documents done and documents in all.
    `tokenizer` says how the tokens of sections are counted: `estimate-1` (the default, the same everywhere),
    `o200k_base` (with the extra `tokens`), or `bytes/4`.
    """
    from holdfast.caches.build.build import build_cache
    from holdfast.caches.build.build_order import READING, BuildOrder

    def show(phase: str, done: int, total: int) -> None:
        if progress is not None and phase == READING:
            progress(done, total)

    created_at = Workspace().timestamp() if created_at is None else created_at
    return build_cache(sources, cache, BuildOrder(created_at, force, tokenizer, progress=show))


def resolve(cache: str | os.PathLike[str] | Cache, query: str, budget: int) -> Selection:
    """The documents of a cache that answer a query within a token budget, ordered and explained.

    Given a path, the answer comes from one complete cache even while it is being rebuilt.
    """
    _require((QUERY, query), (BUDGET, budget))
    if isinstance(cache, Cache):
        return cache.resolve(query, budget)
    return with_cache(os.fspath(cache), lambda opened: opened.resolve(query, budget))


def search(
    cache: str | os.PathLike[str] | Cache, query: str, budget: int | None = None, limit: int | None = None
) -> SearchResult:
    """The sections of a cache that answer a query, ordered and cited, then pointers to the next ones.

    Without a budget the answer stops where relevance falls off, at 2,000 tokens at most; with one, it is filled.
    """
    _require((SEARCH_QUERY, query), (BUDGET, 1 if budget is None else budget), (LIMIT, 0 if limit is None else limit))
    if isinstance(cache, Cache):
        return cache.search(query, budget, limit)
    return with_cache(os.fspath(cache), lambda opened: opened.search(query, budget, limit))


def _require(*arguments: tuple[Parameter, object]) -> None:
    """Raise the error of the first argument that is not what its parameter takes."""
    for parameter, value in arguments:
        if not fits(parameter, value):
            raise parameter.error(f"{parameter.name} must be {expectation(parameter)}")


def verify_cache(cache: str | os.PathLike[str]) -> CacheReport:
    """Every check of the format, every byte read, every problem named."""
    from holdfast.caches.on_disk.verification import verify_cache

    return verify_cache(cache)
