"""What is said of commands: all in one look, by groups; one with its arguments and examples. Loaded when asked for.

docs/reference/commands.md and the manual pages are written from the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.command.command_line import COMMON, FORMAT, Command
from holdfast.command.examples import examples_of
from holdfast.core.close_match import close_match
from holdfast.core.errors import ContextError, InvalidBudget, InvalidCitation, UnknownName, UsageError, exit_codes
from holdfast.core.packaged_text import packaged_text
from holdfast.core.unicode_text import lower_case
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
    """Each argument of its own as it is typed, and what it is for."""
    return [(parameter.usage, parameter_text(parameter)) for parameter in command.parameters]


def parameter_text(parameter: Parameter) -> str:
    """What an argument is for, with its choices and how else it is given."""
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
    if command.common:
        lines += ["", f"As every command: {', '.join([parameter.usage for parameter in command.common])}"]
    lines += ["", "Examples:", *(f"  {example.words}" for example in examples_of(command))]
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
    shared = max(len(parameter.usage) for parameter in COMMON)
    lines += ["Options of every command:"]
    lines += [f"    {parameter.usage:<{shared}}  {parameter_text(parameter)}" for parameter in COMMON]
    return "\n".join(
        [
            *lines,
            "",
            "`context COMMAND --help` explains one, with examples. `context help WORD` finds a command or an option",
            "and says what a word means. `context --version` tells the version.",
            "",
            "Exit codes:",
            *(f"{code:>6}  {meaning}" for code, meaning in exit_codes().items()),
            "",
        ]
    )


_CITATION = InvalidCitation.code


def hint_for(error: ContextError, words: Sequence[str], commands: Sequence[Command]) -> str:
    """What to do about a failure of this command line, with a command to run; empty where the reason says it."""
    if isinstance(error, UnknownName):
        return f"did you mean '{error.nearest}'?" if error.nearest else f"one of {', '.join(error.known)}"
    said = f"{error.headline} {error.reason}"
    if any(step in said for step in ("'context ", "`context ", "'git init'", "did you mean '")):
        return ""
    if error.code == _CITATION and words[0] == "read" and len(words) > 1 and not words[1].startswith("-"):
        return f"a whole document is 'context read --id {words[1]}', a search names sections: 'context search QUERY'"
    is_understood = error.exit_code > InvalidBudget.exit_code  # then an example of the command shows nothing new
    if (error.remedy or is_understood) and not error.headline.endswith(" is missing"):
        return error.remedy
    by_name = {command.name: command for command in commands}
    command = by_name.get(" ".join(words[:2])) or by_name.get(words[0])
    if command is None:
        group = [each.name for each in commands if each.words[0] == words[0]]
        return f"'context {group[0]} --help' explains one" if group else "'context help' lists the commands"
    return f"such as '{examples_of(command)[0].words}'; 'context {command.name} --help' explains it"


_MARK = "- "


def read_glossary() -> dict[str, str]:
    """Every word of the glossary, in small letters, with what it means; words that mean the same have one text."""
    meanings = {}
    for line in packaged_text("glossary.md").split("\n"):
        if line.startswith(_MARK):
            words, _, meaning = line.removeprefix(_MARK).partition(": ")
            meanings.update(dict.fromkeys(words.split(", "), f"{words}: {meaning}"))
    return meanings


def help_for(words: Sequence[str], commands: Sequence[Command], glossary: dict[str, str]) -> str:
    """The help for these words; an overview of all commands without words, UnknownName for unknown ones."""
    if not words:
        return overview(commands)
    asked = " ".join(words)
    parts = [_of_command(asked, commands)]
    meaning = glossary.get(lower_case(asked))
    if meaning is not None:
        parts.append(f"{meaning}\n")
    parts += [f"Exit code {code}: {explained}\n" for code, explained in exit_codes().items() if asked == str(code)]
    if not any(parts):
        parts = [_mentions(lower_case(asked), commands, glossary)]
    elif not parts[0]:
        parts.append(_mentions(lower_case(asked), commands, {}))
    found = "\n".join([part for part in parts if part])
    if not found:
        known = [*(each.name for each in commands), *sorted(_options(commands)), *glossary]
        if close_match(asked, known, cutoff=0.7):
            raise UnknownName("word", asked, known)
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
    return {each.option for command in commands for each in command.all_parameters if each.is_option}


def _mentions(asked: str, commands: Sequence[Command], glossary: dict[str, str]) -> str:
    """The commands, options and meanings that hold the word."""
    lines = [
        f"  context {each.name}: {each.summary}"
        for each in commands
        if asked in lower_case(f"{each.name} {each.summary}")
    ]
    parts = [["Commands:", *lines]] if lines else []
    users: dict[str, list[str]] = {}
    for command in commands:
        for usage, text in parameter_rows(command):
            if asked in lower_case(f"{usage} {text}"):
                users.setdefault(f"  {usage}: {text}", []).append(command.name)
    for parameter in COMMON:
        if asked in lower_case(f"{parameter.usage} {parameter_text(parameter)}"):
            users[f"  {parameter.usage}: {parameter_text(parameter)}"] = ["every command"]
    if users:
        lines = [f"{line}\n      in {', '.join(names)}" for line, names in users.items()]
        parts.append(["Options and arguments:", *lines])
    lines = [f"  {meaning}" for meaning in dict.fromkeys(glossary.values()) if asked in lower_case(meaning)]
    if lines:
        parts.append(["Words:", *lines])
    return "\n".join(["\n".join(part) + "\n" for part in parts])
