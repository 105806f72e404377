"""The commands that make and keep contexts. The tools only read, so these are on the command line alone."""

from __future__ import annotations

from holdfast.operation import Operation, Outcome, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.contexts.on_disk.project import Project
    from holdfast.core.canonical_json import Json
    from holdfast.operation import Arguments
    from holdfast.workspace import Workspace

SCOPE = Parameter("scope", "path", "A directory, as a path from the project's root", metavar="SCOPE", positional=True)
PATH = Parameter("path", "path", "The project (default: the current directory)", metavar="DIR")
FULL = Parameter("full", "flag", "Also files, interfaces, external packages, subdirectories and the project")


def open_project(workspace: Workspace, arguments: Arguments) -> Project:
    """The project that the arguments mean."""
    from holdfast.contexts.on_disk.project import Project

    return Project(workspace.file_contents, workspace.directory(arguments.get("path", "")))


def init(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.keeping import initialise

    return initialise(
        open_project(workspace, arguments),
        now=workspace.timestamp(),
        full=arguments.get("full", False),
        dry_run=arguments.get("dry_run", False),
        agents=not arguments.get("no_agents", False),
        progress=workspace.progress,
    )


def regen(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.keeping import regenerate

    return regenerate(
        open_project(workspace, arguments),
        arguments.get("scope"),
        every=arguments.get("all", False),
        stale=arguments.get("stale", False),
        now=workspace.timestamp(),
        full=arguments.get("full", False),
        progress=workspace.progress,
    )


def rehash(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.keeping import rehash as renew

    return renew(open_project(workspace, arguments), arguments.get("scope"), now=workspace.timestamp())


def validate(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.validating import validate_project

    return validate_project(open_project(workspace, arguments), strict=arguments.get("strict", False))


def watch(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.watching import watch_project

    return watch_project(workspace.file_contents, workspace.directory(arguments.get("path", "")))


def stats(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.surveying import statistics

    return statistics(open_project(workspace, arguments))


def ignore(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.adjusting import add_pattern

    return add_pattern(open_project(workspace, arguments), arguments["pattern"], now=workspace.timestamp())


def config(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.adjusting import configure

    return configure(
        open_project(workspace, arguments), arguments.get("key"), arguments.get("value"), now=workspace.timestamp()
    )


def doctor(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.surveying import diagnose

    return diagnose(open_project(workspace, arguments))


def _command(word: str, summary: str, *parameters: Parameter) -> Operation:
    run, view = f"holdfast.contexts.commands:{word}", f"holdfast.contexts.views:{word}"
    return Operation("contexts", (word,), summary, (*parameters, PATH), run, view=view)


COMMANDS = (
    _command(
        "init",
        "Write a .context.yaml into every directory that should have one, from the source alone.",
        FULL,
        Parameter("dry_run", "flag", "Tell what would be written and write nothing"),
        Parameter("no_agents", "flag", "Leave AGENTS.md alone"),
    ),
    _command(
        "regen",
        "Make the derived fields of contexts anew; what a person wrote stays.",
        SCOPE,
        Parameter("all", "flag", "Every directory that should have a context"),
        Parameter("stale", "flag", "Those that are stale or missing (the default)"),
        FULL,
    ),
    _command("rehash", "Renew only fingerprint and last_updated; the rest of the file stays byte for byte.", SCOPE),
    _command(
        "validate",
        "Check every context against the schema.",
        Parameter("strict", "flag", "Also against the source: files, exports and dependencies that are gone"),
    ),
    _command("watch", "Tell of contexts that go stale while files change, until interrupted."),
    _command("stats", "Compare the tokens of contexts with those of the sources they stand for."),
    _command(
        "ignore",
        "Leave out what matches a pattern, by adding it to .contextignore.",
        Parameter("pattern", "text", "A pattern as in .gitignore", required=True, metavar="PATTERN", positional=True),
    ),
    _command(
        "config",
        "Show the settings, or show or change one.",
        Parameter("key", "text", "A setting", metavar="KEY", positional=True),
        Parameter(
            "value", "text", "Its new value; for a list, words separated by commas", metavar="VALUE", positional=True
        ),
    ),
    _command("doctor", "Check what contexts rely on: settings, git, grammars, unreadable directories."),
)
