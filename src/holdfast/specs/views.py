"""Specs as a person sees them on a terminal. Loaded only there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from holdfast.specs.shapes import (
    ApprovalData,
    CheckAnswer,
    CheckData,
    Data,
    DeltaData,
    Failure,
    GateAnswer,
    GuideData,
    ListingData,
    MergeAnswer,
    NextTaskData,
    StatusData,
    Success,
    TaskData,
    TaskProgress,
    TraceData,
    WorkflowData,
    WrittenData,
)

Answer = Success[ApprovalData] | Success[DeltaData] | CheckAnswer | GateAnswer | MergeAnswer | Failure
_BAR_WIDTH = 20


def _unless_failed(
    view: Callable[[Data], RenderableType],
) -> Callable[[Success[Data] | Failure, float], RenderableType]:
    """The view of an answer that succeeded; one that failed shows why and what to do. Steps close both."""

    def shown(value: Success[Data] | Failure, _seconds: float) -> RenderableType:
        body = view(value["data"]) if value["success"] else Text(value["message"], style="bold red")
        return Group(body, *[Text(f"→ {step}", style="dim") for step in value["nextSteps"]])

    return shown


def _bar(progress: TaskProgress) -> Text:
    total, completed = progress["total"], progress["completed"]
    filled = round(_BAR_WIDTH * completed / total) if total else 0
    line = Text("█" * filled, style="green") + Text("░" * (_BAR_WIDTH - filled), style="dim")
    return line + Text(f" {completed:,} of {total:,} tasks")


@_unless_failed
def status(data: StatusData) -> RenderableType:
    """A line a phase, then a bar of the tasks."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for phase in data["phases"]:
        good = phase["status"] in ("created", "approved", "in-progress")
        table.add_row(phase["name"], Text(phase["status"], style="green" if good else "yellow"))
    return Group(Text(f"{data['name']}: {data['overallStatus']}", style="bold"), table, _bar(data["taskProgress"]))


@_unless_failed
def listing(data: ListingData) -> RenderableType:
    """A row a spec, and the names of finished ones."""
    finished = Text(f"finished: {', '.join(data['finished'])}" if data["finished"] else "", style="dim")
    if not data["specs"]:
        return finished if data["finished"] else Text("No specs here.", style="dim")
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("spec", "status", "progress", "next"):
        table.add_column(column)
    for spec in data["specs"]:
        bar, next_step = _bar(spec["taskProgress"]), Text(spec["next"] or "", style="dim")
        table.add_row(Text(spec["name"]), spec["overallStatus"], bar, next_step)
    return Group(table, finished) if data["finished"] else table


@_unless_failed
def next_task(data: NextTaskData) -> RenderableType:
    """The task with its details."""
    task = data["task"]
    if task is None:
        return Text(f"{data['name']} has no open task.", style="green")
    table = Table(box=None, show_header=False, pad_edge=False)
    for label, text in _details(task).items():
        if text:
            table.add_row(label, Text(text))
    return Group(Text(f"{task['id']} {task['description']}", style="bold"), table)


def _details(task: TaskData) -> dict[str, str]:
    return {
        "files": "\n".join(task.get("files", ())),
        "requirements": "\n".join(task.get("requirements", ())),
        "details": "\n".join(task.get("implementationDetails", ())),
        "leverage": task.get("leverage", ""),
        "prompt": task.get("prompt", ""),
    }


@_unless_failed
def guide(data: GuideData | WorkflowData) -> RenderableType:
    """The guide, rendered."""
    return Markdown(data["guide"], hyperlinks=False)


def check(value: CheckAnswer | Failure, _seconds: float) -> RenderableType:
    """A line a finding, then the coverage of each spec; a spec that does not exist is reported like any failure."""
    if "data" not in value:
        return _verdict(value)
    table = Table(box=None, show_header=False, pad_edge=False)
    data: CheckData = value["data"]  # type: ignore[typeddict-item]  # a failure has none
    for each in data["findings"]:
        style = "red" if each["level"] == "error" else "yellow"
        place = Text(f"{each['file']}:{each['line']}")
        table.add_row(place, Text(each["rule"], style=style), Text(each["text"]), Text(each["fix"], style="dim"))
    covered = [
        Text(f"{each['name']}: tasks name {each['named']} of {each['criteria']} criteria", style="dim")
        for each in data["coverage"]
        if each["criteria"]
    ]
    verdict = Text(value["message"], style="bold green" if value["success"] else "bold red")
    return Group(table, *covered, verdict)


def _verdict(value: Answer, lines: Sequence[Text] = ()) -> RenderableType:
    said = Text(value["message"], style="green" if value["success"] else "bold red")
    return Group(said, *lines, *[Text(f"→ {step}", style="dim") for step in value["nextSteps"]])


def approval(value: Success[ApprovalData] | GateAnswer | Failure, _seconds: float) -> RenderableType:
    """What was recorded; or what is approved, a line a document."""
    data, lines = value.get("data"), []
    for each in data.get("documents", ()) if isinstance(data, dict) else ():
        mark = Text("approved ", style="green") if each["approved"] else Text("open     ", style="yellow")
        lines.append(mark + Text(f"{each['name']} {each['phase']}") + Text(f"  {each['why'] or ''}", style="dim"))
    return _verdict(value, lines)


def outcome(value: Success[DeltaData] | Failure, _seconds: float) -> RenderableType:
    """What was done, and what to do next."""
    return _verdict(value)


def merge(value: MergeAnswer | Failure, _seconds: float) -> RenderableType:
    """What was merged, the difference it would make, or the conflicts."""
    data = value.get("data")
    diff = data.get("diff") if isinstance(data, dict) else None
    colours = {"+": "green", "-": "red", "@": "cyan"}
    shown = diff.split("\n") if isinstance(diff, str) else []
    return _verdict(value, [Text(line, style=colours.get(line[:1], "")) for line in shown])


@_unless_failed
def trace(data: TraceData) -> RenderableType:
    """A row a criterion."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("criterion", "tasks", "places"):
        table.add_column(column)
    for each in data["criteria"]:
        places = "\n".join([f"{place['file']}:{place['line']}" for place in each["places"]])
        table.add_row(Text(each["id"]), Text(", ".join(each["tasks"])), Text(places))
    return table


@_unless_failed
def written(data: WrittenData) -> RenderableType:
    """What was written and what was left alone."""
    lines = [Text(f"wrote {data['folder']}/{name}", style="green") for name in data["created"]]
    return Group(*lines, *[Text(f"kept  {data['folder']}/{name}", style="dim") for name in data["kept"]])
