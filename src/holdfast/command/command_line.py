"""What the person typed -> what it means: one table of commands drives parsing, help, manual pages and completion."""

from __future__ import annotations

from holdfast.core.errors import InvalidQuery, UnknownName, UsageError
from holdfast.core.record import NamedTuple
from holdfast.operation import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.operation import Operation

FORMAT = Parameter(
    "format",
    "text",
    "json: one line, pretty: indented; on a terminal the default is a readable view",
    metavar="FORMAT",
    choices=("json", "pretty"),
)
PROJECT = Parameter("path", "path", "The project (default: the one the current directory is in)", metavar="DIR")
CACHE_ROOT = Parameter(
    "cache_root",
    "path",
    "Directory that holds the caches (default: $CONTEXT_CACHE_ROOT, else .context/caches)",
    metavar="DIR",
)
COMMON = (FORMAT, PROJECT, CACHE_ROOT)
TEXT_FORMAT = FORMAT._replace(
    description="text: as a model reads it, the default; json: one line, pretty: indented; on a terminal a view",
    choices=("text", "json", "pretty"),
)


class Command(NamedTuple):
    """One command as the command line knows it, whether an operation answers it or the door itself."""

    words: tuple[str, ...]
    summary: str
    parameters: tuple[Parameter, ...]
    operation: Operation | None = None
    common: tuple[Parameter, ...] = ()  # the options that commands share, as it takes them

    @property
    def family(self) -> str:
        """The family it belongs to; empty for what the door does itself."""
        return "" if self.operation is None else self.operation.family

    @property
    def name(self) -> str:
        """The words as typed."""
        return " ".join(self.words)

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        """Its own parameters and the common ones."""
        return (*self.parameters, *self.common)


class Request(NamedTuple):
    """A command line understood: which command, with which arguments, or that help was asked for.

    `group` is the first word of commands that were asked about together, as in `context spec --help`.
    """

    command: Command | None
    arguments: dict[str, object]
    wants_help: bool = False
    group: str = ""
    note: str = ""  # how old spellings are written now


def command_of(operation: Operation) -> Command:
    """The command that opens an operation; where it declares a common option itself, that is what the option sets."""
    own, formats, project = [], FORMAT, PROJECT
    for parameter in operation.offered("command"):
        if parameter.name == FORMAT.name:
            formats = format_of(operation)
        elif parameter.option == PROJECT.option:
            project = parameter._replace(description=PROJECT.description, metavar=PROJECT.metavar)
        else:
            own.append(parameter)
    if formats is not FORMAT:
        return Command(operation.command, operation.summary, (*own, formats), operation, (project, CACHE_ROOT))
    return Command(operation.command, operation.summary, tuple(own), operation, (FORMAT, project, CACHE_ROOT))


def format_of(operation: Operation) -> Parameter:
    """What `--format` takes: the formats that the operation declares, where it declares some, and `pretty`."""
    declared = next((parameter for parameter in operation.parameters if parameter.name == FORMAT.name), None)
    if declared is None:
        return FORMAT
    offered = TEXT_FORMAT if operation.text else declared
    return offered._replace(choices=(*declared.choices, "pretty"))


def parse(words: Sequence[str], commands: Sequence[Command]) -> Request:
    """The request that the words make; UsageError or UnknownName when they make none."""
    if not words or words[0] in ("-h", "--help"):
        return Request(None, {}, wants_help=True)
    first, words = _leading_options(words)
    words, renamed = _renamed(words)
    if len(words) > 1 and words[1] in ("-h", "--help") and _is_group(words[0], commands):
        return Request(None, {}, wants_help=True, group=words[0])
    command, rest = _find_command(words, commands)
    if any(word in ("-h", "--help") for word in _before_separator(rest)):
        return Request(command, {}, wants_help=True)
    request = _request(command, [*first, *rest])
    return request._replace(note="\n".join([*renamed, request.note]).strip("\n")) if renamed else request


