"""Examples of every command, as they are typed in a project; a test runs each of them. Loaded with help alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from holdfast.command.command_line import Command
from holdfast.core.packaged_text import packaged_text


class Example(NamedTuple):
    """A command line, and the exit code it has in the project that the test prepares."""

    words: str
    exit_code: int = 0


# The reader's own registry as the examples name it; the test replaces it by the one it starts.
REGISTRY = "registry.example.com"


def _read() -> dict[str, tuple[Example, ...]]:
    found: dict[str, tuple[Example, ...]] = {}
    name = ""
    for line in packaged_text("examples.txt").rstrip("\n").split("\n"):
        if line.startswith("# "):
            name = line.removeprefix("# ")
        else:
            words, _, code = line.removesuffix("]").partition("  [exit code ")
            found[name] = (*found.get(name, ()), Example(words, int(code or 0)))
    return found


# The name of a command -> its examples, the plainest first.
EXAMPLES: Mapping[str, tuple[Example, ...]] = _read()

# What a needed argument is in an example that is made from the declaration alone, by its name.
_VALUES = {"cache": "docs", "query": '"roll back"', "scope": "src", "specName": "demo", "budget": "2000"}


def examples_of(command: Command) -> tuple[Example, ...]:
    """The examples of a command: those of EXAMPLES, or else the command with the arguments it needs."""
    if written := EXAMPLES.get(command.name):
        return written
    needed = [parameter for parameter in command.parameters if parameter.required]
    words = [
        _VALUES.get(each.name, each.value_name)
        if each.positional
        else f"{each.option} {_VALUES.get(each.name, each.value_name)}"
        for each in needed
    ]
    return (Example(" ".join(["context", command.name, *words])),)
