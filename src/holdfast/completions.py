"""Completion scripts for shells, written from the table of commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.command_line import Command
    from holdfast.operation import Parameter

_NAMES = ("context", "holdfast")


def script(shell: str, commands: Sequence[Command]) -> str:
    """The script to source in `bash`, `zsh` or `fish`."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


def _first_words(commands: Sequence[Command]) -> list[str]:
    return list(dict.fromkeys(command.words[0] for command in commands))


def _second_words(commands: Sequence[Command]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for command in commands:
        if len(command.words) == 2:
            groups.setdefault(command.words[0], []).append(command.words[1])
    return groups


def _bash(commands: Sequence[Command]) -> str:
    """A function that finds the command, then offers what its table knows of the place where the cursor is."""
    groups = _second_words(commands)
    firsts = " ".join([*_first_words(commands), "--help", "--version"])
    return "\n".join(
        [
            "_holdfast() {",
            '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
            '  local command="${COMP_WORDS[1]}" words="" files=""',
            "  COMPREPLY=()",
            '  if [ "$COMP_CWORD" -eq 1 ]; then',
            f'    COMPREPLY=($(compgen -W "{firsts}" -- "$current")); return',
            "  fi",
            "  # --option=value arrives as three words.",
            '  if [ "$current" = "=" ]; then current=""',
            '  elif [ "$previous" = "=" ]; then previous="${COMP_WORDS[COMP_CWORD-2]}"; fi',
            '  if [ "$COMP_CWORD" -gt 2 ]; then case "$command ${COMP_WORDS[2]}" in',
            f'    {"|".join(_quoted_names(commands))}) command="$command ${{COMP_WORDS[2]}}" ;;',
            "  esac; fi",
            '  case "$command $previous" in',
            *_bash_values(commands),
            '  *) case "$command" in',
            *(f"    {_listed(command.words)}) {_bash_words(command, groups)} ;;" for command in commands),
            *(f"    {first}) words={_listed(seconds)} ;;" for first, seconds in _pure_groups(commands).items()),
            "  esac ;;",
            "  esac",
            '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
            '  if [ -n "$files" ]; then',
            "    local IFS=$'\\n'",
            '    COMPREPLY+=($(compgen -f -- "$current"))',
            "    compopt -o filenames 2>/dev/null",
            "  fi",
            "}",
            f"complete -F _holdfast {' '.join(_NAMES)}",
            "",
        ]
    )


def _listed(words: Sequence[str]) -> str:
    return "'" + " ".join(words) + "'"


def _quoted_names(commands: Sequence[Command]) -> list[str]:
    return [f'"{command.name}"' for command in commands if len(command.words) == 2]


def _pure_groups(commands: Sequence[Command]) -> dict[str, list[str]]:
    """The groups whose first word alone is no command."""
    alone = {command.name for command in commands}
    return {first: seconds for first, seconds in _second_words(commands).items() if first not in alone}


def _bash_values(commands: Sequence[Command]) -> list[str]:
    """After an option that takes a value: files for a path, the choices where there are some, else nothing."""
    cases: dict[str, list[str]] = {}
    for command in commands:
        for parameter in command.parameters:
            if parameter.is_option and parameter.kind != "flag":
                cases.setdefault(_bash_offer(parameter), []).append(f'"{command.name} {parameter.option}"')
    return [f"  {'|'.join(places)}) {offer} ;;" for offer, places in cases.items()]


def _bash_offer(parameter: Parameter) -> str:
    if parameter.choices:
        return f"words={_listed(parameter.choices)}"
    return "files=1" if parameter.kind == "path" else "return"


def _bash_words(command: Command, groups: dict[str, list[str]]) -> str:
    """Anywhere else: the options, further words of the command, and what a positional argument may be."""
    positionals = [parameter for parameter in command.parameters if parameter.positional]
    words = [parameter.option for parameter in command.parameters if parameter.is_option] + ["--help"]
    words += groups.get(command.name, []) + [choice for parameter in positionals for choice in parameter.choices]
    files = any(parameter.kind == "path" for parameter in positionals)
    return f"words={_listed(words)}" + ("; files=1" if files else "")


def _zsh(commands: Sequence[Command]) -> str:
    """zsh runs the bash function through its compatibility layer."""
    return f"#compdef {' '.join(_NAMES)}\nautoload -U +X bashcompinit && bashcompinit\n{_bash(commands)}"


def _fish(commands: Sequence[Command]) -> str:
    lines = []
    groups = _second_words(commands)
    for name in _NAMES:
        lines.append(f"complete -c {name} -f")
        for first in _first_words(commands):
            summary = next(command.summary for command in commands if command.words[0] == first)
            text = f"{first}: {', '.join(groups[first])}" if first in groups else summary
            lines.append(f"complete -c {name} -n __fish_use_subcommand -a {first} -d {_quoted(text)}")
        for first, seconds in groups.items():
            lines.append(f"complete -c {name} -n '__fish_seen_subcommand_from {first}' -a '{' '.join(seconds)}'")
        for command in commands:
            condition = " and ".join(f"__fish_seen_subcommand_from {word}" for word in command.words)
            condition = condition.replace(" and ", "; and ")
            for parameter in command.parameters:
                if not parameter.is_option:
                    if parameter.choices:
                        lines.append(f"complete -c {name} -n '{condition}' -a '{' '.join(parameter.choices)}'")
                    elif parameter.kind == "path":
                        lines.append(f"complete -c {name} -n '{condition}' -F")
                    continue
                option = f"-l {parameter.option.lstrip('-')} -d {_quoted(parameter.description)}"
                if parameter.kind != "flag":
                    option += " -r"
                if parameter.kind == "path":
                    option += " -F"
                if parameter.choices:
                    option += f" -a '{' '.join(parameter.choices)}'"
                lines.append(f"complete -c {name} -n '{condition}' {option}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
