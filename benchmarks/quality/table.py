"""The summary as Markdown tables and as JSON. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.quality.bootstrap import DRAWS
from benchmarks.quality.evaluation import PRODUCT
from benchmarks.quality.judged_sets import IN_THE_MEAN
from benchmarks.quality.summary import METHODS, beyond_noise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from benchmarks.quality.bootstrap import Interval
    from benchmarks.quality.evaluation import Rows
    from benchmarks.quality.summary import Summary


def as_text(measured: Sequence[Rows], summaries: dict[str, Summary], ranking: str, tokenizer: str) -> str:
    """A table a measure, the product's lead over each peer below its own figures."""
    counts = [f"{rows.judged.name} {_count(rows)}" for rows in measured]
    within = [f"{rows.judged.name} {_weight(rows)}" for rows in measured if rows.judged.name in IN_THE_MEAN]
    parts = [
        f"Ranking `{ranking}`, tokens by `{tokenizer}`. Questions: {'; '.join(counts)}.",
        f"In the mean, with their weights: {'; '.join(within) or 'none'}.",
        f"Behind a figure: 95 % of {DRAWS:,} draws of the questions. Differences are paired, bold where beyond noise.",
    ]
    absent = {method: why for rows in measured for method, why in rows.absent.items()}
    parts += [f"### {name}\n\n{_table(summary, absent)}" for name, summary in summaries.items()]
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


def _table(summary: Summary, absent: dict[str, str]) -> str:
    names = list(summary.methods[PRODUCT])
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for method in METHODS:
        if method in absent:
            lines.append(f"| {method} | {absent[method]} |" + " |" * (len(names) - 1))
        else:
            lines.append(_line(method, [_figure(summary.methods[method][name]) for name in names]))
    for peer, columns in summary.ahead_of.items():
        lines.append(_line(f"{PRODUCT} minus {peer}", [_difference(columns[name]) for name in names]))
    return "\n".join(lines)


def _line(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def _figure(interval: Interval) -> str:
    return f"{_short(interval.mean)} ({_short(interval.low)}–{_short(interval.high)})"


def _difference(interval: Interval) -> str:
    text = f"{_signed(interval.mean)} [{_signed(interval.low)}, {_signed(interval.high)}]"
    return f"**{text}**" if interval.sign else text


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _signed(value: float) -> str:
    digits = _short(abs(value))
    return digits if digits == ".000" else ("+" if value > 0 else "−") + digits


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
