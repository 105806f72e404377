"""Completion scripts for shells, written from the table of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.command.command_line import Command
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
        for parameter in command.all_parameters:
            if parameter.is_option and parameter.kind != "flag":
                cases.setdefault(_bash_offer(parameter), []).append(f'"{command.name} {parameter.option}"')
    return [f"  {'|'.join(places)}) {offer} ;;" for offer, places in cases.items()]


def _bash_offer(parameter: Parameter) -> str:
    if parameter.choices:
        return f"words={_listed(parameter.choices)}"
    return "files=1" if parameter.kind == "path" else "return"


def _bash_words(command: Command, groups: dict[str, list[str]]) -> str:
    """Anywhere else: the options, further words of the command, and what a positional argument may be."""
    positionals = [parameter for parameter in command.all_parameters if parameter.positional]
    words = [parameter.option for parameter in command.all_parameters if parameter.is_option] + ["--help"]
    words += groups.get(command.name, []) + [choice for parameter in positionals for choice in parameter.choices]
    files = any(parameter.kind == "path" for parameter in positionals)
    return f"words={_listed(words)}" + ("; files=1" if files else "")


def _zsh(commands: Sequence[Command]) -> str:
    """A function for zsh's own system: it finds the command and leaves its arguments to `_arguments`.

    The file can be autoloaded, whatever it is called, and sourced.
    """
    groups = _second_words(commands)
    rows = {first: _described(commands, first, groups) for first in _first_words(commands)}
    lines = [
        f"#compdef {' '.join(_NAMES)}",
        "_holdfast() {",
        "  local curcontext=$curcontext name=$words[2] taken=2",
        "  local -a listed",
        "  if (( CURRENT == 2 )); then",
        f"    listed=({' '.join([_quoted_for_sh(f'{first}:{text}') for first, text in rows.items()])})",
        "    _describe -t commands command listed",
        "    return",
        "  fi",
        "  if (( CURRENT > 3 )); then",
        '    case "$name $words[3]" in',
        f'      {"|".join(_quoted_names(commands))}) name="$name $words[3]" taken=3 ;;',
        "    esac",
        "  fi",
        "  if (( CURRENT == 3 )); then",
        '    case "$name" in',
    ]
    for first, seconds in groups.items():
        summaries = {
            command.words[1]: command.summary for command in commands if command.words[0] == first and command.words[1:]
        }
        listed = " ".join([_quoted_for_sh(f"{second}:{summaries[second]}") for second in seconds])
        lines.append(f"      {first}) listed=({listed}); _describe -t commands command listed ;;")
    lines += [
        "    esac",
        "  fi",
        '  words=("$name" "${(@)words[taken+1,-1]}")',
        "  (( CURRENT -= taken - 1 ))",
        '  case "$name" in',
    ]
    for command in commands:
        specs = " ".join([_quoted_for_sh(spec) for spec in _zsh_specs(command)])
        lines.append(f"    {_listed(command.words)}) _arguments -s -S {specs} ;;")
    return "\n".join(
        [
            *lines,
            "  esac",
            "}",
            'if [[ "$zsh_eval_context" == *loadautofunc* ]]; then',
            '  _holdfast "$@"',
            "else",
            f"  compdef _holdfast {' '.join(_NAMES)}",
            "fi",
            "",
        ]
    )


def _described(commands: Sequence[Command], first: str, groups: dict[str, list[str]]) -> str:
    """The description of a first word: its command's summary, or the words that may follow."""
    alone = [command.summary for command in commands if command.words == (first,)]
    return alone[0] if alone else ", ".join(groups[first])


def _zsh_specs(command: Command) -> list[str]:
    """The specs for `_arguments`, one per option or positional argument."""
    specs = ["(- *)--help[Show the help of this command]"]
    place = 0
    for parameter in command.all_parameters:
        value = f":{_plain(parameter.value_name)}:{_zsh_values(parameter)}"
        if parameter.is_option:
            repeated = "*" if parameter.kind == "texts" else ""
            described = f"[{_plain(parameter.description)}]"
            is_flag = parameter.kind == "flag"
            specs.append(
                f"{repeated}{parameter.option}{described}"
                if is_flag
                else f"{repeated}{parameter.option}={described}{value}"
            )
        if parameter.positional:
            place += 1
            specs.append(f"*{value}" if parameter.kind == "texts" else f"{place}:{value}")
    return specs


def _zsh_values(parameter: Parameter) -> str:
    if parameter.choices:
        return f"({' '.join(parameter.choices)})"
    return "_files" if parameter.kind == "path" else " "


def _plain(text: str) -> str:
    """A text in which nothing means anything to `_arguments`."""
    for mark in "\\[]:":
        text = text.replace(mark, "\\" + mark)
    return text


def _quoted_for_sh(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish(commands: Sequence[Command]) -> str:
    """A line for each thing that may be typed, with the command as its condition."""
    name, *others = _NAMES
    groups = _second_words(commands)
    pairs = " ".join([_listed(command.words) for command in commands if len(command.words) == 2])
    lines = [
        "# Whether the command that was typed is this one; with two words where the second one belongs to it.",
        "function __holdfast_is",
        "  set -l words (commandline -opc)",
        '  set -l name "$words[2]"',
        '  if set -q words[3]; and contains -- "$words[2] $words[3]" ' + pairs,
        '    set name "$words[2] $words[3]"',
        "  end",
        '  test "$name" = "$argv[1]"',
        "end",
        f"complete -c {name} -f",
        *(f"complete -c {other} -w {name}" for other in others),
    ]
    for first in _first_words(commands):
        text = _quoted(_described(commands, first, groups))
        lines.append(f"complete -c {name} -n '__holdfast_is \"\"' -a {first} -d {text}")
    for command in commands:
        if len(command.words) == 2:
            first, second = command.words
            # Only while there is no other word.
            condition = f"__holdfast_is {first}; and test (count (commandline -opc)) -eq 2"
            lines.append(f"complete -c {name} -n '{condition}' -a {second} -d {_quoted(command.summary)}")
    for command in commands:
        condition = f'__holdfast_is "{command.name}"'
        lines.append(f"complete -c {name} -n '{condition}' -l help -d 'Show the help of this command'")
        for parameter in command.all_parameters:
            if not parameter.is_option or parameter.positional:
                if parameter.choices:
                    lines.append(f"complete -c {name} -n '{condition}' -a '{' '.join(parameter.choices)}'")
                elif parameter.kind == "path":
                    lines.append(f"complete -c {name} -n '{condition}' -F")
            if not parameter.is_option:
                continue
            option = f"-l {parameter.option.removeprefix('--')} -d {_quoted(parameter.description)}"
            if parameter.kind != "flag":
                option += " -r -F" if parameter.kind == "path" else " -x"
            if parameter.choices:
                option += f" -a '{' '.join(parameter.choices)}'"
            lines.append(f"complete -c {name} -n '{condition}' {option}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
