"""The identity of a file's state, from a `stat`, and when that can be trusted."""

from __future__ import annotations

from _operator import attrgetter  # `operator` itself is slower to load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import stat_result

Identity = tuple[int, int, int, int, int]  # mtime_ns, size, inode, ctime_ns, device

# Kernels stamp files with a clock that ticks every 1 to 16 ms; a stamp in whole seconds comes from a file system that
# keeps no more, at worst every other second.
_FINE_GRAIN = 50_000_000
_COARSE_GRAIN = 2_100_000_000
_SECOND = 1_000_000_000
# The finest stamp of the file systems that keep no ctime: FAT has two seconds, exFAT has this.
_HUNDREDTH = 10_000_000


# The identity of a file by its `stat`: equal only for one state of one file, once settled. Restoring an mtime moves
# the ctime, and a link elsewhere has another inode.
identity: Callable[[stat_result], Identity] = attrgetter("st_mtime_ns", "st_size", "st_ino", "st_ctime_ns", "st_dev")


def is_written_before(modified: int, started: int) -> bool:
    """Whether every write after `started` must give a file of that mtime another, however coarse its stamps are."""
    return modified < started - _COARSE_GRAIN


def directory_identity(status: stat_result) -> Identity:
    """Which directory it is, whatever is made or removed in it; settled at all times."""
    return -1, 0, status.st_ino, -1, status.st_dev


def is_settled(file: Identity, started: int) -> bool:
    """Whether every change after `started`, in ns since 1970, must give the file another identity.

    The identity has to be taken after `started`. Two changes within one tick of the clock that stamps files leave equal
    stamps, so the stamps have to be older than that clock's grain (docs/decisions/0010-file-contents.md). Where a file
    system shows no ctime of its own, but the mtime once more in whole hundredths of a second, a restored mtime would
    leave no trace: there no file is ever settled.
    """
    return are_settled((file,), started)


def are_settled(files: Iterable[Identity], started: int) -> bool:
    """Whether that holds for each of the files."""
    fine, coarse = started - _FINE_GRAIN, started - _COARSE_GRAIN
    for modified, _, _, changed, _ in files:
        if modified == changed and not changed % _HUNDREDTH:
            return False
        # Most files are older than either grain, so the kind of stamp is looked at last.
        if (modified >= coarse or changed >= coarse) and (max(modified, changed) >= fine or not changed % _SECOND):
            return False
    return True
