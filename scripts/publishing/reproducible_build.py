"""The files of a release, built twice in folders, moods and times that differ, and refused unless they are the same."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .desktop_bundle import write_bundle
from .project_facts import read_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Populate = Callable[[Path], None]

# What must not show in a release: the zone and language of a machine, who may read its files, how names are hashed.
MOODS = (
    {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"},
    {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "2"},
)
UMASKS = (0o022, 0o077)


class NotReproducible(Exception):
    """Two builds of the same sources gave different files."""


def build_twice(work: Path, populate: Populate, *, epoch: int) -> list[Path]:
    """Wheel, sdist and bundle of what `populate` puts into a folder; NotReproducible if two builds differ.

    The wheel is built a third time, from the sdist, as a distribution does.
    """
    outcomes = []
    for name, mood, rights in zip(("first", "in another place"), MOODS, UMASKS, strict=True):
        source = work / name / "holdfast"
        source.parent.mkdir(parents=True)
        umask = os.umask(rights)
        try:
            populate(source)
            outcomes.append(build_once(source, work / name / "built", mood, epoch=epoch))
        finally:
            os.umask(umask)
    first, second = outcomes
    differing = [path.name for path in first if sha256(path) != sha256(second[0].parent / path.name)]
    if differing or len(first) != len(second):
        raise NotReproducible(f"two builds differ: {', '.join(differing) or 'one has more files'}")
    wheel, sdist, _ = first
    if sha256(wheel) != sha256(_from_sdist(sdist, work / "from the sdist", epoch=epoch)):
        raise NotReproducible("the wheel built from the sdist is another")
    return first


def build_once(source: Path, target: Path, mood: Mapping[str, str], *, epoch: int) -> list[Path]:
    """Wheel, sdist and bundle of the sources in a folder."""
    target.mkdir()
    _hatchling(source, target, mood, epoch)
    (wheel,) = target.glob("*.whl")
    (sdist,) = target.glob("*.tar.gz")
    facts = read_facts(source)
    bundle = target / f"holdfast-{facts.version}.mcpb"
    write_bundle(bundle, facts, wheel, (source / "LICENSE").read_bytes(), epoch=epoch)
    return [wheel, sdist, bundle]


def sha256(path: Path) -> str:
    """The digest of a file, as SHA256SUMS has it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _from_sdist(sdist: Path, work: Path, *, epoch: int) -> Path:
    work.mkdir()
    subprocess.run(["tar", "-xzf", sdist, "-C", work], check=True)
    (source,) = work.iterdir()
    _hatchling(source, work, MOODS[0], epoch, "-t", "wheel")
    (wheel,) = work.glob("*.whl")
    return wheel


def _hatchling(source: Path, target: Path, mood: Mapping[str, str], epoch: int, *options: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(target.absolute()), *options],
        cwd=source,
        env={**os.environ, **mood, "SOURCE_DATE_EPOCH": str(epoch)},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RuntimeError(f"hatchling could not build: {done.stderr}")
