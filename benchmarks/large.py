"""Measure caches of two sizes against each other: what a build takes, and what asking and verifying them costs.

    python -m benchmarks.large 34000 340000 --work FOLDER       about 100,000 and one million sections

Each cache is built by the command in a process of its own, whose memory and that of its workers is looked at while it
runs (the most that each ever held). Warm searches go to both caches in turns in this process, as a server asks them
between two lines. What is in the folder already is not built again, and its build not measured; `--steps` chooses what
is measured.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

from benchmarks import corpus
from holdfast.catalog import find_tool
from holdfast.operation import answer
from holdfast.workspace import Workspace

ROUNDS = 5
STEPS = ("build", "warm", "cold", "verify")


def sources_of(count: int, work: Path) -> Path:
    """A folder of so many documents, made if it is not there."""
    folder = work / f"sources-{count}"
    if not folder.exists():
        made = work / f"sources-{count}.part"
        for document in range(count):
            path = made / str(document // 5000) / str(document // 100) / f"{document}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(corpus.text(document), encoding="utf-8")
        made.rename(folder)
    return folder


def peaks(process: int) -> dict[int, int]:
    """The most kilobytes that a process and each process below it ever held, by id."""
    found = {}
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    except OSError:
        return {}
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            found[process] = int(line.split()[1])
    for child in children:
        found.update(peaks(int(child)))
    return found


def run(words: list[str]) -> tuple[float, float, list[int]]:
    """Seconds and CPU seconds of a command, and the most megabytes of it and of each of its workers."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "holdfast", *words], stdout=subprocess.DEVNULL)
    held: dict[int, int] = {}
    while process.poll() is None:
        held.update(peaks(process.pid))
        sleep(0.1)
    wall = perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        sys.exit(f"'context {' '.join(words)}' ended with {process.returncode}")
    own = held.pop(process.pid, 0)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, [size // 1024 for size in (own, *sorted(held.values()))]


def told(what: str, count: int, wall: float, cpu: float, sizes: list[int]) -> None:
    print(f"{what} {count:,}: {wall:.1f} s, {cpu:.1f} s CPU, most memory {' + '.join(map(str, sizes))} MB", flush=True)


def timed(workspace: Workspace, tool: str, arguments: dict[str, object]) -> float:
    started = perf_counter()
    reply = answer(find_tool(tool), arguments, workspace)
    assert not reply.is_error, reply.text
    return 1000 * (perf_counter() - started)


def warm(counts: list[int], work: Path) -> None:
    """Searches and resolves of both caches, in turns."""
    roots = [str(work / f"cache-{count}") for count in counts]
    spaces = [Workspace(root, cache_root=root, door="tool") for root in roots]
    questions = corpus.queries(25)
    kinds: list[tuple[str, str, list[dict[str, object]]]] = [
        ("search", "context.search", [{"query": query} for query in questions]),
        ("search, a word misspelt", "context.search", [{"query": f"{query[:-1]}q"} for query in questions[:5]]),
        ("resolve", "context.resolve", [{"cache": "all", "query": query, "budget": 2000} for query in questions]),
    ]
    for name, tool, asked in kinds:
        took: list[list[float]] = [[] for _ in spaces]
        for round_ in range(ROUNDS + 1):
            for arguments in asked:
                for place, workspace in enumerate(spaces):
                    milliseconds = timed(workspace, tool, arguments)
                    if round_:
                        took[place].append(milliseconds)
        middles = [median(values) for values in took]
        shown = ", ".join([f"{count:,} {middle:.2f} ms" for count, middle in zip(counts, middles, strict=True)])
        print(f"warm {name}, p50: {shown}: {middles[-1] / middles[0]:.2f}x", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("counts", type=int, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    options = parser.parse_args()
    for count in options.counts:
        cache = options.work / f"cache-{count}" / "all"
        if not cache.exists():
            told(
                "build",
                count,
                *run(["build", "--sources", str(sources_of(count, options.work)), "--cache", str(cache)]),
            )
        files = [path.stat().st_size for path in (cache / "index").iterdir()]
        print(f"index {count:,}: {sum(files) / (1 << 20):.1f} MiB", flush=True)
    if "warm" in options.steps:
        warm(options.counts, options.work)
    for count in options.counts:
        cache = options.work / f"cache-{count}" / "all"
        if "cold" in options.steps:
            query = corpus.queries(1)[0]
            took = [run(["search", query, "--cache", str(cache)]) for _ in range(ROUNDS)]
            wall, cpu, sizes = sorted(took)[ROUNDS // 2]
            told("cold search", count, wall, cpu, sizes)
        if "verify" in options.steps:
            told("verify", count, *run(["verify", str(cache)]))


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    main()
