"""The bodies of the operations on sections: search, read, replay, cite verify. Each asks one cache or several as one.

What only some bodies need is imported when they run: a cold command loads nothing for the others.
"""

from __future__ import annotations

import os

from holdfast.caches.meant_caches import MeantCaches, cache_roots, declared_code, meant_caches, mended, with_next_step
from holdfast.caches.on_disk.kept_caches import OpenCaches
from holdfast.caches.search.asked_caches import MARK, WORK_TREE, prefix_of, without_prefix
from holdfast.caches.search.citations import Citation, Verdict, cite, find_citations, judge, parse_citation
from holdfast.caches.search.proven_page import CodeChanged
from holdfast.caches.search.search_request import USUAL_BUDGET, LeftOut, SearchRequest
from holdfast.caches.tokenizers import USUAL
from holdfast.core.errors import (
    BudgetTooSmall,
    CacheInvalid,
    CacheMissing,
    CitationStale,
    ContextError,
    Differs,
    InvalidCitation,
    IoError,
    UsageError,
)
from holdfast.core.unicode_text import WHITE_SPACE, lower_case
from holdfast.operation import Outcome

# How often an answer is tried again while what it reads changes.
_READINGS = 3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from holdfast.caches.arguments import ReadArguments, ReplayArguments, SearchArguments, VerifyArguments
    from holdfast.caches.audit_shapes import ReplayAnswer
    from holdfast.caches.cache_format import Document
    from holdfast.caches.on_disk.joined_caches import NamedCache
    from holdfast.caches.on_disk.open_caches import Cache
    from holdfast.caches.search.passage import Place
    from holdfast.caches.search.receipts import Receipt
    from holdfast.caches.search.search_result import SearchResult
    from holdfast.caches.search.search_source import SearchSource
    from holdfast.caches.shapes import (
        CachesAnswer,
        CiteAnswer,
        ConsideredSection,
        PassagesAnswer,
        ReadAnswer,
        SearchAnswer,
        StaleAnswer,
    )
    from holdfast.workspace import Workspace

    Arguments = TypeVar("Arguments", SearchArguments, ReadArguments)
    Result = TypeVar("Result")


def search(workspace: Workspace, arguments: SearchArguments) -> Outcome[SearchAnswer | CachesAnswer]:
    return _asked_of_sources(workspace, arguments, _search, arguments.get("in", ""))


def _asked_of_sources(
    workspace: Workspace,
    arguments: Arguments,
    ask: Callable[[Workspace, Arguments, MeantCaches], Result],
    part: str = "",
) -> Result:
    """What is answered from the meant caches as their sources are now; one that is damaged is built again once."""
    name, frozen = arguments.get("cache"), arguments.get("frozen") is True
    try:
        for left in range(_READINGS, -1, -1):
            meant = meant_caches(workspace, name, frozen=frozen, part=part)
            try:
                return ask(workspace, arguments, meant)
            except CacheInvalid:
                if frozen or not left or not mended(workspace, meant):
                    raise
            except CodeChanged:
                if not left:
                    raise IoError("source files change while they are read: try again") from None
        raise AssertionError  # the last reading ends the loop
    except CacheMissing as error:
        raise with_next_step(workspace, error) from None


def _search(
    workspace: Workspace, arguments: SearchArguments, meant: MeantCaches
) -> Outcome[SearchAnswer | CachesAnswer]:
    from holdfast.caches.search.search_result import as_json, make_result

    is_recorded = "receipt" in arguments or "html" in arguments or "considered" in arguments
    if not is_recorded and not arguments["query"].strip(WHITE_SPACE):
        return Outcome(_overview(workspace, meant, arguments.get("budget", USUAL_BUDGET)))
    request = SearchRequest(
        arguments["query"],
        arguments.get("budget"),
        arguments.get("limit"),
        arguments.get("under"),
        tuple(arguments.get("known", ())),
        arguments.get("format") == "outline",
        arguments.get("explain", False),
        "" if meant.as_one or meant.code is not None else meant.caches[0].name,
        left_out=meant.left_out,
    )
    result, failures = _asked(workspace, meant, request, make_result)
    if "receipt" in arguments:
        from holdfast.caches.on_disk.user_files import write_receipt

        write_receipt(workspace.written(arguments["receipt"]), result)
    value = as_json(result)
    if meant.code is not None and meant.code.left_out:
        value["selection"]["files_left_out"] = dict(sorted(meant.code.left_out.items()))
    if "considered" in arguments:
        value["considered"] = _considered(workspace, meant, request, arguments["considered"])
    if "html" in arguments:
        from holdfast.caches.on_disk.user_files import write_page
        from holdfast.caches.search.why_page import MOST_ROWS

        considered = _considered(workspace, meant, request, MOST_ROWS)
        write_page(workspace.written(arguments["html"]), {**value, "considered": considered})
    note = "; ".join([f"left out: {failure.reason}" for failure in (*meant.failures, *failures)])
    if (directory := workspace.receipts) is None:
        return Outcome(value, note=note, text=result.text)

    at = int(workspace.clock() * 1000)

    def keep(client: str) -> None:
        _keep_receipt(workspace, directory, result, at, client)

    return Outcome(value, note=note, afterwards=keep, text=result.text)


