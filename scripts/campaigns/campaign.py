"""What the campaigns share: their command line, their findings and figures, and corpora to break things with."""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src"
sys.path[:0] = [str(SOURCE), str(ROOT), str(ROOT / "tests")]

CREATED_AT = "2026-01-02T03:04:05Z"
EPOCH = "1767323045"
# The default depends on what is installed; the campaigns should not.
TOKENIZER = "bytes/4"
# What a folder holds: a name below it to the kind, the permissions and the bytes of what stands there.
Snapshot = dict[str, tuple[str, int, bytes]]


class Campaign:
    """One run: what it counted and what it found. Everything random in it comes from `random`, so a seed repeats it."""

    def __init__(self, name: str, seed: int, command: str) -> None:
        self.name = name
        self.seed = seed
        self.random = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.findings: list[str] = []
        self._command = command
        self._started = time.monotonic()

    def find(self, what: str, reproduce: str = "") -> None:
        """Something that should never be."""
        self.findings.append(what)
        if len(self.findings) <= 20:
            print(f"FINDING {what}\n        again: {self._command} {reproduce or f'--seed {self.seed}'}", flush=True)

    def finish(self) -> int:
        """Print the figures; the exit code."""
        print(f"{self.name}, seed {self.seed}, {time.monotonic() - self._started:.0f} s")
        for what, count in self.counts.items():
            print(f"  {count:>9,} {what}")
        print(f"  {len(self.findings):>9,} findings")
        return 1 if self.findings else 0


def arguments(description: str | None, size: str, default: int, unit: str) -> argparse.ArgumentParser:
    """The command line every campaign has: its size, its seed, and a way to see that it would notice."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n\n")[0])
    parser.add_argument(size, nargs="?", type=int, default=default, help=f"{unit} (default {default})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sabotage", action="store_true", help="break a promise on purpose: there must be findings")
    return parser


def command_line(*options: object) -> str:
    """How this script was started, for whoever wants to repeat it."""
    return " ".join([".venv/bin/python", os.path.relpath(sys.argv[0], ROOT), *map(str, options)])


def write_sources(folder: Path, words: str, count: int, *, size: int = 40) -> Path:
    """`count` Markdown files that differ from those made with other words in every byte that counts."""
    stock = words.split()
    for number in range(count):
        file = folder / str(number % 7) / f"{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        chosen = random.Random(number)
        text = " ".join(chosen.choice(stock) for _ in range(chosen.randrange(1, size)))
        file.write_text(f"# {stock[0]} {number}\n\n{text}\n", encoding="utf-8")
    return folder


def snapshot(folder: Path) -> Snapshot:
    """Everything below a folder, hidden things too; nothing when it does not exist."""
    found: Snapshot = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder] if folder.exists() else []:
        status = path.lstat()
        kind = "directory" if stat.S_ISDIR(status.st_mode) else "link" if stat.S_ISLNK(status.st_mode) else "file"
        data = path.read_bytes() if kind == "file" else b""
        found[str(path.relative_to(folder))] = (kind, stat.S_IMODE(status.st_mode), data)
    return found


def digest(folder: Path) -> str:
    """One hash over the names and bytes of everything below a folder."""
    total = hashlib.sha256()
    for name, (kind, _, data) in snapshot(folder).items():
        total.update(f"{kind} {name} {len(data)}\n".encode() + data)
    return total.hexdigest()


@contextmanager
def scratch(*, in_memory: bool = False) -> Iterator[Path]:
    """A folder of its own, gone afterwards; `in_memory` where flushing to a real disk would only take time."""
    memory = Path("/dev/shm")
    parent = memory if in_memory and os.access(memory, os.W_OK) else None
    path = Path(tempfile.mkdtemp(prefix="holdfast-campaign-", dir=parent))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def environment(**more: str) -> dict[str, str]:
    """The environment of a process under test."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(SOURCE), "SOURCE_DATE_EPOCH": EPOCH, **more}


def start_context(*words: str | Path, python: str = sys.executable, cwd: Path | None = None) -> subprocess.Popen[bytes]:
    """The `context` command, started."""
    return subprocess.Popen(
        [python, "-m", "holdfast", *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment(),
    )
