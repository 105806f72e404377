"""The metrics of a server process: every metric in one table, the cells that hold its numbers, and their text. Pure.

A label has the values of a list that is known when the server starts, so the cells are known too and no client can add
one. Each process of a server writes to cells of its own; a scrape gets their sum, as the text format of Prometheus or,
on request, OpenMetrics (docs/formats/metrics.md).
"""

from __future__ import annotations

from _thread import allocate_lock
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, product
from typing import Literal, NamedTuple, Protocol

from holdfast.catalog import CATALOG
from holdfast.core.errors import FAILURES, CitationStale, InternalError

Kind = Literal["counter", "gauge", "histogram"]
Labels = tuple[str, ...]


class Cells(Protocol):
    """A row of numbers, in this process's memory or in one that it shares."""

    def __getitem__(self, place: int, /) -> int: ...
    def __setitem__(self, place: int, number: int, /) -> None: ...
    def __iter__(self) -> Iterator[int]: ...


UNKNOWN = "unknown"  # the label of a tool that does not exist, whatever it was called
OTHER = "other"
TOOLS = (*(operation.tool for operation in CATALOG if operation.tool), UNKNOWN)
CODES = (*dict.fromkeys(failure.code for failure in FAILURES), OTHER)
METHODS = (
    *("tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"),
    *("prompts/list", "prompts/get", "completion/complete"),
)
NAMESPACES = ("cache", "context", "guide", "spec-status", "steering", OTHER)
REASONS = ("token", "host", "origin", "head_size", "body_size", "slow", "busy", OTHER)
# Upper bounds in nanoseconds: a warm answer takes some hundred microseconds, a cold one of a large cache seconds.
BUCKETS = tuple(
    microseconds * 1_000
    for microseconds in (
        *(500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000),
        *(1_000_000, 2_500_000, 5_000_000, 10_000_000),
    )
)


class Metric(NamedTuple):
    """One family of numbers. `labels` has the values that each label can have; a counter's name ends with `_total`."""

    name: str
    kind: Kind
    meaning: str
    labels: Mapping[str, Sequence[str]] = {}
    export_zero: bool = True  # if false, exported after its first increment


CALLS = Metric("holdfast_calls_total", "counter", "Calls of tools that were answered.", {"tool": TOOLS})
ERRORS = Metric(
    "holdfast_call_errors_total",
    "counter",
    "Calls that were answered with a failure, by its code.",
    {"tool": TOOLS, "code": CODES},
    export_zero=False,
)
TOKENS = Metric(
    "holdfast_answer_tokens_total",
    "counter",
    "Tokens of answers: as an answer says, else a quarter of its bytes.",
    {"tool": TOOLS},
)
BYTES = Metric("holdfast_answer_bytes_total", "counter", "Bytes of the texts of answers.", {"tool": TOOLS})
SECONDS = Metric(
    "holdfast_call_seconds",
    "histogram",
    "Seconds from a call's being understood to its answer, waiting for a thread included.",
    {"tool": TOOLS},
    export_zero=False,
)
RUNNING = Metric("holdfast_calls_running", "gauge", "Calls that are being carried out.")
REQUESTS = Metric("holdfast_requests_total", "counter", "Requests of the protocol, by method.", {"method": METHODS})
FILES = Metric(
    "holdfast_remembered_files_total",
    "counter",
    "Looks at remembered files: used as they were, read, handed out without being kept, read again and found equal.",
    {"namespace": NAMESPACES, "outcome": ("hits", "misses", "uncached", "rereads")},
    export_zero=False,
)
CACHES = Metric(
    "holdfast_cache_opens_total",
    "counter",
    "Looks at caches: found open, opened, opened without being kept.",
    {"outcome": ("hits", "misses", "uncached")},
)
STALE = Metric(
    "holdfast_stale_answers_avoided_total",
    "counter",
    "What was not given as it once was: a remembered file or an open cache that had changed, a citation that does "
    "not hold, a context reported as stale.",
    {"kind": ("file", "cache", "citation", "context")},
)
RECEIPTS = Metric(
    "holdfast_receipts_total",
    "counter",
    "Receipts that were written, were there already, or could not be written.",
    {"outcome": ("written", "present", "failed")},
)
HTTP = Metric(
    "holdfast_http_responses_total",
    "counter",
    "Responses to requests at /mcp, by class of status.",
    {"status": ("2xx", "3xx", "4xx", "5xx")},
)
REFUSED = Metric("holdfast_http_refused_total", "counter", "Requests that were refused, and why.", {"reason": REASONS})
SPANS = Metric(
    "holdfast_spans_total",
    "counter",
    "Spans that a collector took, that it did not take, that found the queue full.",
    {"outcome": ("sent", "failed", "dropped")},
)
REPLACED = Metric("holdfast_process_replacements_total", "counter", "Processes that took the place of one that died.")

