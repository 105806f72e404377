"""Door 1: the command line. Gathers arguments, delivers replies; the only file that reads the environment."""

from __future__ import annotations

import gc
import os
import sys

from holdfast.catalog import CATALOG, FAMILIES, find_tool
from holdfast.command.command_line import CACHE_ROOT, PROJECT, Command, command_of, format_of, parse
from holdfast.core.errors import (
    CacheMissing,
    ContextError,
    InternalError,
    Interrupted,
    IoError,
    UnknownName,
    UsageError,
)
from holdfast.core.standard_streams import fill_gaps, read_input, write_bug, write_error, write_output
from holdfast.operation import Parameter, answer, expectation, fits
from holdfast.workspace import Workspace, project_root, system_clock, user_cache_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.mcp.server import Server
    from holdfast.mcp.tool_definitions import NameStyle
    from holdfast.operation import Operation, Reply
    from holdfast.telemetry.metrics import CallMetrics
    from holdfast.telemetry.traces import CallTraces
    from holdfast.workspace import Door

    GivenArguments = dict[str, object]

NAME_STYLES: tuple[NameStyle, ...] = ("auto", "dotted", "underscore")
RECEIPTS = Parameter(
    "receipts", "path", "Directory to write a receipt to for every context.search answered", metavar="DIR"
)
PORT = Parameter("port", "integer", "Port to listen at (default: a free one)", metavar="N", maximum=65535)
SHELLS = ("bash", "zsh", "fish")
# Seconds that a client of the server waits for the first build of a cache.
_PATIENCE = 20.0
_SHARED = {PROJECT.name, CACHE_ROOT.name}

DOOR_COMMANDS = (
    Command(
        ("serve",),
        "Serve the tools over MCP on standard input and output, or over HTTP.",
        (
            Parameter("only", "texts", "Offer one family of tools only", metavar="FAMILY", choices=FAMILIES),
            Parameter(
                "tool_names",
                "text",
                "How names are listed; auto, the default, has underscores for clients that take no dots",
                metavar="STYLE",
                choices=NAME_STYLES,
            ),
            RECEIPTS,
            Parameter(
                "receipts_days", "integer", "Remove receipts that were last given more than N days ago", metavar="N"
            ),
            Parameter("receipts_mb", "integer", "Most megabytes of receipts to keep (default: 1024)", metavar="N"),
            Parameter("telemetry", "flag", "Write counts to stderr when the server ends"),
            Parameter("http", "text", "Serve over HTTP instead, at /mcp; needs the extra http", metavar="HOST:PORT"),
            Parameter("token_file", "path", "Let in only who sends a token of this file, over HTTP", metavar="FILE"),
            Parameter("workers", "integer", "Processes that share the HTTP requests (default: 1)", metavar="N"),
            Parameter("public_url", "text", "The address that clients use, if a proxy has another", metavar="URL"),
            Parameter("issuer", "text", "The authorization server announced to clients", metavar="URL"),
            Parameter("metrics", "flag", "Tell counts at /metrics, over HTTP, in the format of Prometheus"),
            Parameter("metrics_address", "text", "Tell them at this address instead, to anybody", metavar="HOST:PORT"),
            Parameter(
                "otlp", "text", "Send a trace of every call to this collector; env: as OTEL_* say", metavar="URL"
            ),
            Parameter("otlp_arguments", "flag", "Put the arguments of calls into the traces, queries included"),
            Parameter(
                "confine", "flag", "Let nothing outside the project and the cache root be read, listed or probed"
            ),
        ),
        common=(PROJECT, CACHE_ROOT),
    ),
    Command(
        ("call",),
        "Call a tool exactly as the server would answer it.",
        (
            Parameter("tool", "text", "The tool's name, such as context.resolve", True, "TOOL", positional=True),
            Parameter(
                "arguments",
                "text",
                "Its arguments as a JSON object; - reads them from stdin",
                metavar="JSON",
                positional=True,
            ),
            RECEIPTS,
        ),
        common=(PROJECT, CACHE_ROOT),
    ),
    Command(
        ("explore",),
        "Show the project in a browser: caches, directories, specs, receipts, savings; or write all of it to a file.",
        (
            PORT,
            Parameter("no_open", "flag", "Open no browser: print the address alone"),
            Parameter("html", "path", "Write a page that needs no server here, and serve nothing", metavar="FILE"),
            RECEIPTS._replace(description="Directory with receipts (default: .context/receipts)"),
        ),
        common=(PROJECT, CACHE_ROOT),
    ),
    Command(
        ("completions",),
        "Print a completion script for a shell.",
        (
            Parameter("shell", "text", "The shell", True, "SHELL", SHELLS, positional=True),
            Parameter(
                "words", "texts", "Tell what may follow these, as the script asks", metavar="WORD", positional=True
            ),
        ),
    ),
    Command(
        ("help",),
        "Explain a command, an option or a word, or find the commands that mention it.",
        (
            Parameter(
                "words", "texts", "What to look for, as in `context help receipt`", metavar="WORD", positional=True
            ),
        ),
    ),
)
COMMANDS = (*(command_of(operation) for operation in CATALOG), *DOOR_COMMANDS)


