"""The spare of a cache: a second folder of names for its document files, which the next cache takes for its own.

A cache after an edit has nearly all document files of the one before, by further names (hard links) in a folder of its
own. Making 10,000 names and removing as many costs more than the edit, so the folder of the cache that was replaced is
kept beside the new one as `.NAME.holdfast-spare`, and at the next edit it is moved into the cache in the making, where
few names of it are wrong. Two folders take turns.

Nothing that a spare holds is believed: a name counts only where it leads to the very file, by its number, that the
previous cache has for that document; every other is removed, and what is missing is linked. So it does not matter how
old a spare is, who changed it, or that removing it was cut short. Only who has moved it to a place of his own writes
in it, and it moves in one step: two writers cannot have the same.
"""

from __future__ import annotations

import os
from itertools import compress, repeat
from operator import eq, not_

from holdfast.caches.on_disk.cache_directory import DOCUMENTS
from holdfast.core.regular_files import close_quietly
from holdfast.core.staging import remove, remove_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import stat_result

    from holdfast.caches.build.old_index import OldCache
    from holdfast.caches.cache_format import Entry

# Of a name that no listing shows, as all that is being written.
_MARK = ".holdfast-spare"
# A cache of fewer documents has no spare: to link all of them takes some milliseconds.
FEWEST = 500
_NO_FILE = -1
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def spare_path(cache: str) -> str:
    """Where the spare of the cache at a path lies."""
    folder, name = os.path.split(cache)
    return os.path.join(folder, f".{name}{_MARK}")


def spare_steps(
    spare: Mapping[str, int], own: Mapping[str, int], files: Sequence[str], names: Sequence[str]
) -> tuple[set[str], list[int]]:
    """Which names of a spare are wrong, and which of those wanted, by place, it lacks.

    `spare` and `own`, the previous cache, have the numbers of their files by name. Wanted are files of the latter, each
    by the name that it is to have.
    """
    right = list(map(eq, map(spare.get, names, repeat(_NO_FILE)), map(own.get, files)))
    return spare.keys() - set(compress(names, right)), list(compress(range(len(names)), map(not_, right)))


class SpareDocuments:
    """The spare of the cache at a path, during one build; `is_worth_keeping` tells whether to keep one after it."""

    def __init__(self, cache: str) -> None:
        self._cache, self.path = cache, spare_path(cache)
        self.is_worth_keeping = False

    def fill(self, target: str, old: OldCache, kept: Sequence[tuple[Entry, str]]) -> None:
        """Make a folder of documents of an old cache, each by a name: of the spare where there is one of use."""
        missing = self._take(target, os.path.join(old.path, DOCUMENTS), kept)
        if missing is None:
            drop_spare(self._cache)
            os.mkdir(target)
            missing = kept
        # Where documents were copied a spare would take as much space as the cache.
        self.is_worth_keeping = old.link(missing, target) and len(kept) >= FEWEST

    def _take(
        self, target: str, previous: str, kept: Sequence[tuple[Entry, str]]
    ) -> Sequence[tuple[Entry, str]] | None:
        """Move the spare to where the documents are to be, and right it; what it lacks. None where it is of no use."""
        folder = own = -1
        try:
            try:
                folder = os.open(self.path, _FOLDER)
                own = os.open(previous, _FOLDER)
                if not _are_alike(os.fstat(folder), os.stat(os.path.dirname(target)), os.fstat(own)):
                    return None
                files = {f"{DOCUMENTS}/{name}": number for name, number in _numbers(own).items()}
                wrong, lacking = spare_steps(
                    *(_numbers(folder), files, [entry.file for entry, _ in kept], [name for _, name in kept])
                )
                os.rename(self.path, target)
            except OSError:
                return None
            if not os.path.samestat(os.fstat(folder), os.stat(target, follow_symlinks=False)):
                remove(target)  # another writer's, who made one meanwhile
                return None
            for name in wrong:
                try:
                    os.unlink(name, dir_fd=folder)
                except OSError:
                    remove(os.path.join(target, name))  # a folder, or the disk fails: then what comes next does too
            return [kept[place] for place in lacking]
        finally:
            close_quietly(folder)
            close_quietly(own)


def _numbers(folder: int) -> dict[str, int]:
    with os.scandir(folder) as entries:
        return {entry.name: entry.inode() for entry in entries}


def _are_alike(spare: stat_result, made: stat_result, own: stat_result) -> bool:
    """Whether a spare is as a folder made now would be, and on the file system of both caches."""
    return spare.st_dev == own.st_dev and (spare.st_dev, spare.st_mode, spare.st_uid, spare.st_gid) == (
        *(made.st_dev, made.st_mode, made.st_uid, made.st_gid),
    )


def drop_orphans(root: str) -> None:
    """Remove the spares below a cache root whose caches somebody has removed."""
    try:
        names = os.listdir(root)
    except OSError:
        return  # no cache was ever built, or who next syncs tries again
    for name in names:
        cache = os.path.join(root, name[1 : -len(_MARK)])
        if name == os.path.basename(spare_path(cache)) and not os.path.lexists(cache):
            drop_spare(cache)


def drop_spare(cache: str) -> None:
    """Remove what stands where the spare of a cache does, whatever it is; no link is followed."""
    path = spare_path(cache)
    if os.path.lexists(path):
        try:
            remove_beside(cache, path)
        except OSError:
            pass  # who next builds the cache tries again