def _leading_options(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The common options before the command, and the words from there on."""
    options, at = [parameter.option for parameter in COMMON], 0
    while at < len(words) and words[at].partition("=")[0] in options:
        at += 1 if "=" in words[at] else 2
    if at and at >= len(words):
        raise UsageError("a command is missing", headline="COMMAND is missing")
    return words[:at], words[at:]


def _renamed(words: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """The words with a command of the release before in its spelling of now, and a note that says so."""
    from holdfast.command.old_spellings import RENAMED

    for old, new in RENAMED.items():
        if words[: old.count(" ") + 1] == old.split(" "):
            note = f"'context {old}' is now 'context {new}'; the next release does not know it"
            return [*new.split(" "), *words[old.count(" ") + 1 :]], [note]
    return words, []


def _before_separator(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index("--")] if "--" in words else words


def _is_group(word: str, commands: Sequence[Command]) -> bool:
    """Whether a word begins commands without being one."""
    return any(command.words[0] == word for command in commands) and not any(
        command.words == (word,) for command in commands
    )


def _find_command(words: Sequence[str], commands: Sequence[Command]) -> tuple[Command, Sequence[str]]:
    for length in (2, 1):
        for command in commands:
            if len(command.words) == length and command.words == tuple(words[:length]):
                return command, words[length:]
    from holdfast.command.old_spellings import REMOVED

    for name in (" ".join(words[:2]), words[0]):
        if name in REMOVED:
            raise UsageError(f"'context {name}' is no command any more: {REMOVED[name]}")
    for command in commands:
        operation = command.operation
        if operation is not None and operation.tool and words[0] in (operation.tool, operation.tool.replace(".", "_")):
            raise UsageError(f"'{words[0]}' is a tool; its command is 'context {command.name}'")
    group = [command for command in commands if len(command.words) == 2 and command.words[0] == words[0]]
    if group:
        if len(words) == 1:
            raise UsageError(f"'{words[0]}' needs one of: {', '.join(command.words[1] for command in group)}")
        raise UnknownName(f"command of '{words[0]}'", words[1], [command.words[1] for command in group])
    if words[0].startswith("-"):
        raise UnknownName("flag", words[0], ["--help", "--version"])
    raise UnknownName("command", words[0], list(dict.fromkeys(command.words[0] for command in commands)))


def _request(command: Command, words: Sequence[str]) -> Request:
    options = {parameter.option: parameter for parameter in command.all_parameters if parameter.is_option}
    positionals = [parameter for parameter in command.parameters if parameter.positional]
    arguments: dict[str, object] = {}
    notes: list[str] = []
    rest = list(words)
    flags_end = False
    while rest:
        word = rest.pop(0)
        if word == "--" and not flags_end:
            flags_end = True
        elif flags_end or not word.startswith("-") or word == "-":
            _take_positional(command, positionals, arguments, word)
        else:
            option, equals, value = word.partition("=")
            parameter = options.get(option) or _moved(command, option, notes)
            if parameter is None:
                raise UnknownName("flag", option, [*options, "--help"])
            if parameter.kind == "flag":
                if equals:
                    raise UsageError(f"{option} takes no value")
                _put(arguments, parameter, True)
            else:
                text = value if equals else _spaced_value(parameter, rest, options)
                _put(arguments, parameter, _converted(parameter, text))
    return Request(command, arguments, note="\n".join(notes))


def _moved(command: Command, option: str, notes: list[str]) -> Parameter | None:
    """What an option of the release before sets, with a note of how it is written now."""
    from holdfast.command.old_spellings import MOVED

    for parameter in MOVED.get(command.name, ()):
        if parameter.option == option:
            notes.append(f"{option} is now {parameter.description}; the next release does not know it")
            return parameter
    return None


def _spaced_value(parameter: Parameter, rest: list[str], options: Collection[str]) -> str:
    """The word after an option, taken off the rest; what is an option itself is no value."""
    if not rest or rest[0].partition("=")[0] in options:
        raise UsageError(f"{parameter.option} needs a value: {parameter.option} {parameter.value_name}")
    value = rest.pop(0)
    if parameter.error is InvalidQuery and value.startswith("-") and value != "-":
        # It would be taken for a flag elsewhere, and is refused as it always was.
        raise InvalidQuery(f"write a query that begins with '-' as {parameter.option}={value}")
    return value


def _take_positional(command: Command, positionals: list[Parameter], arguments: dict[str, object], word: str) -> None:
    for parameter in positionals:
        if parameter.name not in arguments or parameter.kind == "texts":
            _put(arguments, parameter, _converted(parameter, word))
            return
    reason = f"'{command.name}' does not know what to do with '{word}'"
    if positionals and positionals[-1].error is InvalidQuery:
        reason += ": put a query of several words between quotation marks"
    raise UsageError(reason)


def _put(arguments: dict[str, object], parameter: Parameter, value: object) -> None:
    if parameter.kind == "texts":
        earlier = arguments.setdefault(parameter.name, [])
        if isinstance(earlier, list):
            earlier.append(value)
    elif parameter.name in arguments:
        raise UsageError(f"{parameter.option} is given twice")
    else:
        arguments[parameter.name] = value


def _converted(parameter: Parameter, text: str) -> object:
    """A word as a value of the parameter's kind; one that is no number stays text, and is refused with the others."""
    digits = text.removeprefix("-")
    if parameter.kind == "integer" and digits.isascii() and digits.isdigit() and len(digits) < 400:
        return int(text)
    return text
