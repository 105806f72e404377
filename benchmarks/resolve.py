"""Measure `resolve` with and without the compiled index, as ratios taken in one run.

    python -m benchmarks.resolve 1000 10000 100000 --work FOLDER --json docs/benchmarks/resolve.json

Sources and caches are made below FOLDER and kept, so that a second run starts at once. Measurements that are compared
take turns, and the median counts, so that what else the machine does falls on both sides alike.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import corpus
from benchmarks.building import ENVIRONMENT, builds

BUDGET = 4000
EVERYTHING = 2**53 - 1  # a budget that takes all documents
PYTHON = sys.executable
CONTEXT = str(Path(sys.executable).parent / "context")
# Tells on stderr the most memory the process ever held, in KiB.
PEAK = """
import os, sys
from holdfast.cli import main
code = main(sys.argv[1:], os.environ)
sys.stderr.write([line for line in open("/proc/self/status") if line.startswith("VmHWM")][0].split()[1])
sys.exit(code)
"""
# The same server, except that a call looks up the text of its answer and does nothing else.
ECHO = """
import json, sys
from holdfast.mcp.server import Server, _result_line
from holdfast.mcp.stdio import serve
from holdfast.workspace import Workspace
texts = json.load(open(sys.argv[1], encoding="utf-8"))
class Remembering(Server):
    def _call(self, identifier, operation, arguments, *_, modern):
        content = [{"type": "text", "text": texts[arguments["query"]]}]
        return _result_line(identifier, {"content": content, "isError": False}, modern=modern)
serve(Remembering(Workspace()))
"""
# Opens, reads and proves every document of a cache, and keeps nothing.
READING = """
import hashlib, json, os, sys
cache = sys.argv[1]
with open(os.path.join(cache, "manifest.json"), "rb") as file:
    documents = json.load(file)["documents"]
for entry in documents:
    with open(os.path.join(cache, entry["file"]), "rb") as file:
        content = json.loads(file.read())["content"]
    if "sha256:" + hashlib.sha256(content.encode()).hexdigest() != entry["version"]:
        raise SystemExit(entry["id"])
"""
# Not even a server: a loop that writes lines.
BARE = """
import os, sys
lines = open(sys.argv[1], "rb").read().splitlines(keepends=True)
for number, line in enumerate(sys.stdin.buffer):
    os.write(1, lines[number % len(lines)])
"""


def timed(command: list[str]) -> float:
    """Seconds that a command takes, its output thrown away."""
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
    return time.perf_counter() - started


def resolve_command(cache: Path, query: str, budget: int = BUDGET) -> list[str]:
    return [CONTEXT, "resolve", "--cache", str(cache), "--query", query, "--budget", str(budget)]


def peak_of_command(cache: Path, query: str, budget: int = BUDGET) -> tuple[float, float]:
    """The most memory that a command held, and the length of its answer, both in MB."""
    command = [PYTHON, "-c", PEAK, *resolve_command(cache, query, budget)[1:]]
    done = subprocess.run(command, capture_output=True, check=True, env=ENVIRONMENT)
    return int(done.stderr) / 1024, len(done.stdout) / 2**20


class Lines:
    """A process that answers line by line."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT)

    def ask(self, line: bytes) -> tuple[float, bytes]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        started = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return time.perf_counter() - started, answer

    def cpu(self) -> float:
        """Seconds of CPU that the process has used so far, all threads, as fine as the kernel counts."""
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text(encoding="ascii").split()[0]) for thread in threads) / 1e9

    def peak(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def call_line(number: int, cache: str, query: str, budget: int = BUDGET) -> bytes:
    params = {"name": "context.resolve", "arguments": {"cache": cache, "query": query, "budget": budget}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"


def opened(command: list[str]) -> Lines:
    """A server that is ready for calls."""
    server = Lines(command)
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
    server.ask(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening}).encode() + b"\n")
    return server


