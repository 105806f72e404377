"""Terminal views of the operations over all families. Loaded only there."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.contexts.change_impact import as_text
from holdfast.contexts.shapes import ImpactAnswer
from holdfast.survey.savings import percent_saved
from holdfast.survey.shapes import DoctorAnswer, SavingsAnswer


def savings(value: SavingsAnswer, _seconds: float) -> RenderableType:
    """Tokens given beside tokens behind them, then what was not observed."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("answers of")
    for title in ("answers", "given", "stood for", "saved"):
        table.add_column(title, justify="right")
    found = value["searches"]
    if found["counted"]:
        row = found["counted"], found["answer_tokens"], found["document_tokens"]
        table.add_row("context.search", *_numbers(*row))
    for tool in value["tools"]:
        if tool["tool"] != "context.search":
            table.add_row(Text(tool["tool"]), *_numbers(tool["answers"], tool["answer_tokens"], tool["behind_tokens"]))
    lines: list[RenderableType] = [table, Text()] if table.row_count else []
    if value["percent_saved"] is not None:
        sums = f"{value['given_tokens']:,} tokens given for {value['behind_tokens']:,}"
        percent = value["percent_saved"]
        verdict = f"{percent} % saved" if percent >= 0 else f"{-percent} % more, since what it stood for is short"
        lines.append(Text(f"{sums}: {verdict}", style="bold"))
    if found["distinct_documents"]:
        once = found["distinct_document_tokens"]
        lines.append(Text(f"{found['distinct_documents']:,} documents, each opened once, are {once:,} tokens"))
    if found["known"]:
        repeats = (
            f"Not sent again, since they were known: {found['known']:,} sections, {found['known_tokens']:,} tokens"
        )
        lines.append(Text(repeats))
    contexts = value["contexts"]
    if contexts["contexts"]:
        costs = f"{contexts['context_tokens']:,} tokens for {contexts['source_tokens']:,} of source"
        lines.append(Text(f"{contexts['contexts']:,} contexts stand ready: {costs}"))
    return Group(*lines, Text("Not observed:", style="dim"), *[Text(f"  {said}") for said in value["not_observed"]])


def impact(value: ImpactAnswer, _seconds: float) -> RenderableType:
    """The text that a model reads."""
    return Text(as_text(value))


def doctor(value: DoctorAnswer, _seconds: float) -> RenderableType:
    """A row a check, by area, then what to run."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")
    styles = {"ok": "green", "advice": "yellow", "problem": "bold red"}
    area = ""
    for check in value["checks"]:
        level = Text(check["level"], style=styles[check["level"]])
        named = Text("" if check["area"] == area else check["area"], style="bold")
        table.add_row(level, named, Text(check["check"]), Text(check["detail"]))
        area = check["area"]
    if not value["next"]:
        return Group(table, Text(), Text("Everything is in order." if value["healthy"] else "", style="green"))
    return Group(table, Text(), Text("Next:", style="bold"), *[Text(f"  {command}") for command in value["next"]])


def _numbers(answers: int, given: int, behind: int | None) -> tuple[str, str, str, str]:
    saved = "?" if not behind else f"{percent_saved(given, behind)} %"
    return f"{answers:,}", f"{given:,}", "?" if behind is None else f"{behind:,}", saved
