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

_HOMES = {
    "build_cache": "api",
    "inspect_cache": "api",
    "list_caches": "api",
    "open_cache": "api",
    "resolve": "api",
    "search": "api",
    "verify_cache": "api",
    "Document": "caches.cache_format",
    "CacheReport": "caches.on_disk.verification",
    "Problem": "caches.on_disk.verification",
    "Cache": "caches.on_disk.open_caches",
    "CacheSummary": "caches.on_disk.cache_listing",
    "ListedCache": "caches.on_disk.cache_listing",
    "BuildReport": "caches.build.build",
    "SearchResult": "caches.search.search_result",
    "SectionHit": "caches.search.search_result",
    "Hit": "caches.selection",
    "Selection": "caches.selection",
    "BuildFailed": "core.errors",
    "CacheInvalid": "core.errors",
    "CacheMissing": "core.errors",
    "ContextError": "core.errors",
    "InternalError": "core.errors",
    "InvalidBudget": "core.errors",
    "InvalidLimit": "core.errors",
    "InvalidQuery": "core.errors",
    "InvalidReceipt": "core.errors",
    "IoError": "core.errors",
    "UsageError": "core.errors",
    "__version__": "version",
}

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
