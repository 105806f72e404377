"""The bodies of the cache operations: each takes a workspace and checked arguments and gives an outcome.

What a body needs is imported when it runs: a cold command loads nothing for the others.
"""

from __future__ import annotations

from holdfast.core.errors import BuildFailed, CacheMissing, SettingsInvalid
from holdfast.operation import Outcome, explained_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.caches.arguments import (
        BuildArguments,
        CacheArguments,
        DiffArguments,
        ListArguments,
        ResolveArguments,
        VerifyArguments,
    )
    from holdfast.caches.on_disk.open_caches import Cache
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.shapes import (
        BuildAnswer,
        DiffAnswer,
        InspectAnswer,
        ListAnswer,
        QueryChanges,
        ResolveAnswer,
        SinceAnswer,
        VerifyAnswer,
    )
    from holdfast.core.errors import ContextError
    from holdfast.workspace import Workspace


def resolve(workspace: Workspace, arguments: ResolveArguments) -> Outcome[ResolveAnswer]:
    from holdfast.caches.on_disk.kept_caches import OpenCaches
    from holdfast.caches.selection import as_json

    path = workspace.cache_directory(arguments["cache"])
    caches = workspace.keep(OpenCaches)
    found = caches.use(path, lambda cache: cache.resolve(arguments["query"], arguments["budget"]))
    return Outcome(as_json(found))


def inspect(workspace: Workspace, arguments: CacheArguments) -> Outcome[InspectAnswer]:
    from holdfast.caches.on_disk.cache_listing import inspect_cache
    from holdfast.core.errors import CacheInvalid

    cache_version, document_count, total_bytes, valid = inspect_cache(workspace.cache_directory(arguments["cache"]))
    value: InspectAnswer = {
        "cache_version": cache_version,
        "document_count": document_count,
        "total_bytes": total_bytes,
        "valid": valid,
    }
    return Outcome(value, exit_code=0 if valid else CacheInvalid.exit_code)


def list_caches(workspace: Workspace, arguments: ListArguments) -> Outcome[ListAnswer]:
    from holdfast.caches.on_disk import cache_listing

    root = workspace.directory(arguments["root"]) if "root" in arguments else workspace.cache_root
    try:
        found = cache_listing.list_caches(root)
    except CacheMissing as error:
        from holdfast.caches.meant_caches import with_next_step

        raise with_next_step(workspace, error) from None
    return Outcome({"caches": [{"path": path, "has_manifest": has} for path, has in found]})


def build(workspace: Workspace, arguments: BuildArguments) -> Outcome[BuildAnswer]:
    import os
    from contextlib import nullcontext

    from holdfast.caches.build.build import build_cache
    from holdfast.caches.build.build_order import BuildOrder, no_progress
    from holdfast.caches.build.project_directory import Project
    from holdfast.caches.build.sync import NewRoot
    from holdfast.core.confined_paths import lies_inside, link_out, printable
    from holdfast.core.errors import BuildFailed
    from holdfast.workspace import DEFAULT_CACHE_ROOT

    if link := link_out(workspace.project, arguments["sources"]):
        raise BuildFailed(f"'{printable(link)}' leads out of the project: name the folder that it leads to")
    notes: list[str] = []
    order = BuildOrder(
        workspace.timestamp(),
        force=arguments.get("force", False),
        tokenizer=arguments.get("tokenizer"),
        progress=(workspace.progress and workspace.phases) or no_progress,
        note=notes.append,
    )
    cache = workspace.written(arguments["cache"])
    project = Project(workspace.project, os.path.join(workspace.project, DEFAULT_CACHE_ROOT))
    with NewRoot(project) if lies_inside(os.path.abspath(cache), project.cache_root) else nullcontext():
        report = build_cache(arguments["sources"], cache, order)
    value: BuildAnswer = {
        "cache_version": report.cache_version,
        "document_count": report.document_count,
        "total_bytes": report.total_bytes,
    }
    return Outcome(value, note="; ".join(notes))


