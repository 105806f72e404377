"""Running the command on a real terminal, and reading what a person would see."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(*words: str, cwd: Path, columns: int = 100) -> tuple[str, int]:
    """Run a command with a terminal as its output; the text without colours, and the exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", *words],
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"},
    )
    os.close(theirs)
    parts = []
    while True:
        ready, _, _ = select.select([ours], [], [], 60)
        assert ready, "the command hangs"
        try:
            data = os.read(ours, 65536)
        except OSError:
            break  # the other end of the terminal is closed
        if not data:
            break
        parts.append(data)
    os.close(ours)
    return ESCAPES.sub("", b"".join(parts).decode()).replace("\r\n", "\n"), process.wait(60)
