"""The entry that tells a client how to start the server, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Entry = dict[str, object]
    Format = Literal["json", "toml", "yaml", "yaml list"]

NAME = "holdfast"
CACHE_ROOT = "CONTEXT_CACHE_ROOT"


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
