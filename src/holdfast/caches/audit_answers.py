"""What is answered about everything that servers gave: `context replay --receipts`."""

from __future__ import annotations

from datetime import UTC, datetime
from time import gmtime, strftime

from holdfast.caches.arguments import ReplayArguments
from holdfast.caches.audit_shapes import AuditAnswer, AuditedCall, DifferingReceipt
from holdfast.caches.meant_caches import cache_roots
from holdfast.caches.on_disk.receipt_replay import (
    ABSENT,
    CHANGED,
    GONE,
    SAME,
    Replayed,
    in_shares,
    kept_answers,
    query_of,
    replay_receipts,
)
from holdfast.caches.search.audit_page import audit_page
from holdfast.caches.search.call_records import CallRecord
from holdfast.core.atomic_write import write_output_file
from holdfast.core.confined_paths import printable
from holdfast.core.errors import Differs, IoError, UsageError
from holdfast.core.packaged_text import packaged_text
from holdfast.core.worker_pool import WorkerPool, core_count
from holdfast.operation import Outcome
from holdfast.workspace import Workspace

_MOST_LISTED = 100
# With fewer receipts, starting processes costs more than they save.
_FEW = 64


def audit(workspace: Workspace, arguments: ReplayArguments) -> Outcome[AuditAnswer]:
    directory = arguments["receipts"]
    since = _moment(arguments["since"]) if "since" in arguments else 0
    try:
        kept = kept_answers(directory)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise IoError(f"'{printable(directory)}' cannot be read: {reason}") from None
    wanted = arguments.get("client", "")
    calls = [call for call in kept.calls if call.at >= since and wanted in call.client]
    if "query" in arguments:
        calls = _asking(calls, kept.receipts, arguments["query"])
    end = max(0, len(calls) - arguments.get("skip", 0))
    listed = calls[max(0, end - arguments.get("limit", _MOST_LISTED)) : end]
    chosen = listed if arguments.get("listed_only") else calls
    by_name = arguments.get("now", False)
    found = _replayed(workspace, sorted({call.receipt for call in chosen}), kept.receipts, by_name=by_name)
    count = {state: sum([each.state == state for each in found.values()]) for state in (SAME, CHANGED, GONE)}
    altered = len(found) - sum(count.values()) + kept.altered
    now = int(workspace.clock() * 1000)
    value: AuditAnswer = {
        "calls": len(calls),
        "ahead": sum([call.at > now for call in calls]),
        "clients": sorted({call.client for call in calls}),
        "receipts": len({call.receipt for call in calls}),
        "replayed": len(found),
        "same": count[SAME],
        "changed": count[CHANGED],
        "cache_gone": count[GONE],
        "altered": altered,
        "passed_over": len(calls) - end,
        "listed": [_call(call, found[call.receipt]) for call in listed],
        "differing": [_differing(each) for _, each in sorted(found.items()) if each.state not in (SAME, GONE)],
    }
    if "html" in arguments:
        _write_page(workspace.written(arguments["html"]), value)
    failed = count[CHANGED] or altered
    return Outcome(value, exit_code=Differs.exit_code if failed else 0, note=_note(value))


def _note(value: AuditAnswer) -> str:
    """What a person should know before the numbers are believed."""
    notes = []
    if value["cache_gone"]:
        name = "receipt names" if value["cache_gone"] == 1 else "receipts name"
        notes.append(f"{value['cache_gone']:,} {name} caches that are not here: pull or build those to replay them")
    if value["ahead"]:
        dated = "call is" if value["ahead"] == 1 else "calls are"
        notes.append(f"{value['ahead']:,} {dated} dated later than now: a server's clock differs from this machine's")
    return "; ".join(notes)


def _write_page(path: str, value: AuditAnswer) -> None:
    write_output_file(path, audit_page(packaged_text("page.css"), value).encode("utf-8", "replace"))


def _asking(calls: list[CallRecord], receipts: dict[str, str], wanted: str) -> list[CallRecord]:
    """The calls whose query holds some words."""
    asked = {
        receipt: query_of(receipts[receipt]) for receipt in {call.receipt for call in calls} if receipt in receipts
    }
    return [call for call in calls if wanted in asked.get(call.receipt, "")]


def _replayed(
    workspace: Workspace, wanted: list[str], receipts: dict[str, str], *, by_name: bool
) -> dict[str, Replayed]:
    """Every receipt of these, run again by as many processes as there are cores."""
    found = {receipt: Replayed(receipt, ABSENT) for receipt in wanted}
    here = [(receipt, receipts[receipt]) for receipt in wanted if receipt in receipts]
    count = core_count() if len(here) >= _FEW else 1
    with WorkerPool() as pool:
        pool.grow(count)
        jobs = in_shares(here, cache_roots(workspace), count, by_name=by_name)
        for done, (_, each) in enumerate(pool.run(replay_receipts, jobs)):
            found[each.receipt] = each
            if workspace.progress is not None:
                workspace.progress(done, len(here))
    return found


def _moment(text: str) -> int:
    """Milliseconds since 1970 of a day or a time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--since takes a day or a time, such as 2026-11-17 or 2026-11-17T09:30Z, not '{text}'"
        ) from None
    return int((moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _call(call: CallRecord, replayed: Replayed) -> AuditedCall:
    seconds, thousandths = divmod(call.at, 1000)
    return {
        "at": f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(seconds))}.{thousandths:03}Z",
        "client": call.client,
        "query": replayed.query,
        "cache": replayed.cache,
        "budget": replayed.budget,
        "sections": replayed.sections,
        "given": replayed.given,
        "receipt": call.receipt,
        "state": replayed.state,
    }


def _differing(replayed: Replayed) -> DifferingReceipt:
    return {
        "receipt": replayed.receipt,
        "state": replayed.state,
        "query": replayed.query,
        "now": replayed.now,
        "reason": replayed.reason,
        "differences": replayed.differences,
        "differences_more": replayed.differences_more,
    }