COUNTED = (
    *(CALLS, ERRORS, TOKENS, BYTES, SECONDS, RUNNING, REQUESTS, FILES, CACHES, STALE, RECEIPTS),
    *(HTTP, REFUSED, SPANS, REPLACED),
)
TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

BUILD = Metric(
    "holdfast_build_info", "gauge", "Always 1; the labels say what is running.", {"version": (), "python": ()}
)
STARTED = Metric("holdfast_start_time_seconds", "gauge", "When the server was started, in seconds since 1970.")
PROCESSES = Metric("holdfast_processes", "gauge", "Processes that share the work.")
METRICS = (BUILD, STARTED, PROCESSES, *COUNTED)  # everything that is exported, in this order
_TAKEN = Metric("taken", "gauge", "Internal: 1 once a process used this slot (detects restarts); never exported.")
_KEPT = {"cache": CACHES, "receipts": RECEIPTS}  # by the names that what a workspace keeps goes by
# Cells of one series of a histogram: each bucket by itself, what is beyond the last, and the sum.
_HISTOGRAM = len(BUCKETS) + 2


def _layout() -> tuple[dict[tuple[str, Labels], int], int]:
    places: dict[tuple[str, Labels], int] = {}
    size = 0
    for metric in (*COUNTED, _TAKEN):
        for values in product(*metric.labels.values()):
            places[metric.name, values] = size
            size += _HISTOGRAM if metric.kind == "histogram" else 1
    return places, size


PLACES, SIZE = _layout()


def _is_exported(metric: Metric, values: Labels, numbers: Sequence[int]) -> bool:
    """Whether a series is exported; a failure's at zero too, where it is a bug: a rate sees the first only after it."""
    if metric.kind == "histogram":
        return any(numbers[:-1])
    return bool(numbers[0]) or metric.export_zero or (metric is ERRORS and values[1] == InternalError.code)