def verify(workspace: Workspace, arguments: VerifyArguments) -> Outcome[VerifyAnswer]:
    from holdfast.caches.on_disk.verification import verify_cache
    from holdfast.core.errors import CacheInvalid

    path = workspace.cache_directory(arguments["cache"])
    report = verify_cache(path)
    value: VerifyAnswer = {
        "valid": report.valid,
        "cache_version": report.cache_version,
        "document_count": report.document_count,
        "problems": [{"file": file, "problem": problem} for file, problem in report.problems],
    }
    return Outcome(value, exit_code=0 if report.valid else CacheInvalid.exit_code)


def hinted_failure(error: ContextError) -> object:
    """A failure as `explained_error` has it, with what the caller can do: of a cache that is not there, the name of the
    one that was meant, of one that cannot be built here, the reason.
    """
    failure = explained_error(error)
    if isinstance(error, BuildFailed | SettingsInvalid):  # their reasons name sources, which the caller may see
        failure["error"]["message"] = f"{error.headline}: {error.reason}"
    if isinstance(error, CacheMissing) and error.nearest:
        failure["error"]["message"] += f": did you mean '{error.nearest}'?"
    elif isinstance(error, CacheMissing) and error.next_step:
        failure["error"]["message"] += f": {error.next_step}"
    return failure


def diff(workspace: Workspace, arguments: DiffArguments) -> Outcome[DiffAnswer | SinceAnswer]:
    from holdfast.caches.on_disk.open_caches import with_cache
    from holdfast.caches.on_disk.user_files import read_queries
    from holdfast.core.errors import OutOfDate, UsageError

    check = arguments.get("check", False)
    if check and "queries" not in arguments:
        raise UsageError("'diff --check' needs --queries FILE: it is their answers that are checked")
    if "since" in arguments:
        from holdfast.caches.project_answers import diff_since

        return diff_since(workspace, arguments)
    for name, shown in (("before", "CACHE_A"), ("after", "CACHE_B")):
        if name not in arguments:
            raise CacheMissing(f"'diff' needs {shown}", headline=f"{shown} is missing")
    queries = checked_queries(arguments["queries"], read_queries) if "queries" in arguments else []
    before, after = workspace.cache_directory(arguments["before"]), workspace.cache_directory(arguments["after"])
    value = with_cache(before, lambda old: with_cache(after, lambda new: compared(old, new, queries)))
    outdated = check and any(query["changed"] for query in value["queries"])
    return Outcome(value, exit_code=OutOfDate.exit_code if outdated else 0)


def checked_queries(path: str, read: Callable[[str], list[tuple[int, object, object, object]]]) -> list[SearchRequest]:
    """The saved queries in a file, each checked as a tool would."""
    from holdfast.caches.operations import BUDGET, LIMIT, SEARCH_QUERY
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.core.confined_paths import printable
    from holdfast.core.errors import UsageError
    from holdfast.operation import fits

    checked: list[SearchRequest] = []
    for line, query, budget, limit in read(path):
        if (
            not (isinstance(query, str) and isinstance(budget, int | None) and isinstance(limit, int | None))
            or not (fits(SEARCH_QUERY, query) and (budget is None or fits(BUDGET, budget)))
            or not (limit is None or fits(LIMIT, limit))
        ):
            raise UsageError(f"'{printable(path)}' line {line} is no query with a budget and a limit")
        checked.append(SearchRequest(query, budget, limit))
    return checked


def compared(old: Cache, new: Cache, queries: list[SearchRequest]) -> DiffAnswer:
    from holdfast.caches.search.comparison import compare_citations, compare_documents

    documents, sections = compare_documents(old.documents(), new.documents())
    answers: list[QueryChanges] = []
    for request in queries:
        cited = [_cited(cache, request) for cache in (old, new)]
        answers.append({"query": request.query, "budget": request.bound, **compare_citations(*cited)})
    return {
        "before": old.manifest.cache_version,
        "after": new.manifest.cache_version,
        "documents": documents,
        "sections": sections,
        "queries": answers,
    }


def _cited(cache: Cache, request: SearchRequest) -> list[str]:
    """What a saved query is answered with; nothing where its budget is too small for any section."""
    from holdfast.core.errors import BudgetTooSmall

    try:
        return [hit.citation for hit in cache.find(request).sections]
    except BudgetTooSmall:
        return []
