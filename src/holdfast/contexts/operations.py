"""What can be done with directory contexts, declared for both doors. The tools only read; what writes is a command."""

from __future__ import annotations

from holdfast.contexts.freshness import STATES
from holdfast.core.errors import InvalidBudget
from holdfast.operation import Operation, Parameter, Variant

SCOPE = Parameter(
    "scope",
    "path",
    "Directory; . is the root",
    required=True,
    metavar="SCOPE",
    positional=True,
)
PATH = Parameter("path", "path", "Another project's root", metavar="PROJECT", is_plain=True)
# The same for commands, in the words of the person who types them.
DIRECTORY = Parameter(
    "scope", "path", "A directory, as a path from the project's root", metavar="SCOPE", positional=True
)
PROJECT = Parameter("path", "path", "The project (default: the current directory)", metavar="DIR")
STATUS_FORMAT = Parameter(
    "format",
    "text",
    "text: a few lines, the default with --check; json: one line, pretty: indented, sarif: for code hosts",
    metavar="FORMAT",
    choices=("json", "text", "sarif"),
    only="command",
)
UNTRACKED = Parameter("untracked", "flag", "Count files that git does not track, too", only="command")
STAGED = Parameter("staged", "flag", "Judge what is staged for the next commit (git's index)", only="command")
MEND_STAGED = STAGED._replace(description="Judge and mend what is staged for the next commit (git's index)")
FULL = Parameter("full", "flag", "Write also what its own files decide: files, interfaces, exports, packages, project")
MAX_BUDGET = 2**53 - 1
BUDGET = Parameter(
    *("budget", "integer", "Most tokens (default: 1000)"),
    metavar="N",
    maximum=MAX_BUDGET,
    error=InvalidBudget,
    is_plain=True,
)
FORMAT = Parameter("format", "text", "Default: text", metavar="FORMAT", choices=("text", "json"), is_plain=True)
FILES = Parameter(
    *("focus", "texts", "Rank near these first"),
    metavar="PATH",
    max_bytes=4 << 10,
    max_items=100,
)

TOOLS = (
    Operation(
        family="contexts",
        command=("status",),
        tool="list_contexts",
        title="List directory summaries",
        summary="List the directories that should have a context, and whether each is fresh, stale or missing.",
        description="List this project's directory summaries and their freshness. Use it before reading files.",
        parameters=(
            PATH,
            Parameter("under", "path", "Only at or below this", metavar="SCOPE"),
            Parameter("states", "texts", "Only these", metavar="STATE", choices=STATES, flag="--state"),
            Parameter("depth", "integer", "Levels to list", metavar="LEVELS", maximum=MAX_BUDGET, is_plain=True),
            BUDGET._replace(description="Most tokens", metavar="TOKENS"),
            Parameter("check", "flag", "Exit with 8 when anything listed is stale or cannot be used", only="command"),
            Parameter(
                "since", "text", "Only directories that differ from this commit", metavar="GITREF", only="command"
            ),
            UNTRACKED,
            STAGED,
            Parameter("watch", "flag", "Report what goes stale while files change, until interrupted", only="command"),
            STATUS_FORMAT,
        ),
        run="holdfast.contexts.answers.inquiry:list_contexts",
        view="holdfast.contexts.views:listing",
        failure="holdfast.contexts.answers.inquiry:list_failure",
        variants=(
            Variant(
                "watch",
                "holdfast.contexts.answers.health:watch",
                "holdfast.contexts.views:watch",
                takes=("path", "untracked"),
            ),
        ),
        always_load=True,
        large_result=True,
    ),
    Operation(
        family="contexts",
        command=("check",),
        tool="check_freshness",
        title="Check a summary",
        summary="Tell whether the context of one directory is fresh, stale or missing.",
        description=("Tell whether a project directory's summary is fresh. Use it before relying on one."),
        parameters=(SCOPE, PATH, UNTRACKED),
        run="holdfast.contexts.answers.inquiry:check_freshness",
        view="holdfast.contexts.views:verdict",
        failure="holdfast.contexts.answers.inquiry:check_failure",
    ),
    Operation(
        family="contexts",
        command=("show",),
        tool="query_context",
        title="Read a directory summary",
        summary="Show the context of one directory, whole or some of its fields.",
        description="Read the summary of a project directory. Use it before opening its files.",
        parameters=(
            SCOPE,
            Parameter(
                "filter",
                "texts",
                "Fields: also exports, dependencies, dependents, tests, entry_points, commands",
                metavar="FIELD",
            ),
            PATH,
        ),
        run="holdfast.contexts.answers.inquiry:query_context",
        view="holdfast.contexts.views:context",
        failure="holdfast.contexts.answers.inquiry:query_failure",
        always_load=True,
        large_result=True,
    ),
    Operation(
        family="contexts",
        command=("map",),
        tool="project_map",
        title="Map the project",
        summary="Map the files of a project with their public symbols, most used first, within a token budget.",
        description="Map this project: files with their most used symbols. Use it before grep.",
        parameters=(
            FILES._replace(name="scopes", description="Only these folders", metavar="SCOPE", positional=True),
            BUDGET._replace(description="Most tokens (default: 2000)"),
            FILES,
            FORMAT,
            PATH._replace(only="command"),
        ),
        run="holdfast.contexts.answers.mapping:project_map",
        text="holdfast.contexts.map_text:as_text",
        view="holdfast.contexts.views:project_map",
        failure="holdfast.operation:explained_error",
        always_load=True,
    ),
    Operation(
        family="contexts",
        command=("symbol",),
        tool="context.symbol",
        title="Look a symbol up",
        summary="Show where a symbol is defined and who uses it, within a token budget.",
        description="Where this project defines and uses a symbol. Use it before grep.",
        parameters=(
            Parameter(
                "name",
                "text",
                "Name, Class.method or words",
                required=True,
                metavar="NAME",
                max_bytes=1 << 10,
                positional=True,
            ),
            BUDGET,
            FORMAT,
            PATH._replace(only="command"),
        ),
        run="holdfast.contexts.answers.mapping:symbol",
        text="holdfast.contexts.symbol_lookup:as_text",
        view="holdfast.contexts.views:symbol",
        failure="holdfast.operation:explained_error",
    ),
)


