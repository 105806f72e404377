"""Numbers as a scraper reads them: the text format of Prometheus, and OpenMetrics on request. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.telemetry.metrics import BUCKETS, COUNTED, Histogram, Metric, Series, exported

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

BUILD = Metric(
    "holdfast_build_info", "gauge", "Always 1; the labels say what is running.", {"version": (), "python": ()}
)
STARTED = Metric("holdfast_start_time_seconds", "gauge", "When the server was started, in seconds since 1970.")
PROCESSES = Metric("holdfast_processes", "gauge", "Processes that share the work.")
METRICS = (BUILD, STARTED, PROCESSES, *COUNTED)  # everything that is exported, in this order


class ServerFacts(NamedTuple):
    """Facts that do not change while a server runs."""

    version: str
    python: str
    started: int
    processes: int


def exposition(facts: ServerFacts, cells: Sequence[int], *, open_metrics: bool = False) -> str:
    """Everything there is to tell, as one text."""
    lines: list[str] = []
    fixed = {
        BUILD.name: Series((facts.version, facts.python), 1),
        STARTED.name: Series((), facts.started),
        PROCESSES.name: Series((), facts.processes),
    }
    for metric in METRICS:
        series = [fixed[metric.name]] if metric.name in fixed else exported(metric, cells)
        family = metric.name.removesuffix("_total") if open_metrics else metric.name
        # In OpenMetrics a double quote is escaped in help too.
        lines.append(f"# HELP {family} {escaped(metric.meaning, quotes=open_metrics)}")
        lines.append(f"# TYPE {family} {metric.kind}")
        for one in series:
            lines.extend(_lines(metric, one))
    if open_metrics:
        lines.append("# EOF")
    return "\n".join(lines) + "\n"


def _lines(metric: Metric, series: Series) -> Iterable[str]:
    labels = list(zip(metric.labels, series.labels, strict=True))
    if not isinstance(series.number, Histogram):
        yield f"{metric.name}{_braces(labels)} {series.number}"
        return
    cumulated, total = series.number
    for bound, count in zip((*map(seconds, BUCKETS), "+Inf"), cumulated, strict=True):
        yield f"{metric.name}_bucket{_braces([*labels, ('le', bound)])} {count}"
    yield f"{metric.name}_sum{_braces(labels)} {seconds(total)}"
    yield f"{metric.name}_count{_braces(labels)} {cumulated[-1]}"


def _braces(labels: Sequence[tuple[str, str]]) -> str:
    inside = ",".join([f'{name}="{escaped(value, quotes=True)}"' for name, value in labels])
    return f"{{{inside}}}" if inside else ""


def escaped(text: str, *, quotes: bool) -> str:
    """A text on one line, as both formats write it."""
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quotes else text


def seconds(nanoseconds: int) -> str:
    """Nanoseconds as decimal seconds, exactly; a whole number ends with `.0`."""
    whole, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{whole}.{f'{rest:09}'.rstrip('0') or '0'}"
