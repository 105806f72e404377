"""Measure `search` on the seeded corpora, as ratios taken in one run.

    python -m benchmarks.search 10000 --work FOLDER

The corpora, the builds and the server that only returns bytes are those of benchmarks/resolve.py. Builds, with tokens
counted by bytes, by the estimate that is the default and by the real tokenizer, take turns with builds of the same
documents without any index; the cache that is the default is asked. SQLite FTS5
and tantivy (dependency group `benchmarks`) answer the same queries over the same sections: see search_peers.py.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import corpus, search_peers
from benchmarks.building import builds
from benchmarks.resolve import (
    BUDGET,
    CONTEXT,
    ECHO,
    PYTHON,
    Lines,
    cold_times,
    made_sources,
    opened,
    remove_caches,
    timed,
)


def search_command(cache: Path, query: str) -> list[str]:
    return [CONTEXT, "search", "--cache", str(cache), "--query", query, "--budget", str(BUDGET)]


def call_line(number: int, cache: str, query: str) -> bytes:
    params = {"name": "context.search", "arguments": {"cache": cache, "query": query, "budget": BUDGET}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"


def warm(cache: Path, queries: list[str], work: Path, others: dict[str, Path]) -> dict[str, float]:
    """Calls of a running server in turns with one that only returns the same bytes, and with each peer."""
    server = opened([CONTEXT, "serve", "--cache-root", str(cache.parent)])
    lines = [call_line(number, cache.name, query) for number, query in enumerate(queries)]
    answers = [server.ask(line)[1] for line in lines]
    texts = [json.loads(answer)["result"]["content"][0]["text"] for answer in answers]
    (work / "texts").write_text(json.dumps(dict(zip(queries, texts, strict=True))), encoding="utf-8")
    echo: Lines = opened([PYTHON, "-c", ECHO, str(work / "texts")])
    running = {peer: Lines(peer_command("serve", peer, place)) for peer, place in others.items()}
    for process in running.values():
        process.ask(queries[0].encode() + b"\n")
    names = ("warm", "echo", "warm_cpu", "echo_cpu", "fresh_cpu", *[f"{peer}_warm" for peer in running])
    took: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(5):
        for query, line, answer in zip(queries, lines, answers, strict=True):
            for name, process in (("warm", server), ("echo", echo)):
                before = process.cpu()
                seconds, got = process.ask(line)
                took[name].append(seconds)
                took[f"{name}_cpu"].append(process.cpu() - before)
                assert got == answer
            for peer, process in running.items():
                took[f"{peer}_warm"].append(process.ask(query.encode() + b"\n")[0])
    for number, query in enumerate(corpus.queries(100, seed=99)):  # nothing of these is remembered
        before = server.cpu()
        server.ask(call_line(number, cache.name, query))
        took["fresh_cpu"].append(server.cpu() - before)
    frequent = call_line(1, cache.name, corpus.FREQUENT)
    took["warm_frequent"] = [server.ask(frequent)[0] for _ in range(15)]
    figures = {f"{name}_ms": median(seconds) * 1000 for name, seconds in took.items()}
    figures["warm_peak_mb"] = server.peak()
    figures |= {f"{peer}_peak_mb": process.peak() for peer, process in running.items()}
    for process in (server, echo, *running.values()):
        process.close()
    return figures


def peer_command(does: str, peer: str, place: Path, *rest: str) -> list[str]:
    return [PYTHON, search_peers.__file__, does, peer, str(place), *rest]


def peers() -> list[str]:
    """Those that are installed."""
    return [name for name in search_peers.PEERS if name == "fts5" or find_spec(name) is not None]


def peer_figures(peer: str, sources: Path, places: list[Path], queries: list[str]) -> dict[str, float]:
    """One peer's builds at the places, its size, and its answers in new processes."""
    built = [timed(peer_command("build", peer, place, str(sources))) for place in places]
    cold = cold_times(lambda place, query: peer_command("ask", peer, place, query), places[0], queries)
    return {
        f"{peer}_build_s": median(built),
        f"{peer}_size": size_of(places[0]) / size_of(sources),
        f"{peer}_cold": cold["cold_ms"] / cold["python_ms"],
    }


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(count: int, work: Path, rounds: int, ways: list[str]) -> dict[str, Any]:
    sources, caches = made_sources(count, work), work / f"search-{count}"
    if caches.exists():
        caches.rename(work / f"removed-{count}")  # removed at the end: see building.py
    figures = {"documents": count, **builds(sources, caches, ways, rounds)}
    cache = caches / "estimate"
    queries = corpus.queries(25)
    timed(search_command(cache, queries[0]))
    others = work / f"peers-{count}"
    if others.exists():
        others.rename(work / f"removed-peers-{count}")
    for peer in peers():
        places = [others / f"{peer}-{number}" for number in range(rounds)]
        figures |= peer_figures(peer, sources, places, queries[:15])
    figures |= cold_times(search_command, cache, queries[:15])
    figures |= warm(cache, queries, work, {peer: others / f"{peer}-0" for peer in peers()})
    return {**figures, "cache_size": size_of(cache) / size_of(sources)}