def _considered(workspace: Workspace, meant: MeantCaches, request: SearchRequest, most: int) -> list[ConsideredSection]:
    """What became of the sections that match best."""
    from holdfast.caches.search.candidates import find_candidates

    return _asked(workspace, meant, request, lambda source, request: find_candidates(source, request, most))[0]


def _asked(
    workspace: Workspace,
    meant: MeantCaches,
    request: SearchRequest,
    ask: Callable[[SearchSource, SearchRequest], Result],
) -> tuple[Result, list[ContextError]]:
    """The result of the meant caches, and the errors of caches that could not be asked."""
    pool = workspace.keep(OpenCaches)
    if not meant.as_one and meant.code is None:
        return pool.use(meant.caches[0].path, lambda cache: cache.ask(ask, request)), []
    from holdfast.caches.on_disk.joined_caches import ask_as_one

    return ask_as_one(pool, meant.caches, request, ask, meant.code, as_one=meant.as_one)


def _overview(workspace: Workspace, meant: MeantCaches, budget: int) -> CachesAnswer:
    """The answer to a query without words: the caches that can be searched."""
    from holdfast.caches.search.cache_overview import CacheToAsk, overview

    pool, found, left_out = workspace.keep(OpenCaches), [], list(meant.left_out)
    ids: set[str] = set()
    for name, path in meant.caches:
        try:
            documents = pool.use(path, lambda cache: cache.document_count)
        except (CacheInvalid, IoError) as error:
            left_out.append(LeftOut(name, "damaged" if isinstance(error, CacheInvalid) else "unreadable"))
        else:
            found.append(CacheToAsk(name, meant.about.get(name, ""), documents))
    if len(meant.caches) == len(found) == 1:
        ids = pool.use(meant.caches[0].path, lambda cache: cache.ids())
    return overview(found, left_out, budget, sorted(ids))


def _keep_receipt(workspace: Workspace, directory: str, result: SearchResult, at: int, client: str) -> None:
    from holdfast.caches.on_disk.receipt_store import ReceiptStore
    from holdfast.core.standard_streams import write_error

    store = workspace.keep(ReceiptStore)
    store.bound(workspace.receipts_bytes, workspace.receipts_days)
    if warning := store.add(directory, result.record, at, client):
        write_error(f"warning: {warning}")


def read(workspace: Workspace, arguments: ReadArguments) -> Outcome[ReadAnswer | StaleAnswer | PassagesAnswer]:
    from holdfast.caches.on_disk.work_tree import is_source

    places = _places_to_read(arguments)
    try:
        return _asked_of_sources(workspace, arguments, _read, "docs")
    except CacheMissing:
        is_code = "cache" not in arguments or declared_code(workspace, arguments["cache"]) is not None
        if not is_code or not all(is_source(place.id) for place in places):
            raise
        return _read(workspace, arguments, MeantCaches([], as_one=True, left_out=(), about={}, failures=()))


def _read(
    workspace: Workspace, arguments: ReadArguments, meant: MeantCaches
) -> Outcome[ReadAnswer | StaleAnswer | PassagesAnswer]:
    places = _places_to_read(arguments)
    passages: list[ReadAnswer | StaleAnswer] = []
    left = arguments.get("budget", USUAL_BUDGET)
    try:
        for place in places:
            passages.append(_read_place(workspace, meant, place, left))
            left -= _tokens_of(passages[-1])
    except BudgetTooSmall:
        if not passages:
            raise
        _make_room(workspace, meant, places, passages, left)
    answer: ReadAnswer | StaleAnswer | PassagesAnswer = passages[0]
    if "places" in arguments:
        answer = {"passages": passages}
        if unread := [place.text for place in places[len(passages) :]]:
            answer["unread"] = unread
    if any("error" in value for value in passages):
        return Outcome(answer, CitationStale.exit_code, True, CitationStale.remedy, code=CitationStale.code)
    return Outcome(answer)


