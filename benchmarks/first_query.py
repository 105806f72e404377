"""What the first question in a project costs that has prepared nothing: no `context.toml`, no cache.

For each checkout, each step in a process of its own with nothing remembered: a plain build of the implicit cache, the
first query to its documentation, which has to cost at most twice that, and the first query to documentation and source
code. CPU seconds, those of worker processes included. Nothing may be written into the checkout.

python -m benchmarks.first_query CHECKOUT…
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

MOST = 2.0
QUERY = "how to configure a timeout"


def cpu_seconds() -> float:
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum([each.ru_utime + each.ru_stime for each in used])


def run_step(step: str, checkout: str, user_cache: str) -> str:
    """CPU seconds, wall seconds, and how many documents there are or whether the query failed."""
    from holdfast.caches.build.build_order import BuildOrder
    from holdfast.caches.build.implicit_cache import DECLARATION
    from holdfast.caches.build.project_directory import Project
    from holdfast.caches.build.sync import sync_cache
    from holdfast.catalog import find_tool
    from holdfast.operation import answer
    from holdfast.workspace import Workspace

    used, began = cpu_seconds(), time.monotonic()
    if step == "build":
        order = BuildOrder("2026-01-01T00:00:00Z", tokenizer="estimate-1")
        project = Project(checkout, os.path.join(user_cache, "caches"), user_cache)
        outcome = f"{sync_cache(project, DECLARATION, order).locked.documents} pages"
    else:
        workspace = Workspace(checkout, door="tool", user_cache=user_cache, patience=20.0)
        part = {"in": "docs"} if step == "docs" else {}
        reply = answer(find_tool("context.search"), {"query": QUERY, **part}, workspace)
        outcome = "failed" if reply.is_error else "answered"
    return f"{cpu_seconds() - used:.3f} {time.monotonic() - began:.3f} {outcome}"


def status(checkout: str) -> bytes:
    return subprocess.run(
        ["git", "status", "--porcelain", "--ignored"], cwd=checkout, check=True, capture_output=True
    ).stdout


def main(checkouts: list[str]) -> int:
    failed = False
    for checkout in checkouts:
        before, found = status(checkout), {}
        for step in ("build", "docs", "both"):
            with tempfile.TemporaryDirectory() as user_cache:
                words = [sys.executable, "-m", "benchmarks.first_query", "--step", step, checkout, user_cache]
                done = subprocess.run(words, check=True, capture_output=True, text=True)
            cpu, wall, outcome = done.stdout.split(" ", 2)
            found[step] = float(cpu), float(wall), outcome.strip()
        ratio, is_clean = found["docs"][0] / found["build"][0], status(checkout) == before
        failed = failed or ratio > MOST or not is_clean or "failed" in [each[2] for each in found.values()]
        shown = [f"{step} {cpu:.2f} s ({wall:.2f} by the clock, {how})" for step, (cpu, wall, how) in found.items()]
        print(f"{Path(checkout).name}: {ratio:.2f} of a build (at most {MOST}); {'; '.join(shown)}", flush=True)
        if not is_clean:
            print(f"{Path(checkout).name}: something was written into it")
    return int(failed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        print(run_step(*sys.argv[2:]))
        sys.exit(0)
    sys.exit(main([os.path.abspath(each) for each in sys.argv[1:]]))