_HASH_ONLY = (
    Variant(
        "hash_only",
        "holdfast.contexts.answers.writers:rehash",
        "holdfast.contexts.views:regen",
        takes=("scope", "staged", "path", "untracked"),
    ),
)


def _command(body: str, summary: str, *parameters: Parameter) -> Operation:
    word = body.partition(":")[2]
    run, view = f"holdfast.contexts.answers.{body}", f"holdfast.contexts.views:{word}"
    which = (PROJECT,) if body == "writers:config" else (PROJECT, UNTRACKED)
    variants = _HASH_ONLY if word == "regen" else ()
    return Operation("contexts", (word,), summary, (*parameters, *which), run, view=view, variants=variants)


COMMANDS = (
    _command(
        "writers:init",
        "Draft a .context.yaml for each directory whose manifest, README or package comment says what it is for.",
        Parameter("all", "flag", "Also for directories that say nothing about themselves"),
        FULL,
        Parameter("dry_run", "flag", "Tell what would be written and write nothing"),
        Parameter("no_agents", "flag", "Leave AGENTS.md and the files of single tools alone"),
    ),
    _command(
        "writers:regen",
        "Make derived fields of contexts anew; what a person wrote stays. Naming SCOPE says that it still holds.",
        DIRECTORY,
        Parameter("all", "flag", "Every directory that has a context or could have a draft"),
        Parameter("stale", "flag", "Those that are stale (the default)"),
        FULL,
        Parameter("lean", "flag", "Take derived fields out of the files: they are computed when asked for"),
        Parameter("hash_only", "flag", "Say that every claim still holds; the rest of each file stays byte for byte"),
        MEND_STAGED,
    ),
    _command(
        "health:validate",
        "Check every context against the schema.",
        Parameter("strict", "flag", "Also against the source: files, exports and dependencies that are gone"),
    ),
    _command(
        "writers:config",
        "Show the settings, or show or change one.",
        Parameter("key", "text", "A setting", metavar="KEY", positional=True),
        Parameter(
            "value", "text", "Its new value; for a list, words separated by commas", metavar="VALUE", positional=True
        ),
    ),
)

_VERSION_CONTROL = "holdfast.contexts.answers.version_control"
GIT_COMMANDS = (
    Operation(
        "contexts",
        ("setup", "git"),
        "Set a project up for git: how contexts are merged, and hooks that renew them.",
        (
            Parameter("no_hooks", "flag", "Write no hooks"),
            Parameter("dry_run", "flag", "Tell what would be written and write nothing"),
            PROJECT,
        ),
        f"{_VERSION_CONTROL}:setup",
        view="holdfast.contexts.views:setup",
    ),
    Operation(
        "contexts",
        ("merge-driver",),
        "Merge three versions of a .context.yaml for git, which calls it once `context setup git` was run.",
        (
            Parameter(
                "base", "path", "What both sides began with (%O)", required=True, metavar="BASE", positional=True
            ),
            Parameter("ours", "path", "Our side, written over (%A)", required=True, metavar="OURS", positional=True),
            Parameter("theirs", "path", "Their side (%B)", required=True, metavar="THEIRS", positional=True),
            Parameter("place", "path", "Where the file is in the project (%P)", metavar="PATH", positional=True),
        ),
        f"{_VERSION_CONTROL}:merge_driver",
    ),
)
OPERATIONS = (*TOOLS, *COMMANDS, *GIT_COMMANDS)
