"""Runs become figures with intervals, as Markdown. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.agents.runs import GIVE_UP
from benchmarks.agents.tasks import DOCS, KINDS, USER
from benchmarks.quality.bootstrap import sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.agents.runs import Run
    from benchmarks.quality.bootstrap import Interval

RIPGREP = "ripgrep"
_HEAD = ("| | success | tokens | calls | of ripgrep |", "|---|---|---|---|---|")


def as_text(runs: Mapping[str, Sequence[Run]], lists: Mapping[str, int], absent: Sequence[str]) -> str:
    """A table a wording and kind, a line a policy; then what a session pays before its first question."""
    parts = [
        f"A run that did not show the gold counts {GIVE_UP:,} tokens. In parentheses: 95 % of the draws of the tasks.",
    ]
    for wording, said in ((DOCS, "in the documentation's words"), (USER, "in a user's own words")):
        for kind in KINDS:
            lines = [_line(name, runs, kind, wording) for name in runs if _of(runs[name], kind, wording)]
            if lines:
                count = len(_of(next(iter(runs.values())), kind, wording))
                parts.append("\n".join([f"### {kind}, {said}: {count} tasks", "", *_HEAD, *lines]))
    listed = [f"| {name} | {tokens:,} |" for name, tokens in lists.items()]
    parts.append(
        "\n".join(["### Once a session: tool list and instructions", "", "| | tokens |", "|---|---|", *listed])
    )
    parts += [f"Not measured: {why}." for why in absent]
    return "\n\n".join(parts)


def _of(runs: Sequence[Run], kind: str, wording: str) -> list[Run]:
    return [run for run in runs if run.task.kind == kind and run.wording == wording]


def _line(name: str, runs: Mapping[str, Sequence[Run]], kind: str, wording: str) -> str:
    figures = measure(_of(runs[name], kind, wording), _of(runs.get(RIPGREP, ()), kind, wording))
    success, tokens, calls = [figures[one] for one in ("success", "tokens", "calls")]
    ratio = figures.get("of ripgrep")
    cells = [
        name,
        f"{success.mean:.2f} ({success.low:.2f}–{success.high:.2f})",
        f"{tokens.mean:,.0f} ({tokens.low:,.0f}–{tokens.high:,.0f})",
        f"{calls.mean:.1f}",
        f"{ratio.mean:.2f} ({ratio.low:.2f}–{ratio.high:.2f})" if ratio else "",
    ]
    return f"| {' | '.join(cells)} |"


def measure(runs: Sequence[Run], base: Sequence[Run]) -> dict[str, Interval]:
    """Success, tokens and calls of some runs; tokens relative to those of `base` where it has the same tasks."""
    name = runs[0].task.kind
    by_name = {
        "success": sample(name, [float(run.done) for run in runs]).interval,
        "tokens": sample(name, [run.tokens for run in runs]).interval,
        "calls": sample(name, [run.calls for run in runs]).interval,
    }
    if base and [run.task.id for run in base] == [run.task.id for run in runs]:
        ours, theirs = [sample(name, [run.tokens for run in some]) for some in (runs, base)]
        drawn = [one / other for one, other in zip(ours.drawn, theirs.drawn, strict=True)]
        by_name["of ripgrep"] = ours._replace(mean=ours.mean / theirs.mean, drawn=drawn).interval
    return by_name
