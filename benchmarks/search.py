"""Measure `search` on the seeded corpora, as ratios taken in one run.

    python benchmarks/search.py 10000 --work FOLDER

The corpora, the builds and the server that only returns bytes are those of benchmarks/resolve.py. Builds, with tokens
counted by bytes and by the real tokenizer, take turns with builds of the same documents without any index.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median
from typing import Any

import corpus
from building import builds
from resolve import BUDGET, CONTEXT, ECHO, PYTHON, Lines, cold_times, made_sources, opened, remove_caches, timed


def search_command(cache: Path, query: str) -> list[str]:
    return [CONTEXT, "search", "--cache", str(cache), "--query", query, "--budget", str(BUDGET)]


def call_line(number: int, cache: str, query: str) -> bytes:
    params = {"name": "context.search", "arguments": {"cache": cache, "query": query, "budget": BUDGET}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"


def warm(cache: Path, queries: list[str], work: Path) -> dict[str, float]:
    server = opened([CONTEXT, "serve", "--cache-root", str(cache.parent)])
    lines = [call_line(number, cache.name, query) for number, query in enumerate(queries)]
    answers = [server.ask(line)[1] for line in lines]
    texts = [json.loads(answer)["result"]["content"][0]["text"] for answer in answers]
    (work / "texts").write_text(json.dumps(dict(zip(queries, texts, strict=True))), encoding="utf-8")
    echo: Lines = opened([PYTHON, "-c", ECHO, str(work / "texts")])
    took: dict[str, list[float]] = {"warm": [], "echo": []}
    for _ in range(5):
        for line, answer in zip(lines, answers, strict=True):
            for name, process in (("warm", server), ("echo", echo)):
                seconds, got = process.ask(line)
                took[name].append(seconds)
                assert got == answer
    frequent = call_line(1, cache.name, corpus.FREQUENT)
    took["warm_frequent"] = [server.ask(frequent)[0] for _ in range(15)]
    figures = {f"{name}_ms": median(seconds) * 1000 for name, seconds in took.items()}
    figures["warm_peak_mb"] = server.peak()
    server.close()
    echo.close()
    return figures


def measure(count: int, work: Path, rounds: int) -> dict[str, Any]:
    sources, caches = made_sources(count, work), work / f"search-{count}"
    if caches.exists():
        caches.rename(work / f"removed-{count}")  # removed at the end: see building.py
    figures = {"documents": count, **builds(sources, caches, ("bytes", "o200k"), rounds)}
    cache = caches / "o200k"
    queries = corpus.queries(25)
    timed(search_command(cache, queries[0]))
    return {**figures, **cold_times(search_command, cache, queries[:15]), **warm(cache, queries, work)}


def table(results: list[dict[str, Any]]) -> str:
    rows = [
        ("cold `context search` / `python -c pass`", "5x", lambda f: f"{f['cold_ms'] / f['python_ms']:.1f}x"),
        ("warm call / a call that only returns the bytes", "30x", lambda f: f"{f['warm_ms'] / f['echo_ms']:.1f}x"),
        ("build / build without an index", "5x", lambda f: f"{f['build_bytes_s'] / f['build_plain_s']:.1f}x"),
        ("the same, tokens by o200k_base", "", lambda f: f"{f['build_o200k_s'] / f['build_plain_s']:.1f}x"),
        ("`index/` / sources", "1.2", lambda f: f"{f['index_o200k_size']:.2f}"),
        (
            "three most frequent words / median query, cold",
            "4x",
            lambda f: f"{f['cold_frequent_ms'] / f['cold_ms']:.1f}x",
        ),
        ("the same, warm", "", lambda f: f"{f['warm_frequent_ms'] / f['warm_ms']:.1f}x"),
        ("(peak memory of the server, MB)", "", lambda f: f"{f['warm_peak_mb']:.0f}"),
        ("(`python -c pass`, ms)", "", lambda f: f"{f['python_ms']:.1f}"),
        ("(warm call, ms)", "", lambda f: f"{f['warm_ms']:.2f}"),
        ("(build without an index, s)", "", lambda f: f"{f['build_plain_s']:.1f}"),
    ]
    lines = ["| documents | at most | " + " | ".join(f"{figures['documents']:,}" for figures in results) + " |"]
    lines.append("|---|---|" + "---|" * len(results))
    lines += [f"| {name} | {most} | " + " | ".join(show(f) for f in results) + " |" for name, most, show in rows]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="*", default=[1000, 10_000])
    parser.add_argument("--work", type=Path, required=True, help="folder for sources and caches")
    parser.add_argument("--rounds", type=int, default=3, help="how often each build is measured")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    print(table([measure(count, options.work, options.rounds) for count in options.sizes]))
    remove_caches(options.work)


if __name__ == "__main__":
    main()