def run() -> None:
    """The `context` script."""
    fill_gaps()
    sys.exit(main(sys.argv[1:], os.environ))


def main(argv: Sequence[str], environment: Mapping[str, str], *, progress: bool = True) -> int:
    """Carry out one command line; the exit code. Never raises; a bug in an operation becomes exit code 7.

    Without `progress` nothing that is written depends on how long the work takes.
    """
    # Whatever the locale says, a command line is UTF-8; bytes that are not arrive as lone surrogates.
    words = [os.fsencode(word).decode("utf-8", "surrogateescape") for word in argv]
    try:
        return _carry_out(words, environment, progress=progress)
    except ContextError as error:
        return _tell(error, words)
    except KeyboardInterrupt:
        write_error("")  # below what the terminal shows of Ctrl-C
        write_error("interrupted")
        return Interrupted.exit_code
    except BrokenPipeError:
        return 141  # the reader of our output closed it; a shell reports 141 for a process that SIGPIPE ended
    except OSError as error:
        return _tell(IoError(f"the system refused: {error.strerror}"), words)
    except Exception as error:
        if environment.get("HOLDFAST_DEBUG"):
            write_bug()
        return _tell(InternalError(f"{type(error).__name__}: {error}; HOLDFAST_DEBUG=1 shows where"), words)


def _carry_out(words: Sequence[str], environment: Mapping[str, str], *, progress: bool) -> int:
    if words[:1] == ["--version"]:
        from holdfast.version import __version__

        return _print(f"holdfast {__version__}\n")
    if words[:1] == ["help"] and words[1:] not in (["--help"], ["-h"]):
        return _help(words[1:])  # options are words there
    request = parse(words, COMMANDS)
    if request.command is None:
        return _help([request.group] if request.group else [])
    if request.wants_help:
        from holdfast.command.help import command_help

        return _print(command_help(request.command))
    operation = request.command.operation
    if operation is not None:
        code = _operate(operation, request.arguments, environment, words, progress=progress)
        _note(request.note)  # last: scripts read the first line of stderr
        return code
    _note(request.note)
    return {"serve": _serve, "call": _call, "explore": _explore, "completions": _completions}[request.command.name](
        _complete(request.command, request.arguments), environment
    )


def _complete(command: Command, arguments: GivenArguments) -> GivenArguments:
    """The arguments of one of the door's own commands, none missing and each among its choices."""
    for parameter in command.parameters:
        value = arguments.get(parameter.name)
        if value is None and parameter.required:
            raise UsageError(f"'{command.name}' needs {parameter.usage}", headline=f"{parameter.typed} is missing")
        for given in value if isinstance(value, list) else [value]:
            if value is not None and parameter.choices and given not in parameter.choices:
                raise UnknownName(parameter.name.replace("_", " "), str(given), list(parameter.choices))
    return arguments


