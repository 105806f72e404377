"""The summary as Markdown tables and as JSON. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.quality.bootstrap import DRAWS
from benchmarks.quality.evaluation import PRODUCT
from benchmarks.quality.judged_sets import IN_THE_MEAN
from benchmarks.quality.measures import IN_TOKENS
from benchmarks.quality.summary import beyond_noise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from benchmarks.quality.bootstrap import Interval
    from benchmarks.quality.evaluation import Rows
    from benchmarks.quality.summary import Summary


def as_text(measured: Sequence[Rows], summaries: dict[str, Summary], ranking: str, tokenizer: str) -> str:
    """A table a measure, a line a set."""
    counts = [f"{rows.judged.name} {_count(rows)}" for rows in measured]
    within = [f"{rows.judged.name} {_weight(rows)}" for rows in measured if rows.judged.name in IN_THE_MEAN]
    parts = [
        f"Ranking `{ranking}`, tokens by `{tokenizer}`. Questions: {'; '.join(counts)}.",
        f"In the mean, with their weights: {'; '.join(within) or 'none'}.",
        f"In parentheses: 95 % of {DRAWS:,} draws of the questions.",
        f"After a peer's figure: {PRODUCT} minus the peer, paired, bold where beyond noise.",
    ]
    absent = {method: why for rows in measured for method, why in rows.absent.items()}
    parts += [f"{method}: {why}." for method, why in absent.items()]
    parts.append(f"### {PRODUCT}\n\n{_overview(summaries)}")
    parts += [f"### {name}\n\n{_table(name, summary)}" for name, summary in summaries.items()]
    for words, sign in (("Behind", -1), ("Ahead", 1)):
        found = beyond_noise(summaries, sign)
        listed = "".join([f"\n- {one}" for one in found])
        parts.append(f"{words} by more than noise: {len(found) or 'nowhere'}{':' if found else '.'}\n{listed}".rstrip())
    return "\n\n".join(parts)


def _count(rows: Rows) -> str:
    judged_by_line = sum([bool(question.groups) for question in rows.judged.questions])
    more = f" ({judged_by_line} judged by section)" if judged_by_line else ""
    return f"{len(rows.judged.questions)}{more}"


def _weight(rows: Rows) -> str:
    return f"{IN_THE_MEAN[rows.judged.name]:g}"


def _table(measure: str, summary: Summary) -> str:
    """A line a set: the product's figure, and each peer's with the product's minus it."""
    methods = [PRODUCT, *summary.ahead_of]
    lines = ["| | " + " | ".join(methods) + " |", "|---|" + "---|" * len(methods)]
    for name, own in summary.methods[PRODUCT].items():
        cells = [_figure(own, measure)]
        for peer in summary.ahead_of:
            theirs = _number(summary.methods[peer][name].mean, measure)
            cells.append(f"{theirs}, {_difference(summary.ahead_of[peer][name], measure)}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _overview(summaries: dict[str, Summary]) -> str:
    """A line a set and a mean: every measure of the product."""
    own = {measure: summary.methods[PRODUCT] for measure, summary in summaries.items()}
    names = dict.fromkeys([name for columns in own.values() for name in columns])
    lines = ["| | " + " | ".join(own) + " |", "|---|" + "---|" * len(own)]
    for name in names:
        cells = [_figure(columns[name], measure) if name in columns else "" for measure, columns in own.items()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _figure(interval: Interval, measure: str) -> str:
    mean, low, high = [_number(value, measure) for value in interval]
    return f"{mean} ({low}–{high})"


def _difference(interval: Interval, measure: str) -> str:
    mean, low, high = [_signed(value, measure) for value in interval]
    text = f"{mean} [{low}, {high}]"
    return f"**{text}**" if interval.sign else text


def _number(value: float, measure: str) -> str:
    return f"{value:,.0f}" if measure in IN_TOKENS else f"{value:.3f}".removeprefix("0")


def _signed(value: float, measure: str) -> str:
    digits = _number(abs(value), measure)
    return digits if digits in (".000", "0") else ("+" if value > 0 else "−") + digits


def as_json(measured: Sequence[Rows], summaries: dict[str, Summary], ranking: str, tokenizer: str) -> dict[str, Any]:
    """The same for programs; a figure is `{mean, low, high}`."""
    return {
        "ranking": ranking,
        "tokenizer": tokenizer,
        "questions": {rows.judged.name: len(rows.judged.questions) for rows in measured},
        "weights": {name: weight for name, weight in IN_THE_MEAN.items() if name in {r.judged.name for r in measured}},
        "absent": {method: why for rows in measured for method, why in rows.absent.items()},
        "measures": {
            name: {
                "methods": {row: _plain(columns) for row, columns in summary.methods.items()},
                "search_minus": {row: _plain(columns) for row, columns in summary.ahead_of.items()},
            }
            for name, summary in summaries.items()
        },
        "behind_beyond_noise": beyond_noise(summaries, -1),
        "ahead_beyond_noise": beyond_noise(summaries, 1),
    }


def _plain(columns: dict[str, Interval]) -> dict[str, dict[str, float]]:
    return {name: interval._asdict() for name, interval in columns.items()}
