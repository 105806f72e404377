"""Receipts run again with the caches that they name, found by version and tokenizer below some roots: one, or all that
servers kept in a directory; and what their answers cost.

Asking a receipt's caches again gives the same answer as long as they stand.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from holdfast.caches.audit_shapes import RecordDifference
from holdfast.caches.meant_caches import MeantCaches
from holdfast.caches.on_disk.cache_listing import cache_of_version
from holdfast.caches.on_disk.joined_caches import NamedCache, ask_as_one
from holdfast.caches.on_disk.kept_caches import OpenCaches
from holdfast.caches.on_disk.open_caches import Cache
from holdfast.caches.search.asked_caches import without_prefix
from holdfast.caches.search.call_records import LAST, MAX_BYTES, SUFFIX, CallRecord, encode_call, parse_call
from holdfast.caches.search.candidates import find_candidates
from holdfast.caches.search.citations import parse_citation
from holdfast.caches.search.comparison import compare_records
from holdfast.caches.search.passage import Place
from holdfast.caches.search.receipts import Receipt, parse_receipt
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_result import SearchResult, make_result
from holdfast.caches.search.search_source import SearchSource
from holdfast.caches.shapes import ConsideredSection, ReadAnswer, StaleAnswer
from holdfast.caches.tokenizers import counter
from holdfast.core.confined_paths import beneath
from holdfast.core.errors import CacheMissing, ContextError, InvalidReceipt, IoError
from holdfast.core.regular_files import read_regular

Result = TypeVar("Result")

_MAX_RECEIPT = 64 << 20
# Citations and differences listed for each receipt; the rest are counted.
_MOST_GIVEN, _MOST_DIFFERENCES = 50, 20
# The members of a record that say which version of a cache answered, and by which lines it named further sections.
_OF_VERSIONS = ("cache_version", "caches", "left_out", "named")
SAME, CHANGED, GONE, ALTERED, ABSENT = "same", "changed", "cache gone", "altered", "receipt gone"
_SUFFIX = ".json"
_WHOLE = 2**53 - 1


class ReceiptReplay:
    """Many receipts, one after the other: each cache is looked for and opened once."""

    def __init__(
        self, roots: Sequence[str], *, only: str = "", by_name: bool = False, live: MeantCaches | None = None
    ) -> None:
        """Look below roots by version; `by_name`, for the caches of the first that have the names now; or ask one
        `only`; or the `live` ones of a project as it is now."""
        self._live = live
        self._roots, self._only, self._by_name, self.pool = roots, only, by_name, OpenCaches()
        self._paths: dict[tuple[str, str], str | CacheMissing] = {}

    def close(self) -> None:
        """Let go of the caches."""
        self.pool.close()

    def caches(self, receipt: Receipt) -> list[NamedCache]:
        """The caches of a receipt; CacheMissing where one does not stand here any more."""
        if self._live is not None:
            return self._live.caches
        if self._only:
            return [NamedCache(receipt.record["cache"], self._only)]
        if self._by_name:
            names = [each.name for each in receipt.caches] or [receipt.record["cache"]]
            return [NamedCache(name, self._named(name)) for name in names]
        if receipt.caches:
            return [NamedCache(each.name, self._path(each.cache_version, each.tokenizer)) for each in receipt.caches]
        record = receipt.record
        return [NamedCache(record["cache"], self._path(record["cache_version"], record["tokenizer"]["name"]))]

    def answered(self, receipt: Receipt) -> SearchResult:
        """The answer of now."""
        return self._asked(receipt, make_result)

    def considered(self, receipt: Receipt, most: int) -> list[ConsideredSection]:
        """What becomes now of the `most` sections that match best."""
        return self._asked(receipt, lambda source, request: find_candidates(source, request, most))

    def _asked(self, receipt: Receipt, ask: Callable[[SearchSource, SearchRequest], Result]) -> Result:
        named = self.caches(receipt)
        if receipt.caches:
            live = self._live
            code = None if live is None else live.code
            result, _ = ask_as_one(self.pool, named, receipt.request, ask, code, as_one=live is None)
            return result
        return self.pool.use(named[0].path, lambda cache: cache.ask(ask, receipt.request))

    def _named(self, name: str) -> str:
        path = beneath(self._roots[0], name) if name else None
        if path is None:
            raise CacheMissing("a receipt names no cache below the cache root")
        return path

    def _path(self, version: str, tokenizer: str) -> str:
        key = version, tokenizer
        for root in self._roots if key not in self._paths else ():
            try:
                self._paths[key] = cache_of_version(root, version, tokenizer)
                break
            except CacheMissing as error:
                self._paths.setdefault(key, CacheMissing(error.reason))
        found = self._paths[key]
        if isinstance(found, CacheMissing):
            raise CacheMissing(found.reason)
        return found


class AnswerCosts(NamedTuple):
    """Tokens of an answer, those of each whole document that it holds sections of, and of what was known and not sent.

    A document is identified by its cache's path and its id.
    """

    tokens: int
    documents: dict[tuple[str, str], int]
    known: int
    known_tokens: int


def receipt_files(directory: str) -> list[str]:
    """The path of every receipt in a directory, those written last first; OSError where it cannot be listed."""
    found = []
    with os.scandir(directory) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith(_SUFFIX) and not name.startswith(".") and entry.is_file(follow_symlinks=False):
                try:
                    found.append((-entry.stat(follow_symlinks=False).st_mtime_ns, name))
                except FileNotFoundError:
                    pass  # another process made room
    return [os.path.join(directory, name) for _, name in sorted(found)]


class ReceiptCosts:
    """Costs of receipts whose caches lie below some roots. Each document is counted once, however often it is given."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._replay = ReceiptReplay(roots)
        self._pool = self._replay.pool
        self._tokens: dict[tuple[str, str], int] = {}

    def close(self) -> None:
        """Let go of the caches."""
        self._replay.close()

    def of_file(self, path: str) -> AnswerCosts:
        """The cost of the receipt in a file; CacheMissing or another ContextError where it cannot be computed."""
        try:
            receipt = parse_receipt(read_regular(path, limit=_MAX_RECEIPT))
        except OSError as error:
            raise IoError(error.strerror or "it cannot be read") from None
        named, result = self._replay.caches(receipt), self._replay.answered(receipt)
        if result.receipt != receipt.receipt:
            raise InvalidReceipt("it gives another answer now")
        documents = {}
        for hit in result.sections:
            cache = next((each for each in named if each.name == hit.cache), named[0])
            name = without_prefix(hit.id, cache.name) if hit.cache else hit.id
            key = (cache.path, name or hit.id)
            if key not in self._tokens:
                self._tokens[key] = self._document_tokens(key, result.tokenizer)
            documents[key] = self._tokens[key]
        known_tokens = sum([self._cited_tokens(named, citation, result.tokenizer) for citation in result.known])
        return AnswerCosts(result.tokens_used, documents, len(result.known) + result.known_more, known_tokens)

    def _document_tokens(self, key: tuple[str, str], tokenizer: str) -> int:
        document = self._pool.use(key[0], lambda cache: cache.document(key[1]))
        if document is None:
            raise CacheMissing("a document that was given is not in its cache")
        return counter(tokenizer)(document.content)

    def _cited_tokens(self, named: Sequence[NamedCache], citation: str, tokenizer: str) -> int:
        """The tokens of what a known citation cites; none where no cache has it."""
        parsed = parse_citation(citation)
        if parsed is None:
            return 0
        for name, path in named:
            try:
                passage = self._pool.use(path, _read, Place(parsed.id, parsed), name)
            except ContextError:
                continue
            if "error" not in passage:
                return counter(tokenizer)(passage["content"])
        return 0


