"""The files of a project that hold a name, looked at when they are asked about: no index can be behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from holdfast.code.analysis.facts import MAX_ANALYSED
from holdfast.code.languages import language_of
from holdfast.code.on_disk.source_workers import worked
from holdfast.code.test_files import is_test
from holdfast.contexts.on_disk.disk_failure import read_beneath
from holdfast.contexts.on_disk.project import Found, Project
from holdfast.contexts.symbol_lookup import Look, Looked, look
from holdfast.core.confined_paths import printable

Asked = tuple[str, str, str, tuple[str, ...]]  # the project's root, a place, a file's name, the names asked for


def look_up(project: Project, found: Iterable[Found], parts: Sequence[str]) -> list[Looked]:
    """What every file says that holds the last of some names as a word, by path."""
    word = parts[-1].encode("utf-8", "replace")
    items: list[Asked] = [
        (project.root, item.place, name, tuple(parts))
        for item in found
        if item.view is not None
        for name in _holding(project, item, word)
    ]
    looked = [
        Looked(printable(f"{place}/{name}" if place else name), is_test(place, name), one)
        for number, one in worked(items, look_at_file, len(items) * (16 << 10))
        if one is not None and (one.definitions or one.uses)
        for _, place, name, _ in [items[number]]
    ]
    return sorted(looked)


def _holding(project: Project, item: Found, word: bytes) -> Iterator[str]:
    for name in item.view.sources if item.view is not None else ():
        if language_of(name) and word in (read_beneath(project.root, item.place, name, MAX_ANALYSED) or b""):
            yield name


def look_at_file(asked: Asked) -> Look:
    """What a file says of a name."""
    root, place, name, parts = asked
    return look(name, read_beneath(root, place, name, MAX_ANALYSED) or b"", parts)
