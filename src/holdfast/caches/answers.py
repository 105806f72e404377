"""The bodies of the cache operations: each takes a workspace and checked arguments and gives an outcome.

What a body needs is imported when it runs: a cold command loads nothing for the others.
"""

from __future__ import annotations

from holdfast.core.errors import CacheMissing
from holdfast.operation import Outcome, error_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.caches.on_disk.open_caches import Cache
    from holdfast.caches.search.passage import Place
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_result import SearchResult
    from holdfast.caches.shapes import (
        BuildAnswer,
        BuildArguments,
        CacheArguments,
        CiteAnswer,
        CiteArguments,
        DiffAnswer,
        DiffArguments,
        InspectAnswer,
        ListAnswer,
        ListArguments,
        QueryChanges,
        ReadAnswer,
        ReadArguments,
        ReplayAnswer,
        ReplayArguments,
        ResolveAnswer,
        ResolveArguments,
        SearchAnswer,
        SearchArguments,
        StaleAnswer,
        VerifyAnswer,
    )
    from holdfast.core.errors import ContextError
    from holdfast.workspace import Workspace

# Tokens, unless told.
USUAL_BUDGET = 2000


def resolve(workspace: Workspace, arguments: ResolveArguments) -> Outcome[ResolveAnswer]:
    from holdfast.caches.on_disk.open_caches import Cache, OpenCaches
    from holdfast.caches.selection import as_json

    path = workspace.cache_directory(arguments["cache"])
    caches = workspace.keep(OpenCaches)
    return Outcome(as_json(caches.use(path, Cache.resolve, arguments["query"], arguments["budget"])))


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
    return Outcome({"caches": [{"path": path, "has_manifest": has} for path, has in cache_listing.list_caches(root)]})


def build(workspace: Workspace, arguments: BuildArguments) -> Outcome[BuildAnswer]:
    from holdfast.caches.build.build import build_cache

    notes: list[str] = []
    report = build_cache(
        arguments["sources"],
        arguments["cache"],
        created_at=workspace.timestamp(),
        force=arguments.get("force", False),
        phases=workspace.progress and workspace.phases,
        tokenizer=arguments.get("tokenizer"),
        tell=notes.append,
    )
    value: BuildAnswer = {
        "cache_version": report.cache_version,
        "document_count": report.document_count,
        "total_bytes": report.total_bytes,
    }
    return Outcome(value, note="; ".join(notes))


def verify(workspace: Workspace, arguments: CacheArguments) -> Outcome[VerifyAnswer]:
    from holdfast.caches.on_disk.verification import verify_cache
    from holdfast.core.errors import CacheInvalid

    report = verify_cache(workspace.cache_directory(arguments["cache"]))
    value: VerifyAnswer = {
        "valid": report.valid,
        "cache_version": report.cache_version,
        "document_count": report.document_count,
        "problems": [{"file": file, "problem": problem} for file, problem in report.problems],
    }
    return Outcome(value, exit_code=0 if report.valid else CacheInvalid.exit_code)


def search(workspace: Workspace, arguments: SearchArguments) -> Outcome[SearchAnswer]:
    from holdfast.caches.on_disk.cache_listing import cache_name
    from holdfast.caches.on_disk.open_caches import Cache, OpenCaches
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_result import as_json

    path = _cache_or_only(workspace, arguments.get("cache"))
    caches = workspace.keep(OpenCaches)
    request = SearchRequest(
        arguments["query"],
        arguments.get("budget", USUAL_BUDGET),
        arguments.get("limit"),
        arguments.get("under"),
        tuple(arguments.get("known", ())),
        arguments.get("format") == "outline",
        arguments.get("explain", False),
        cache_name(path),
    )
    result = caches.use(path, Cache.find, request)
    if "receipt" in arguments:
        from holdfast.caches.on_disk.user_files import write_receipt

        write_receipt(arguments["receipt"], result)
    if "html" in arguments:
        from holdfast.caches.on_disk.user_files import write_page
        from holdfast.caches.search.page import MOST_ROWS

        write_page(arguments["html"], result, *caches.use(path, Cache.candidates, request, MOST_ROWS))
    if (directory := workspace.receipts) is None:
        return Outcome(as_json(result), text=result.text)
    return Outcome(as_json(result), afterwards=lambda: _keep_receipt(workspace, directory, result), text=result.text)


