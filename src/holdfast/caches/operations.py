"""What can be done with caches, declared for both doors."""

from __future__ import annotations

from holdfast.core.errors import CacheMissing, InvalidBudget, InvalidLimit, InvalidQuery
from holdfast.operation import Operation, Outcome, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.canonical_json import Json
    from holdfast.operation import Arguments
    from holdfast.workspace import Workspace

MAX_BUDGET = 2**53 - 1

CACHE = Parameter(
    "cache",
    "path",
    "Path or identifier of a built context cache",
    required=True,
    metavar="DIR",
    error=CacheMissing,
    check_order=3,
)
# Each document of an answer repeats the query's terms, so a long query would make an answer that no client takes.
QUERY = Parameter(
    "query",
    "text",
    "Natural-language query",
    required=True,
    metavar="TEXT",
    max_bytes=16 << 10,
    error=InvalidQuery,
    check_order=1,
)
SEARCH_QUERY = QUERY._replace(max_bytes=64 << 10)
BUDGET = Parameter(
    "budget",
    "integer",
    "Maximum token budget",
    required=True,
    metavar="N",
    maximum=MAX_BUDGET,
    error=InvalidBudget,
    check_order=2,
)
LIMIT = Parameter(
    "limit",
    "integer",
    "Most sections to return",
    metavar="N",
    maximum=MAX_BUDGET,
    error=InvalidLimit,
    check_order=2,
)


def resolve(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.caches.on_disk.keeping import OpenCaches
    from holdfast.caches.selection import as_json

    path = workspace.cache_directory(arguments["cache"])
    query, budget = arguments["query"], arguments["budget"]
    return Outcome(as_json(workspace.keep(OpenCaches).use(path, lambda cache: cache.resolve(query, budget))))


def inspect(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.caches.on_disk.reading import inspect_cache

    summary = inspect_cache(workspace.cache_directory(arguments["cache"]))
    return Outcome(summary._asdict(), exit_code=0 if summary.valid else 5)


def list_caches(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.caches.on_disk import reading

    root = workspace.directory(arguments["root"]) if "root" in arguments else workspace.cache_root
    return Outcome({"caches": [listed._asdict() for listed in reading.list_caches(root)]})


def build(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.caches.on_disk.writing import build_cache

    notes: list[str] = []
    report = build_cache(
        arguments["sources"],
        workspace.cache_directory(arguments["cache"]),
        created_at=workspace.timestamp(),
        force=arguments.get("force", False),
        progress=workspace.progress,
        tokenizer=arguments.get("tokenizer"),
        tell=notes.append,
    )
    return Outcome(report._asdict(), note="; ".join(notes))


def verify(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.caches.on_disk.checking import verify_cache

    report = verify_cache(workspace.cache_directory(arguments["cache"]))
    value = {
        "valid": report.valid,
        "cache_version": report.cache_version,
        "document_count": report.document_count,
        "problems": [problem._asdict() for problem in report.problems],
    }
    return Outcome(value, exit_code=0 if report.valid else 5)


OPERATIONS = (
    Operation(
        family="caches",
        command=("resolve",),
        tool="context.resolve",
        title="Resolve context",
        summary="Select the documents of a cache that answer a query within a token budget.",
        description=(
            "Resolve a natural-language query against a pre-built context cache and return a deterministic, "
            "explainable set of documents within a token budget. Use it when you need background for a task; "
            "take `cache` from context.list_caches."
        ),
        parameters=(CACHE, QUERY, BUDGET),
        run="holdfast.caches.operations:resolve",
        view="holdfast.caches.views:resolve",
        always_load=True,
        large_result=True,
    ),
    Operation(
        family="caches",
        command=("list",),
        tool="context.list_caches",
        title="List caches",
        summary="List the caches under a directory.",
        description=(
            "List the context caches that can be asked. Call it first: each `path` is a name to pass on as `cache`. "
            "It does not check whether a cache is sound; context.inspect_cache does."
        ),
        parameters=(
            Parameter(
                "root",
                "path",
                "Directory containing cache directories (default: the configured cache root)",
                metavar="DIR",
                error=CacheMissing,
            ),
        ),
        run="holdfast.caches.operations:list_caches",
        view="holdfast.caches.views:listing",
        always_load=True,
    ),
    Operation(
        family="caches",
        command=("inspect",),
        tool="context.inspect_cache",
        title="Inspect a cache",
        summary="Describe a cache: its version, size and whether it is valid.",
        description=(
            "Describe one cache: its version, how many documents it holds and whether it is valid. Use it before "
            "relying on a cache, or to note which version an answer came from."
        ),
        parameters=(CACHE,),
        run="holdfast.caches.operations:inspect",
        view="holdfast.caches.views:inspection",
    ),
    Operation(
        family="caches",
        command=("build",),
        summary="Compile a folder of Markdown into a cache.",
        parameters=(
            Parameter("sources", "path", "Folder whose *.md files become documents", required=True, metavar="DIR"),
            CACHE._replace(description="Where the cache is written; it must not exist yet"),
            Parameter("force", "flag", "Replace the cache that stands there, once the new one is complete"),
            Parameter(
                "tokenizer",
                "text",
                "How the tokens of sections are counted (default: o200k_base if installed)",
                metavar="NAME",
                choices=("o200k_base", "bytes/4"),
            ),
        ),
        run="holdfast.caches.operations:build",
        view="holdfast.caches.views:built",
    ),
    Operation(
        family="caches",
        command=("verify",),
        summary="Check every byte of a cache and name each problem.",
        parameters=(CACHE,),
        run="holdfast.caches.operations:verify",
        view="holdfast.caches.views:verification",
    ),
)
