"""Pages of a few words that are edited some times over, and the caches made of them."""

from __future__ import annotations

import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.caches.build.build import build_documents
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.build.source_item import SourceItem
from holdfast.caches.readers import reader_table
from holdfast.caches.segments import edit
from holdfast.caches.segments.edit import edit_segment
from support.plain_reader import READER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = "2026-01-02T03:04:05Z"


@contextmanager
def plain_readers() -> Iterator[None]:
    """Pages are read as they stand."""
    known, reader_table.READERS = reader_table.READERS, (READER,)
    try:
        yield
    finally:
        reader_table.READERS = known


def write(home: Path, texts: dict[str, str]) -> None:
    """Write the pages, and a file that some include."""
    for name, text in {**texts, "part.txt": "alpha included"}.items():
        file = home / (name if name == "part.txt" else f"{name}.plain")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def build(home: Path, texts: dict[str, str], cache: str, previous: str | None, unchanged: set[str]) -> bool:
    """Build a cache of the pages; whether a segment of it was made by an edit of an old one."""
    root, edits = str(home), list[bytes | None]()

    def counted(*asked: Any) -> bytes | None:
        made = edit_segment(*asked)
        edits.append(made)
        return made

    items = [SourceItem(f"{name}.plain", f"{root}/{name}.plain", READER.name, root, root) for name in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edit, "edit_segment", counted)
        build_documents(
            items,
            home / cache,
            BuildOrder(NOW, force=True, workers=1),
            previous and str(home / previous),
            {f"{name}.plain" for name in unchanged},
        )
    return any(made is not None for made in edits)


def edited(texts: dict[str, str], edits: list[tuple[str, str, str]]) -> dict[str, str]:
    """The pages after some edits: what is done, to which page, and with which text; one is left at least."""
    made = dict(texts)
    for kind, name, text in edits:
        if kind == "remove":
            made.pop(name, None)
        elif kind == "write":
            made[name] = text
        elif kind == "move":
            made[text] = made.pop(name, "")
        elif name in made:
            made[name] = f"{made[name]} {text}" if kind == "append" else made[name].replace("alpha", text, 1)
    return made or {"alpha": ""}


def contents(cache: Path) -> dict[str, tuple[int, bytes]]:
    """Everything in a cache: kind, permissions and bytes of each file and folder."""
    found = {}
    for path in sorted(cache.rglob("*")):
        mode = path.lstat().st_mode
        found[str(path.relative_to(cache))] = mode, path.read_bytes() if stat.S_ISREG(mode) else b""
    return found
