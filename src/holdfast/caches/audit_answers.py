"""What is answered about everything that servers gave: `context audit`."""

from __future__ import annotations

from holdfast.operation import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.audit_shapes import AuditAnswer, AuditArguments, AuditedCall
    from holdfast.caches.on_disk.kept_answers import Replayed
    from holdfast.caches.search.call_records import CallRecord
    from holdfast.workspace import Workspace

_MOST_LISTED = 100
# Below so many receipts starting processes costs more than they save.
_FEW = 64


def audit(workspace: Workspace, arguments: AuditArguments) -> Outcome[AuditAnswer]:
    from holdfast.caches.on_disk.kept_answers import CHANGED, GONE, SAME, kept_answers
    from holdfast.core.confined_paths import printable
    from holdfast.core.errors import Differs, IoError

    directory = arguments["directory"]
    try:
        kept = kept_answers(directory)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise IoError(f"'{printable(directory)}' cannot be read: {reason}") from None
    since = _moment(arguments["since"]) if "since" in arguments else 0
    wanted = arguments.get("client", "")
    calls = [call for call in kept.calls if call.at >= since and wanted in call.client]
    found = _replayed(workspace, sorted({call.receipt for call in calls}), kept.receipts)
    if "query" in arguments:
        calls = [call for call in calls if arguments["query"] in found[call.receipt].query]
    states = {receipt: found[receipt] for receipt in {call.receipt for call in calls}}
    count = {state: sum([each.state == state for each in states.values()]) for state in (SAME, CHANGED, GONE)}
    altered = len(states) - sum(count.values()) + kept.altered
    listed = calls[-arguments.get("limit", _MOST_LISTED) :] if arguments.get("limit", _MOST_LISTED) else []
    value: AuditAnswer = {
        "calls": len(calls),
        "clients": sorted({call.client for call in calls}),
        "receipts": len(states),
        "same": count[SAME],
        "changed": count[CHANGED],
        "cache_gone": count[GONE],
        "altered": altered,
        "listed": [_call(call, states[call.receipt]) for call in listed],
        "differing": [_differing(each) for _, each in sorted(states.items()) if each.state not in (SAME, GONE)],
    }
    note = f"{count[GONE]:,} receipts name caches that are not here: pull or build those to replay them"
    failed = count[CHANGED] or altered
    return Outcome(value, exit_code=Differs.exit_code if failed else 0, note=note if count[GONE] else "")


def _replayed(workspace: Workspace, wanted: list[str], receipts: dict[str, str]) -> dict[str, Replayed]:
    """Every receipt of these, run again by as many processes as there are cores."""
    from holdfast.caches.on_disk.kept_answers import ABSENT, Replayed, in_shares, replay_receipts
    from holdfast.core.worker_pool import WorkerPool, core_count

    found = {receipt: Replayed(receipt, ABSENT) for receipt in wanted}
    here = [(receipt, receipts[receipt]) for receipt in wanted if receipt in receipts]
    count = core_count() if len(here) >= _FEW else 1
    with WorkerPool() as pool:
        pool.grow(count)
        for done, (_, each) in enumerate(pool.run(replay_receipts, in_shares(here, workspace.cache_root, count))):
            found[each.receipt] = each
            if workspace.progress is not None:
                workspace.progress(done, len(here))
    return found


def _moment(text: str) -> int:
    """Milliseconds since 1970 of a day or a time."""
    from datetime import UTC, datetime

    from holdfast.core.errors import UsageError

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--since takes a day or a time, such as 2026-11-17 or 2026-11-17T09:30Z, not '{text}'"
        ) from None
    return int((moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _call(call: CallRecord, replayed: Replayed) -> AuditedCall:
    from time import gmtime, strftime

    seconds, thousandths = divmod(call.at, 1000)
    return {
        "at": f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(seconds))}.{thousandths:03}Z",
        "client": call.client,
        "query": replayed.query,
        "cache": replayed.cache,
        "budget": replayed.budget,
        "receipt": call.receipt,
        "state": replayed.state,
    }


def _differing(replayed: Replayed) -> dict[str, str]:
    return {
        "receipt": replayed.receipt,
        "state": replayed.state,
        "query": replayed.query,
        "now": replayed.now,
        "reason": replayed.reason,
    }
