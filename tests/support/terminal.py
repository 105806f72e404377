"""Running the command on a real terminal, and reading what a person would see."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from support.command_starter import can_be_forked, command_starter

# Without progress: how long a command takes must not decide what is seen.
RUN = "import os, sys; from holdfast.cli import main; sys.exit(main(sys.argv[1:], os.environ, progress=False))"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(*words: str, cwd: Path, columns: int = 100) -> tuple[str, int]:
    """Run a command with a terminal as its output; the text without colours, and the exit code."""
    text, code = raw_on_a_terminal(*words, cwd=cwd, columns=columns)
    return ESCAPES.sub("", text).replace("\r\n", "\n"), code


def raw_on_a_terminal(*words: str, cwd: Path, columns: int = 100) -> tuple[str, int]:
    """The same with everything that was written, colours included."""
    environment = _on_terminal(os.environ, columns)
    if not can_be_forked(environment):
        return terminal([sys.executable, "-c", RUN, *words], cwd=cwd, columns=columns)
    ours, theirs = pty.openpty()
    with open(os.devnull, "rb") as nothing:
        streams = (nothing.fileno(), theirs, theirs)
        started = command_starter().start(words, streams, cwd, environment, shows_progress=False)
    os.close(theirs)
    written = b"".join(_written(ours))
    return written.decode(), started.wait(60)


def terminal(
    command: list[str],
    *,
    cwd: Path,
    columns: int = 100,
    at_output: Callable[[subprocess.Popen[bytes], str], None] = lambda _process, _text: None,
    environment: Mapping[str, str] | None = None,
) -> tuple[str, int]:
    """Run a process with a terminal as its output; `at_output` is called with all that was written so far."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env=_on_terminal(os.environ if environment is None else environment, columns),
    )
    os.close(theirs)
    written = b""
    for data in _written(ours):
        written += data
        at_output(process, written.decode("utf-8", "replace"))
    return written.decode(), process.wait(60)


def _on_terminal(environment: Mapping[str, str], columns: int) -> dict[str, str]:
    return {**environment, "COLUMNS": str(columns), "TERM": "xterm-256color"}


def _written(terminal: int) -> Iterator[bytes]:
    """What is written to a terminal, until its other end is closed."""
    while True:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, "the command hangs"
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break  # the other end of the terminal is closed
        if not data:
            break
        yield data
    os.close(terminal)