def _operate(
    operation: Operation,
    arguments: GivenArguments,
    environment: Mapping[str, str],
    words: Sequence[str],
    *,
    progress: bool,
) -> int:
    # What one command makes holds few cycles: looking for them less often takes a quarter off a map of 20,000 files.
    gc.set_threshold(50_000, 20, 100)
    chosen = arguments.pop("format", None)
    formats = format_of(operation).choices
    if chosen is not None and chosen not in formats:
        raise UsageError(f"--format is {', '.join(formats[:-1])} or {formats[-1]}, not '{chosen}'")
    if chosen is not None and any(parameter.name == "format" for parameter in operation.parameters):
        arguments["format"] = "json" if chosen == "pretty" else chosen
    terminal = chosen is None and bool(operation.view) and sys.stdout.isatty()
    asks = progress and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    moving = None
    if progress and sys.stderr.isatty():
        from holdfast.command.terminal import ProgressLine

        moving = ProgressLine()
    declared = {parameter.name for parameter in operation.parameters}
    shared = {name: arguments.pop(name) for name in (*arguments,) if name in _SHARED - declared}
    workspace = _workspace(shared, environment)._replace(
        announce=lambda line: write_error(f"note: {line}"),
        confirm=_confirm if asks else None,
        progress=moving,
        phases=moving.phase if moving else _tell_phase if progress else None,
    )
    started = system_clock()
    operation = operation.variant_for(arguments)
    reply = answer(operation, arguments, workspace, pretty=chosen == "pretty")
    if isinstance(reply.error, CacheMissing):
        from holdfast.caches.meant_caches import with_next_step

        with_next_step(workspace, reply.error)
    if isinstance(reply.error, ContextError):
        return _tell(reply.error, words)
    _note(reply.note)
    if terminal and reply.value is not None:
        from holdfast.command.terminal import show

        show(operation, reply, seconds=system_clock() - started)
        return reply.exit_code
    return _deliver(reply)


def _note(text: str) -> None:
    for line in text.split("\n") if text else ():
        write_error(f"note: {line}")


def _confirm(shown: str, question: str) -> bool:
    """Show a text and ask; anything but a plain yes is a no."""
    for line in shown.split("\n"):
        write_error(line)
    write_error(f"{question} [y/N]")
    return sys.stdin.readline().strip("\r\n \t") in ("y", "Y", "yes", "Yes", "YES")


def _tell_phase(phase: str, done: int, total: int) -> None:
    """A line for each phase as it begins, where nobody watches a terminal."""
    if not done and total:
        write_error(f"{phase} ({total:,})")


def _deliver(reply: Reply) -> int:
    write_output(reply.text, is_json=reply.is_json)
    return reply.exit_code


def _workspace(
    arguments: GivenArguments, environment: Mapping[str, str], *, door: Door = "command", confine: bool = False
) -> Workspace:
    project = str(arguments["path"]) if "path" in arguments else _project(environment)
    root = arguments.get("cache_root") or environment.get("CONTEXT_CACHE_ROOT")
    receipts = str(arguments["receipts"]) if "receipts" in arguments else None
    epoch = environment.get("SOURCE_DATE_EPOCH", "")
    fixed = float(epoch) if epoch.isascii() and epoch.isdigit() and len(epoch) < 12 else None
    workspace = Workspace(
        project,
        cache_root=str(root) if root else None,
        door=door,
        confine=confine,
        receipts=os.path.normpath(receipts) if receipts else receipts,  # a slash at its end would follow a link
        clock=system_clock if fixed is None else lambda: fixed,
        environment=environment,
        user_cache="" if confine else user_cache_of(environment),
        git_index=os.path.abspath(environment["GIT_INDEX_FILE"]) if environment.get("GIT_INDEX_FILE") else "",
    )
    if workspace.receipts:
        workspace.written(workspace.receipts)
    return workspace


def _project(environment: Mapping[str, str]) -> str:
    """The project that the working directory is in."""
    try:
        here = os.getcwd()
    except OSError:
        return "."  # it was removed
    found = project_root(here, environment.get("HOME", ""))
    return "." if found == here else found


