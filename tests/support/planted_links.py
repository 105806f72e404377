"""A project as a clone brings it, with a symbolic link at a name that a command writes to, and what must not change."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from holdfast.cli import main
from holdfast.core.staging import is_staging_name
from support.touched_names import touched_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pytest

# What the link leads to: what the command would leave at the name, any file, any folder, and nothing at all.
WAYS = ("alike", "file", "folder", "nothing")


class LinkTrial:
    """One command in copies of a project. `names` are what it creates, writes or removes below it."""

    def __init__(
        self, base: Path, words: Sequence[str], environment: Mapping[str, str], patch: pytest.MonkeyPatch
    ) -> None:
        self._base, self._words, self._environment, self._patch = base, words, environment, patch
        self._outside = base.with_name("outside")
        self.copy = base.with_name("copy")
        self._done = base.with_name("done")
        with touched_names(self._fresh()) as touched:
            self.exit_code = self._run()
        self.names = _without_repeats(sorted(touched))
        os.rename(self.copy, self._done)

    def _fresh(self) -> Path:
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self._base, self.copy, symlinks=True)
        return self.copy

    def _run(self) -> int:
        number = 0

        def counted(size: int) -> bytes:
            nonlocal number
            number += 1
            return number.to_bytes(size, "big")

        # Names drawn at random can be guessed here, which gives an attacker more than there is.
        with self._patch.context() as patch:
            patch.setattr(os, "urandom", counted)
            patch.setattr(os, "fsync", lambda _: None)
            patch.chdir(self.copy)
            return main(self._words, self._environment, progress=False)

    def changes(self) -> Iterator[str]:
        """Plant one link after the other and run the command; every change outside the project, in words.

        The ways take turns, one for each name: all of them for each take four times as long.
        """
        for turn, name in enumerate(self.names):
            way = WAYS[turn % len(WAYS)]
            if not self._plant(name, way):
                continue
            before = _held(self._outside)
            code = self._run()
            if (after := _held(self._outside)) != before:
                changed = [place for place in {*before, *after} if before.get(place) != after.get(place)]
                yield f"{name} -> {way}: {sorted(changed)}"
            if code == 7:
                yield f"{name} -> {way}: an internal error"

    def moved(self, name: str) -> list[str]:
        """Run the command where a folder lies outside, as it was, and a link leads there; what changed of it."""
        place = self._fresh() / name
        shutil.rmtree(self._outside, ignore_errors=True)
        if place.is_dir():
            shutil.move(place, self._outside)
        else:
            self._outside.mkdir()
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(os.path.relpath(self._outside, place.parent))
        before = _held(self._outside)
        self._run()
        after = _held(self._outside)
        return sorted([held for held in {*before, *after} if before.get(held) != after.get(held)])

    def _plant(self, name: str, way: str) -> bool:
        """Lay out a fresh copy with a link at the name; False where it has no place for one."""
        place = self._fresh() / name
        shutil.rmtree(self._outside, ignore_errors=True)
        (self._outside / "folder").mkdir(parents=True)
        (self._outside / "folder" / "precious").write_bytes(b"precious\n")
        (self._outside / "file").write_bytes(b"precious too\n")
        target = self._outside / way
        if way == "alike":
            made = next((root / name for root in (self._done, self._base) if (root / name).exists()), None)
            if made is None:
                target = self._outside / "file"  # the name is gone by the end of the command
            else:
                (shutil.copytree if made.is_dir() else shutil.copy2)(made, target)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            return False
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
        place.symlink_to(os.path.relpath(target, place.parent))
        return True


def _without_repeats(names: list[str]) -> list[str]:
    """The names that a clone can bring, which has no `.git`. Of those in a folder in the making only the first counts:
    none is written to where the folder is there."""
    kept: dict[str, str] = {}
    for name in names:
        parts = name.split("/")
        if parts[0] == ".git":
            continue
        staged = next((place for place, part in enumerate(parts[:-1]) if is_staging_name(part)), None)
        kept.setdefault(name if staged is None else "/".join([*parts[: staged + 1], "…"]), name)
    return list(kept.values())


def _held(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below a folder: its kind and mode, its time, and its bytes."""
    found = {}
    for path in [root, *root.rglob("*")]:
        status = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(root))] = (status.st_mode, status.st_mtime_ns, data)
    return found
