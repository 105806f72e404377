"""`context help WORD`: the command, the option or the meaning that somebody looks for. Loaded when it is asked for."""

from __future__ import annotations

import os

from holdfast.core.errors import UnknownName, UsageError, exit_codes
from holdfast.core.unicode_text import lower_case
from holdfast.help_text import command_help, group_help, overview, parameter_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.command_line import Command

_GLOSSARY = os.path.join(os.path.dirname(__file__), "templates", "glossary.md")
_MARK = "- "


def read_glossary() -> dict[str, str]:
    """Every word of the glossary, in small letters, with what it means; words that mean the same have one text."""
    with open(_GLOSSARY, "rb") as file:
        lines = file.read().decode().split("\n")
    meanings = {}
    for line in lines:
        if line.startswith(_MARK):
            words, _, meaning = line.removeprefix(_MARK).partition(": ")
            meanings.update(dict.fromkeys(words.split(", "), f"{words}: {meaning}"))
    return meanings


def help_for(words: Sequence[str], commands: Sequence[Command], glossary: dict[str, str]) -> str:
    """What is to be said of the words; all commands where there are none, UnknownName where nobody knows them."""
    if not words:
        return overview(commands)
    asked = " ".join(words)
    parts = [_of_command(asked, commands)]
    meaning = glossary.get(lower_case(asked))
    if meaning is not None:
        parts.append(f"{meaning}\n")
    parts += [f"Exit code {code}: {told}\n" for code, told in exit_codes().items() if asked == str(code)]
    if not any(parts):
        parts = [_mentions(lower_case(asked), commands, glossary)]
    elif not parts[0]:
        parts.append(_mentions(lower_case(asked), commands, {}))
    found = "\n".join([part for part in parts if part])
    if not found:
        unknown = UnknownName(
            "word", asked, [*(each.name for each in commands), *sorted(_options(commands)), *glossary]
        )
        if unknown.nearest:
            raise unknown
        raise UsageError(f"nothing here mentions '{asked}': `context help` lists every command")
    return found


def _of_command(asked: str, commands: Sequence[Command]) -> str:
    """The help of what is a command, a tool or the first word of commands; else nothing."""
    by_name = {command.name: command for command in commands}
    for command in commands:
        operation = command.operation
        if operation is not None and operation.tool and asked in (operation.tool, operation.tool.replace(".", "_")):
            by_name.setdefault(asked, command)
    alone = command_help(by_name[asked]) if asked in by_name else ""
    several = [command for command in commands if command.words[0] == asked and len(command.words) > 1]
    if not several:
        return alone
    return f"{alone}\n{group_help(asked, commands)}" if alone else group_help(asked, commands)


def _options(commands: Sequence[Command]) -> set[str]:
    """Every option of any command."""
    return {each.option for command in commands for each in command.parameters if each.is_option}


def _mentions(asked: str, commands: Sequence[Command], glossary: dict[str, str]) -> str:
    """The commands, options and meanings that hold the word."""
    lines = [
        f"  context {each.name}: {each.summary}"
        for each in commands
        if asked in lower_case(f"{each.name} {each.summary}")
    ]
    parts = [["Commands:", *lines]] if lines else []
    told: dict[str, list[str]] = {}
    for command in commands:
        for usage, text in parameter_rows(command):
            if asked in lower_case(f"{usage} {text}"):
                told.setdefault(f"  {usage}: {text}", []).append(command.name)
    if told:
        lines = [f"{line}\n      in {', '.join(names)}" for line, names in told.items()]
        parts.append(["Options and arguments:", *lines])
    lines = [f"  {meaning}" for meaning in dict.fromkeys(glossary.values()) if asked in lower_case(meaning)]
    if lines:
        parts.append(["Words:", *lines])
    return "\n".join(["\n".join(part) + "\n" for part in parts])
