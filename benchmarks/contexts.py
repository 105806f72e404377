"""Directory contexts on 2,000 directories of ten 3 KB files, each with a claim: listing warm and cold, init, memory.

python -m benchmarks.contexts [ROUNDS [DIRECTORIES]]

Warm: `list_contexts` in a process that has seen the project, against a bare walk of the same tree by os.scandir and
stat. Cold: the `context status` process, against a process that reads and hashes every file once with threads.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import SCRIPT, interleaved, report, user_environment
from holdfast.catalog import find_tool
from holdfast.operation import answer
from holdfast.workspace import Workspace

PACKAGES, DIRECTORIES, FILES, SIZE = 40, 2000, 10, 3000
MAX_MEMORY = 150
MIN_SPEED = 2.0
WORDS = ("alpha", "beta", "gamma", "token", "cache", "scope", "value", "query", "index", "node", "edge", "path")

HASH_EVERYTHING = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

def digest(path):
    with open(path, "rb") as file:
        return sha256(file.read()).hexdigest()

def files(folder):
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from files(entry.path)
            else:
                yield entry.path

with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
    digests = list(pool.map(digest, files(sys.argv[1])))
"""


def write_corpus(root: Path, directories: int = DIRECTORIES) -> int:
    """A project that is the same every time; its bytes of source."""
    chance = random.Random(7)
    total = 0
    for package in range(PACKAGES):
        for module in range(directories // PACKAGES):
            folder = root / f"pkg{package:02d}" / f"mod{module:02d}"
            folder.mkdir(parents=True)
            for number in range(FILES):
                lines = [f'"""Module {number} of package {package}."""\n\n']
                lines.append(f"import json\n\nfrom pkg{(package + 1) % PACKAGES:02d}.mod{module:02d} import thing\n")
                size = sum(map(len, lines))
                while size < SIZE:
                    word = chance.choice(WORDS)
                    lines.append(
                        f'\n\ndef {word}_{len(lines)}(first: int, second: str = "{word}") -> list[str]:\n'
                        f'    """Return {word}."""\n    return [second * first, json.dumps({{"{word}": first}})]\n'
                    )
                    size += len(lines[-1])
                total += (folder / f"file{number}.py").write_text("".join(lines), encoding="utf-8")
    return total


def write_claims(root: Path) -> None:
    """A sentence about its public symbols in every context, as a person would have written it."""
    for file in root.rglob(".context.yaml"):
        text = file.read_text(encoding="utf-8").replace('summary: ""', 'summary: "Everything that a query needs."')
        file.write_text(text.replace('  - "summary"\n', ""), encoding="utf-8")
    measured(SCRIPT, "regen", "--hash-only", "--path", root)


def walk(folder: str) -> int:
    """What no listing can do without: every directory read, every file stat'ed."""
    count, waiting = 0, [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    count += 1
    return count


def measured(*command: str | Path) -> tuple[float, int]:
    """Seconds and peak memory in MB of a command that must succeed, its children included."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=user_environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return time.perf_counter() - started, usage.ru_maxrss // 1024


def timed(function: object) -> float:
    started = time.perf_counter()
    assert callable(function)
    function()
    return time.perf_counter() - started


def main(rounds: int, directories: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "project")
        os.environ["XDG_CACHE_HOME"] = f"{name}/cache"
        total = write_corpus(root, directories)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        before = os.times()
        seconds, init_memory = measured(SCRIPT, "init", "--full", "--path", root)
        after = os.times()
        busy = after.children_user - before.children_user + after.children_system - before.children_system
        speed = total / 1e6 / busy
        wall = total / 1e6 / seconds / cores
        print(f"init: {total / 1e6:.0f} MB in {seconds:.1f} s on {cores} cores, {wall:.2f} MB/s each by the clock;")
        # A busy machine slows the clock's figure, not this one.
        print(f"      {speed:.2f} MB for each second of processor time (target {MIN_SPEED})")
        measured(SCRIPT, "regen", "--all", "--lean", "--path", root)
        write_claims(root)
        _, status_memory = measured(SCRIPT, "status", "--check", "--path", root)

        workspace = Workspace(str(root), door="tool", user_cache=f"{name}/cache")
        operation = find_tool("list_contexts")
        warm = interleaved(
            {
                "os.scandir and stat": lambda: timed(lambda: walk(str(root))),
                "list_contexts, warm": lambda: timed(lambda: answer(operation, {}, workspace)),
            },
            rounds,
        )
        fine = report(warm, "os.scandir and stat", {"list_contexts, warm": 3.0})
        cold = interleaved(
            {
                "hash every file with threads": lambda: measured(sys.executable, "-c", HASH_EVERYTHING, str(root))[0],
                "context status, cold": lambda: measured(SCRIPT, "status", "--path", root)[0],
            },
            max(1, rounds // 3),
        )
        fine = report(cold, "hash every file with threads", {"context status, cold": 3.0}) and fine
        print(f"memory: init {init_memory} MB, status {status_memory} MB (target {MAX_MEMORY})")
    return 0 if fine and speed >= MIN_SPEED and max(init_memory, status_memory) < MAX_MEMORY else 1


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(main(given[0] if given else 15, given[1] if len(given) > 1 else DIRECTORIES))