def _keep_receipt(workspace: Workspace, directory: str, result: SearchResult) -> None:
    from holdfast.caches.on_disk.receipt_store import ReceiptStore
    from holdfast.core.standard_streams import write_error

    if warning := workspace.keep(ReceiptStore).add(directory, result.record):
        write_error(f"warning: {warning}")


def read(workspace: Workspace, arguments: ReadArguments) -> Outcome[ReadAnswer | StaleAnswer]:
    from holdfast.caches.on_disk.cache_listing import cache_name
    from holdfast.caches.on_disk.open_caches import Cache, OpenCaches
    from holdfast.core.errors import CitationStale

    place, path = _place_to_read(arguments), _cache_or_only(workspace, arguments.get("cache"))
    budget = arguments.get("budget", USUAL_BUDGET)
    value = workspace.keep(OpenCaches).use(path, Cache.read, place, budget, cache_name(path))
    gone = "error" in value
    return Outcome(value, exit_code=CitationStale.exit_code if gone else 0, is_error=gone)


def hinted_failure(error: ContextError) -> object:
    """A failure as `error_object` has it; of a cache that is not there, with the name of the one that was meant."""
    told = error_object(error)
    if isinstance(error, CacheMissing) and error.nearest:
        told["error"]["message"] += f": did you mean '{error.nearest}'?"
    return told


def _cache_or_only(workspace: Workspace, name: str | None) -> str:
    """The path of the cache that is named or, where none is, of the only one below the cache root."""
    if name is None:
        from holdfast.caches.on_disk.cache_listing import cache_name, only_cache

        path = only_cache(workspace.cache_root)
        if workspace.door == "command":
            return path
        name = cache_name(path)  # opened beneath the cache root, as any other
    return workspace.cache_directory(name)


def _place_to_read(arguments: ReadArguments) -> Place:
    """What is to be read; InvalidCitation where that is no place, or more than one."""
    from holdfast.caches.search.citations import parse_citation
    from holdfast.caches.search.passage import Place
    from holdfast.core.errors import InvalidCitation
    from holdfast.core.unicode_text import WHITE_SPACE

    before, after = arguments.get("before", 0), arguments.get("after", 0)
    if ("citation" in arguments) == ("id" in arguments):
        raise InvalidCitation("name what to read: a citation, or a document by its id")
    if "id" in arguments:
        if before or after:
            raise InvalidCitation("sections before and after go with a citation: with an id, give the line to begin at")
        if not arguments.get("line", 1):
            raise InvalidCitation("lines count from 1")
        return Place(arguments["id"], line=arguments.get("line", 1))
    if "line" in arguments:
        raise InvalidCitation("a citation says its lines: a line to begin at goes with an id")
    citation = parse_citation(arguments["citation"].strip(WHITE_SPACE))
    if citation is None:
        raise InvalidCitation("a citation is name#Lfirst-Llast@hash, the hash of 12 hex digits")
    return Place(citation.id, citation, before=before, after=after)


def replay(workspace: Workspace, arguments: ReplayArguments) -> Outcome[ReplayAnswer]:
    from holdfast.caches.on_disk.cache_listing import cache_of_version
    from holdfast.caches.on_disk.open_caches import with_cache
    from holdfast.caches.on_disk.user_files import read_receipt
    from holdfast.caches.search.comparison import compare_records
    from holdfast.core.errors import Differs

    receipt = read_receipt(arguments["receipt"])
    if "cache" in arguments:
        path = workspace.cache_directory(arguments["cache"])
    else:
        record = receipt.record
        path = cache_of_version(workspace.cache_root, record["cache_version"], record["tokenizer"]["name"])
    result = with_cache(path, lambda cache: cache.find(receipt.request))
    same = result.receipt == receipt.receipt
    value: ReplayAnswer = {
        "same": same,
        "receipt": receipt.receipt,
        "now": result.receipt,
        "query": receipt.request.query,
        "differences": [] if same else compare_records(receipt.record, result.record),
    }
    return Outcome(value, exit_code=0 if same else Differs.exit_code)


