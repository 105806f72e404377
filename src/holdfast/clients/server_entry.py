"""The entry that tells a client how to start the server: what it says, whose it is, and how an older one is renewed."""

from __future__ import annotations

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Entry = dict[str, object]

NAME = "holdfast"
CACHE_ROOT = "CONTEXT_CACHE_ROOT"
_PROGRAMS = frozenset({"context", "holdfast"})
_RUNNERS = frozenset({"uv", "uvx", "pipx"})
# What set-up decides of the server's arguments; whatever else a person added stays.
_DECIDED = ("--path", "--tool-names")


class EntryShape(NamedTuple):
    """How a client spells an entry: the members that hold the command, its arguments and its environment.

    Without `arguments` the command is one list of words. `fixed` stands before them in every entry.
    """

    command: str = "command"
    arguments: str = "args"
    environment: str = "env"
    fixed: Mapping[str, object] = {}
    passed: str = ""  # the member that lists variables to pass on from the client's own environment


def server_words(command: Sequence[str], *, project: str = "", underscores: bool = False) -> list[str]:
    """The command line of the server."""
    path = ["--path", project] if project else []
    names = ["--tool-names", "underscore"] if underscores else []
    return [*command, "serve", *path, *names]


def new_entry(shape: EntryShape, words: Sequence[str], environment: Mapping[str, str]) -> Entry:
    """An entry that starts the server with these words."""
    entry: Entry = dict(shape.fixed)
    if shape.arguments:
        entry[shape.command] = words[0]
        entry[shape.arguments] = list(words[1:])
    else:
        entry[shape.command] = list(words)
    if shape.passed:
        entry[shape.passed] = [CACHE_ROOT]
    if environment:
        entry[shape.environment] = dict(environment)
    return entry


def entry_words(shape: EntryShape, entry: object) -> list[str]:
    """The command line that an entry starts; empty where it starts none."""
    if not isinstance(entry, dict):
        return []
    command = entry.get(shape.command)
    arguments = entry.get(shape.arguments, []) if shape.arguments else []
    words = command if isinstance(command, list) else [command]
    every = [*words, *(arguments if isinstance(arguments, list) else [])]
    return [str(word) for word in every] if command else []


def entry_environment(shape: EntryShape, entry: object) -> dict[str, str]:
    """The variables that an entry sets."""
    found = entry.get(shape.environment) if isinstance(entry, dict) else None
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def is_ours(shape: EntryShape, entry: object) -> bool:
    """Whether an entry starts this server, whoever wrote it."""
    words = entry_words(shape, entry)
    if "serve" not in words[1:]:
        return False
    program = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    before = words[1 : words.index("serve", 1)]
    return program in _PROGRAMS or (program in _RUNNERS and NAME in before) or before[-2:] == ["-m", NAME]


def renewed_members(shape: EntryShape, old: Mapping[str, object], new: Entry) -> Entry:
    """The members of an older entry that have to change; a person's own members, arguments and variables stay."""
    wanted = dict(new)
    old_words, new_words = entry_words(shape, old), entry_words(shape, new)
    added = _added_words(old_words[old_words.index("serve", 1) + 1 :]) if "serve" in old_words[1:] else []
    if shape.arguments:
        wanted[shape.arguments] = [*new_words[1:], *added]
    else:
        wanted[shape.command] = [*new_words, *added]
    variables = {**entry_environment(shape, old), **entry_environment(shape, new)}
    if variables:
        wanted[shape.environment] = variables
    passed = old.get(shape.passed) if shape.passed else None
    if isinstance(passed, list):
        wanted[shape.passed] = [*passed, *([] if CACHE_ROOT in passed else [CACHE_ROOT])]
    # What a client was told beyond how to start the server is the person's: they may have switched it off.
    kept = {name for name in shape.fixed if name in old}
    return {name: value for name, value in wanted.items() if name not in kept and old.get(name) != value}


def _added_words(words: Sequence[str]) -> list[str]:
    """The arguments after `serve` that set-up does not decide."""
    added, rest = [], list(words)
    while rest:
        word = rest.pop(0)
        if word in _DECIDED:
            del rest[:1]
        elif word.partition("=")[0] not in _DECIDED:
            added.append(word)
    return added
