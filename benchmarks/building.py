"""Builds of the seeded corpora, with an index and with none. Used by benchmarks/resolve.py and benchmarks/search.py.

    python -m benchmarks.building 10000 --work /some/folder

Alone it reports the processor time of builds against a build that only writes the v0 files: of all processes, user and
system, in turns.

Builds that are compared take turns, and the median counts. Each goes to a folder of its own, and none is removed before
all are measured: for minutes after many files were removed, ext4 makes new ones ten times more slowly.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from holdfast.caches.cache_format import Entry, encode_document, file_name_of, make_document, make_manifest
from holdfast.caches.listing_text import encode_index, encode_manifest
from holdfast.core.atomic_write import StagedDirectory, write_new
from holdfast.core.worker_pool import core_count

if TYPE_CHECKING:
    from collections.abc import Iterable

CREATED_AT = "2026-01-02T03:04:05Z"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
PLAIN = "import sys; sys.path[:] = {path!r}; from benchmarks.building import build_plain; build_plain(*sys.argv[1:])"
# Tells the most memory it and any worker ever held, in KiB.
INDEXED = """
import resource, sys
from holdfast.caches.build.build import build_cache
from holdfast.caches.build.build_order import BuildOrder
sources, cache, tokenizer = sys.argv[1:]
build_cache(sources, cache, BuildOrder({created_at!r}, tokenizer=tokenizer))
print(*[resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)])
"""
# name -> tokenizer
WAYS = {"bytes": "bytes/4", "estimate": "estimate-1", "o200k": "o200k_base"}


def build_plain(sources: str, cache: str) -> None:
    """Read, hash and write the documents, the manifest and `index.json`, all or nothing, without an index."""
    entries = []
    taken: set[str] = set()
    files = sorted(path.relative_to(sources).as_posix() for path in Path(sources).rglob("*.md"))
    with StagedDirectory(cache) as staged:
        os.mkdir(os.path.join(staged.path, "documents"))
        for source in files:
            document = make_document(source, Path(sources, source).read_bytes())
            file = f"documents/{file_name_of(document.id, document.version, taken)}"
            write_new(os.path.join(staged.path, file), encode_document(document))
            entries.append(Entry(document.id, document.version, file))
        write_new(os.path.join(staged.path, "manifest.json"), encode_manifest(make_manifest(entries, CREATED_AT)))
        write_new(os.path.join(staged.path, "index.json"), encode_index(sorted(entries)))
        staged.publish(replace=True)


def processor_seconds(command: list[str], cwd: Path) -> float:
    """What a command and all its processes took of the processor."""
    before = os.times()
    subprocess.run(command, cwd=cwd, env=ENVIRONMENT, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def plain_command(sources: Path, cache: Path) -> list[str]:
    """A build that only writes the v0 files."""
    script = PLAIN.format(path=[str(Path(__file__).parents[1]), *sys.path])
    return [sys.executable, "-c", script, str(sources), str(cache)]


def indexed_command(sources: Path, cache: Path, way: str) -> list[str]:
    """A build with an index."""
    return [sys.executable, "-c", INDEXED.format(created_at=CREATED_AT), str(sources), str(cache), WAYS[way]]


def builds(sources: Path, caches: Path, ways: Iterable[str], rounds: int) -> dict[str, float]:
    """Seconds that builds take, megabytes that all processes of one held, and the index's size against the sources.

    The caches are made below `caches`, that of the first round named after the way it was built.
    """
    took: dict[str, list[float]] = {"plain": [], **{way: [] for way in ways}}
    figures: dict[str, float] = {}
    source_bytes = sum(path.stat().st_size for path in sources.rglob("*.md"))
    for number in range(rounds):
        for way, seconds in took.items():
            cache = caches / (f"{way}-{number}" if number else way)
            command = plain_command(sources, cache) if way == "plain" else indexed_command(sources, cache, way)
            started = time.perf_counter()
            output = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=ENVIRONMENT).stdout
            seconds.append(time.perf_counter() - started)
            if output:
                own, worker = map(int, output.split())
                figures[f"build_{way}_peak_mb"] = (own + core_count() * worker) / 1024
                size = sum(path.stat().st_size for path in (cache / "index").iterdir())
                figures[f"index_{way}_size"] = size / source_bytes
    return {**figures, **{f"build_{way}_s": median(each) for way, each in took.items()}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--work", type=Path, required=True, help="folder for sources and caches")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    from benchmarks.corpus import write_corpus

    sources = options.work / "sources"
    write_corpus(options.count, sources)
    took: dict[str, list[float]] = {"only the v0 files": [], "with the index": []}
    for number in range(options.rounds):
        for name, seconds in took.items():
            cache = options.work / f"{name.replace(' ', '-')}-{number}"
            plain = name == "only the v0 files"
            command = plain_command(sources, cache) if plain else indexed_command(sources, cache, "estimate")
            seconds.append(processor_seconds(command, options.work))
    plain_times = took["only the v0 files"]
    print(f"{options.count:,} documents, processor time: median, least, and against the v0 files")
    for name, seconds in took.items():
        ratios = median(seconds) / median(plain_times), min(seconds) / min(plain_times)
        print(f"{name:<20} {median(seconds):8.2f} {min(seconds):8.2f} {ratios[0]:8.2f} {ratios[1]:8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
