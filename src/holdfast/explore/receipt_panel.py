"""Receipts on a line of time, each with whether running it again gives the same answer. Pure."""

from __future__ import annotations

from html import escape
from time import gmtime, strftime

from holdfast.core.page_shell import counted, folded, shown, stacked
from holdfast.explore.cache_panel import command, note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.explore.project_look import Found, LookedAtReceipt, ReceiptsLook

STATES = {
    "same": ("good", "the same answer"),
    "differs": ("near", "another answer now"),
    "unknown": ("bad", "cannot be run again"),
}
# The line of time, in its own units.
_WIDTH, _HEIGHT, _MARGIN = 1000, 70, 14


def receipts_panel(found: Found) -> str:
    """The line of time, then every receipt, the last one first."""
    if found.value is None:
        return note(found.problem)
    look: ReceiptsLook = found.value
    if not look.receipts:
        advice = f"{command('context serve --receipts DIR')} keeps one of every search that is answered."
        return note(f"There are no receipts in {look.directory}.", advice)
    shown_of = f"The last {len(look.receipts):,} of {counted(look.total, 'receipt')}"
    heading = counted(look.total, "receipt") if look.total == len(look.receipts) else shown_of
    rows = "".join([_row(each) for each in look.receipts])
    return (
        f"<h2>{heading}</h2>{stacked(replay_states(look.receipts))}{_time_line(look.receipts)}"
        f'<ol class="entries">{rows}</ol>'
    )


def replay_states(receipts: Sequence[LookedAtReceipt]) -> list[tuple[str, int, str]]:
    """How many receipts are in each state."""
    return [(told, sum([each.state == state for each in receipts]), colour) for state, (colour, told) in STATES.items()]


def utc(seconds: float) -> str:
    """A moment, to the minute."""
    return strftime("%Y-%m-%d %H:%M UTC", gmtime(max(0, seconds)))


def _time_line(receipts: Sequence[LookedAtReceipt]) -> str:
    times = [each.written for each in receipts]
    first, last = min(times), max(times)
    span, room = (last - first) or 1, _WIDTH - 2 * _MARGIN
    marks = []
    for each in receipts:
        at = _MARGIN + (room * (each.written - first) / span if last > first else room / 2)
        marks.append(_mark(at, each))
    label = f"{counted(len(receipts), 'receipt')} from {utc(first)} to {utc(last)}"
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">'
        f'<line class="line" x1="0" x2="{_WIDTH}" y1="{_HEIGHT / 2}" y2="{_HEIGHT / 2}"/>{"".join(marks)}</svg>'
        f'<p class="soft">{label}</p>'
    )


def _mark(at: float, receipt: LookedAtReceipt) -> str:
    """A circle, a diamond or a square: the states differ in more than colour."""
    colour, told = STATES[receipt.state]
    middle = _HEIGHT / 2
    title = f"<title>{escape(utc(receipt.written))}: {escape(told)}</title>"
    if receipt.state == "same":
        return f'<circle class="{colour}" cx="{at:.1f}" cy="{middle}" r="8">{title}</circle>'
    if receipt.state == "differs":
        points = f"{at:.1f},{middle - 12} {at + 12:.1f},{middle} {at:.1f},{middle + 12} {at - 12:.1f},{middle}"
        return f'<polygon class="{colour}" points="{points}">{title}</polygon>'
    return f'<rect class="{colour}" x="{at - 8:.1f}" y="{middle - 8}" width="16" height="16">{title}</rect>'


def _row(receipt: LookedAtReceipt) -> str:
    colour, told = STATES[receipt.state]
    query = shown(receipt.query) if receipt.query else "<i>nothing that can be read</i>"
    when = f"{utc(receipt.written)} · <code>{shown(receipt.name[:12])}</code>"
    parts = [
        f'<h3 dir="auto">{query}</h3>',
        f'<p><span class="state {colour}">{told}</span> <span class="soft">{when}</span></p>',
    ]
    if receipt.problem:
        parts.append(f'<p class="soft">{shown(receipt.problem)}</p>')
    if receipt.differences:
        rows = [
            f"<li><p><b>{shown(str(each['what']))}</b></p><p>{_side(each['recorded'])}</p><p>{_side(each['now'])}</p></li>"
            for each in receipt.differences
        ]
        summary = f"{counted(len(rows), 'difference')}: recorded, then now"
        parts.append(folded(summary, f'<ol class="rows">{"".join(rows)}</ol>', mark=f"receipt-{receipt.name}"))
    return f"<li>{''.join(parts)}</li>"


def _side(value: object) -> str:
    if value is None:
        return '<span class="soft">nothing</span>'
    if isinstance(value, dict) and "score" in value:
        return f"score {value['score']:,}"
    return shown(str(value))
