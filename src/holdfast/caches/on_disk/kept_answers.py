"""What servers kept in a directory: calls and receipts, listed and run again."""

from __future__ import annotations

import os

from holdfast.caches.on_disk.receipt_costs import receipt_files
from holdfast.caches.on_disk.receipt_replay import ReceiptReplay
from holdfast.caches.search.call_records import MAX_BYTES, SUFFIX, CallRecord, parse_call
from holdfast.caches.search.receipts import parse_receipt
from holdfast.core.errors import CacheMissing, ContextError, InvalidReceipt
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAX_RECEIPT = 64 << 20
SAME, CHANGED, GONE, ALTERED, ABSENT = "same", "changed", "cache gone", "altered", "receipt gone"


class KeptAnswers(NamedTuple):
    """What a directory holds: calls by time, the receipts by their hash, and how many files are no calls any more."""

    calls: list[CallRecord]
    receipts: dict[str, str]  # hash -> path
    altered: int


class Replayed(NamedTuple):
    """A receipt run again: what became of it, what it was of, and the receipt of the answer of now."""

    receipt: str
    state: str
    query: str = ""
    cache: str = ""
    budget: int = 0
    now: str = ""
    reason: str = ""


class ReplayJob(NamedTuple):
    """Receipts that one process runs again."""

    cache_root: str
    paths: list[tuple[str, str]]  # hash, path


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
        except OSError:
            call = None
        if call is None:
            altered += 1
        else:
            calls.append(call)
    receipts = {f"sha256:{os.path.basename(path).partition('.')[0]}": path for path in receipt_files(directory)}
    told = {call.receipt for call in calls}
    for receipt, path in receipts.items():
        if receipt not in told:
            calls.append(CallRecord(os.stat(path).st_mtime_ns // 1_000_000, "", receipt, "", 0))
    return KeptAnswers(sorted(calls), receipts, altered)


def replay_receipts(job: ReplayJob) -> Iterator[Replayed]:
    """Run receipts again, with the caches of their versions below one root."""
    replay = ReceiptReplay(job.cache_root)
    for digest, path in job.paths:
        try:
            receipt = parse_receipt(read_regular(path, limit=_MAX_RECEIPT))
        except FileNotFoundError:
            yield Replayed(digest, ABSENT)
            continue
        except OSError as error:
            yield Replayed(digest, ALTERED, reason=error.strerror or "it cannot be read")
            continue
        except InvalidReceipt as error:
            yield Replayed(digest, ALTERED, reason=error.reason)
            continue
        caches = " ".join([each.name for each in receipt.caches]) or receipt.record["cache"]
        said = Replayed(digest, SAME, receipt.request.query, caches, receipt.request.budget)
        if receipt.receipt != digest:
            yield said._replace(state=ALTERED, reason="its file has another name than it should")
            continue
        try:
            now = replay.answered(receipt).receipt
        except CacheMissing as error:
            yield said._replace(state=GONE, reason=error.reason)
        except ContextError as error:
            yield said._replace(state=CHANGED, reason=error.reason or error.headline)
        else:
            yield said._replace(state=SAME if now == digest else CHANGED, now=now)
    replay.close()


def in_shares(receipts: Sequence[tuple[str, str]], cache_root: str, count: int) -> list[ReplayJob]:
    """Receipts shared out among so many jobs."""
    return [ReplayJob(cache_root, list(receipts[start::count])) for start in range(count) if receipts[start::count]]
