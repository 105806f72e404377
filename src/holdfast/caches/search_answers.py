"""The bodies of the operations on sections: search, read, replay, cite verify. Each asks one cache or several as one.

What a body needs is imported when it runs: a cold command loads nothing for the others.
"""

from __future__ import annotations

from holdfast.operation import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from holdfast.caches.arguments import CiteArguments, ReadArguments, ReplayArguments, SearchArguments
    from holdfast.caches.audit_shapes import ReplayAnswer
    from holdfast.caches.cache_format import Document
    from holdfast.caches.considered_shapes import ConsideredSection
    from holdfast.caches.meant_caches import MeantCaches
    from holdfast.caches.on_disk.joined_caches import NamedCache
    from holdfast.caches.on_disk.open_caches import Cache
    from holdfast.caches.search.citations import Citation, Verdict
    from holdfast.caches.search.passage import Place
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_result import SearchResult
    from holdfast.caches.search.search_source import SearchSource
    from holdfast.caches.shapes import (
        CachesAnswer,
        CiteAnswer,
        PassagesAnswer,
        ReadAnswer,
        SearchAnswer,
        StaleAnswer,
    )
    from holdfast.core.errors import ContextError
    from holdfast.workspace import Workspace

    Result = TypeVar("Result")


def search(workspace: Workspace, arguments: SearchArguments) -> Outcome[SearchAnswer | CachesAnswer]:
    from holdfast.caches.meant_caches import meant_caches
    from holdfast.caches.search.search_request import USUAL_BUDGET, SearchRequest
    from holdfast.caches.search.search_result import as_json, make_result
    from holdfast.core.unicode_text import WHITE_SPACE

    meant = meant_caches(workspace, arguments.get("cache"))
    is_recorded = "receipt" in arguments or "html" in arguments or "considered" in arguments
    if "cache" not in arguments and not is_recorded and not arguments["query"].strip(WHITE_SPACE):
        return Outcome(_overview(workspace, meant, arguments.get("budget", USUAL_BUDGET)))
    request = SearchRequest(
        arguments["query"],
        arguments.get("budget"),
        arguments.get("limit"),
        arguments.get("under"),
        tuple(arguments.get("known", ())),
        arguments.get("format") == "outline",
        arguments.get("explain", False),
        "" if meant.as_one else meant.caches[0].name,
        left_out=meant.left_out,
    )
    result, failures = _asked(workspace, meant, request, lambda cache, request: cache.find(request), make_result)
    if "receipt" in arguments:
        from holdfast.caches.on_disk.user_files import write_receipt

        write_receipt(workspace.written(arguments["receipt"]), result)
    value = as_json(result)
    if "considered" in arguments:
        value["considered"] = _considered(workspace, meant, request, arguments["considered"])
    if "html" in arguments:
        from holdfast.caches.on_disk.user_files import write_page
        from holdfast.caches.search.why_page import MOST_ROWS

        considered = _considered(workspace, meant, request, MOST_ROWS)
        write_page(workspace.written(arguments["html"]), {**value, "considered": considered})
    note = "; ".join([f"left out: {failure.reason}" for failure in failures])
    if (directory := workspace.receipts) is None:
        return Outcome(value, note=note, text=result.text)

    at = int(workspace.clock() * 1000)

    def keep(client: str) -> None:
        _keep_receipt(workspace, directory, result, at, client)

    return Outcome(value, note=note, afterwards=keep, text=result.text)


def _considered(workspace: Workspace, meant: MeantCaches, request: SearchRequest, most: int) -> list[ConsideredSection]:
    """What became of the sections that match best."""
    from holdfast.caches.search.candidates import considered_json, find_candidates

    (candidates, _), _ = _asked(
        *(workspace, meant, request),
        lambda cache, request: cache.candidates(request, most),
        lambda source, request: find_candidates(source, request, most),
    )
    return considered_json(candidates)


def _asked(
    workspace: Workspace,
    meant: MeantCaches,
    request: SearchRequest,
    ask_one: Callable[[Cache, SearchRequest], Result],
    ask_source: Callable[[SearchSource, SearchRequest], Result],
) -> tuple[Result, list[ContextError]]:
    """The result of the meant caches, and the errors of caches that could not be asked."""
    from holdfast.caches.on_disk.kept_caches import OpenCaches

    pool = workspace.keep(OpenCaches)
    if not meant.as_one:
        return pool.use(meant.caches[0].path, ask_one, request), []
    from holdfast.caches.on_disk.joined_caches import ask_as_one

    return ask_as_one(pool, meant.caches, request, ask_source)


