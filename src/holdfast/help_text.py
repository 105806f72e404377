"""What is said of commands: all in one look, by groups; one with its arguments and examples. Loaded when asked for.

docs/cli.md and the manual pages are written from the same functions.
"""

from __future__ import annotations

from holdfast.command_examples import EXAMPLES
from holdfast.command_line import FORMAT
from holdfast.core.errors import exit_codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.command_line import Command
    from holdfast.operation import Parameter

ABOUT = "The same, fresh, explainable context for coding agents, every time."
# What people need first, in the order they need it.
FIRST = ("add", "search", "setup", "init", "doctor")
FIRST_TITLE = "Start here"
# The family of a command -> what its group is called.
TITLES = {
    "caches": "Caches (documentation that agents search and cite)",
    "contexts": "Contexts (what each directory is for, and whether that is still true)",
    "specs": "Specs (what is to be built, how far it is, and the rules for it)",
    "survey": "The whole project",
    "clients": "Setting up",
    "": "Server and shell",
}


def groups(commands: Sequence[Command]) -> list[tuple[str, list[Command]]]:
    """Every command once, under the title of its group: the first ones, then the families, then the door's own."""
    by_name = {command.name: command for command in commands}
    first = [by_name[name] for name in FIRST if name in by_name]
    rest: dict[str, list[Command]] = {}
    for command in commands:
        if command not in first:
            rest.setdefault(command.family, []).append(command)
    order = [*[family for family in TITLES if family], *[family for family in rest if family not in TITLES], ""]
    titled = [(TITLES.get(family, f"More: {family}"), rest[family]) for family in order if family in rest]
    return [(FIRST_TITLE, first), *titled] if first else titled


def usage(command: Command) -> str:
    """One line: the command with its arguments, those in brackets optional."""
    parts = []
    for parameter in command.parameters:
        if parameter.name == FORMAT.name:
            continue
        text = parameter._replace(metavar="|".join(parameter.choices) or parameter.metavar).usage
        if not parameter.required:
            text = f"[{text}]"
        parts.append(text + ("..." if parameter.kind == "texts" else ""))
    return " ".join(["context", command.name, *parts])


def parameter_rows(command: Command) -> list[tuple[str, str]]:
    """Each argument as it is typed, and what it is for."""
    return [(parameter.usage, _explained(parameter)) for parameter in command.parameters]


def _explained(parameter: Parameter) -> str:
    text = parameter.description
    if parameter.choices:
        text += f" ({', '.join(parameter.choices)})"
    if parameter.kind == "texts":
        text += "; may be repeated"
    if parameter.positional and parameter.is_option:
        text += f"; also as {parameter.option} {parameter.value_name}"
    return text


def command_help(command: Command) -> str:
    """Everything about one command."""
    rows = [*parameter_rows(command), ("--help", "Show this text")]
    width = max(len(name) for name, _ in rows)
    lines = [command.summary, "", f"Usage: {usage(command)}", ""]
    lines += [f"  {name:<{width}}  {text}" for name, text in rows]
    if examples := EXAMPLES.get(command.name):
        lines += ["", "Examples:", *(f"  {example.words}" for example in examples)]
    return "\n".join(lines) + "\n"


def group_help(group: str, commands: Sequence[Command]) -> str:
    """The commands that begin with one word, a line each."""
    rows = _rows([command for command in commands if command.words[0] == group])
    lines = [f"Usage: context {group} COMMAND [ARGUMENTS]", "", *rows, ""]
    return "\n".join([*lines, f"`context {group} COMMAND --help` explains one.", ""])


def _rows(commands: Sequence[Command], width: int = 0) -> list[str]:
    width = width or max(len(command.name) for command in commands)
    return [f"  {command.name:<{width}}  {command.summary}" for command in commands]


def overview(commands: Sequence[Command]) -> str:
    """All commands, a line each, in groups."""
    width = max(len(command.name) for command in commands)
    lines = [ABOUT, "", "Usage: context COMMAND [ARGUMENTS]", ""]
    for title, members in groups(commands):
        lines += [f"{title}:", *_rows(members, width), ""]
    return "\n".join(
        [
            *lines,
            "`context COMMAND --help` explains one, with examples. `context help WORD` finds a command or an option",
            "and says what a word means. `context --version` tells the version.",
            "",
            "Exit codes:",
            *(f"{code:>6}  {meaning}" for code, meaning in exit_codes().items()),
            "",
        ]
    )