def verify_citations(workspace: Workspace, arguments: CiteArguments) -> Outcome[CiteAnswer]:
    from holdfast.caches.on_disk.open_caches import with_cache
    from holdfast.caches.on_disk.user_files import read_text
    from holdfast.caches.search.citations import find_citations, judge
    from holdfast.core.errors import Differs

    text, path = read_text(arguments["file"]), _cache_or_only(workspace, arguments.get("cache"))
    verdicts = with_cache(path, lambda cache: judge(find_citations(text, cache.ids()), cache.document))
    failed = [verdict for verdict in verdicts if verdict.state != "holds"]
    value: CiteAnswer = {
        "citations": [
            {"citation": verdict.citation.text, "line": verdict.citation.line, "state": verdict.state}
            for verdict in verdicts
        ],
        "found": len(verdicts),
        "failed": len(failed),
    }
    return Outcome(value, exit_code=Differs.exit_code if failed else 0)


def diff(workspace: Workspace, arguments: DiffArguments) -> Outcome[DiffAnswer]:
    from holdfast.caches.on_disk.open_caches import with_cache
    from holdfast.caches.on_disk.user_files import read_queries
    from holdfast.core.errors import OutOfDate, UsageError

    check = arguments.get("check", False)
    if check and "queries" not in arguments:
        raise UsageError("'diff --check' needs --queries FILE: it is their answers that are checked")
    queries = _checked_queries(arguments["queries"], read_queries) if "queries" in arguments else []
    before, after = workspace.cache_directory(arguments["before"]), workspace.cache_directory(arguments["after"])
    value = with_cache(before, lambda old: with_cache(after, lambda new: _compared(old, new, queries)))
    outdated = check and any(query["changed"] for query in value["queries"])
    return Outcome(value, exit_code=OutOfDate.exit_code if outdated else 0)


def _checked_queries(path: str, read: Callable[[str], list[tuple[int, object, object, object]]]) -> list[SearchRequest]:
    """The saved queries in a file, each checked as a tool would."""
    from holdfast.caches.operations import BUDGET, LIMIT, SEARCH_QUERY
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.core.confined_paths import printable
    from holdfast.core.errors import UsageError
    from holdfast.operation import fits

    checked: list[SearchRequest] = []
    for line, query, budget, limit in read(path):
        if (
            not (isinstance(query, str) and isinstance(budget, int) and isinstance(limit, int | None))
            or not (fits(SEARCH_QUERY, query) and fits(BUDGET, budget))
            or not (limit is None or fits(LIMIT, limit))
        ):
            raise UsageError(f"'{printable(path)}' line {line} is no query with a budget and a limit")
        checked.append(SearchRequest(query, budget, limit))
    return checked


def _compared(old: Cache, new: Cache, queries: list[SearchRequest]) -> DiffAnswer:
    from holdfast.caches.search.comparison import compare_citations, compare_documents

    changes = compare_documents(old.documents(), new.documents())
    answers: list[QueryChanges] = []
    for request in queries:
        cited = [_cited(cache, request) for cache in (old, new)]
        answers.append({"query": request.query, "budget": request.budget, **compare_citations(*cited)})
    return {
        "before": old.manifest.cache_version,
        "after": new.manifest.cache_version,
        "documents": {"added": changes.added, "removed": changes.removed, "changed": changes.changed},
        "sections": [
            {"source": change.source, "heading": change.heading, "change": change.change, "lines": change.lines}
            for change in changes.sections
        ],
        "queries": answers,
    }


def _cited(cache: Cache, request: SearchRequest) -> list[str]:
    """What a saved query is answered with; nothing where its budget is too small for any section."""
    from holdfast.core.errors import BudgetTooSmall

    try:
        return [hit.citation for hit in cache.find(request).sections]
    except BudgetTooSmall:
        return []