def warm(cache: Path, queries: list[str], work: Path) -> dict[str, float]:
    """Calls of a running server against calls of one that only returns the same bytes."""
    server = opened([CONTEXT, "serve", "--cache-root", str(cache.parent)])
    lines = [call_line(number, cache.name, query) for number, query in enumerate(queries)]
    answers = [server.ask(line)[1] for line in lines]
    texts = {
        query: json.loads(answer)["result"]["content"][0]["text"]
        for query, answer in zip(queries, answers, strict=True)
    }
    (work / "texts").write_text(json.dumps(texts), encoding="utf-8")
    (work / "lines").write_bytes(b"".join(answers))
    echo = opened([PYTHON, "-c", ECHO, str(work / "texts")])
    bare = Lines([PYTHON, "-c", BARE, str(work / "lines")])
    took: dict[str, list[float]] = {"warm": [], "echo": [], "bare": []}
    for _ in range(5):
        for line, answer in zip(lines, answers, strict=True):
            for name, process in (("warm", server), ("echo", echo), ("bare", bare)):
                seconds, got = process.ask(line)
                took[name].append(seconds)
                assert got == answer
    frequent = call_line(1, cache.name, corpus.FREQUENT)
    took["warm_frequent"] = [server.ask(frequent)[0] for _ in range(15)]
    figures = {f"{name}_ms": median(seconds) * 1000 for name, seconds in took.items()}
    figures["warm_peak_mb"] = server.peak()
    for process in (server, echo, bare):
        process.close()
    return figures


def cold_times(command: Callable[[Path, str], list[str]], cache: Path, queries: list[str]) -> dict[str, float]:
    """A command in a new process for each query, against an interpreter that does nothing."""
    nothing, asked, most = [], [], []
    for query in queries:
        nothing.append(timed([PYTHON, "-c", "pass"]))
        asked.append(timed(command(cache, query)))
        most.append(timed(command(cache, corpus.FREQUENT)))
    return {
        "python_ms": median(nothing) * 1000,
        "cold_ms": median(asked) * 1000,
        "cold_frequent_ms": median(most) * 1000,
    }


def cold(cache: Path, queries: list[str]) -> dict[str, float]:
    """The figures of `context resolve` in new processes."""
    peak = max(peak_of_command(cache, query)[0] for query in (queries[0], corpus.FREQUENT))
    return {**cold_times(resolve_command, cache, queries), "cold_peak_mb": peak}


def everything(cache: Path, queries: list[str]) -> dict[str, float]:
    """An answer of all documents, against reading them: new processes in turns, and the memory at both doors."""
    reading, asked = [], []
    for query in queries:
        reading.append(timed([PYTHON, "-c", READING, str(cache)]))
        asked.append(timed(resolve_command(cache, query, EVERYTHING)))
    peak, length = peak_of_command(cache, queries[0], EVERYTHING)
    server = opened([CONTEXT, "serve", "--cache-root", str(cache.parent)])
    server.ask(call_line(1, cache.name, queries[0], EVERYTHING))
    figures = {
        "reading_ms": median(reading) * 1000,
        "everything_ms": median(asked) * 1000,
        "everything_peak": peak / length,
        "everything_served_peak": server.peak() / length,
    }
    server.close()
    return figures


def plain(cache: Path, queries: list[str]) -> dict[str, float]:
    """The same command on the same cache with its index moved away."""
    aside = cache.parent / f"{cache.name}-index"
    (cache / "index").rename(aside)
    try:
        return {"plain_ms": median([timed(resolve_command(cache, query)) for query in queries]) * 1000}
    finally:
        aside.rename(cache / "index")


def measure(count: int, work: Path, *, rounds: int, rebuild: bool) -> dict[str, Any]:
    sources, caches = made_sources(count, work), work / f"caches-{count}"
    kept = work / f"build-{count}.json"
    if rebuild or not kept.exists():
        if caches.exists():
            caches.rename(work / f"removed-{count}")  # removed at the end: see building.py
        kept.write_text(json.dumps(builds(sources, caches, ("words", "bytes", "o200k"), rounds)), encoding="utf-8")
    figures: dict[str, Any] = {"documents": count, **json.loads(kept.read_text(encoding="utf-8"))}
    cache = caches / "o200k"
    queries = corpus.queries(25)
    timed(resolve_command(cache, queries[0]))
    figures.update(cold(cache, queries[:15]))
    figures.update(warm(cache, queries, work))
    figures.update(everything(cache, [*queries[:4], corpus.FREQUENT]))
    figures.update(plain(cache, queries[: 1 if count > 20_000 else 3]))
    return figures


