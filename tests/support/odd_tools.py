"""The `context` command with four more tools, which do what no tool should: a program the server's tests run."""

from __future__ import annotations

import os
import subprocess
import sys

import holdfast.catalog
from holdfast.operation import Operation, Outcome, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.operation import Arguments
    from holdfast.workspace import Workspace


def wait(_workspace: Workspace, arguments: Arguments) -> Outcome:
    """As slow as whoever holds the other end of the named pipe wants."""
    with open(arguments["pipe"], "rb") as pipe:
        return Outcome({"read": pipe.read().decode()})


def talk(_workspace: Workspace, _arguments: Arguments) -> Outcome:
    """Write to standard output in every way there is, and read standard input."""
    print("printed")
    sys.stdout.flush()
    os.write(1, b"written\n")
    subprocess.run(["/bin/sh", "-c", "echo echoed"], check=True)
    return Outcome({"stdin": sys.stdin.read() + os.read(0, 100).decode()})


def fail(_workspace: Workspace, _arguments: Arguments) -> Outcome:
    raise ZeroDivisionError("a bug at /secret/path")


def leave(_workspace: Workspace, _arguments: Arguments) -> Outcome:
    sys.exit("left")


def odd(name: str, run: object, *parameters: Parameter) -> Operation:
    return Operation("caches", (name,), name, parameters, run, tool=f"odd.{name}", title=name, description=name)  # type: ignore[arg-type]  # any of the above


if __name__ == "__main__":
    more = (odd("wait", wait, Parameter("pipe", "path", "A named pipe")), odd("talk", talk))
    holdfast.catalog.CATALOG += (*more, odd("fail", fail), odd("leave", leave))

    from holdfast.cli import run as run_context

    run_context()
