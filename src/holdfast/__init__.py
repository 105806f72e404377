"""Holdfast: the same, fresh, explainable context for coding agents, every time.

    import holdfast

    holdfast.build_cache("docs", "docs.cache")
    selection = holdfast.resolve("docs.cache", "how do I sign in?", budget=4000)
    for hit in selection.documents:
        print(hit.id, hit.score, hit.tokens)

Names are loaded when first used, so importing the package costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.api import build_cache, inspect_cache, list_caches, open_cache, resolve, search, verify_cache
    from holdfast.caches.build.build import BuildReport
    from holdfast.caches.cache_format import Document
    from holdfast.caches.on_disk.cache_listing import CacheSummary, ListedCache
    from holdfast.caches.on_disk.open_caches import Cache
    from holdfast.caches.on_disk.verification import CacheReport, Problem
    from holdfast.caches.search.search_result import SearchResult, SectionHit
    from holdfast.caches.selection import Hit, Selection
    from holdfast.core.errors import (
        BuildFailed,
        CacheInvalid,
        CacheMissing,
        ContextError,
        InternalError,
        InvalidBudget,
        InvalidLimit,
        InvalidQuery,
        InvalidReceipt,
        IoError,
        UsageError,
    )
    from holdfast.version import __version__

# Module -> the names it has.
_NAMES = {
    "api": "build_cache inspect_cache list_caches open_cache resolve search verify_cache",
    "caches.cache_format": "Document",
    "caches.on_disk.verification": "CacheReport Problem",
    "caches.on_disk.open_caches": "Cache",
    "caches.on_disk.cache_listing": "CacheSummary ListedCache",
    "caches.build.build": "BuildReport",
    "caches.search.search_result": "SearchResult SectionHit",
    "caches.selection": "Hit Selection",
    "core.errors": "BuildFailed CacheInvalid CacheMissing ContextError InternalError InvalidBudget InvalidLimit "
    "InvalidQuery InvalidReceipt IoError UsageError",
    "version": "__version__",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split(" ")}

__all__ = [
    "BuildFailed",
    "BuildReport",
    "Cache",
    "CacheInvalid",
    "CacheMissing",
    "CacheReport",
    "CacheSummary",
    "ContextError",
    "Document",
    "Hit",
    "InternalError",
    "InvalidBudget",
    "InvalidLimit",
    "InvalidQuery",
    "InvalidReceipt",
    "IoError",
    "ListedCache",
    "Problem",
    "SearchResult",
    "SectionHit",
    "Selection",
    "UsageError",
    "__version__",
    "build_cache",
    "inspect_cache",
    "list_caches",
    "open_cache",
    "resolve",
    "search",
    "verify_cache",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'holdfast' has no attribute '{name}'")
    from importlib import import_module

    value: object = getattr(import_module(f"holdfast.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
