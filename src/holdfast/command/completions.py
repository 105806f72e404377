"""Completion: what may be typed next, by the table of commands, and the script that makes a shell ask for it."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.command.command_line import Command
from holdfast.core.packaged_text import packaged_text
from holdfast.operation import Parameter

# Among offers: the shell adds the names of files.
FILES = ":files"


def script(shell: str) -> str:
    """The script of a shell. It asks `context completions SHELL -- WORD...`, the last word as far as it is typed."""
    return packaged_text(f"completions.{shell}")


def offers(words: Sequence[str], commands: Sequence[Command]) -> list[str]:
    """What may stand where the last of these words does, a line each: a word, a tab and its description; or FILES."""
    *before, current = words
    option, equals, value = current.partition("=")
    if current == "=" and before:  # bash cuts `--option=value` into three words
        option, equals, value = before.pop(), "=", ""
    elif before[1:] and before[-1] == "=":
        option, equals, value = before[-2], "=", current
        del before[-2:]
    command = _command(before, commands)
    if equals and option.startswith("--"):
        current = value
    else:
        option = before[-1] if before else ""
    if not before:
        rows = _first_words(commands)
    elif command is not None and (parameter := _valued(command, option)) is not None:
        rows = _values(parameter)
    else:
        rows = [] if equals else _next_words(before, command, commands)
    found = [f"{word}\t{meaning}" for word, meaning in rows if word != FILES and word.startswith(current)]
    return [*found, FILES] if (FILES, "") in rows and not current.startswith("-") else found


def _command(before: Sequence[str], commands: Sequence[Command]) -> Command | None:
    for length in (2, 1):
        for command in commands:
            if command.words == tuple(before[:length]) and len(command.words) == length:
                return command
    return None


def _first_words(commands: Sequence[Command]) -> list[tuple[str, str]]:
    """Each word that begins a command, with the command's summary or the words that may follow."""
    rows: dict[str, str] = {}
    for first in dict.fromkeys(command.words[0] for command in commands):
        alone = [command.summary for command in commands if command.words == (first,)]
        seconds = [command.words[1] for command in commands if command.words[0] == first and command.words[1:]]
        rows[first] = alone[0] if alone else ", ".join(seconds)
    return [*rows.items(), ("--help", "List the commands"), ("--version", "Show the version")]


def _next_words(before: Sequence[str], command: Command | None, commands: Sequence[Command]) -> list[tuple[str, str]]:
    """Further words of a command, its options, and what its positional arguments may be."""
    rows = []
    if len(before) == 1:
        group = [each for each in commands if each.words[0] == before[0] and len(each.words) == 2]
        rows += [(each.words[1], each.summary) for each in group]
    for parameter in command.all_parameters if command is not None else ():
        if parameter.is_option:
            rows.append((parameter.option, parameter.description))
        if parameter.positional:
            rows += _values(parameter)
    return [*rows, ("--help", "Show the help of this command")] if command is not None else rows


def _valued(command: Command, option: str) -> Parameter | None:
    """The parameter of an option that takes a value; None for any other word."""
    taking = [each for each in command.all_parameters if each.is_option and each.kind != "flag"]
    return next((parameter for parameter in taking if parameter.option == option), None)


def _values(parameter: Parameter) -> list[tuple[str, str]]:
    if parameter.choices:
        return [(choice, "") for choice in parameter.choices]
    return [(FILES, "")] if parameter.kind == "path" else []
