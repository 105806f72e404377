"""Figures of questions become means with intervals: by set, over the sets, and the product minus each peer. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.quality.bootstrap import sample, weighted
from benchmarks.quality.evaluation import PRODUCT
from benchmarks.quality.judged_sets import DEVELOPMENT, IN_THE_MEAN
from benchmarks.quality.measures import IN_TOKENS, MEASURES, SECTION_RECALL
from benchmarks.quality.peers import PEER_METHODS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.quality.bootstrap import Interval, Sample
    from benchmarks.quality.evaluation import Rows
    from benchmarks.quality.judged_sets import JudgedSet

    Columns = dict[str, Interval]  # by set, then MEAN, SEVEN, EVERY and POOLED

MEAN, SEVEN, EVERY, POOLED = "mean", "mean of seven sets", "mean of every set", "all questions"


class Summary(NamedTuple):
    """One measure: its columns by method, and those of the product minus a peer by peer."""

    methods: dict[str, Columns]
    ahead_of: dict[str, Columns]


def summarize(measured: Sequence[Rows]) -> dict[str, Summary]:
    """Every measure that any set has."""
    summaries = {}
    for name in MEASURES:
        methods = {
            method: _columns(name, [(r.judged, r.figures(method, name)) for r in measured]) for method in METHODS
        }
        ahead_of = {
            peer: _columns(name, [(r.judged, _paired(r, peer, name)) for r in measured]) for peer in PEER_METHODS
        }
        summary = Summary(_filled(methods), _filled(ahead_of))
        if summary.methods:
            summaries[name] = summary
    return summaries


METHODS = (PRODUCT, *PEER_METHODS)


def _filled(rows: dict[str, Columns]) -> dict[str, Columns]:
    return {name: columns for name, columns in rows.items() if columns}


def _paired(rows: Rows, peer: str, name: str) -> list[float]:
    """The difference a question makes, none where the peer is absent."""
    theirs = rows.figures(peer, name)
    return [ours - other for ours, other in zip(rows.figures(PRODUCT, name), theirs, strict=True)] if theirs else []


def _columns(measure: str, found: Sequence[tuple[JudgedSet, list[float]]]) -> Columns:
    samples = {judged.name: sample(judged.origin, figures) for judged, figures in found if figures}
    counts = {judged.name: len(figures) for judged, figures in found}
    columns = {name: one.interval for name, one in samples.items()}
    within = [name for name in samples if name in IN_THE_MEAN]
    if len(within) > 1:
        columns[MEAN] = _over(samples, {name: IN_THE_MEAN[name] for name in within})
        if samples.keys() >= DEVELOPMENT:
            columns[SEVEN] = _over(samples, dict.fromkeys(sorted(DEVELOPMENT), 1.0))
        if len(within) < len(samples):
            columns[EVERY] = _over(samples, {name: IN_THE_MEAN.get(name, 1.0) for name in samples})
        if measure == SECTION_RECALL:
            columns[POOLED] = _over(samples, {name: counts[name] for name in within})
    return columns


def _over(samples: dict[str, Sample], weights: dict[str, float]) -> Interval:
    return weighted([samples[name] for name in weights], list(weights.values())).interval


def beyond_noise(summaries: dict[str, Summary], sign: int) -> list[str]:
    """Where the product is ahead (1) or behind (-1) of a peer by more than noise, in words."""
    return [
        f"{peer}, {measure}, {column}"
        for measure, summary in summaries.items()
        for peer, columns in summary.ahead_of.items()
        for column, interval in columns.items()
        if interval.sign == (-sign if measure in IN_TOKENS else sign)
    ]
