"""What can be done with directory contexts, declared for both doors."""

from __future__ import annotations

from holdfast.contexts.commands import COMMANDS
from holdfast.core.errors import UsageError
from holdfast.operation import Operation, Outcome, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.contexts.on_disk.project import Project
    from holdfast.core.canonical_json import Json
    from holdfast.core.errors import ContextError
    from holdfast.operation import Arguments
    from holdfast.workspace import Workspace

SCOPE = Parameter(
    "scope",
    "path",
    'Relative path from project root, e.g. "src/core" or "." for root',
    required=True,
    metavar="SCOPE",
    positional=True,
)
PATH = Parameter(
    "path", "path", "Project root path override. Defaults to the server's configured root.", metavar="PROJECT"
)
STATES = ("fresh", "stale", "missing")


def open_project(workspace: Workspace, arguments: Arguments) -> Project:
    """The project that the arguments mean."""
    from holdfast.contexts.on_disk.project import Project

    path = arguments.get("path", "")
    if "\0" in path:
        raise UsageError("path must be a path: it cannot hold a NUL character")
    return Project(workspace.file_contents, workspace.directory(path), workspace.named(path))


def list_contexts(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.asking import listing

    return listing(open_project(workspace, arguments), arguments, workspace.progress)


def check_freshness(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.asking import verdict

    return verdict(open_project(workspace, arguments), arguments["scope"])


def query_context(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.contexts.on_disk.asking import content

    return content(open_project(workspace, arguments), arguments["scope"], arguments.get("filter"))


def query_failure(error: ContextError) -> Json:
    """An argument that cannot be used, in the shape of `query_context`."""
    return {"found": False, "scope": "", "error": error.reason or error.message}


def check_failure(error: ContextError) -> Json:
    """An argument that cannot be used, in the shape of `check_freshness`."""
    return {"scope": "", "state": "missing", "error": error.reason or error.message}


def list_failure(error: ContextError) -> Json:
    """An argument that cannot be used, in the shape of `list_contexts`."""
    empty: Json = {"root": "", "total_directories": 0, "skipped_directories": 0, "tracked": 0, "entries": []}
    return {**empty, "error": error.reason or error.message}


TOOLS = (
    Operation(
        family="contexts",
        command=("status",),
        tool="list_contexts",
        title="List contexts",
        summary="List the directories that should have a context, and whether each is fresh, stale or missing.",
        description=(
            "List all tracked directories with their staleness status. Call it first to discover which scopes exist; "
            "in a large project narrow it with `under` and `states`."
        ),
        parameters=(
            PATH,
            Parameter("under", "path", "Only scopes at or below this one", metavar="SCOPE"),
            Parameter("states", "texts", "Only these states", metavar="STATE", choices=STATES, flag="--state"),
            Parameter("check", "flag", "Exit with 8 when anything listed is stale or missing", only="command"),
            Parameter(
                "since", "text", "Only directories that differ from this commit", metavar="GITREF", only="command"
            ),
        ),
        run="holdfast.contexts.operations:list_contexts",
        view="holdfast.contexts.views:listing",
        failure="holdfast.contexts.operations:list_failure",
        always_load=True,
        large_result=True,
    ),
    Operation(
        family="contexts",
        command=("check",),
        tool="check_freshness",
        title="Check freshness",
        summary="Tell whether the context of one directory is fresh, stale or missing.",
        description=(
            "Check if a specific context is fresh, stale, or missing. Use it before relying on a context: a stale one "
            "describes files that have changed since."
        ),
        parameters=(SCOPE, PATH),
        run="holdfast.contexts.operations:check_freshness",
        view="holdfast.contexts.views:verdict",
        failure="holdfast.contexts.operations:check_failure",
    ),
    Operation(
        family="contexts",
        command=("show",),
        tool="query_context",
        title="Query a context",
        summary="Show the context of one directory, whole or some of its fields.",
        description=(
            "Retrieve the context of a directory: what it is for, its exports, decisions, constraints and more. "
            "Ask for a few fields with `filter` to save tokens; take `scope` from list_contexts."
        ),
        parameters=(
            SCOPE,
            Parameter(
                "filter",
                "texts",
                "Fields to include. Metadata fields (version, scope, fingerprint, last_updated) are always included.",
                metavar="FIELD",
            ),
            PATH,
        ),
        run="holdfast.contexts.operations:query_context",
        view="holdfast.contexts.views:context",
        failure="holdfast.contexts.operations:query_failure",
        always_load=True,
        large_result=True,
    ),
)
OPERATIONS = (*TOOLS, *COMMANDS)