def _overview(workspace: Workspace, meant: MeantCaches, budget: int) -> CachesAnswer:
    """The answer to a query without words: the caches that can be searched."""
    from holdfast.caches.on_disk.kept_caches import OpenCaches
    from holdfast.caches.search.cache_overview import CacheToAsk, overview
    from holdfast.caches.search.search_request import LeftOut
    from holdfast.core.errors import CacheInvalid, IoError

    pool, found, left_out = workspace.keep(OpenCaches), [], list(meant.left_out)
    for name, path in meant.caches:
        try:
            documents = pool.use(path, lambda cache: cache.document_count)
        except (CacheInvalid, IoError) as error:
            left_out.append(LeftOut(name, "damaged" if isinstance(error, CacheInvalid) else "unreadable"))
        else:
            found.append(CacheToAsk(name, meant.about.get(name, ""), documents))
    return overview(found, left_out, budget)


def _keep_receipt(workspace: Workspace, directory: str, result: SearchResult, at: int, client: str) -> None:
    from holdfast.caches.on_disk.receipt_store import ReceiptStore
    from holdfast.core.standard_streams import write_error

    store = workspace.keep(ReceiptStore)
    store.bound(workspace.receipts_bytes, workspace.receipts_days)
    if warning := store.add(directory, result.record, at, client):
        write_error(f"warning: {warning}")


def read(workspace: Workspace, arguments: ReadArguments) -> Outcome[ReadAnswer | StaleAnswer | PassagesAnswer]:
    from holdfast.caches.meant_caches import meant_caches
    from holdfast.caches.search.passage_text import as_text
    from holdfast.caches.search.search_request import USUAL_BUDGET
    from holdfast.core.errors import CitationStale

    places, meant = _places_to_read(arguments), meant_caches(workspace, arguments.get("cache"))
    passages: list[ReadAnswer | StaleAnswer] = []
    left = arguments.get("budget", USUAL_BUDGET)
    for place in places:
        if meant.as_one:
            value = _read_of_several(workspace, meant, place, left)
        else:
            value = _read_of_one(workspace, meant.caches[0], place, left)
        passages.append(value)
        # No token is shorter than a byte.
        left -= value["tokens_used"] if "error" not in value else len(as_text(value).encode()) + 1
    answer: ReadAnswer | StaleAnswer | PassagesAnswer = passages[0]
    if "places" in arguments:
        answer = {"passages": passages}
    if any("error" in value for value in passages):
        return Outcome(answer, exit_code=CitationStale.exit_code, is_error=True, code=CitationStale.code)
    return Outcome(answer)


def _read_of_one(
    workspace: Workspace, cache: NamedCache, place: Place, budget: int, prefix: str = ""
) -> ReadAnswer | StaleAnswer:
    from holdfast.caches.on_disk.kept_caches import OpenCaches

    pool, name = workspace.keep(OpenCaches), cache.name
    return pool.use(cache.path, lambda opened: opened.read(place, budget, name, prefix))


def _read_of_several(workspace: Workspace, meant: MeantCaches, place: Place, budget: int) -> ReadAnswer | StaleAnswer:
    """What is read in the cache that a citation or an id begins with; in the first that has it, where it names none.

    A citation holds by its hash wherever it does. An id that several caches have is refused.
    """
    from holdfast.caches.search.asked_caches import MARK, prefix_of, without_prefix
    from holdfast.core.errors import CacheInvalid, CacheMissing, InvalidCitation, IoError

    named = [cache for cache in meant.caches if without_prefix(place.id, cache.name) is not None]
    found: list[ReadAnswer] = []
    stale: list[StaleAnswer] = []
    failures: list[ContextError] = []
    for cache in named or meant.caches:
        try:
            value = _read_of_one(workspace, cache, place, budget, prefix_of(cache.name))
        except (CacheInvalid, CacheMissing, IoError) as error:
            failures.append(error)
            continue
        if "error" in value:
            stale.append(value)
        else:
            found.append(value)
            if place.citation is not None:
                break
    if len(found) > 1:
        several = f"{len(found)} caches have it: name one, as {found[0]['id']} or {found[1]['id']}"
        raise InvalidCitation(headline=several)
    if found:
        return found[0]
    if failures:
        raise failures[0]
    states = ("changed", "no such lines", "no such document")
    best = min(stale, key=lambda value: states.index(value["state"]))
    if best["state"] == "no such document" and not named and MARK in place.id:
        from holdfast.core.close_match import close_match

        prefix = place.id.partition(MARK)[0]
        if nearest := close_match(prefix, [cache.name for cache in meant.caches]):
            raise CacheMissing(f"there is no cache '{prefix}'", nearest=nearest)
    return best


def _places_to_read(arguments: ReadArguments) -> list[Place]:
    """What is to be read; InvalidCitation where that is no place, or named in two ways."""
    from holdfast.caches.search.passage import Place
    from holdfast.core.errors import InvalidCitation

    ways = [name for name in ("citation", "id", "places") if name in arguments]
    if len(ways) != 1 or not arguments.get("places", [""]):
        raise InvalidCitation("name what to read: a citation, a document by its id, or a list of places")
    around = arguments.get("before", 0), arguments.get("after", 0)
    fill, known = "budget" in arguments and not any(around), tuple(arguments.get("known", ()))
    if "id" in arguments:
        line = arguments.get("line", 1)
        if not line:
            raise InvalidCitation("lines count from 1")
        return [Place(arguments["id"], None, line, *around, fill, known)]
    if "line" in arguments:
        raise InvalidCitation("a citation says its lines: a line goes with an id")
    texts = arguments["places"] if "places" in arguments else [arguments["citation"]]
    return [_place(text)._replace(before=around[0], after=around[1], known=known) for text in texts]