def _make_room(
    workspace: Workspace, meant: MeantCaches, places: list[Place], passages: list[ReadAnswer | StaleAnswer], left: int
) -> None:
    """Shorten or drop passages, the last first, until the line fits that names the places after them.

    BudgetTooSmall where not even one fits beside it.
    """
    from holdfast.caches.search.passage_text import unread_line

    def line_after(count: int) -> int:
        return len(unread_line([place.text for place in places[count:]]).encode()) + 1

    while line_after(len(passages)) > left:
        left += _tokens_of(passages.pop())
        count = len(passages)
        try:
            passages.append(_read_place(workspace, meant, places[count], left - line_after(count + 1)))
            left -= _tokens_of(passages[-1])
        except BudgetTooSmall:
            if not passages:
                raise


def _tokens_of(passage: ReadAnswer | StaleAnswer) -> int:
    from holdfast.caches.search.passage_text import as_text

    # No token is shorter than a byte.
    return passage["tokens_used"] if "error" not in passage else len(as_text(passage).encode()) + 1


def _read_place(workspace: Workspace, meant: MeantCaches, place: Place, budget: int) -> ReadAnswer | StaleAnswer:
    """What is read at one place: of the meant caches, else of the project's source files."""
    from holdfast.core.confined_paths import printable

    value = None
    if meant.caches and not place.symbol:
        if meant.as_one:
            value = _read_of_several(workspace, meant, place, budget)
        else:
            value = _read_of_one(workspace, meant.caches[0], place, budget)
    if value is None or ("error" in value and value["state"] == "no such document"):
        value = _read_of_code(workspace, place, budget) or value
    if value is None:
        raise CacheMissing(f"no source file '{printable(place.id)}' is searched here")
    return value


def _read_of_one(
    workspace: Workspace, cache: NamedCache, place: Place, budget: int, prefix: str = ""
) -> ReadAnswer | StaleAnswer:
    pool, name = workspace.keep(OpenCaches), cache.name
    return pool.use(cache.path, lambda opened: opened.read(place, budget, name, prefix))


def _read_of_code(workspace: Workspace, place: Place, budget: int) -> ReadAnswer | StaleAnswer | None:
    """What is read in a source file of the project; None where it has no such file."""
    from holdfast.caches.on_disk.work_tree import WorkTrees, is_source
    from holdfast.caches.search.passage import Count, FromCache, read_passage

    page = workspace.keep(WorkTrees).page(workspace, place.id) if is_source(place.id) else None
    if page is None:
        return None
    section = None
    if place.symbol:
        found = page.declared(place.symbol)
        if not found:
            raise InvalidCitation(headline=f"{page.document.source} declares no '{place.symbol}'")
        if len(found) > 1:
            lines = ", ".join([f"L{each.first}" for each in found[:8]])
            raise InvalidCitation(headline=f"{len(found)} declarations have that name: name a line, {lines}")
        section = found[0]
    elif place.citation is None and not place.fill:
        section = page.around(place.line)
    if section is not None:
        content = page.document.content[section.start : section.end]
        cited: Citation | None = parse_citation(cite(page.document.source, section.first, section.last, content))
        place = place._replace(citation=cited)
    count, origin = Count(budget, USUAL, ()), FromCache(WORK_TREE, page.document.version)
    return read_passage(page.document, place, count, origin, page.outline())


def _read_of_several(workspace: Workspace, meant: MeantCaches, place: Place, budget: int) -> ReadAnswer | StaleAnswer:
    """What is read in the cache that a citation or an id begins with; in the first that has it, where it names none.

    A citation holds by its hash wherever it does. An id that several caches have is refused.
    """
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
    from holdfast.caches.search.passage import Place

    text = text.strip(WHITE_SPACE)
    if (citation := parse_citation(text)) is not None:
        return Place(citation.id, citation)
    name, _, tail = text.rpartition("#L")
    numbers = tail.split(".")
    if name and len(numbers) < 3 and all(each.isascii() and each.isdigit() and len(each) < 10 for each in numbers):
        line, part = int(numbers[0]), int(numbers[-1]) if len(numbers) > 1 else 0
        if line and (part or len(numbers) == 1):
            return Place(name, line=line, part=part)
    from holdfast.caches.on_disk.work_tree import is_source

    name, _, symbol = text.rpartition("#")
    if symbol and is_source(name) and not symbol.startswith("L"):
        return Place(name, symbol=symbol)
    raise InvalidCitation(
        "a place is a citation, name#Lfirst-Llast@hash with a hash of 12 hex digits, or id#Lline; or name an id"
    )


def _live(workspace: Workspace, receipt: Receipt) -> MeantCaches | None:
    """What a receipt is replayed with that is of a project as it was: the project as it is now; None for others."""
    from holdfast.caches.build.implicit_cache import NAME

    names = [each.name for each in receipt.caches]
    if WORK_TREE in names:
        return meant_caches(workspace, None, part="code" if len(names) == 1 else "")
    if len(names) == 1 and declared_code(workspace, names[0]) is not None:
        return meant_caches(workspace, names[0], part="code")
    if names or receipt.record["cache"] != NAME or os.path.isdir(workspace.cache_root):
        return None
    return meant_caches(workspace, None, part="docs")


