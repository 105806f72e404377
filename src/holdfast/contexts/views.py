"""Contexts as a person sees them on a terminal. Loaded only there."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from holdfast.contexts.freshness import FRESH, MISSING, STALE
from holdfast.contexts.map_text import as_text
from holdfast.contexts.shapes import (
    CheckAnswer,
    ConfigAnswer,
    Counts,
    InitAnswer,
    ListAnswer,
    MapAnswer,
    QueryAnswer,
    SetupAnswer,
    SymbolAnswer,
    ValidateAnswer,
    WatchAnswer,
)
from holdfast.contexts.symbol_lookup import as_text as symbol_text

_STYLES = {FRESH: "green", STALE: "yellow", MISSING: "dim", "ok": "green", "advice": "yellow", "problem": "red"}


def _state(state: str) -> Text:
    return Text(state, style=_STYLES.get(state, ""))


def _table(*columns: str) -> Table:
    """A table without a frame; without a head where no column has a name."""
    table = Table(box=None, header_style="bold", pad_edge=False, show_header=any(columns))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def project_map(value: MapAnswer, seconds: float) -> RenderableType:
    """A line a file, its path in another colour; then the counts."""
    first, *lines = as_text(value).split("\n")
    parts: list[RenderableType] = []
    for line in lines:
        path, blank, symbols = line.partition(" ")
        is_file = blank and not line.startswith("…")
        parts.append(Text.assemble((path, "cyan"), blank, symbols) if is_file else Text(line, style="dim"))
    return Group(*parts, Text(), Text(f"{first.removeprefix('# ')} ({seconds:.1f} s)", style="dim"))


def listing(value: ListAnswer, seconds: float) -> RenderableType:
    """A row a directory, then the counts."""
    if "error" in value:
        return Text(value["error"], style="bold red")
    table = _table("state", "scope", "summary")
    for entry in value["entries"]:
        below = ", ".join([f"{count:,} {state}" for state, count in entry.get("below", {}).items()])
        words = [Text(entry.get("summary", ""), style="dim"), Text(f"below: {below}" if below else "", style="italic")]
        table.add_row(_state(entry["state"]), Text(entry["scope"]), Text(" ").join([word for word in words if word]))
    counts = f"{value['tracked']:,} of {value['total_directories']:,} directories have a context"
    if value["skipped_directories"]:
        counts += f", {value['skipped_directories']:,} too small for one"
    more = [Text(value["more"], style="yellow")] if "more" in value else []
    return Group(table, Text(), *more, Text(f"{counts} ({seconds:.1f} s)", style="dim"))


def verdict(value: CheckAnswer, _seconds: float) -> RenderableType:
    """The state, and the two fingerprints when they differ."""
    if "error" in value:
        return Text(value["error"], style="bold red")
    found = value["fingerprint"]
    line = Text.assemble(_state(value["state"]), "  ", value["scope"])
    if value["state"] == FRESH:
        return line
    hint = Text(f"made for {found['stored']}, the files are {found['computed']} now", style="dim")
    return Group(line, hint, Text(f"context regen {value['scope']}", style="bold"))


def context(value: QueryAnswer, _seconds: float) -> RenderableType:
    """Each field under its name."""
    if not value["found"]:
        return Text(value["error"], style="bold red")
    table = _table("", "")
    for name, content in value["context"].items():
        table.add_row(Text(name, style="bold"), _content(content))
    return table


def _content(content: object) -> Text:
    if isinstance(content, list):
        return Text("\n").join([_content(item) for item in content])
    if isinstance(content, dict):
        return Text("\n").join([Text.assemble((f"{key}: ", "dim"), _content(item)) for key, item in content.items()])
    return Text(str(content))


def _made(value: Counts, seconds: float) -> RenderableType:
    styles = {"written": "green", "renewed": "green", "unchanged": "dim", "failed": "bold red"}
    rows = [(count, word, style) for word, style in styles.items() if type(count := value.get(word)) is int]
    counts = Text(", ").join([Text(f"{count:,} {word}", style=style) for count, word, style in rows if count])
    table = _table("", "")
    for made in value["contexts"]:
        if made["action"] == "failed":
            table.add_row(Text(made["scope"]), Text(made["reason"], style="red"))
    line = Text.assemble(counts if counts.plain else Text("nothing to do", style="dim"), f"  ({seconds:.1f} s)")
    return Group(table, line) if table.row_count else line


def init(value: InitAnswer, seconds: float) -> RenderableType:
    """What was written; with a dry run, what would be."""
    parts = [Text("Nothing was written: this is what would be.", style="yellow")] if value["dry_run"] else []
    files = {"AGENTS.md": value["agents"], **value.get("other_agents", {})}
    return Group(
        *parts,
        _made(value, seconds),
        Text("\n".join([f"{name} {action}" for name, action in files.items()]), style="dim"),
    )


regen = _made


def symbol(value: SymbolAnswer, _seconds: float) -> RenderableType:
    """The text that a model reads."""
    return Text(symbol_text(value))


def validate(value: ValidateAnswer, _seconds: float) -> RenderableType:
    """A verdict, and every problem with its place."""
    if value["valid"]:
        return Text(f"Sound: {value['checked']:,} contexts", style="green")
    table = _table("scope", "line", "field", "problem")
    for problem in value["problems"]:
        cells = (problem["scope"], str(problem["line"] or ""), problem["field"], problem["problem"])
        table.add_row(*map(Text, cells))
    return Group(table, Text(f"{len(value['problems'])} problems in {value['checked']:,} contexts", style="bold red"))


def watch(value: WatchAnswer, seconds: float) -> RenderableType:
    """How many changes a watch saw, in a line."""
    return Text(f"{value['events']} changes in {seconds:.0f} s", style="dim")


def config(value: ConfigAnswer, _seconds: float) -> RenderableType:
    """Name and value, a line each."""
    table = _table("", "")
    for name, content in ({value["key"]: value["value"]} if "key" in value else value).items():
        table.add_row(Text(name, style="bold"), Text(str(content)))
    return table


def setup(value: SetupAnswer, _seconds: float) -> RenderableType:
    """A line a step."""
    table = _table("", "", "")
    for step in value["steps"]:
        table.add_row(Text(step["action"]), Text(step["what"], style="bold"), Text(step.get("detail", ""), style="dim"))
    parts: list[RenderableType] = [table]
    if value["dry_run"]:
        parts.insert(0, Text("Nothing was written: this is what would be.", style="yellow"))
    for step in value["steps"]:
        if "found" in step:
            parts += [Text(f"{step['what']} as it is:", style="bold"), Padding(Text(step["found"]), (0, 0, 0, 2))]
    return Group(*parts)