def _place(text: str) -> Place:
    """The place that a citation names, or `id#Lline`, as pointers do."""
    from holdfast.caches.search.citations import parse_citation
    from holdfast.caches.search.passage import Place
    from holdfast.core.errors import InvalidCitation
    from holdfast.core.unicode_text import WHITE_SPACE

    text = text.strip(WHITE_SPACE)
    if (citation := parse_citation(text)) is not None:
        return Place(citation.id, citation)
    name, _, line = text.rpartition("#L")
    if name and line.isascii() and line.isdigit() and len(line) < 10 and int(line):
        return Place(name, line=int(line))
    raise InvalidCitation(
        "a place is a citation, name#Lfirst-Llast@hash with a hash of 12 hex digits, or id#Lline; or name an id"
    )


def replay(workspace: Workspace, arguments: ReplayArguments) -> Outcome[ReplayAnswer]:
    from holdfast.caches.on_disk.receipt_replay import ReceiptReplay
    from holdfast.caches.on_disk.user_files import read_receipt, write_page
    from holdfast.caches.search.comparison import compare_records
    from holdfast.caches.search.search_result import as_json
    from holdfast.caches.search.why_page import MOST_ROWS
    from holdfast.core.errors import Differs, UsageError

    receipt = read_receipt(arguments["receipt"])
    if receipt.caches and "cache" in arguments:
        raise UsageError("the receipt is of several caches, and --cache names one: leave it out")
    only = workspace.cache_directory(arguments["cache"]) if "cache" in arguments else ""
    replay = ReceiptReplay(workspace.cache_root, only=only)
    try:
        result = replay.answered(receipt)
        same = result.receipt == receipt.receipt
        value: ReplayAnswer = {
            "same": same,
            "receipt": receipt.receipt,
            "now": result.receipt,
            "query": receipt.request.query,
            "differences": [] if same else compare_records(receipt.record, result.record),
        }
        if "considered" in arguments:
            value["answer"] = {**as_json(result), "considered": replay.considered(receipt, arguments["considered"])}
        if "html" in arguments:
            considered = replay.considered(receipt, MOST_ROWS)
            write_page(workspace.written(arguments["html"]), {**as_json(result), "considered": considered})
    finally:
        replay.close()
    return Outcome(value, exit_code=0 if same else Differs.exit_code)


def verify_citations(workspace: Workspace, arguments: CiteArguments) -> Outcome[CiteAnswer]:
    from holdfast.caches.meant_caches import meant_caches
    from holdfast.caches.on_disk.user_files import read_text
    from holdfast.caches.search.asked_caches import prefix_of
    from holdfast.caches.search.citations import find_citations
    from holdfast.core.errors import Differs
    from holdfast.core.unicode_text import lower_case

    text, meant = read_text(arguments["file"]), meant_caches(workspace, arguments.get("cache"))
    ids: set[str] = set()
    for name, path in meant.caches:
        own = _of_cache(name, path, lambda cache: cache.ids())
        ids |= own
        ids.update([lower_case(prefix_of(name)) + id_ for id_ in own])
    verdicts = _judged(meant.caches, list(find_citations(text, ids)))
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


def _of_cache(name: str, path: str, ask: Callable[[Cache], Result]) -> Result:
    """What one of several caches says; where it is damaged, the failure says which it is."""
    from holdfast.caches.on_disk.open_caches import with_cache
    from holdfast.core.errors import CacheInvalid

    try:
        return with_cache(path, ask)
    except CacheInvalid as error:
        raise CacheInvalid(f"cache '{name}': {error.reason}") from None


def _judged(caches: list[NamedCache], citations: list[Citation]) -> list[Verdict]:
    """Of each citation the best that any cache says of it: one that begins with a cache's name is of that cache."""
    from holdfast.caches.search.asked_caches import without_prefix
    from holdfast.caches.search.citations import judge

    order = ("holds", "changed", "no such lines", "no such document")
    best: list[Verdict] = []
    for name, path in caches:

        def judged(cache: Cache, name: str = name) -> list[Verdict]:
            def document_of(cited: str) -> Document | None:
                found = cache.document(cited)
                rest = without_prefix(cited, name) if found is None else None
                return found if rest is None else cache.document(rest)

            return judge(citations, document_of)

        verdicts = _of_cache(name, path, judged)
        best = [
            min(pair, key=lambda verdict: order.index(verdict.state))
            for pair in zip(best or verdicts, verdicts, strict=True)
        ]
    return best
