"""Caches as a person sees them on a terminal. Loaded only there."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.caches.audit_shapes import AuditAnswer
from holdfast.caches.registry_shapes import BundleAnswer, PullAnswer, PushAnswer, SignAnswer
from holdfast.caches.shapes import BuildAnswer, InspectAnswer, ListAnswer, ResolveAnswer, VerifyAnswer, Why

_BAR_WIDTH = 30


def bar(used: int, whole: int) -> Text:
    """How much of a whole is used."""
    filled = round(_BAR_WIDTH * used / whole) if whole else 0
    return Text("█" * filled, style="green") + Text("░" * (_BAR_WIDTH - filled), style="dim")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _why(why: Why) -> str:
    return f"{why['term_matches']:,} of {why['total_words']:,} words"


def resolve(value: ResolveAnswer, _seconds: float) -> RenderableType:
    """A ranked table, then a bar of the budget."""
    selection = value["selection"]
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("#", justify="right", style="dim")
    table.add_column("document", overflow="fold")
    table.add_column("score", justify="right")
    table.add_column("tokens", justify="right")
    table.add_column("why", style="dim")
    for place, hit in enumerate(value["documents"], 1):
        score = f"{hit['score']:.4f}"
        table.add_row(str(place), Text(hit["id"]), score, f"{hit['tokens']:,}", _why(hit["why"]))
    used, budget = selection["tokens_used"], selection["budget"]
    left_out = selection["documents_excluded_by_budget"]
    line = Text.assemble("budget ", bar(used, budget), f" {used:,} of {budget:,} tokens")
    counts = f"{selection['documents_selected']:,} of {_counted(selection['documents_considered'], 'document')}"
    if left_out:
        counts += f", {left_out:,} did not fit"
    return Group(table, Text(), line, Text(counts, style="dim"))


def listing(value: ListAnswer, _seconds: float) -> RenderableType:
    """A row a cache."""
    if not value["caches"]:
        return Text("No caches here. `context add NAME PATH` makes one.", style="dim")
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("cache")
    table.add_column("manifest")
    for cache in value["caches"]:
        table.add_row(Text(cache["path"]), "yes" if cache["has_manifest"] else Text("no", style="yellow"))
    return table


def inspection(value: InspectAnswer, _seconds: float) -> RenderableType:
    """Name and value, a line each."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(overflow="fold")
    table.add_row("version", value["cache_version"] or Text("none", style="dim"))
    table.add_row("documents", f"{value['document_count']:,}")
    table.add_row("manifest and index", f"{value['total_bytes']:,} bytes")
    table.add_row("valid", Text("yes", style="green") if value["valid"] else Text("no", style="bold red"))
    return table


def built(value: BuildAnswer, seconds: float) -> RenderableType:
    """One line: documents, bytes, version, time."""
    documents = _counted(value["document_count"], "document")
    return Text(
        f"Built {documents}, {_counted(value['total_bytes'], 'byte')}, {value['cache_version']}, in {seconds:.1f} s"
    )


def verification(value: VerifyAnswer, _seconds: float) -> RenderableType:
    """A verdict, and every problem with its file."""
    if value["valid"]:
        return Text(f"Sound: {_counted(value['document_count'], 'document')}, {value['cache_version']}", style="green")
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("file")
    table.add_column("problem", overflow="fold")
    for problem in value["problems"]:
        table.add_row(Text(problem["file"]), Text(problem["problem"]))
    return Group(Text(_counted(len(value["problems"]), "problem"), style="bold red"), table)


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
    states = ", ".join([f"{count:,} {what}" for count, what in counted if count])
    run = "" if value["replayed"] == value["receipts"] else f", {value['replayed']:,} replayed"
    kept = f"{_counted(value['calls'], 'call')}, {_counted(value['receipts'], 'receipt')}"
    sums = f"{kept}{run}: {states}; in {seconds:.1f} s"
    return Group(table, Text(sums, style="dim" if value["same"] == value["replayed"] else "yellow"))


def pushed(value: PushAnswer, seconds: float) -> RenderableType:
    """Where it lies now, and how much of it had to be sent."""
    sent = f"{value['sent']:,} of {value['bytes']:,} bytes sent, in {seconds:.1f} s"
    return Group(Text(value["reference"], style="bold green", overflow="fold"), Text(sent, style="dim"))


def pulled(value: PullAnswer, seconds: float) -> RenderableType:
    """The cache that was pulled, and how much had to be fetched."""
    fetched = f"{value['fetched']:,} of {value['bytes']:,} bytes fetched, in {seconds:.1f} s"
    signed = f", signed by {value['signed_by']}" if value["signed_by"] else ""
    lock = ", context.lock written" if value["lock_changed"] else ""
    line = Text.assemble((value["name"], "bold green"), f"  {value['version'][:19]}{signed}")
    return Group(line, Text(value["reference"], overflow="fold"), Text(fetched + lock, style="dim"))


def bundled(value: BundleAnswer, _seconds: float) -> RenderableType:
    """The caches of a bundle, and what was done with it."""
    lines: list[RenderableType] = []
    for cache in value["caches"]:
        signed = f", signed by {cache['signed_by']}" if cache["signed_by"] else ""
        documents = f"{cache['documents']:,} {'document' if cache['documents'] == 1 else 'documents'}"
        lines.append(Text.assemble((cache["name"], "bold green"), f"  {documents}, {cache['version'][:19]}{signed}"))
        lines += [Text(f"  differs from the lock here: {reason}", style="yellow") for reason in cache["reasons"]]
    wheels = f", {len(value['wheels']):,} wheels" if value["wheels"] else ""
    done = {"written": "Written", "installed": "Sound, and in place", "checked": "Sound, nothing written"}[
        value["done"]
    ]
    lines.append(Text(f"{done}: {value['bytes']:,} bytes{wheels}", style="dim"))
    return Group(*lines, Text(f"context.lock {value['lock']}", style="dim", overflow="fold"))


def signed(value: SignAnswer, _seconds: float) -> RenderableType:
    """The key that signed, or was made."""
    if value["cache"]:
        what = f"Signed: {value['signature']}" if value["signature"] else "The signature holds"
        return Text.assemble((what, "green"), f", key {value['key']}")
    return Group(
        Text.assemble("Public key: ", (value["key"], "bold")),
        Text(f'In context.toml:  [registry]  keys = ["{value["key"]}"]', style="dim"),
    )
