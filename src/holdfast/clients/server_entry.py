"""The entry that tells a client how to start the server, what it says, and whether set-up wrote it.

An entry is ours only if it is one that set-up writes or has written, member for member. A configuration of a project
comes with a clone, so an entry that merely resembles ours is anybody's. What is committed names nothing of a machine
and has one form. A person's own configuration may hold paths of an earlier installation: `is_written` says where.
"""

from __future__ import annotations

from posixpath import isabs
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.clients.client_table import Client, Place, Scope

    Entry = dict[str, object]

Format = Literal["json", "toml", "yaml", "yaml list"]
NAME = "holdfast"
CACHE_ROOT = "CONTEXT_CACHE_ROOT"
WORKSPACE = "${workspaceFolder}"  # what a client fills in


class EntryShape(NamedTuple):
    """How a client spells an entry: the members that hold the command, its arguments and its environment.

    Without `arguments` the command is one list of words. `fixed` comes before them in every entry.
    """

    command: str = "command"
    arguments: str = "args"
    environment: str = "env"
    fixed: Mapping[str, object] = {}
    passed: str = ""  # the member that lists variables to pass on from the client's own environment


class Target(NamedTuple):
    """Where an entry belongs in a kind of file, and how it is spelt there.

    `limit` is a setting of the whole document that lets long answers arrive: its name and value. It is set where the
    document has none.
    """

    format: Format
    container: str
    shape: EntryShape
    limit: tuple[str, int] | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """The way to the entry."""
        return (self.container, NAME)


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


def is_same(one: object, other: object) -> bool:
    """Whether two entries say the same; to Python 1 and true are equal, to a client they are not."""
    return _text(one, ordered=True) == _text(other, ordered=True)


def entry_text(entry: object) -> str:
    """An entry in full, on one line, in characters that every terminal shows as they are."""
    return _text(entry, ordered=False)


def _text(entry: object, *, ordered: bool) -> str:
    # Keys of YAML may be of any kind, and values of TOML may be times.
    if isinstance(entry, dict):
        rows = [f"{_text(key, ordered=ordered)}: {_text(value, ordered=ordered)}" for key, value in entry.items()]
        return "{" + ", ".join(sorted(rows) if ordered else rows) + "}"
    if isinstance(entry, list):
        return "[" + ", ".join([_text(each, ordered=ordered) for each in entry]) + "]"
    from json import dumps  # not before set-up: the table of clients is read when a server starts

    return dumps(entry, default=repr)


# What has stood before `serve` in a person's own configuration: `context` by its name or by its path, or what follows
# the path of a Python. Up to 0.1.0 without `-P`: Python then imports from the working directory.
_MODULES = (("-m", NAME), ("-P", "-m", NAME))


def written_entry(client: Client, place: Place, command: Sequence[str], project: str, cache_root: str = "") -> Entry:
    """The entry that starts the server by a command, for a project, with the cache root where it is not empty."""
    named = {"variable": WORKSPACE, "named": project, "started there": ""}[place.project_from]
    words = server_words(command, project=named, underscores=bool(client.no_dots))
    return new_entry(client.target.shape, words, {CACHE_ROOT: cache_root} if cache_root else {})


def is_written(client: Client, place: Place, scope: Scope, found: object) -> bool:
    """Whether set-up wrote what `found_in` gives of a document: exactly, but for the paths of another installation."""
    entry = found
    if scope == "project":
        return is_same(entry, written_entry(client, place, ["context"], ""))
    words = entry_words(client.target.shape, entry)
    command = words[: words.index("serve")] if "serve" in words else []
    if not _is_command(command):
        return False
    project = words[len(command) + 2] if len(words) > len(command) + 2 else ""
    variables = entry.get(client.target.shape.environment) if isinstance(entry, dict) else None
    root = variables.get(CACHE_ROOT) if isinstance(variables, dict) and place.is_desktop else ""
    root = root if isinstance(root, str) and isabs(root) else ""
    if place.project_from == "named" and not isabs(project):
        return False
    return is_same(entry, written_entry(client, place, command, project, root))


def _is_command(words: Sequence[str]) -> bool:
    if len(words) == 1:
        return words[0] == "context" or (isabs(words[0]) and words[0].endswith("/context"))
    return bool(words) and isabs(words[0]) and tuple(words[1:]) in _MODULES
