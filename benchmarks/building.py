"""Builds of the seeded corpora, with each index and with none. Used by benchmarks/resolve.py and benchmarks/search.py.

Builds that are compared take turns, and the median counts. Each goes to a folder of its own, and none is removed before
all are measured: for minutes after many files were removed, ext4 makes new ones ten times more slowly.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from holdfast.caches.cache_format import (
    Entry,
    encode_document,
    encode_index,
    encode_manifest,
    file_name,
    make_document,
    make_manifest,
)
from holdfast.core.atomic_write import StagedDirectory, write_new
from holdfast.core.worker_pool import core_count

if TYPE_CHECKING:
    from collections.abc import Iterable

CREATED_AT = "2026-01-02T03:04:05Z"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
PLAIN = "import sys; sys.path[:] = {path!r}; import building; building.build_plain(*sys.argv[1:])"
# Tells the most memory it and any worker ever held, in KiB.
INDEXED = """
import resource, sys
from holdfast.caches.build.build import build_cache
sources, cache, tokenizer, sections = sys.argv[1:]
build_cache(sources, cache, created_at={created_at!r}, tokenizer=tokenizer or None, sections=bool(sections))
print(*[resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)])
"""
# name -> tokenizer, and whether sections are indexed
WAYS = {
    "words": ("bytes/4", ""),
    "bytes": ("bytes/4", "yes"),
    "estimate": ("estimate-1", "yes"),
    "o200k": ("o200k_base", "yes"),
}


def build_plain(sources: str, cache: str) -> None:
    """Read, hash and write the documents, the manifest and `index.json`, all or nothing, without an index."""
    entries = []
    taken: set[str] = set()
    files = sorted(path.relative_to(sources).as_posix() for path in Path(sources).rglob("*.md"))
    with StagedDirectory(cache) as staged:
        os.mkdir(os.path.join(staged.path, "documents"))
        for source in files:
            document = make_document(source, Path(sources, source).read_bytes())
            file = f"documents/{file_name(document, taken)}"
            write_new(os.path.join(staged.path, file), encode_document(document))
            entries.append(Entry(document.id, document.version, file))
        write_new(os.path.join(staged.path, "manifest.json"), encode_manifest(make_manifest(entries, CREATED_AT)))
        write_new(os.path.join(staged.path, "index.json"), encode_index(entries))
        staged.publish(replace=True)


def builds(sources: Path, caches: Path, ways: Iterable[str], rounds: int) -> dict[str, float]:
    """Seconds that builds take, megabytes that all processes of one held, and the index's size against the sources.

    The caches are made below `caches`, that of the first round named after the way it was built.
    """
    script = PLAIN.format(path=[str(Path(__file__).parent), *sys.path])
    took: dict[str, list[float]] = {"plain": [], **{way: [] for way in ways}}
    figures: dict[str, float] = {}
    source_bytes = sum(path.stat().st_size for path in sources.rglob("*.md"))
    for number in range(rounds):
        for way, seconds in took.items():
            cache = caches / (f"{way}-{number}" if number else way)
            arguments = [str(sources), str(cache)]
            if way == "plain":
                command = [sys.executable, "-c", script, *arguments]
            else:
                command = [sys.executable, "-c", INDEXED.format(created_at=CREATED_AT), *arguments, *WAYS[way]]
            started = time.perf_counter()
            output = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=ENVIRONMENT).stdout
            seconds.append(time.perf_counter() - started)
            if output:
                own, worker = map(int, output.split())
                figures[f"build_{way}_peak_mb"] = (own + core_count() * worker) / 1024
                size = sum(path.stat().st_size for path in (cache / "index").iterdir())
                figures[f"index_{way}_size"] = size / source_bytes
    return {**figures, **{f"build_{way}_s": median(each) for way, each in took.items()}}
