"""The caches of a project as a person sees them on a terminal. Loaded only there."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from holdfast.caches.project_shapes import (
    AddAnswer,
    CheckAnswer,
    IndexAnswer,
    SyncAnswer,
    SyncedCacheAnswer,
)


def _line(cache: SyncedCacheAnswer) -> Text:
    documents = f"{cache['documents']:,} {'document' if cache['documents'] == 1 else 'documents'}"
    if cache["state"] == "unchanged":
        return Text.assemble((cache["name"], "bold"), f"  {documents}, nothing changed", style="dim")
    counts = [(cache["added"], "new"), (cache["changed"], "changed"), (cache["removed"], "gone")]
    files = ", ".join([f"{count:,} {how}" for count, how in counts if count])
    change = f"files: {files}" if files else "pulled" if cache["state"] == "pulled" else "built anew"
    return Text.assemble((cache["name"], "bold green"), f"  {documents}, {change}, {cache['version'][:19]}")


def synced(value: SyncAnswer | CheckAnswer, seconds: float) -> RenderableType:
    """A line a cache, and how long it took; of a check, what is behind and why."""
    if "in_step" in value:
        return _checked(value)
    code = value.get("code", ())
    if not value["caches"] and not code:
        return Text("No caches are declared in context.toml. `context add NAME PATH` declares one.", style="dim")
    lines: list[RenderableType] = [_line(cache) for cache in value["caches"]]
    for each in code:
        files = f"{each['files']:,} source {'file' if each['files'] == 1 else 'files'}"
        lines.append(Text.assemble((each["name"], "bold"), f"  {files}, {each['sources'][:19]}"))
    done = "Everything is in step" if all(each["state"] == "unchanged" for each in value["caches"]) else "In step"
    lock = "context.lock written" if value["lock_changed"] else "context.lock as it was"
    return Group(*lines, Text(f"{done}, {lock}, in {seconds:.1f} s", style="dim"))


def _checked(value: CheckAnswer) -> RenderableType:
    if value["in_step"]:
        return Text("Everything is in step.", style="green")
    behind = [cache for cache in value["caches"] if not cache["in_step"]]
    lines = [Text(f"{cache['name']}: {'; '.join(cache['reasons'])}", style="yellow") for cache in behind]
    return Group(*lines, Text("Run `context sync`.", style="dim"))


def added(value: AddAnswer, seconds: float) -> RenderableType:
    """What was built, and what to do with it."""
    cache = value["cache"]
    if value.get("for_user"):
        done = Text(f"Declared for this user, in {seconds:.1f} s. A project asks it that names it:", style="dim")
        return Group(_line(cache), done, Text(value["next"], style="bold"))
    return Group(
        _line(cache),
        Text(f"In context.toml and context.lock, in {seconds:.1f} s. Commit both.", style="dim"),
        Text.assemble("Ask it:  ", (value["next"], "bold")),
        Text("Agents find it with the tool context.search (`context serve`).", style="dim"),
    )


def indexed(value: IndexAnswer, seconds: float) -> RenderableType:
    """One line."""
    return Text(f"Indexed {value['document_count']:,} documents, counted by {value['tokenizer']}, in {seconds:.1f} s")