def _read(cache: Cache, place: Place, name: str) -> ReadAnswer | StaleAnswer:
    return cache.read(place, _WHOLE, name)


class KeptAnswers(NamedTuple):
    """What a directory holds: calls by time, the receipts by their hash, and how many files are no calls any more."""

    calls: list[CallRecord]
    receipts: dict[str, str]  # hash -> path
    altered: int


class Replayed(NamedTuple):
    """A receipt run again: what became of it, what it was of, what was given, and the receipt of the answer of now."""

    receipt: str
    state: str
    query: str = ""
    cache: str = ""
    budget: int = 0
    sections: int = 0
    given: tuple[str, ...] = ()
    now: str = ""
    reason: str = ""
    differences: tuple[RecordDifference, ...] = ()
    differences_more: int = 0


class ReplayJob(NamedTuple):
    """Receipts that one process runs again."""

    roots: Sequence[str]
    paths: list[tuple[str, str]]  # hash, path
    by_name: bool = False  # of the caches that have those names now, whatever their version


def kept_answers(directory: str) -> KeptAnswers:
    """Everything that was kept; a receipt without a call is of a server that kept none. May raise OSError.

    Such a receipt counts as a call at the time its file was written, by nobody that is known.
    """
    calls, altered = [], 0
    with os.scandir(directory) as entries:
        names = [entry.name for entry in entries if entry.name.endswith(SUFFIX) and not entry.name.startswith(".")]
    for name in names:
        try:
            call = parse_call(read_regular(os.path.join(directory, name), limit=MAX_BYTES))
        except FileNotFoundError:
            continue  # another process made room
        except OSError:
            call = None
        if call is None or encode_call(call)[0] != name:
            altered += 1
        else:
            calls.append(call)
    receipts = {f"sha256:{os.path.basename(path).partition('.')[0]}": path for path in receipt_files(directory)}
    listed = {call.receipt for call in calls}
    for receipt, path in receipts.items():
        if receipt not in listed:
            try:
                written = os.stat(path).st_mtime_ns
            except FileNotFoundError:
                continue
            # Whatever a file's time is set to, its receipt is listed.
            calls.append(CallRecord(min(max(written // 1_000_000, 0), LAST), "", receipt, "", 0))
    return KeptAnswers(sorted(calls, key=_moment), receipts, altered)


def _moment(call: CallRecord) -> tuple[int, str, int, str]:
    """The sort key of a call in time: within one tick of the clock, in the order in which its server counted it."""
    return call.at, call.server, call.number, call.receipt


def query_of(path: str) -> str:
    """The request of the receipt in a file; empty where the file is no receipt."""
    try:
        return parse_receipt(read_regular(path, limit=_MAX_RECEIPT)).request.query
    except (OSError, InvalidReceipt):
        return ""


def replay_receipts(job: ReplayJob) -> Iterator[Replayed]:
    """Run receipts again, with the caches of their versions below some roots, or those of their names.

    An answer of the latter is the same where it gives the same sections: the versions are not what is asked about.
    """
    replay = ReceiptReplay(job.roots, by_name=job.by_name)
    try:
        for digest, path in job.paths:
            yield _replayed(replay, digest, path, by_name=job.by_name)
    finally:
        replay.close()


def _replayed(replay: ReceiptReplay, digest: str, path: str, *, by_name: bool) -> Replayed:
    try:
        receipt = parse_receipt(read_regular(path, limit=_MAX_RECEIPT))
    except FileNotFoundError:
        return Replayed(digest, ABSENT)
    except OSError as error:
        return Replayed(digest, ALTERED, reason=error.strerror or "it cannot be read")
    except InvalidReceipt as error:
        return Replayed(digest, ALTERED, reason=error.reason)
    caches = " ".join([each.name for each in receipt.caches]) or receipt.record["cache"]
    sections = receipt.record["sections"]
    given = tuple([each["citation"] for each in sections[:_MOST_GIVEN]])
    said = Replayed(digest, SAME, receipt.request.query, caches, receipt.request.bound, len(sections), given)
    if receipt.receipt != digest:
        return said._replace(state=ALTERED, reason="its file has another name than it should")
    try:
        now = replay.answered(receipt)
    except CacheMissing as error:
        return said._replace(state=GONE, reason=error.reason)
    except ContextError as error:
        return said._replace(state=CHANGED, reason=error.reason or error.headline)
    said = said._replace(now=now.receipt)
    if now.receipt == digest:
        return said
    found = compare_records(receipt.record, now.record)
    if by_name:
        found = [each for each in found if not _is_of_versions(each)]
        if not found:
            return said
    shown, more = tuple(found[:_MOST_DIFFERENCES]), len(found[_MOST_DIFFERENCES:])
    return said._replace(state=CHANGED, differences=shown, differences_more=more)


def _is_of_versions(difference: RecordDifference) -> bool:
    """Whether a difference is in the version of a cache, or in the score of a section that is given all the same."""
    recorded, now = difference["recorded"], difference["now"]
    if isinstance(recorded, dict) and isinstance(now, dict):
        return bool(recorded.get("content", recorded) == now.get("content"))
    return difference["what"] in _OF_VERSIONS


def in_shares(
    receipts: Sequence[tuple[str, str]], roots: Sequence[str], count: int, *, by_name: bool = False
) -> list[ReplayJob]:
    """The receipts split into `count` jobs."""
    shares = [list(receipts[start::count]) for start in range(count)]
    return [ReplayJob(roots, share, by_name) for share in shares if share]
