"""Measure a search of several caches as one against one cache with the same documents, warm, in one run.

    python -m benchmarks.several_caches 500 --work FOLDER        20 caches of 500 documents against one of 10,000

Both are asked in this process, as a server asks them between two lines: caches are looked for, found unchanged and
asked. Queries are those of benchmarks/search.py, and some with a word that is misspelt. The answers must cite the same.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks import corpus
from holdfast.caches.build.build import build_cache
from holdfast.caches.build.build_order import BuildOrder
from holdfast.catalog import find_tool
from holdfast.operation import answer
from holdfast.workspace import Workspace

CACHES = 20
ROUNDS = 5


def made(count: int, work: Path) -> tuple[Path, Path]:
    """The roots of the one cache and of the many, built if they are not there."""
    one, many = work / f"one-{CACHES * count}", work / f"many-{count}"
    if not (one / "all").exists() or len(list(many.glob("*/manifest.json"))) < CACHES:
        sources = work / "sources"
        for number in range(CACHES):
            for document in range(number * count, (number + 1) * count):
                path = sources / f"{number:02}" / str(document // 100) / f"{document}.md"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(corpus.text(document), encoding="utf-8")
            build_cache(sources / f"{number:02}", many / f"{number:02}", BuildOrder("2026-01-01T00:00:00Z", force=True))
        build_cache(sources, one / "all", BuildOrder("2026-01-01T00:00:00Z", force=True))
        shutil.rmtree(sources)
    return one, many


def timed(workspace: Workspace, query: str) -> tuple[float, str]:
    started = perf_counter()
    reply = answer(find_tool("context.search"), {"query": query}, workspace)
    return 1000 * (perf_counter() - started), reply.text


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    roots = made(options.count, options.work)
    one, many = [Workspace(str(root), cache_root=str(root), door="tool") for root in roots]
    questions = corpus.queries(25)
    misspelt = [f"{query[:-1]}q" for query in questions[:5]]
    for name, queries in (("a query", questions), ("one word misspelt", misspelt)):
        took: dict[str, list[float]] = {"one": [], "many": []}
        for round_ in range(ROUNDS + 1):
            for query in queries:
                for key, workspace in (("one", one), ("many", many)):
                    milliseconds, text = timed(workspace, query)
                    assert "matching" in text, text
                    if round_:
                        took[key].append(milliseconds)
        middle = {key: median(values) for key, values in took.items()}
        print(
            f"{name}: {CACHES} caches of {options.count:,} {middle['many']:.2f} ms, one of {CACHES * options.count:,} "
            f"{middle['one']:.2f} ms: {middle['many'] / middle['one']:.2f}x"
        )


if __name__ == "__main__":
    main()
