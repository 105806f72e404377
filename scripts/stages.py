"""Runs the stages of CI, the parts of each in parallel, and leaves no process behind. For Linux.

A part's output is shown when it ends. Where one fails or takes longer than its stage may, the next stage is not begun
and the exit code is 1.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

ROOT = Path(__file__).parent.parent
Stage = dict[str, list[str]]
PYTEST = [".venv/bin/pytest", "-q", "-n", os.environ.get("HOLDFAST_TEST_WORKERS", "auto")]
# A worker is ended after the longest limit that a single test sets for itself.
LONGER = ["--timeout=300", "-o", "faulthandler_timeout=660"]
STAGES: list[Stage] = [
    {
        "test": ["./scripts/test"],
        "site": ["./scripts/site"],
        "own-gate": ["./scripts/own-gate"],
        "soak": ["./scripts/campaigns/soak", "60"],
        "conformance": ["./scripts/conformance"],
    },
    # The tests that kill processes or provoke races, and every Hypothesis test again with all its examples.
    {
        "rough": ["env", "HOLDFAST_TEST_EXAMPLES=1", *PYTEST, "-m", "rough or hypothesis", *LONGER],
        "test-pythons": ["./scripts/test-pythons"],
    },
]
SECONDS = 2400.0  # that a stage may take: only a run that hangs needs more
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_CHILD_SUBREAPER = 36


class Running(NamedTuple):
    process: subprocess.Popen[bytes]
    output: IO[bytes]


def run(stages: list[Stage], seconds: float = SECONDS, *, grace: float = 5.0) -> int:
    """The exit code of all stages: 0, or 1 where a part failed. `grace` are the seconds from SIGTERM to SIGKILL."""
    # A process whose parent has ended becomes a child of this one, whichever session it is in.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in SIGNALS:
        signal.signal(number, _interrupted)
    for stage in stages:
        failed = _run_stage(stage, seconds, grace)
        if failed:
            print(f"\n== failed: {', '.join(failed)}", flush=True)
            return 1
    print("\n== all parts passed", flush=True)
    return 0


def _interrupted(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _run_stage(stage: Stage, seconds: float, grace: float) -> list[str]:
    """The names of the parts that failed."""
    started = time.monotonic()
    running: dict[str, Running] = {}
    failed = []
    try:
        for name, command in stage.items():
            output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it is shown
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            running[name] = Running(process, output)
        print(f"\n== running {', '.join(running)}", flush=True)
        while running and time.monotonic() - started < seconds:
            for name, (process, _) in list(running.items()):
                if process.poll() is not None:
                    how = "passed" if process.returncode == 0 else f"FAILED with {process.returncode}"
                    _show(name, f"{how} after {time.monotonic() - started:.0f} s", running.pop(name).output)
                    failed += [name] * (process.returncode != 0)
            time.sleep(0.05)
        return failed + list(running)
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        _end_descendants(grace)
        for name, part in running.items():
            _show(name, f"ENDED after {time.monotonic() - started:.0f} s", part.output)
        for number in SIGNALS:
            signal.signal(number, _interrupted)


def _show(name: str, how: str, output: IO[bytes]) -> None:
    print(f"\n== {name}: {how}", flush=True)
    output.seek(0)
    shutil.copyfileobj(output, sys.stdout.buffer)
    sys.stdout.flush()
    output.close()


def _end_descendants(grace: float) -> None:
    kill_at = time.monotonic() + grace
    while found := _descendants():
        for process in found:
            try:
                os.kill(process, signal.SIGTERM if time.monotonic() < kill_at else signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


def _descendants() -> list[int]:
    """Every process below this one that has not ended."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = entry.read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
        except OSError:  # it has ended since
            continue
        if state != "Z":
            children.setdefault(int(parent), []).append(int(entry.parent.name))
    found = children.get(os.getpid(), [])
    for process in found:
        found += children.get(process, [])
    return found


if __name__ == "__main__":
    sys.exit(run(STAGES))
