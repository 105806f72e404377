"""What can be done with the sections of caches, declared for both doors."""

from __future__ import annotations

from holdfast.caches.operations import BUDGET, CACHE, LIMIT, SEARCH_QUERY
from holdfast.core.errors import CacheMissing
from holdfast.operation import Operation, Outcome, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.canonical_json import Json
    from holdfast.operation import Arguments
    from holdfast.workspace import Workspace

# Not the same any more: what a person or a script should look at, though nothing went wrong.
DIFFERS = 9

_OPTIONAL_CACHE = CACHE._replace(required=False, description="The cache (default: the one below the cache root)")


def search(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.caches.on_disk.keeping import OpenCaches
    from holdfast.caches.search.answers import as_json

    query, budget, limit = arguments["query"], arguments["budget"], arguments.get("limit")
    path = workspace.cache_directory(arguments["cache"])
    result = workspace.keep(OpenCaches).use(path, lambda cache: cache.search(query, budget, limit))
    if "receipt" in arguments:
        from holdfast.caches.on_disk.receipts import write_receipt

        write_receipt(arguments["receipt"], result)
    if "html" in arguments:
        from holdfast.caches.on_disk.pages import write_page
        from holdfast.caches.on_disk.reading import with_cache

        write_page(arguments["html"], result, with_cache(path, lambda cache: cache.candidates(query)))
    return Outcome(as_json(result))


def replay(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.caches.on_disk.reading import with_cache
    from holdfast.caches.on_disk.receipts import cache_of_version, read_receipt
    from holdfast.caches.search.comparing import compare_records

    receipt = read_receipt(arguments["receipt"])
    if "cache" in arguments:
        path = workspace.cache_directory(arguments["cache"])
    else:
        path = cache_of_version(workspace.cache_root, receipt.record["cache_version"])
    result = with_cache(path, lambda cache: cache.search(receipt.query, receipt.budget, receipt.limit))
    same = result.receipt == receipt.receipt
    value = {
        "same": same,
        "receipt": receipt.receipt,
        "now": result.receipt,
        "query": receipt.query,
        "differences": [] if same else compare_records(receipt.record, result.record),
    }
    return Outcome(value, exit_code=0 if same else DIFFERS)


def verify_citations(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.caches.on_disk.reading import with_cache
    from holdfast.caches.on_disk.receipts import only_cache, read_text
    from holdfast.caches.search.citations import find_citations, judge

    text = read_text(arguments["file"])
    if "cache" in arguments:
        path = workspace.cache_directory(arguments["cache"])
    else:
        path = only_cache(workspace.cache_root)

    def judge_all(cache: Cache) -> list[Verdict]:
        ids = {entry.id for entry in cache.manifest.entries}
        return judge(find_citations(text, ids), cache.document)

    verdicts = with_cache(path, judge_all)
    failed = [verdict for verdict in verdicts if verdict.state != "holds"]
    value = {
        "citations": [
            {"citation": verdict.citation.text, "line": verdict.citation.line, "state": verdict.state}
            for verdict in verdicts
        ],
        "found": len(verdicts),
        "failed": len(failed),
    }
    return Outcome(value, exit_code=DIFFERS if failed else 0)


def diff(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    from holdfast.caches.on_disk.reading import with_cache
    from holdfast.caches.on_disk.receipts import read_queries
    from holdfast.caches.search.comparing import compare_citations, compare_documents

    queries = read_queries(arguments["queries"]) if "queries" in arguments else []
    before, after = (workspace.cache_directory(arguments[name]) for name in ("before", "after"))

    def compare(old: Cache, new: Cache) -> Outcome[Json]:
        changes = compare_documents(old.documents(), new.documents())
        answers = []
        for query, budget, limit in queries:
            cited = [[hit.citation for hit in cache.search(query, budget, limit).sections] for cache in (old, new)]
            answers.append({"query": query, "budget": budget, **compare_citations(*cited)})
        value = {
            "before": old.manifest.cache_version,
            "after": new.manifest.cache_version,
            "documents": {"added": changes.added, "removed": changes.removed, "changed": changes.changed},
            "sections": [change._asdict() for change in changes.sections],
            "queries": answers,
        }
        return Outcome(value)

    return with_cache(before, lambda old: with_cache(after, lambda new: compare(old, new)))


if TYPE_CHECKING:
    from holdfast.caches.on_disk.reading import Cache
    from holdfast.caches.search.citations import Verdict

OPERATIONS = (
    Operation(
        family="caches",
        command=("search",),
        tool="context.search",
        title="Search sections",
        summary="Select the sections of a cache that answer a query within a token budget, with citations.",
        description=(
            "Find the sections of a pre-built context cache that answer a question within a token budget, each with "
            "its headings, lines, reasons and a citation to quote. Prefer it to context.resolve for a specific "
            "question: it returns the parts that answer instead of whole documents. Take `cache` from "
            "context.list_caches."
        ),
        parameters=(
            CACHE,
            SEARCH_QUERY,
            BUDGET,
            LIMIT,
            Parameter("receipt", "path", "Write the record of the answer here", metavar="FILE", only="command"),
            Parameter("html", "path", "Write a page that explains the answer here", metavar="FILE", only="command"),
        ),
        run="holdfast.caches.search_operations:search",
        view="holdfast.caches.search_views:search",
        always_load=True,
        large_result=True,
    ),
    Operation(
        family="caches",
        command=("replay",),
        summary="Run a search again from its receipt; exit 9 and the differences when the answer changed.",
        parameters=(
            Parameter("receipt", "path", "A receipt that 'search --receipt' wrote", True, "RECEIPT", positional=True),
            _OPTIONAL_CACHE._replace(description="The cache (default: the one of that version below the cache root)"),
        ),
        run="holdfast.caches.search_operations:replay",
        view="holdfast.caches.search_views:replayed",
    ),
    Operation(
        family="caches",
        command=("cite", "verify"),
        summary="Check every citation in a text against a cache; exit 9 when one does not hold.",
        parameters=(
            Parameter("file", "path", "The text", True, "FILE", positional=True),
            _OPTIONAL_CACHE,
        ),
        run="holdfast.caches.search_operations:verify_citations",
        view="holdfast.caches.search_views:citations",
    ),
    Operation(
        family="caches",
        command=("diff",),
        summary="Compare two caches: documents, sections, and which saved queries change their answer.",
        parameters=(
            Parameter("before", "path", "A cache", True, "CACHE_A", positional=True, error=CacheMissing),
            Parameter("after", "path", "Another", True, "CACHE_B", positional=True, error=CacheMissing),
            Parameter("queries", "path", "Saved queries, one a line: text, or JSON as a tool takes it", metavar="FILE"),
        ),
        run="holdfast.caches.search_operations:diff",
        view="holdfast.caches.search_views:differences",
    ),
)
