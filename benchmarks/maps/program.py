"""The program of `python benchmarks/maps`."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.maps.most_used import most_used


def named_with_file(text: str) -> dict[str, set[str]]:
    """The words of each file's line, as anyone who reads a map would take it apart."""
    lines = [line.split(" ", 1) for line in text.splitlines() if " " in line and not line.startswith(("#", "…"))]
    return {re.sub(r":\d*$", "", path): set(re.findall(r"\w+", symbols)) for path, symbols in lines}


def measure(root: Path, budget: int, count: int) -> dict[str, object]:
    """The figures of one repository."""
    command = [sys.executable, "-m", "holdfast", "map", "--budget", str(budget), "--path", str(root)]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    cold = time.perf_counter() - started
    lines = named_with_file(done.stdout)
    ranked = most_used(root, count)
    missed = [name for name, files, _ in ranked if not any(name in lines.get(file, ()) for file in files)]
    return {
        "repository": root.name,
        "named_with_file": len(ranked) - len(missed),
        "of": len(ranked),
        **_tokens(done.stdout),
        "cold_seconds": round(cold, 2),
        "warm_seconds": round(_warm(root, budget), 3),
        "missed": missed,
    }


def _tokens(text: str) -> dict[str, int]:
    from holdfast.core.token_estimate import estimate_tokens

    counts = {"estimate-1": estimate_tokens(text)}
    try:
        from holdfast.caches.tokenizers import counter

        counts["o200k_base"] = counter("o200k_base")(text)
    except Exception:  # the extra `tokens` is not installed
        pass
    return counts


def _warm(root: Path, budget: int) -> float:
    from holdfast.catalog import find_tool
    from holdfast.operation import answer
    from holdfast.workspace import Workspace

    workspace, times = Workspace(str(root), door="tool"), []
    for _ in range(4):
        started = time.perf_counter()
        answer(find_tool("project_map"), {"budget": budget}, workspace)
        times.append(time.perf_counter() - started)
    return min(times[1:])


def main(about: str | None) -> int:
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--budget", type=int, default=2000)
    parser.add_argument("--count", type=int, default=50)
    given = parser.parse_args()
    for root in given.repositories:
        print(json.dumps(measure(root.resolve(), given.budget, given.count), ensure_ascii=False))
    return 0
