"""What agents were given, as a page: every call by time with who asked, what was given, and whether it holds. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from holdfast.caches.audit_shapes import AuditAnswer, AuditedCall, DifferingReceipt
from holdfast.caches.search.why_page import MOST_ROWS
from holdfast.core.page_shell import counted, folded, shown, stacked, whole_page

# What each state of a receipt is drawn in, and called.
STATES = {
    "same": ("good", "the same answer"),
    "changed": ("near", "another answer now"),
    "cache gone": ("none", "its cache is not here"),
    "altered": ("bad", "the receipt was altered"),
    "receipt gone": ("bad", "the receipt is gone"),
}
_REPLAYED = ("same", "changed", "cache gone")
# The latest calls on the line of time, which is drawn in its own units.
_MOST_MARKS = 200
_WIDTH, _HEIGHT, _MARGIN = 1000, 70, 14
_HEX_DIGITS = 64


def audit_page(style: str, value: AuditAnswer) -> str:
    """The page: one file, no script, nothing fetched."""
    heading = "What agents were given"
    parts = [f"<h1>{heading}</h1>", audit_summary(value), differing_receipts(value), audited_calls(value)]
    return whole_page(style, heading, "\n".join([part for part in parts if part]))


def audit_summary(value: AuditAnswer) -> str:
    """How many calls of whom there are, and how many receipts are in each state."""
    if not value["calls"]:
        return '<p class="lead">No calls are kept there that match.</p>'
    names = [name for name in value["clients"] if name]
    asked = f" by {counted(len(names), 'client')}" if names else ""
    counts = f"{counted(value['calls'], 'call')}{asked}, {counted(value['receipts'], 'receipt')}"
    some = "" if value["replayed"] == value["receipts"] else f", {value['replayed']:,} of them run again"
    notes = []
    if value["ahead"]:
        notes.append(
            f"{counted(value['ahead'], 'call is', 'calls are')} dated later than now: a server's clock differs."
        )
    if value["cache_gone"]:
        notes.append(
            f"{counted(value['cache_gone'], 'receipt names', 'receipts name')} caches that are not here: "
            "pull or build those to run them again."
        )
    extra = f'<div class="note">{"".join([f"<p>{note}</p>" for note in notes])}</div>' if notes else ""
    return f'<p class="lead">{counts}{some}.</p>{stacked(replay_states(value))}{extra}'


def replay_states(value: AuditAnswer) -> list[tuple[str, int, str]]:
    """How many receipts are in each state."""
    counts = dict(zip(_REPLAYED, (value["same"], value["changed"], value["cache_gone"]), strict=True))
    states = [(STATES[state][1], count, STATES[state][0]) for state, count in counts.items()]
    return [*states, ("altered or gone", value["altered"], "bad")]


def differing_receipts(value: AuditAnswer) -> str:
    """Every receipt that is not as it was, or whose answer is not."""
    differing = value["differing"]
    if not differing:
        return ""
    rows = "".join([_differing(each) for each in differing[:MOST_ROWS]])
    more = f"<p>and {len(differing) - MOST_ROWS:,} more.</p>" if len(differing) > MOST_ROWS else ""
    return (
        f'<h2>{counted(len(differing), "receipt differs", "receipts differ")}</h2><ol class="entries">{rows}</ol>{more}'
    )


def audited_calls(value: AuditAnswer, link: str = "") -> str:
    """The line of time, then every call that is listed, the latest first.

    With `link` the receipt of each leads to that address with its hash, where its answer is explained.
    """
    listed = [*reversed(value["listed"])]
    if not listed:
        return ""
    seen, passed = min(len(listed), MOST_ROWS), value["passed_over"]
    differences = {each["receipt"]: each for each in value["differing"]} if link else {}
    # From the end, so that a call keeps its mark while others come before it.
    rows = "".join(
        [_row(each, differences, link, value["calls"] - place) for place, each in enumerate(listed[:MOST_ROWS], passed)]
    )
    heading = counted(value["calls"], "call")
    if passed:
        heading = f"Calls {passed + 1:,} to {passed + seen:,} of {value['calls']:,}, the latest first"
    elif seen < value["calls"]:
        heading = f"The latest {seen:,} of {counted(value['calls'], 'call')}"
    return f'<h2>{heading}</h2>{_time_line(listed[:_MOST_MARKS])}<ol class="entries">{rows}</ol>'


def minute(at: str) -> str:
    """A moment of an answer, as a person reads it."""
    return f"{at[:10]} {at[11:19]} UTC"


def _row(call: AuditedCall, differences: Mapping[str, DifferingReceipt], link: str, number: int) -> str:
    colour, meaning = STATES[call["state"]]
    digest = call["receipt"].removeprefix("sha256:")
    name = f"<code>{shown(digest[:12])}</code>"
    if link and len(digest) == _HEX_DIGITS and call["state"] not in ("altered", "receipt gone"):
        name = f'<a href="{link}{escape(digest)}">why these sections: {name}</a>'
    who = shown(call["client"]) if call["client"] else "an unnamed client"
    asked = f" · {shown(call['cache'])} · {call['budget']:,} tokens at most" if call["budget"] else ""
    about = f"{minute(call['at'])} · {who}{asked} · {name}"
    parts = [
        f'<h3 dir="auto">{_query(call["query"])}</h3>',
        f'<p><span class="state {colour}">{meaning}</span> <span class="soft">{about}</span></p>',
    ]
    if call["given"]:
        items = "".join([f"<li><code>{shown(citation)}</code></li>" for citation in call["given"]])
        more = call["sections"] - len(call["given"])
        left = f"<p>and {more:,} more</p>" if more > 0 else ""
        summary = f"{counted(call['sections'], 'section')} given"
        parts.append(folded(summary, f"<ul>{items}</ul>{left}", mark=f"given-{number}"))
    elif call["state"] in _REPLAYED:
        parts.append('<p class="soft">Nothing matched: no section was given.</p>')
    if call["receipt"] in differences:
        parts.append(_reasons(differences[call["receipt"]], f"differs-{number}"))
    return f"<li>{''.join(parts)}</li>"


def _query(query: str) -> str:
    return shown(query) if query else "<i>nothing that can be read</i>"


def _differing(each: DifferingReceipt) -> str:
    colour, meaning = STATES[each["state"]]
    digest = each["receipt"].removeprefix("sha256:")
    return (
        f'<li><h3 dir="auto">{_query(each["query"])}</h3><p><span class="state {colour}">{meaning}</span> '
        f'<span class="soft"><code>{shown(digest[:12])}</code></span></p>{_reasons(each, f"receipt-{digest}")}</li>'
    )


def _reasons(each: DifferingReceipt, mark: str) -> str:
    reason = f'<p class="soft">{shown(each["reason"])}</p>' if each["reason"] else ""
    return reason + differences_list(each["differences"], each["differences_more"], mark=mark)


def differences_list(differences: Sequence[Mapping[str, object]], more: int = 0, *, mark: str = "differences") -> str:
    """Each difference between what was recorded and what is answered now, folded."""
    if not differences:
        return ""
    rows = [
        f"<li><p><b>{shown(str(each['what']))}</b></p><p>{_side(each['recorded'])}</p><p>{_side(each['now'])}</p></li>"
        for each in differences
    ]
    left = f"<p>and {more:,} more</p>" if more else ""
    summary = f"{counted(len(rows) + more, 'difference')}: recorded, then now"
    return folded(summary, f'<ol class="rows">{"".join(rows)}</ol>{left}', mark=mark)


def _side(value: object) -> str:
    if value is None:
        return '<span class="soft">nothing</span>'
    if isinstance(value, dict) and "score" in value:
        return f"score {value['score']:,}"
    return shown(str(value))


def _time_line(calls: Sequence[AuditedCall]) -> str:
    times = [_seconds(call["at"]) for call in calls]
    first, last = min(times), max(times)
    span, room = (last - first) or 1, _WIDTH - 2 * _MARGIN
    marks = []
    for call, time in zip(calls, times, strict=True):
        at = _MARGIN + (room * (time - first) / span if last > first else room / 2)
        marks.append(_mark(at, call))
    label = f"{counted(len(calls), 'call')} from {minute(calls[-1]['at'])} to {minute(calls[0]['at'])}"
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">'
        f'<line class="line" x1="0" x2="{_WIDTH}" y1="{_HEIGHT / 2}" y2="{_HEIGHT / 2}"/>{"".join(marks)}</svg>'
        f'<p class="soft">{label}</p>'
    )


def _seconds(at: str) -> float:
    """A moment as a number, to tell how far two are apart."""
    year, month, day = int(at[:4]), int(at[5:7]), int(at[8:10])
    year -= month < 3  # years that begin with March have their odd day at the end
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day
    return 86_400 * days + 3_600 * int(at[11:13]) + 60 * int(at[14:16]) + float(at[17:23])


def _mark(at: float, call: AuditedCall) -> str:
    """A circle, a diamond or a square: the states differ in more than colour."""
    colour, meaning = STATES[call["state"]]
    middle = _HEIGHT / 2
    title = f"<title>{minute(call['at'])}: {meaning}</title>"
    if call["state"] == "same":
        return f'<circle class="{colour}" cx="{at:.1f}" cy="{middle}" r="8">{title}</circle>'
    if call["state"] == "changed":
        points = f"{at:.1f},{middle - 12} {at + 12:.1f},{middle} {at:.1f},{middle + 12} {at - 12:.1f},{middle}"
        return f'<polygon class="{colour}" points="{points}">{title}</polygon>'
    return f'<rect class="{colour}" x="{at - 8:.1f}" y="{middle - 8}" width="16" height="16">{title}</rect>'