class CallMetrics:
    """The cells of one process, which several threads add to.

    A process that takes the place of a dead one goes on from its numbers, so no counter ever falls.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._lock = allocate_lock()
        self._running = PLACES[RUNNING.name, ()]
        cells[self._running] = 0  # the calls of an earlier process with these cells ended with it
        self._base = list(cells)
        self._tools = {tool: index for index, tool in enumerate(TOOLS)}
        self._codes = {code: index for index, code in enumerate(CODES)}
        self._first = {
            metric.name: PLACES[metric.name, tuple(values[0] for values in metric.labels.values())]
            for metric in COUNTED
        }
        taken = PLACES[_TAKEN.name, ()]
        if cells[taken]:
            self.add(REPLACED)
        cells[taken] = 1

    def add(self, metric: Metric, *labels: str) -> None:
        """Count one; a value that a label does not have counts as its last one."""
        values = tuple(
            value if value in known else known[-1] for value, known in zip(labels, metric.labels.values(), strict=True)
        )
        with self._lock:
            self._cells[PLACES[metric.name, values]] += 1

    def begin(self) -> None:
        """One more call is being carried out; `end` must follow."""
        with self._lock:
            self._cells[self._running] += 1

    def end(self, tool: str, code: str, *, tokens: int, size: int, nanoseconds: int) -> None:
        """A call was answered, with a failure where there is a code."""
        index = self._tools.get(tool, len(TOOLS) - 1)
        bucket = bisect_left(BUCKETS, nanoseconds)
        first, cells = self._first, self._cells
        histogram = first[SECONDS.name] + index * _HISTOGRAM
        with self._lock:
            if cells[self._running]:
                cells[self._running] -= 1
            cells[first[CALLS.name] + index] += 1
            cells[first[TOKENS.name] + index] += tokens
            cells[first[BYTES.name] + index] += size
            cells[histogram + bucket] += 1
            cells[histogram + _HISTOGRAM - 1] += nanoseconds
            if code:
                number = self._codes.get(code, len(CODES) - 1)
                cells[first[ERRORS.name] + index * len(CODES) + number] += 1
        if code == CitationStale.code:
            self.add(STALE, "citation")

    def refuse(self, code: str) -> None:
        """A call was refused before it was one: its tool does not exist, or it names none. It took no time."""
        self.add(CALLS, UNKNOWN)
        self.add(ERRORS, UNKNOWN, code)

    def publish(
        self, files: Mapping[str, Mapping[str, int]], kept: Mapping[str, Mapping[str, int]], stale: Mapping[str, int]
    ) -> None:
        """Put what this process counted elsewhere into its cells: looks at remembered files by namespace, at open
        caches and of receipts by what is kept, and what had changed by kind."""
        sums: dict[int, int] = {}
        for namespace, counts in files.items():
            known = namespace if namespace in NAMESPACES else OTHER
            for outcome, number in counts.items():
                place = PLACES[FILES.name, (known, outcome)]
                sums[place] = sums.get(place, 0) + number
        for name, metric in _KEPT.items():
            for outcome, number in kept.get(name, {}).items():
                sums[PLACES[metric.name, (outcome,)]] = number
        for kind, number in stale.items():
            sums[PLACES[STALE.name, (kind,)]] = number
        cells, base = self._cells, self._base
        with self._lock:
            for place, number in sums.items():
                if base[place] + number > cells[place]:  # another thread may have looked later and come earlier
                    cells[place] = base[place] + number


class ServerFacts(NamedTuple):
    """Facts that do not change while a server runs."""

    version: str
    python: str
    started: int
    processes: int


def exposition(facts: ServerFacts, cells: Sequence[int], *, open_metrics: bool = False) -> str:
    """Everything there is to tell, as one text: the series of a metric in the order of its labels' values."""
    lines: list[str] = []
    fixed: dict[str, tuple[Labels, int]] = {
        BUILD.name: ((facts.version, facts.python), 1),
        STARTED.name: ((), facts.started),
        PROCESSES.name: ((), facts.processes),
    }
    for metric in METRICS:
        family = metric.name.removesuffix("_total") if open_metrics else metric.name
        # In OpenMetrics a double quote is escaped in help too.
        lines.append(f"# HELP {family} {escaped(metric.meaning, quotes=open_metrics)}")
        lines.append(f"# TYPE {family} {metric.kind}")
        if metric.name in fixed:
            values, number = fixed[metric.name]
            lines.extend(_lines(metric, values, [number]))
            continue
        for values in product(*metric.labels.values()):
            place = PLACES[metric.name, values]
            numbers = cells[place : place + (_HISTOGRAM if metric.kind == "histogram" else 1)]
            if _is_exported(metric, values, numbers):
                lines.extend(_lines(metric, values, numbers))
    if open_metrics:
        lines.append("# EOF")
    return "\n".join(lines) + "\n"


def _lines(metric: Metric, values: Labels, numbers: Sequence[int]) -> Iterable[str]:
    labels = list(zip(metric.labels, values, strict=True))
    if metric.kind != "histogram":
        yield f"{metric.name}{_braces(labels)} {numbers[0]}"
        return
    *counts, total = numbers
    cumulated = list(accumulate(counts))
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
