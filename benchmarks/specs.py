"""How much a warm `spec-status` costs over the system calls it cannot do without.

python -m benchmarks.specs
python -m benchmarks.specs --defects    instead, what `spec check` finds of planted defects

The floor is a bare loop of the same `stat` calls plus one JSON encode of the same answer, once by this package's
encoder and once by the standard library's. All three are measured in one run, interleaved, and compared as ratios.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

from benchmarks import spec_defects
from holdfast.catalog import find_tool
from holdfast.core.canonical_json import encode
from holdfast.core.file_contents import RememberedFiles, SystemFiles
from holdfast.operation import answer
from holdfast.workspace import Workspace

TASKS = 100
ROUNDS = 300
CALLS = 20
LIMIT = 3.0


class AnHourFromNow(SystemFiles):
    """Files written a moment ago are at rest, so that a warm call is warm."""

    @staticmethod
    def now() -> int:
        return SystemFiles.now() + 3_600_000_000_000


def main() -> int:
    if sys.argv[1:] == ["--defects"]:
        return spec_defects.main()
    with tempfile.TemporaryDirectory() as folder:
        return compare(Path(folder))


def compare(root: Path) -> int:
    spec = root / ".spec-context" / "specs" / "demo"
    spec.mkdir(parents=True)
    for name in ("requirements", "design"):
        (spec / f"{name}.md").write_text("# A document\n", encoding="utf-8")
    task = "- [{}] {}. Do the thing\n  - in this way\n  - File: src/thing.py\n  - _Requirements: 1.1_\n"
    (spec / "tasks.md").write_text(
        "".join(task.format("x" if n % 2 else " ", n) for n in range(TASKS)), encoding="utf-8"
    )
    workspace = Workspace(str(root), file_contents=RememberedFiles(AnHourFromNow()))
    operation, arguments = find_tool("spec-status"), {"specName": "demo"}
    value = answer(operation, arguments, workspace).value
    paths = stat_calls(root, lambda: answer(operation, arguments, workspace))

    def warm() -> None:
        answer(operation, arguments, workspace)

    def floor() -> None:
        stat_all(paths)
        encode(value)

    standard = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)

    def standard_floor() -> None:
        stat_all(paths)
        standard.encode(value)

    best = {each: float("inf") for each in (warm, floor, standard_floor)}
    for _ in range(ROUNDS):
        for each, fastest in best.items():
            started = perf_counter()
            for _ in range(CALLS):
                each()
            best[each] = min(fastest, (perf_counter() - started) / CALLS)
    ratio, strict = best[warm] / best[floor], best[warm] / best[standard_floor]
    print(f"warm spec-status, {TASKS} tasks, {len(paths)} stat calls: {best[warm] * 1e6:.1f} us")
    print(f"  over stat calls and one encode:                          {ratio:.2f} (at most {LIMIT})")
    print(f"  over stat calls and one encode by the standard library:  {strict:.2f} (at most {LIMIT})")
    return 0 if max(ratio, strict) <= LIMIT else 1


def stat_all(paths: list[str]) -> None:
    for path in paths:
        try:
            os.stat(path)
        except OSError:
            pass


def stat_calls(root: Path, call: Callable[[], object]) -> list[str]:
    """The paths one call asks the system about, in order; it must open none of them."""
    seen: list[str] = []
    real = os.stat

    def spy(path: str, **how: Any) -> os.stat_result:
        seen.append(path)
        return real(path, **how)

    with (
        patch.object(os, "stat", spy),
        patch.object(os, "lstat", spy),
        patch.object(SystemFiles, "stat", staticmethod(spy)),
    ):
        call()
    assert seen, root
    return seen


if __name__ == "__main__":
    sys.exit(main())
