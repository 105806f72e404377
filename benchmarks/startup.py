"""What it costs to start: five commands that people and hooks wait for, and the server up to `initialize`.

CPU time of whole processes as multiples of `python -c pass`, in one run. Each has a ceiling, and a run above one exits
with 1. The modules that these load may import late and do without `typing` (CONTRIBUTING.md); no others do.

python -m benchmarks.startup [ROUNDS]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.measure import SCRIPT, interleaved, report, user_environment
from holdfast import build_cache

INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"benchmark","version":"0"}}}\n'
)
BASE = "python -c pass"
CONTEXT = "# Purpose\nversion: 1\n"
# The command line -> its ceiling: four thirds of what it took when the ceilings were set.
CEILINGS = {
    "--version": 2.7,  # was 2.0
    "resolve --cache cache --query deploying --budget 4000": 3.8,  # 2.9
    "search deploying --cache cache": 5.0,  # 3.7
    "status --check": 7.2,  # 5.4
    "merge-driver base ours theirs": 7.7,  # 5.8
    "serve": 6.0,  # up to the answer to `initialize`; 2.3
}


def processor_time(folder: Path, *command: str | Path) -> float:
    """Seconds of CPU that a process takes which reads the opening of a client and then the end of its input."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=user_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    try:
        process.stdin.write(INITIALIZE)
        process.stdin.close()
    except BrokenPipeError:
        pass  # it ended before, having no use for it
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 8), command
    return used.ru_utime + used.ru_stime


def make_project(folder: Path) -> None:
    """Ten documents with their cache, a repository with contexts, and three versions of a context to merge."""
    (folder / "docs").mkdir()
    for number in range(10):
        text = f"# Page {number}\n\n" + f"word{number} and some more text about deploying. " * 50
        (folder / "docs" / f"{number}.md").write_text(text, encoding="utf-8")
    build_cache(folder / "docs", folder / "cache")
    for name in ("base", "ours", "theirs"):
        (folder / name).write_text(CONTEXT, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run([SCRIPT, "init"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def main(rounds: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_project(folder)
        subjects = {BASE: partial(processor_time, folder, sys.executable, "-c", "pass")}
        for words in CEILINGS:
            subjects[words] = partial(processor_time, folder, SCRIPT, *words.split())
        seconds = interleaved(subjects, rounds)
    return 0 if report(seconds, BASE, CEILINGS) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
