"""What the real bash, zsh and fish offer for a line as it is typed, given the completion script of the command."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.terminal import ESCAPES

if TYPE_CHECKING:
    from pathlib import Path

SHELLS = ("bash", "zsh", "fish")
# The scripts ask the command.
_PATH = {"PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
# zsh lists what it would offer for $TYPED when its first line begins, and leaves.
_STARTED = """
fpath=({folder} $fpath)
autoload -Uz compinit
compinit -u -d {folder}/.zcompdump
LISTMAX=10000 PS1='> '
zle-line-init() {{ BUFFER=$TYPED; CURSOR=$#BUFFER; zle list-choices; exit }}
zle -N zle-line-init
"""


def need_shell(shell: str) -> None:
    """Skip where a shell is not installed."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")


def offered(shell: str, script: Path, typed: str, *, here: Path) -> set[str]:
    """What is offered; folders without the slash at their end, and a description never."""
    found = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](script, typed, here)
    return {word.removesuffix("/") for word in found if word}


def _bash(script: Path, typed: str, here: Path) -> list[str]:
    words = [f"'{word}'" for word in typed.replace("=", " = ").split()] + (["''"] if typed.endswith(" ") else [])
    ask = (
        f"source '{script}'; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; "
        '_holdfast "${COMP_WORDS[0]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", ask], capture_output=True, check=True, cwd=here, env={**os.environ, **_PATH})
    return done.stdout.decode().split("\n")


def _fish(script: Path, typed: str, here: Path) -> list[str]:
    home = {"HOME": str(here.parent), "XDG_CONFIG_HOME": str(here.parent / "fish"), "XDG_DATA_HOME": str(here.parent)}
    ask = ["fish", "--no-config", "-c", f"source '{script}'; complete -C '{typed}'"]
    done = subprocess.run(ask, capture_output=True, check=True, cwd=here, env={**os.environ, **home, **_PATH})
    words = [line.partition("\t")[0] for line in done.stdout.decode().split("\n")]
    return [word.partition("=")[2] if "=" in typed else word.replace("\\ ", " ") for word in words]


def _zsh(script: Path, typed: str, here: Path) -> list[str]:
    """The script is autoloaded, as it is from the folder that a package puts it into."""
    (script.parent / ".zshrc").write_text(_STARTED.format(folder=script.parent), "utf-8")
    environment = {
        **os.environ,
        **_PATH,
        "ZDOTDIR": str(script.parent),
        "TYPED": typed,
        "TERM": "dumb",
        "COLUMNS": "300",
    }
    text = _on_a_terminal(["zsh", "-i"], here, environment)
    _, _, listed = text.partition(f"> {typed}")
    words: list[str] = []
    for line in listed.partition(f"> {typed}")[0].split("\r\n"):
        word, described, _ = line.partition(" -- ")
        columns = [word] if described else re.split(r"  +", line)
        words += [each.strip().removesuffix("=").replace("\\ ", " ") for each in columns]
    return words


def _on_a_terminal(command: list[str], here: Path, environment: dict[str, str]) -> str:
    """Everything that a process writes that has a terminal for its input and output."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=here, env=environment, start_new_session=True
    ) as process:
        os.close(theirs)
        written = b""
        while True:
            ready, _, _ = select.select([ours], [], [], 60)
            if not ready:
                process.kill()
                raise AssertionError(f"the shell hangs: {written!r}")
            try:
                data = os.read(ours, 65536)
            except OSError:
                break  # the other end is closed
            if not data:
                break
            written += data
    os.close(ours)
    return ESCAPES.sub("", written.decode("utf-8", "replace"))
