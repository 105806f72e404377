"""Builds on Ray with one worker and with two, beside local ones with as many processes: seconds, and a worker's memory.

    python -m benchmarks.engine [documents] [rounds]

Builds take turns, each in a process of its own, and the median counts. Of a Ray that is started for the build the start
and the end are told apart, since a cluster that stands already costs neither. Figures are ratios to the local build.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.corpus import write_corpus
from benchmarks.measure import user_environment

# Tells the seconds of the build alone and, of Ray, those of its start, and KiB that a worker held of its own.
BUILD = """
import json, sys, time
from holdfast.caches.build import build, engines
sources, cache, engine, workers = sys.argv[1:]
opened = []
def open_engine(wanted, count):
    opened.append(engines.open_engine(wanted, count))
    return opened[-1]
build.open_engine = open_engine
start, marks = time.perf_counter(), []
def phases(phase, done, total):
    marks.append((phase, time.perf_counter() - start))
build.build_cache(sources, cache, created_at="2026-01-02T03:04:05Z", engine=engine, workers=int(workers), phases=phases)
first = {phase: at for phase, at in reversed(marks)}
last = marks[-1][1]
print(json.dumps({
    "start": first["reading"], "count": first["indexing"] - first["reading"], "compile": last - first["indexing"],
    "work": last - first["reading"], "peaks": getattr(opened[0], "peaks", {}),
}))
"""
WAYS = [("local", 1), ("ray", 1), ("local", 2), ("ray", 2)]


def main(count: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "sources"
        write_corpus(count, sources)
        size = sum(path.stat().st_size for path in sources.rglob("*.md"))
        found: dict[tuple[str, int], list[dict[str, float]]] = {way: [] for way in WAYS}
        peaks: dict[str, int] = {}
        for number in range(rounds):
            for engine, workers in WAYS:
                cache = Path(folder) / f"{engine}-{workers}-{number}"
                words = [sys.executable, "-c", BUILD, str(sources), str(cache), engine, str(workers)]
                done = subprocess.run(words, stdout=subprocess.PIPE, check=True, env=user_environment())
                told = json.loads(done.stdout)
                for half, held in told.pop("peaks").items():
                    peaks[half] = max(peaks.get(half, 0), held)
                found[engine, workers].append(told)
        print(f"{count:,} documents, {size / 1e6:.1f} MB, {rounds} rounds")
        base = median([told["work"] for told in found["local", 1]])
        for (engine, workers), all_told in found.items():
            middle = {name: median([told[name] for told in all_told]) for name in all_told[0]}
            print(
                f"{engine:6} {workers}: {middle['work']:7.2f} s, {middle['work'] / base:5.2f} of local 1; "
                f"counting {middle['count']:.2f}, compiling {middle['compile']:.2f}, start {middle['start']:.2f}"
            )
        print("a worker held, in MB:", {half: round(held / 1024) for half, held in peaks.items()})


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