def made_sources(count: int, work: Path) -> Path:
    """The corpus of that size, made below the folder where it is not there yet."""
    sources = work / f"sources-{count}"
    if not sources.exists():
        corpus.write_corpus(count, work / "making")
        (work / "making").rename(sources)
    return sources


def table(results: list[dict[str, Any]]) -> str:
    """The figures as ratios, a column for each size."""
    rows: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        ("cold `context resolve` / `python -c pass`", lambda f: f"{f['cold_ms'] / f['python_ms']:.1f}x"),
        ("plain path / the same", lambda f: f"{f['plain_ms'] / f['cold_ms']:.0f}x"),
        ("warm call / a call that only returns the bytes", lambda f: f"{f['warm_ms'] / f['echo_ms']:.1f}x"),
        ("(the same / a bare loop that writes lines)", lambda f: f"{f['warm_ms'] / f['bare_ms']:.1f}x"),
        ("all documents in one answer / reading them", lambda f: f"{f['everything_ms'] / f['reading_ms']:.1f}x"),
        (
            "peak memory of that / the answer, command and server",
            lambda f: f"{f['everything_peak']:.1f}x / {f['everything_served_peak']:.1f}x",
        ),
        ("peak memory cold / warm, MB", lambda f: f"{f['cold_peak_mb']:.0f} / {f['warm_peak_mb']:.0f}"),
        (
            "build with the index of words / without an index",
            lambda f: f"{f['build_words_s'] / f['build_plain_s']:.1f}x",
        ),
        ("its size / sources", lambda f: f"{f['index_words_size']:.2f}"),
        ("build with sections too / without", lambda f: f"{f['build_bytes_s'] / f['build_plain_s']:.1f}x"),
        ("the same, tokens by o200k_base", lambda f: f"{f['build_o200k_s'] / f['build_plain_s']:.1f}x"),
        ("peak memory of that build, all processes, MB", lambda f: f"{f['build_o200k_peak_mb']:.0f}"),
        ("three most frequent words / median query, cold", lambda f: f"{f['cold_frequent_ms'] / f['cold_ms']:.1f}x"),
        ("the same, warm", lambda f: f"{f['warm_frequent_ms'] / f['warm_ms']:.1f}x"),
        ("(`python -c pass`, ms)", lambda f: f"{f['python_ms']:.1f}"),
        ("(warm call, ms)", lambda f: f"{f['warm_ms']:.2f}"),
        ("(build without an index, s)", lambda f: f"{f['build_plain_s']:.2f}"),
    ]
    lines = ["| documents | " + " | ".join(f"{figures['documents']:,}" for figures in results) + " |"]
    lines.append("|---|" + "---|" * len(results))
    lines += [f"| {name} | " + " | ".join(show(figures) for figures in results) + " |" for name, show in rows]
    return "\n".join(lines)


def remove_caches(work: Path) -> None:
    """Remove the caches of all rounds but the first."""
    for folder in [*work.glob("removed-*"), *work.glob("*-*/*-[0-9]"), *work.glob("*-*/plain")]:
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="*", default=[1000, 10_000, 100_000])
    parser.add_argument("--work", type=Path, required=True, help="folder for sources and caches")
    parser.add_argument("--json", type=Path, help="write the figures there, for benchmarks/plot.py")
    parser.add_argument("--rebuild", action="store_true", help="measure the builds again")
    parser.add_argument("--rounds", type=int, default=3, help="how often each build is measured")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    results = [measure(count, options.work, rounds=options.rounds, rebuild=options.rebuild) for count in options.sizes]
    print(table(results))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    remove_caches(options.work)


if __name__ == "__main__":
    main()
