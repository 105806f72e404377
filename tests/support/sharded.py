"""The same documents as one cache and in shards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.build.build import build_documents
from holdfast.caches.build.sharded_build import build_shards
from holdfast.caches.build.source_item import SourceItem

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-01-02T03:04:05Z"
# Every page links to another, so that each part is called something by documents of others.
PAGES = {
    f"guide/p{number:02}.md": f"# Page {number}\n\nTo deploy, see [the zebra](p{(number + 5) % 12:02}.md).\n\n"
    f"## Roll back {number}\n\nroll back the cache\n"
    for number in range(12)
}


def build_both(sources: Path, one: Path, parts: Path, shards: int = 3, pages: dict[str, str] | None = None) -> None:
    """Write pages and build both caches of them."""
    for name, text in (PAGES if pages is None else pages).items():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_text(text, encoding="utf-8")
    root = str(sources)
    items = [
        SourceItem(name, f"{root}/{name}", "markdown-1", root, root) for name in (PAGES if pages is None else pages)
    ]
    build_documents(items, one, created_at=NOW, workers=1)
    build_shards(items, str(parts), shards, created_at=NOW)
