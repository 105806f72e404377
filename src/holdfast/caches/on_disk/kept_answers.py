"""Calls and receipts that servers kept in a directory: listed and run again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from holdfast.caches.audit_shapes import RecordDifference
from holdfast.caches.on_disk.receipt_costs import receipt_files
from holdfast.caches.on_disk.receipt_replay import ReceiptReplay
from holdfast.caches.search.call_records import LAST, MAX_BYTES, SUFFIX, CallRecord, encode_call, parse_call
from holdfast.caches.search.comparison import compare_records
from holdfast.caches.search.receipts import parse_receipt
from holdfast.core.errors import CacheMissing, ContextError, InvalidReceipt
from holdfast.core.regular_files import read_regular

_MAX_RECEIPT = 64 << 20
# Citations and differences listed for each receipt; the rest are counted.
_MOST_GIVEN, _MOST_DIFFERENCES = 50, 20
# The members of a record that say which version of a cache answered, and by which lines it named further sections.
_OF_VERSIONS = ("cache_version", "caches", "left_out", "named")
SAME, CHANGED, GONE, ALTERED, ABSENT = "same", "changed", "cache gone", "altered", "receipt gone"


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
