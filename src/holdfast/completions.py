"""Completion scripts for shells, written from the table of commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.command_line import Command

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


def _options(command: Command) -> list[str]:
    return [parameter.option for parameter in command.parameters if not parameter.positional] + ["--help"]


def _fixed_values(command: Command) -> list[str]:
    """What a positional argument of the command can be, where that is known."""
    return [choice for parameter in command.parameters if parameter.positional for choice in parameter.choices]


def _bash(commands: Sequence[Command]) -> str:
    cases = []
    for first, seconds in _second_words(commands).items():
        cases.append(f'    "{first} ") words="{" ".join(seconds)}" ;;')
    for command in commands:
        words = " ".join(_options(command) + _fixed_values(command))
        cases.append(f'    "{command.name}"*) words="{words}" ;;')
    firsts = " ".join([*_first_words(commands), "--help", "--version"])
    return "\n".join(
        [
            "_holdfast() {",
            '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words=""',
            '  case "$previous" in',
            '    --sources|--cache|--root|--cache-root|--path) COMPREPLY=($(compgen -d -- "$current")); return ;;',
            '    --format) COMPREPLY=($(compgen -W "json pretty" -- "$current")); return ;;',
            "  esac",
            '  if [ "$COMP_CWORD" -eq 1 ]; then',
            f'    COMPREPLY=($(compgen -W "{firsts}" -- "$current")); return',
            "  fi",
            '  case "${COMP_WORDS[*]:1:COMP_CWORD-1} " in',
            *cases,
            "  esac",
            '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
            "}",
            f"complete -o default -F _holdfast {' '.join(_NAMES)}",
            "",
        ]
    )


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
                if parameter.positional:
                    if parameter.choices:
                        lines.append(f"complete -c {name} -n '{condition}' -a '{' '.join(parameter.choices)}'")
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
