"""How well `context search` finds the code that a change was about.

    python -m benchmarks.code_search SETS REPOSITORIES [--only NAME] [--docs]

SETS has a folder for each repository with `queries.jsonl`: `raw` and `plain` (the subject of a commit, and the same
without identifiers), `gold` (the files it changed) and `functions` (the innermost definitions around the changed
lines). REPOSITORIES has the checkouts. For each: the share of gold files that an answer names within 1,000 and 2,000
tokens, the share of gold functions named with their lines within 2,000, what the first index and a warm answer cost.
Of a question with `any` (benchmarks/where: what to ask is where something is, written before looking) one of those
files has to be named. `--docs` asks documentation and code together, as an agent does; without it code alone is asked.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from holdfast.caches.on_disk.work_tree import WorkTrees
from holdfast.caches.search_answers import search
from holdfast.workspace import Workspace


def cpu() -> float:
    """CPU seconds of this process and of its workers that ended."""
    own, workers = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + workers.ru_utime + workers.ru_stime


def named(workspace: Workspace, query: str, budget: int, part: str) -> tuple[set[str], set[tuple[str, str]]]:
    """The files and the (file, symbol) pairs that an answer names."""
    arguments: Any = {"query": query, "budget": budget} | ({"in": part} if part else {})
    value: Any = search(workspace, arguments).value
    files, symbols = set(), set()
    for section in value["sections"]:
        name = section["citation"].rpartition("#L")[0]
        files.add(name)
        symbols.update([(name, heading) for heading in section["heading"]])
    for pointer in value["more"]:
        files.add(pointer["id"])
        symbols.add((pointer["id"], pointer["heading"]))
    return files, symbols


def measured(name: str, sets: Path, root: Path, part: str) -> dict[str, list[float]]:
    """The figures of one repository, one number a question."""
    with tempfile.TemporaryDirectory() as cache:
        workspace = Workspace(str(root), user_cache=cache)
        started = cpu()
        source = workspace.keep(WorkTrees).source(workspace, "estimate-1", None)
        spent = cpu() - started
        size = sum([os.path.getsize(root / path) for path in source.digests]) if source else 1
        index = sum([file.stat().st_size for file in Path(cache).rglob("*.facts")])
        found: dict[str, list[float]] = {"s/MB": [spent * 1e6 / size], "index": [index / size]}
        warm = []
        for line in (sets / name / "queries.jsonl").read_text().splitlines():
            question = json.loads(line)
            gold, functions = question.get("gold", ()), [tuple(pair) for pair in question.get("functions", ())]
            for field in [field for field in ("raw", "plain") if field in question]:
                for budget in (1000, 2000):
                    begun = time.process_time()
                    files, symbols = named(workspace, question[field], budget, part)
                    warm.append(time.process_time() - begun)
                    is_any = not files.isdisjoint(question.get("any", ()))
                    share = sum([path in files for path in gold]) / len(gold) if gold else float(is_any)
                    found.setdefault(f"{field} f{budget}", []).append(share)
                if functions:
                    hit = sum([_is_named(pair, symbols) for pair in functions]) / len(functions)
                    found.setdefault(f"{field} fn2000", []).append(hit)
        found["warm ms"] = [1000 * sorted(warm)[len(warm) // 2]]
        print(f"{name}: {len(source.digests) if source else 0} files, {size / 1e6:.1f} MB", end="; ")
    print(", ".join([f"{key} {sum(values) / len(values):.3f}" for key, values in found.items()]), flush=True)
    return found


def _is_named(function: tuple[str, str], symbols: set[tuple[str, str]]) -> bool:
    """Whether a function is named, by itself or by what is directly inside it or around it on the same lines."""
    path, name = function
    last = name.rpartition(".")[2]
    for file, shown in symbols:
        is_cut = shown.endswith("…")  # of a pointer
        if file == path and (name.startswith(shown[:-1]) if is_cut else shown.rpartition(".")[2] == last):
            return True
    return False


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--only", action="append")
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    names = options.only or sorted([each.name for each in options.sets.iterdir() if each.is_dir()])
    total: dict[str, list[float]] = {}
    for name in names:
        part = "" if options.docs else "code"
        for key, values in measured(name, options.sets, options.repositories / name, part).items():
            total.setdefault(key, []).extend(values)
    print("all: " + ", ".join([f"{key} {sum(values) / len(values):.3f}" for key, values in total.items()]))


if __name__ == "__main__":
    main()
