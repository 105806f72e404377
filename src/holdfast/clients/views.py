"""Client set-up as a person sees it on a terminal. Loaded only there."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from holdfast.clients.shapes import ClientRow, ClientsAnswer, WorkflowAnswer

_STYLES = {"refused": "red", "unchanged": "green", "written": "green", "renewed": "green", "removed": "green"}
_LINE_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def setup(value: ClientsAnswer, _seconds: float) -> RenderableType:
    """A block for each file: what happened, the lines that change, what to do next."""
    if not value["clients"]:
        return Text("Nothing to show.")
    return Group(*(part for row in value["clients"] for part in _block(row)))


def _block(row: ClientRow) -> list[RenderableType]:
    head = Text(f"{row['title']} ({row['client']})", style="bold")
    head.append(f"  {row['action']}", style=_STYLES.get(row["action"], "yellow"))
    if "tools" in row:
        head.append(f"  starts and lists {row['tools']} tools", style="dim")
    parts: list[RenderableType] = [head]
    details = [
        Text(row["file"], style="dim") if "file" in row else None,
        Text(row["detail"]) if "detail" in row else None,
        Text(f"backup: {row['backup']}", style="dim") if "backup" in row else None,
        _diff(row["diff"]) if "diff" in row and row["action"].startswith("would") else None,
        Text(row["next"]) if "next" in row and row["action"] in ("written", "renewed", "set up") else None,
    ]
    parts += [Padding(part, (0, 0, 0, 2)) for part in details if part is not None]
    return parts


def _diff(diff: str) -> Text:
    shown = Text()
    for line in diff.split("\n")[2:-1]:
        shown.append(line + "\n", style=_LINE_STYLES.get(line[:1], ""))
    return shown


def workflow(value: WorkflowAnswer, _seconds: float) -> RenderableType:
    """The file, what happened to it, and the checks."""
    head = Text(f"{value['action']}  ")
    head.append(value["file"], style="bold")
    head.append(f"  {value.get('detail', '')}", style="dim")
    parts: list[RenderableType] = [head, *(Text(f"  {check}") for check in value["checks"])]
    if value["dry_run"]:
        parts.insert(0, Text("Nothing was written: this is what would be.", style="yellow"))
    if "found" in value:
        parts += [Text("As it is:", style="bold"), Padding(Text(value["found"]), (0, 0, 0, 2))]
    return Group(*parts)
