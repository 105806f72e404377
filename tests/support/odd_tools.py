"""The `context` command with four more tools, which do what no tool should: a program the server's tests run."""

from __future__ import annotations

import os
import subprocess
import sys

import holdfast.catalog
from holdfast.operation import Operation, Outcome, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.core.canonical_json import Json
    from holdfast.operation import CheckedArguments
    from holdfast.workspace import Workspace


def wait(_workspace: Workspace, arguments: CheckedArguments) -> Outcome[Json]:
    """As slow as whoever holds the other end of the named pipe wants."""
    with open(str(arguments["pipe"]), "rb") as pipe:
        return Outcome({"read": pipe.read().decode()})


def talk(_workspace: Workspace, _arguments: CheckedArguments) -> Outcome[Json]:
    """Write to standard output in every way there is, and read standard input."""
    print("printed")
    sys.stdout.flush()
    os.write(1, b"written\n")
    subprocess.run(["/bin/sh", "-c", "echo echoed"], check=True)
    return Outcome({"stdin": sys.stdin.read() + os.read(0, 100).decode()})


def fail(_workspace: Workspace, _arguments: CheckedArguments) -> Outcome[Json]:
    raise ZeroDivisionError("a bug at /secret/path")


def leave(_workspace: Workspace, _arguments: CheckedArguments) -> Outcome[Json]:
    sys.exit("left")


def odd(body: Callable[[Workspace, CheckedArguments], Outcome[Json]], *parameters: Parameter) -> Operation:
    name = body.__name__
    reference = f"{__name__}:{name}"
    return Operation("caches", (name,), name, parameters, reference, tool=f"odd.{name}", title=name, description=name)


if __name__ == "__main__":
    more = (odd(wait, Parameter("pipe", "path", "A named pipe")), odd(talk))
    holdfast.catalog.CATALOG += (*more, odd(fail), odd(leave))

    from holdfast.cli import run as run_context

    run_context()
