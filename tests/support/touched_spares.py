"""What may become of the spare of a cache between two edits; each gets it, and a folder that must not change."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def leave(spare: Path, outside: Path) -> None:
    pass


def remove(spare: Path, outside: Path) -> None:
    shutil.rmtree(spare)


def remove_half(spare: Path, outside: Path) -> None:
    for file in sorted(spare.iterdir())[::2]:
        file.unlink()


def add_strangers(spare: Path, outside: Path) -> None:
    (spare / "notes.txt").write_bytes(b"notes")
    (spare / "folder").mkdir()
    (spare / "folder" / "file").write_bytes(b"file")
    (spare / "folder" / "link").symlink_to(outside)
    (spare / "link").symlink_to(outside)


def alter_files(spare: Path, outside: Path) -> None:
    """The same names, files of other bytes: the cache's own are not touched."""
    for file in list(spare.iterdir()):
        file.unlink()
        file.write_bytes(b"altered")


def rotate_names(spare: Path, outside: Path) -> None:
    """Every name leads to the file of the next."""
    names = sorted(os.listdir(spare))
    for name in names:
        os.rename(spare / name, spare / f"{name}.aside")
    for name, other in zip(names, [*names[1:], *names[:1]], strict=True):
        os.rename(spare / f"{name}.aside", spare / other)


def link_names(spare: Path, outside: Path) -> None:
    for file in list(spare.iterdir()):
        file.unlink()
        file.symlink_to(outside / "file")


def put_folders(spare: Path, outside: Path) -> None:
    for file in list(spare.iterdir()):
        file.unlink()
        file.mkdir()
        (file / "file").write_bytes(b"file")


def be_a_link(spare: Path, outside: Path) -> None:
    shutil.rmtree(spare)
    spare.symlink_to(outside)


def be_a_file(spare: Path, outside: Path) -> None:
    shutil.rmtree(spare)
    spare.write_bytes(b"file")


def close(spare: Path, outside: Path) -> None:
    spare.chmod(0o500)


def be_copied(spare: Path, outside: Path) -> None:
    """As after a copy of the project that knows no hard links."""
    shutil.copytree(spare, spare.with_name("copy"))
    shutil.rmtree(spare)
    os.rename(spare.with_name("copy"), spare)


def lose_cache_files(spare: Path, outside: Path) -> None:
    """The cache was copied instead: nothing of the spare is its own."""
    cache = spare.with_name("cache")
    shutil.copytree(cache, spare.with_name("copy"))
    shutil.rmtree(cache)
    os.rename(spare.with_name("copy"), cache)


def be_old(spare: Path, outside: Path) -> None:
    """The spare of an earlier cache, kept by somebody with all its links."""
    if (kept := outside.with_name("kept")).exists():
        shutil.rmtree(spare)
        shutil.copytree(kept, spare, copy_function=os.link)
    else:
        shutil.copytree(spare, kept, copy_function=os.link)


HOSTILITIES: tuple[Callable[[Path, Path], None], ...] = (
    *(leave, remove, remove_half, add_strangers, alter_files, rotate_names, link_names, put_folders),
    *(be_a_link, be_a_file, close, be_copied, lose_cache_files, be_old),
)
