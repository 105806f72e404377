"""Manual pages in roff: one for `context`, one for each command, from the same tables as the help texts."""

from __future__ import annotations

from holdfast.command.command_line import COMMON, FORMAT
from holdfast.command.examples import examples_of
from holdfast.command.help import ABOUT, groups, parameter_rows
from holdfast.core.errors import exit_codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.command.command_line import Command
    from holdfast.operation import Parameter

SECTION = 1
_ENVIRONMENT = {
    "CONTEXT_CACHE_ROOT": "Directory that holds the caches, where no option says otherwise.",
    "SOURCE_DATE_EPOCH": "Seconds since 1970 that stand for now in what is written.",
    "HOLDFAST_DEBUG": "Where it is set, an internal error says where it happened.",
    "NO_COLOR": "Where it is set, nothing on a terminal has a colour.",
}
_FILES = {
    "context.toml": "The caches that a project declares; context-add(1) writes it.",
    "context.lock": "What they were made of, to be committed; context-sync(1) writes it.",
    ".context/caches": "The caches themselves, made again from their sources.",
    ".context.yaml": "What a directory is for; context-init(1) writes them.",
    ".context.config.yaml": "Settings for directory contexts; context-config(1) changes them.",
    ".contextignore": "What is left out, as in .gitignore.",
}
# Characters that roff would take for something else, or print as another one.
_SPECIAL = {
    "\\": "\\e",
    "-": "\\-",
    "'": "\\(aq",
    "`": "\\(ga",
    "^": "\\(ha",
    "~": "\\(ti",
    '"': "\\(dq",
}


def manual_pages(commands: Sequence[Command], glossary: Mapping[str, str], version: str) -> dict[str, str]:
    """Every page by the name of its file."""
    pages = {_file(command): _command_page(command, version) for command in commands}
    return {f"context.{SECTION}": _main_page(commands, glossary, version), **pages, f"holdfast.{SECTION}": _alias()}


def escaped(text: str) -> str:
    """A text that roff prints as it is, on one line."""
    marked = "".join([_SPECIAL.get(each, each) if each.isascii() else f"\\[u{ord(each):04X}]" for each in text])
    return f"\\&{marked}" if marked.startswith((".", "\\(aq")) else marked


def _alias() -> str:
    return f".so man{SECTION}/context.{SECTION}\n"


def _title(command: Command) -> str:
    return "-".join(["context", *command.words])


def _file(command: Command) -> str:
    return f"{_title(command)}.{SECTION}"


def _head(title: str, summary: str, version: str) -> list[str]:
    return [
        f'.TH "{escaped(title)}" {SECTION} "" "Holdfast {escaped(version)}" "Holdfast"',
        *(".nh", ".ad l"),  # a word that is typed is never broken, nor blanks added to it
        ".SH NAME",
        f"{escaped(title)} \\- {escaped(summary)}",
    ]


def _main_page(commands: Sequence[Command], glossary: Mapping[str, str], version: str) -> str:
    lines = [
        *_head("context", ABOUT.rstrip("."), version),
        *(
            ".SH SYNOPSIS",
            "\\fBcontext\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]",
            ".br",
            "\\fBcontext help\\fR \\fIWORD\\fR",
        ),
        ".SH DESCRIPTION",
        escaped("Documentation, directories and specs of a project, as coding agents and people can ask for them:"),
        escaped("offline, within a token budget, and the same to the byte every time."),
        escaped(
            "On a terminal answers are shown to be read; piped they are one line of JSON or the text a model reads."
        ),
        ".SH OPTIONS OF EVERY COMMAND",
        *[line for each in COMMON for line in (".TP", _typed(each), escaped(each.description))],
        ".SH COMMANDS",
    ]
    for title, members in groups(commands):
        lines.append(f".SS {escaped(title)}")
        for command in members:
            lines += [".TP", f"\\fB{escaped(_title(command))}\\fR({SECTION})", escaped(command.summary)]
    lines.append(".SH WORDS")
    for meaning in dict.fromkeys(glossary.values()):
        words, _, text = meaning.partition(": ")
        lines += [".TP", f"\\fB{escaped(words)}\\fR", escaped(text)]
    lines += _exit_status()
    for heading, rows in (("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        lines.append(f".SH {heading}")
        for name, text in rows.items():
            lines += [".TP", f"\\fB{escaped(name)}\\fR", escaped(text)]
    return "\n".join(lines) + "\n"


def _command_page(command: Command, version: str) -> str:
    lines = [
        *_head(_title(command), command.summary.rstrip("."), version),
        ".SH SYNOPSIS",
        " ".join([f"\\fB{escaped('context ' + command.name)}\\fR", *[_place(each) for each in command.parameters]]),
        ".SH OPTIONS",
    ]
    for parameter, (_, text) in zip(command.parameters, parameter_rows(command), strict=True):
        lines += [".TP", _typed(parameter), escaped(text)]
    lines += [".TP", "\\fB\\-\\-help\\fR", "Show help."]
    if command.common:
        lines += [".PP", f"As every command: {', '.join([_typed(parameter) for parameter in command.common])}"]
    lines += [".SH EXAMPLES", ".nf", *[escaped(example.words) for example in examples_of(command)], ".fi"]
    lines += [*_exit_status(), ".SH SEE ALSO", f"\\fBcontext\\fR({SECTION})"]
    return "\n".join(lines) + "\n"


def _typed(parameter: Parameter) -> str:
    """How an argument is typed: what is literal bold, what stands for something italic."""
    if parameter.positional:
        return f"\\fI{escaped(parameter.value_name)}\\fR"
    option = f"\\fB{escaped(parameter.option)}\\fR"
    return option if parameter.kind == "flag" else f"{option} \\fI{escaped(parameter.value_name)}\\fR"


def _place(parameter: Parameter) -> str:
    if parameter.name == FORMAT.name:
        return f"[{_typed(parameter)}]"
    typed = _typed(parameter) if parameter.required else f"[{_typed(parameter)}]"
    return typed + ("..." if parameter.kind == "texts" else "")


def _exit_status() -> list[str]:
    lines = [".SH EXIT STATUS"]
    for code, meaning in exit_codes().items():
        lines += [".TP", f"\\fB{code}\\fR", escaped(meaning)]
    return lines
