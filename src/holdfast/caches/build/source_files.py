"""Which files below a folder are read by a build, and which are passed over."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from holdfast.caches.build.guarded_files import FILE, FOLDER, OUTSIDE, led_to
from holdfast.caches.cache_format import document_id
from holdfast.caches.readers.reader_table import READERS
from holdfast.caches.source_formats import is_document_name
from holdfast.core.confined_paths import printable
from holdfast.core.errors import BuildFailed, IoError
from holdfast.core.record import NamedTuple
from holdfast.core.worker_pool import WorkerPool, core_count

# Below this many documents a worker's start costs more than its help is worth.
_WORTH_A_WORKER = 500
# The endings of texts that a build from a folder does not read, and `context add` does.
_OTHERS = frozenset([ending.encode() for reader in READERS if not reader.recognises for ending in reader.extensions])


class SourceFiles(NamedTuple):
    """The sources in id order, by their paths below the folder, and what was skipped, with the reason.

    `other_kinds` counts, by ending, the files that only `context add` reads.
    """

    names: list[str]
    skipped: list[str]
    other_kinds: dict[str, int]


def find_sources(sources: str, pool: WorkerPool, workers: int | None, left_out: str = "") -> SourceFiles:
    """The documents below a folder; the pool grows meanwhile to `workers`, or by what is found where that is None.

    `left_out` names a folder directly below that is not looked into.
    """
    pool.grow(workers or 0)
    paths: list[bytes] = []
    found = SourceFiles([], [], {})
    for path in _documents(sources, found, os.fsencode(left_out)):
        paths.append(path)
        if workers is None and len(paths) % _WORTH_A_WORKER == 0:
            pool.grow(worth_a_worker(len(paths)))
    return SourceFiles([source for _, source in in_id_order(paths)], sorted(found.skipped), found.other_kinds)


def _documents(sources: str, found: SourceFiles, left_out: bytes) -> Iterator[bytes]:
    """The paths of all documents below the sources, relative to them, as bytes."""
    root = os.fsencode(sources)
    waiting = [b""]
    while waiting:
        directory = waiting.pop()
        try:
            with os.scandir(os.path.join(root, directory) if directory else root) as entries:
                for entry in entries:
                    relative = os.path.join(directory, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        if relative != left_out:
                            waiting.append(relative)
                    elif is_document_name(entry.name):
                        if _is_document(entry, sources, relative, found.skipped):
                            yield relative
                    elif (ending := entry.name[entry.name.rfind(b".") :]) in _OTHERS:
                        kind = ending.decode()
                        found.other_kinds[kind] = found.other_kinds.get(kind, 0) + 1
        except OSError as error:
            shown = printable(os.path.join(root, directory) if directory else root)
            raise IoError(f"sources '{shown}' cannot be read: {error.strerror}") from None


def _is_document(entry: os.DirEntry[bytes], sources: str, relative: bytes, skipped: list[str]) -> bool:
    """Whether an entry with a document's name is a file to read; a link that leads outside ends the build."""
    if entry.is_symlink():
        kind = led_to(os.fsdecode(entry.path), sources).kind
        if kind == OUTSIDE:
            raise BuildFailed(f"'{printable(relative)}' is a link that leads outside the sources")
        if kind not in (FILE, FOLDER):
            skipped.append(f"'{printable(relative)}' is a link that leads to no file")
        return kind == FILE
    if not entry.is_file(follow_symlinks=False):
        skipped.append(f"'{printable(relative)}' is not a regular file")
        return False
    return True


def _source_text(relative: bytes) -> str:
    """A path below the sources as text; BuildFailed when it is not UTF-8."""
    try:
        return relative.decode()
    except UnicodeDecodeError:
        shown = relative.decode("utf-8", "backslashreplace")
        raise BuildFailed(f"the name of '{shown}' is not UTF-8: rename it") from None


def in_id_order(paths: Iterable[bytes]) -> list[tuple[str, str]]:
    """(id, source) of every path, sorted by id; BuildFailed names both files when two share an id."""
    named = sorted([(document_id(source), source) for source in map(_source_text, paths)])
    check_distinct(named)
    return named


def check_distinct(named: Sequence[tuple[str, str]]) -> None:
    """Refuse two sources that share an id, given (id, source) in order."""
    for (earlier, first), (later, second) in pairwise(named):
        if earlier == later:
            raise BuildFailed(f"'{first}' and '{second}' have the same id '{later}': rename one of them")


def worth_a_worker(count: int) -> int:
    """How many processes `count` sources are worth."""
    return min(core_count(), count // _WORTH_A_WORKER)