def _serve(arguments: GivenArguments, environment: Mapping[str, str]) -> int:
    from holdfast.mcp.server import Server

    only = arguments.get("only")
    confine = bool(arguments.get("confine"))
    megabytes = _whole_number(arguments, "receipts_mb")
    workspace = _workspace(arguments, environment, door="tool", confine=confine)._replace(
        patience=_PATIENCE,
        receipts_days=_whole_number(arguments, "receipts_days"),
        receipts_bytes=None if megabytes is None else megabytes << 20,
    )
    if workspace.receipts:
        _make_folder(workspace.receipts)

    def new_server(metrics: CallMetrics | None = None, traces: CallTraces | None = None) -> Server:
        families = [str(family) for family in only] if isinstance(only, list) else FAMILIES
        tool_names: NameStyle = next((style for style in NAME_STYLES if style == arguments.get("tool_names")), "auto")
        if metrics is None:
            return Server(workspace, families=families, tool_names=tool_names)
        from holdfast.telemetry.watched_server import WatchedServer

        return WatchedServer(workspace, metrics, traces, families=families, tool_names=tool_names)

    tracing = None
    if "otlp" in arguments or "otlp_arguments" in arguments:
        from holdfast.telemetry.trace_command import asked_tracing

        tracing = asked_tracing(arguments, environment, is_confined=confine)
    if "http" in arguments:
        from holdfast.http.command import serve_over_http

        return serve_over_http(arguments, new_server, workspace if confine else None, tracing)
    for name in ("token_file", "workers", "public_url", "issuer", "metrics", "metrics_address"):
        if name in arguments:
            raise UsageError(f"--{name.replace('_', '-')} goes with --http")
    from holdfast.mcp.stdio import serve

    if confine:
        from holdfast.mcp.rights import give_up_rights

        give_up_rights(workspace, connected=[] if tracing is None else [tracing.port])
    traces = None
    if tracing is None:
        server = new_server()
    else:
        from holdfast.telemetry.metrics import SIZE, CallMetrics

        metrics = CallMetrics([0] * SIZE)
        traces = tracing.begin(metrics)
        server = new_server(metrics, traces)

    def end() -> None:
        if traces is not None:
            traces.close()
        if arguments.get("telemetry"):
            from holdfast.core.canonical_json import encode

            write_error(encode(server.telemetry()))

    return serve(server, end)


def _make_folder(path: str) -> None:
    """Make a folder for receipts where there is none, below `.context` ignored by git from the start; IoError, before
    anything is served, where it cannot be used."""
    try:
        is_ours = not os.path.lexists(path) and ".context" in os.path.abspath(path).split(os.sep)
        os.makedirs(path, 0o700, exist_ok=True)
        if is_ours:
            with open(os.path.join(path, ".gitignore"), "x", encoding="ascii") as file:
                file.write("*\n")
    except OSError as error:
        raise IoError(f"--receipts: '{path}' cannot be made: {error.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise IoError(f"--receipts: nothing can be written to '{path}'")


def _whole_number(arguments: GivenArguments, name: str) -> int | None:
    value = arguments.get(name)
    if value is not None and not (type(value) is int and 0 < value < 1 << 30):
        raise UsageError(f"--{name.replace('_', '-')} takes a whole number from 1")
    return value if isinstance(value, int) else None


def _call(arguments: GivenArguments, environment: Mapping[str, str]) -> int:
    from holdfast.core.canonical_json import JsonError, decode

    operation = find_tool(str(arguments["tool"]))
    given = str(arguments.get("arguments", "{}"))
    try:
        values = decode(read_input() if given == "-" else given)
    except JsonError as error:
        raise UsageError(f"the arguments are not JSON: {error}") from None
    if not isinstance(values, dict):
        raise UsageError("the arguments must be a JSON object")
    reply = answer(operation, values, _workspace(arguments, environment, door="tool"))
    code = _deliver(reply)
    if reply.afterwards is not None:
        reply.afterwards("context call")
    return code


def _help(words: Sequence[str]) -> int:
    from holdfast.command.help import help_for, read_glossary

    return _print(help_for(words, COMMANDS, read_glossary()))


def _explore(arguments: GivenArguments, environment: Mapping[str, str]) -> int:
    from holdfast.explore.explore_command import explore

    port = arguments.get("port", 0)
    if not isinstance(port, int) or not fits(PORT, port):
        raise UsageError(f"--port must be {expectation(PORT)}")
    receipts, out = [str(arguments[name]) if name in arguments else None for name in ("receipts", "html")]
    workspace = _workspace({name: arguments[name] for name in arguments if name != "receipts"}, environment)
    opens, chosen = not arguments.get("no_open"), bool(environment.get("BROWSER"))
    return explore(workspace, port=port, opens=opens, chosen=chosen, out=out, receipts=receipts)


def _completions(arguments: GivenArguments, _environment: Mapping[str, str]) -> int:
    from holdfast.command.completions import offers, script

    words = arguments.get("words")
    if isinstance(words, list):
        return _print("".join([f"{line}\n" for line in offers(words, COMMANDS)]))
    return _print(script(str(arguments["shell"])))


def _print(text: str) -> int:
    write_output(text)
    return 0


def _tell(error: ContextError, words: Sequence[str]) -> int:
    """An error for the person at the terminal, and what to do about it."""
    from holdfast.command.help import hint_for

    write_error(f"error: {error.headline}")
    if error.reason:
        write_error(f"reason: {error.reason}")
    if hint := hint_for(error, words, COMMANDS):
        write_error(f"hint: {hint}")
    return error.exit_code
