"""What a person sees of an audit on a terminal. Loaded only there."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.audit_shapes import AuditAnswer

_STYLES = {"same": "green", "cache gone": "dim"}


def audited(value: AuditAnswer, seconds: float) -> RenderableType:
    """A row for each of the latest calls, and the sums."""
    if not value["calls"]:
        return Text("No calls are kept there that match.", style="dim")
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("time", "client", "query", "state"):
        table.add_column(column, overflow="fold")
    for call in value["listed"]:
        state = Text(call["state"], style=_STYLES.get(call["state"], "bold red"))
        table.add_row(call["at"][:19].replace("T", " "), call["client"] or "—", call["query"], state)
    counted = [(value["same"], "the same"), (value["changed"], "changed"), (value["cache_gone"], "without their cache")]
    counted.append((value["altered"], "altered or gone"))
    told = ", ".join([f"{count:,} {what}" for count, what in counted if count])
    run = "" if value["replayed"] == value["receipts"] else f", {value['replayed']:,} replayed"
    kept = f"{_counted(value['calls'], 'call')}, {_counted(value['receipts'], 'receipt')}"
    sums = f"{kept}{run}: {told}; in {seconds:.1f} s"
    return Group(table, Text(sums, style="dim" if value["same"] == value["replayed"] else "yellow"))


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}"