def replay(workspace: Workspace, arguments: ReplayArguments) -> Outcome[ReplayAnswer]:
    from holdfast.caches.on_disk.receipt_replay import ReceiptReplay
    from holdfast.caches.on_disk.user_files import read_receipt, write_page
    from holdfast.caches.on_disk.work_tree import is_source
    from holdfast.caches.search.comparison import compare_records
    from holdfast.caches.search.search_result import as_json
    from holdfast.caches.search.why_page import MOST_ROWS

    receipt = read_receipt(arguments["receipt"])
    live = _live(workspace, receipt)
    if receipt.caches and "cache" in arguments:
        raise UsageError("the receipt is of several caches, and --cache names one: leave it out")
    only = workspace.cache_directory(arguments["cache"]) if "cache" in arguments else ""
    replay = ReceiptReplay(cache_roots(workspace), only=only, live=live)
    try:
        result = replay.answered(receipt)
        same = result.receipt == receipt.receipt
        differences = [] if same else compare_records(receipt.record, result.record)
        value: ReplayAnswer = {
            "same": same,
            "receipt": receipt.receipt,
            "now": result.receipt,
            "query": receipt.request.query,
            "differences": differences,
        }
        if not same and live is not None and live.code is not None:
            cited = [parse_citation(section["citation"]) for section in receipt.record["sections"]]
            verdicts = _judged_as_code(workspace, [each for each in cited if each is not None and is_source(each.id)])
            files = list(dict.fromkeys([verdict.citation.id for verdict in verdicts]))
            changed = {verdict.citation.id for verdict in verdicts if verdict.state != "holds"}
            holding = [file for file in files if file not in changed]
            if changed:
                differences.append({"what": "source files", "recorded": files, "now": holding})
        if "considered" in arguments:
            value["answer"] = {**as_json(result), "considered": replay.considered(receipt, arguments["considered"])}
        if "html" in arguments:
            considered = replay.considered(receipt, MOST_ROWS)
            write_page(workspace.written(arguments["html"]), {**as_json(result), "considered": considered})
    finally:
        replay.close()
    return Outcome(value, exit_code=0 if same else Differs.exit_code)


def verify_citations(workspace: Workspace, arguments: VerifyArguments) -> Outcome[CiteAnswer]:
    from holdfast.caches.on_disk.user_files import read_text
    from holdfast.caches.on_disk.work_tree import WorkTrees

    text = read_text(arguments["citations"])
    asked: str | None = arguments.get("cache")
    ids = workspace.keep(WorkTrees).ids(workspace) if asked is None else set[str]()
    try:
        meant = meant_caches(workspace, asked, part="docs")
    except CacheMissing:
        if not ids:
            raise
        meant = MeantCaches([], as_one=False, left_out=(), about={}, failures=())
    for name, path in meant.caches:
        own = _of_cache(name, path, lambda cache: cache.ids())
        ids |= own
        ids.update([lower_case(prefix_of(name)) + id_ for id_ in own])
    citations = list(find_citations(text, ids))
    verdicts = _judged(meant.caches, citations)
    if asked is None:
        verdicts = _best(verdicts, _judged_as_code(workspace, citations))
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

    try:
        return with_cache(path, ask)
    except CacheInvalid as error:
        raise CacheInvalid(f"cache '{name}': {error.reason}") from None


def _judged(caches: list[NamedCache], citations: list[Citation]) -> list[Verdict]:
    """Of each citation the best that any cache says of it: one that begins with a cache's name is of that cache."""
    best: list[Verdict] = []
    for name, path in caches:

        def judged(cache: Cache, name: str = name) -> list[Verdict]:
            def document_of(cited: str) -> Document | None:
                found = cache.document(cited)
                rest = without_prefix(cited, name) if found is None else None
                return found if rest is None else cache.document(rest)

            return judge(citations, document_of)

        best = _best(best, _of_cache(name, path, judged))
    return best


def _best(some: list[Verdict], others: list[Verdict]) -> list[Verdict]:
    """Of each citation the better of two verdicts."""
    order = ("holds", "changed", "no such lines", "no such document")
    pairs = zip(some or others, others, strict=True)
    return [min(pair, key=lambda verdict: order.index(verdict.state)) for pair in pairs]


def _judged_as_code(workspace: Workspace, citations: list[Citation]) -> list[Verdict]:
    """Of each citation what the source files of the project say."""
    from holdfast.caches.on_disk.work_tree import WorkTrees, is_source

    def document_of(cited: str) -> Document | None:
        page = workspace.keep(WorkTrees).page(workspace, cited) if is_source(cited) else None
        return None if page is None else page.document

    return judge(citations, document_of)
