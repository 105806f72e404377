"""Timing whole processes against `python -c pass`, interleaved so that noise falls on all of them alike."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

SCRIPT = Path(sys.executable).parent / "context"


def user_environment() -> dict[str, str]:
    """The environment a user has: byte code is written and reused."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run_process(*command: str | Path, cwd: Path | None = None) -> float:
    """Seconds from spawn to end of a command that must succeed."""
    started = time.perf_counter()
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, env=user_environment())
    return time.perf_counter() - started


def bare_python() -> float:
    """The start and end of the interpreter itself: what everything here is measured against."""
    return run_process(sys.executable, "-c", "pass")


def interleaved(subjects: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Every subject once a round, `rounds` times, after one round that warms caches and is thrown away."""
    for measure in subjects.values():
        measure()
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, measure in subjects.items():
            seconds[name].append(measure())
    return seconds


def report(seconds: Mapping[str, list[float]], base: str, targets: Mapping[str, float]) -> bool:
    """Print a row a subject: median, ratio to the base, target; whether every target is met."""
    reference = statistics.median(seconds[base])
    met = True
    print(f"{'':44} {'median':>9} {'ratio':>7} {'target':>7}")
    for name, values in seconds.items():
        ratio = statistics.median(values) / reference
        target = targets.get(name)
        met = met and (target is None or ratio <= target)
        shown = "" if target is None else f"{target:6.1f}x"
        print(f"{name:44} {statistics.median(values) * 1000:6.1f} ms {ratio:6.2f}x {shown:>7}")
    return met