def peer_table(results: list[dict[str, Any]]) -> str:
    """The product beside its peers, each against the same measure of the same run."""
    lines = ["| | " + " | ".join(["search", *peers()]) + " |", "|---|" + "---|" * (1 + len(peers()))]
    for f in results:
        rows = {
            "cold / `python -c pass`": [f["cold_ms"] / f["python_ms"], *[f[f"{peer}_cold"] for peer in peers()]],
            "warm call / a call that only returns the bytes": [
                f[name] / f["echo_ms"] for name in ("warm_ms", *[f"{peer}_warm_ms" for peer in peers()])
            ],
            "build / build without an index": [
                f[name] / f["build_plain_s"] for name in ("build_estimate_s", *[f"{peer}_build_s" for peer in peers()])
            ],
            "size with contents / sources": [f["cache_size"], *[f[f"{peer}_size"] for peer in peers()]],
            "(peak memory warm, MB)": [f["warm_peak_mb"], *[f[f"{peer}_peak_mb"] for peer in peers()]],
        }
        for name, figures in rows.items():
            shown = [f"{figure:.0f}" if "MB" in name else f"{figure:.1f}" for figure in figures]
            lines.append(f"| {f['documents']:,}: {name} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def built(figures: dict[str, Any], way: str) -> str:
    seconds = figures.get(f"build_{way}_s")
    return "" if seconds is None else f"{seconds / figures['build_plain_s']:.1f}x"


def table(results: list[dict[str, Any]]) -> str:
    rows: list[tuple[str, str, Callable[[dict[str, Any]], str]]] = [
        ("cold `context search` / `python -c pass`", "5x", lambda f: f"{f['cold_ms'] / f['python_ms']:.1f}x"),
        (
            "warm call / a call that only returns the bytes",
            "12x, at 100,000 30x",
            lambda f: f"{f['warm_ms'] / f['echo_ms']:.1f}x",
        ),
        ("the same, CPU", "12x, at 100,000 30x", lambda f: f"{f['warm_cpu_ms'] / f['echo_cpu_ms']:.1f}x"),
        ("questions not asked before, CPU", "", lambda f: f"{f['fresh_cpu_ms'] / f['echo_cpu_ms']:.1f}x"),
        ("build / build without an index", "", lambda f: built(f, "estimate")),
        ("the same, tokens by `bytes/4`", "5x", lambda f: built(f, "bytes")),
        ("the same, tokens by o200k_base", "", lambda f: built(f, "o200k")),
        ("`index/` / sources", "1.2", lambda f: f"{f['index_estimate_size']:.2f}"),
        (
            "three most frequent words / median query, cold",
            "4x",
            lambda f: f"{f['cold_frequent_ms'] / f['cold_ms']:.1f}x",
        ),
        ("the same, warm", "", lambda f: f"{f['warm_frequent_ms'] / f['warm_ms']:.1f}x"),
        ("(peak memory of the server, MB)", "", lambda f: f"{f['warm_peak_mb']:.0f}"),
        ("(`python -c pass`, ms)", "", lambda f: f"{f['python_ms']:.1f}"),
        ("(warm call, ms of CPU)", "", lambda f: f"{f['warm_cpu_ms']:.2f}"),
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
    parser.add_argument("--more", nargs="*", default=["bytes", "o200k"], help="other tokenizers to build with")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    ways = ["estimate", *options.more]
    results = [measure(count, options.work, options.rounds, ways) for count in options.sizes]
    print(table(results), peer_table(results), sep="\n\n")
    remove_caches(options.work)


if __name__ == "__main__":
    main()
