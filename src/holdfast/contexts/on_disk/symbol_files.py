"""The files of a project that hold a name, looked at when they are asked about: no index can be behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from holdfast.code.analysis.facts import MAX_ANALYSED
from holdfast.code.languages import language_of
from holdfast.code.test_files import is_test
from holdfast.contexts.on_disk.disk_failure import check_disk
from holdfast.contexts.on_disk.project import Found, Project
from holdfast.contexts.on_disk.source_facts import patient, worked
from holdfast.contexts.symbol_lookup import Look, Looked, look
from holdfast.core.confined_paths import open_beneath, printable
from holdfast.core.regular_files import close_quietly, read_regular

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
        for number, one in worked(items, look_in_worker, look_at_files, len(items) * (16 << 10))
        if one is not None and (one.definitions or one.uses)
        for _, place, name, _ in [items[number]]
    ]
    return sorted(looked)


def _holding(project: Project, item: Found, word: bytes) -> Iterator[str]:
    names = [name for name in item.view.sources if language_of(name)] if item.view is not None else []
    for name, data in _contents(project.root, item.place, names):
        if word in data:
            yield name


def _contents(root: str, place: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The contents of the files of a place that can be read and are not too large; no path leads through a link."""
    try:
        directory = open_beneath(root, place)
    except (OSError, ValueError) as error:
        check_disk(error, f"{root}/{place}")
        return
    try:
        for name in names:
            try:
                yield name, read_regular(name, dir_fd=directory, limit=MAX_ANALYSED)
            except (OSError, ValueError) as error:
                check_disk(error, f"{root}/{place}/{name}")
    finally:
        close_quietly(directory)


def look_in_worker(items: list[Asked]) -> Iterator[Look]:
    """The same in a process of its own."""
    return patient(look_at_files(items))


def look_at_files(items: list[Asked]) -> Iterator[Look]:
    """What each file says of a name."""
    for root, place, name, parts in items:
        data = next((data for _, data in _contents(root, place, [name])), b"")
        yield look(name, data, parts)
