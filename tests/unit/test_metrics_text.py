"""What is counted and how it is told, held against the official parser of what Prometheus reads."""

from __future__ import annotations

from operator import le
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open_metrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from holdfast.telemetry.metrics import (
    BUCKETS,
    CALLS,
    CODES,
    ERRORS,
    FILES,
    METRICS,
    PLACES,
    RUNNING,
    SECONDS,
    SIZE,
    STALE,
    TOOLS,
    CallMetrics,
    ServerFacts,
    escaped,
    exposition,
    seconds,
)
from holdfast.telemetry.metrics_page import SharedCells
from support.examples import examples

FACTS = ServerFacts('0.1"\\\n', "3.11.7", 1_800_000_000, 2)
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str, *, open_metrics: bool = False) -> Samples:
    """Every number of a text, by name and labels; each stands there once."""
    families: Any = (parse_open_metrics if open_metrics else parse_text)(text)
    found: Samples = {}
    for family in families:
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in found
            found[key] = sample.value
    return found


def end(metrics: CallMetrics, tool: str, code: str = "", nanoseconds: int = 1_000_000) -> None:
    metrics.begin()
    metrics.end(tool, code, tokens=7, size=28, nanoseconds=nanoseconds)


@pytest.mark.parametrize("open_metrics", [False, True])
def test_the_official_parser_reads_every_metric(open_metrics: bool) -> None:
    cells = [0] * SIZE
    metrics = CallMetrics(cells)
    end(metrics, "context.search")
    end(metrics, "context.read", "citation_stale", nanoseconds=20_000_000_000)
    metrics.publish({"guide": {"hits": 3, "misses": 1, "uncached": 0, "rereads": 2}}, {}, {"file": 1, "cache": 2})
    found = samples(exposition(FACTS, cells, open_metrics=open_metrics), open_metrics=open_metrics)
    names = {name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name, _ in found}
    assert names == {metric.name for metric in METRICS}
    assert found["holdfast_build_info", (("python", "3.11.7"), ("version", FACTS.version))] == 1
    assert found[CALLS.name, (("tool", "context.search"),)] == 1
    assert found[ERRORS.name, (("code", "citation_stale"), ("tool", "context.read"))] == 1
    assert found["holdfast_answer_tokens_total", (("tool", "context.read"),)] == 7
    assert found[f"{SECONDS.name}_sum", (("tool", "context.read"),)] == 20
    assert found[f"{SECONDS.name}_bucket", (("le", "10.0"), ("tool", "context.read"))] == 0
    assert found[f"{SECONDS.name}_bucket", (("le", "+Inf"), ("tool", "context.read"))] == 1
    assert found[STALE.name, (("kind", "citation"),)] == 1
    assert found[STALE.name, (("kind", "cache"),)] == 2
    assert found[FILES.name, (("namespace", "guide"), ("outcome", "rereads"))] == 2
    assert found[RUNNING.name, ()] == 0


def test_a_server_that_did_nothing_tells_zeros_that_a_rate_can_start_from() -> None:
    found = samples(exposition(FACTS, [0] * SIZE))
    assert all(found[CALLS.name, (("tool", tool),)] == 0 for tool in TOOLS)
    assert all(found[ERRORS.name, (("code", "internal_error"), ("tool", tool))] == 0 for tool in TOOLS)
    assert len(found) < 150


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.integers(0, 20_000_000_000) | st.sampled_from(BUCKETS), max_size=40))
def test_a_histogram_counts_what_is_at_most_each_bound(durations: list[int]) -> None:
    cells = [0] * SIZE
    metrics = CallMetrics(cells)
    for duration in durations:
        end(metrics, "context.search", nanoseconds=duration)
    found = samples(exposition(FACTS, cells))
    for bound in BUCKETS if durations else ():
        key = (f"{SECONDS.name}_bucket", (("le", seconds(bound)), ("tool", "context.search")))
        assert found[key] == sum(duration <= bound for duration in durations)
    assert found.get((f"{SECONDS.name}_count", (("tool", "context.search"),)), 0) == len(durations)


EVENTS = st.tuples(st.integers(0, 2), st.sampled_from([*TOOLS, "made\nup"]), st.sampled_from(["", *CODES, "made up"]))


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(EVENTS | st.integers(0, 2), max_size=60))
def test_the_sum_is_what_was_called_whichever_process_did_and_died(events: list[tuple[int, str, str] | int]) -> None:
    """A number alone is a process that dies and is replaced, in the middle of a call."""
    shared = SharedCells(3)
    processes = [shared.of_process(number) for number in range(3)]
    expected: dict[str, int] = {}
    failed, running = 0, PLACES[RUNNING.name, ()]
    for event in events:
        before = shared.sums()
        if isinstance(event, int):
            processes[event].begin()
            processes[event] = shared.of_process(event)
        else:
            number, tool, code = event
            end(processes[number], tool, code)
            known = tool if tool in TOOLS else "unknown"
            expected[known] = expected.get(known, 0) + 1
            failed += bool(code)
        # Nothing but what is running ever falls.
        after = shared.sums()
        after[running] = before[running]
        assert all(map(le, before, after))
    found = samples(exposition(FACTS, shared.sums()))
    assert {tool: found[CALLS.name, (("tool", tool),)] for tool in expected} == expected
    assert sum(number for (name, _), number in found.items() if name == ERRORS.name) == failed
    assert found[RUNNING.name, ()] == 0
    deaths = sum(isinstance(event, int) for event in events)
    assert found["holdfast_process_replacements_total", ()] == deaths


def test_what_is_published_goes_on_where_a_dead_process_ended_and_never_falls() -> None:
    shared = SharedCells(1)
    first = shared.of_process(0)
    first.publish(
        {"context": {"hits": 5}}, {"cache": {"hits": 2}, "receipts": {"written": 1, "failed": 1}}, {"file": 1}
    )
    first.publish({"context": {"hits": 4}}, {}, {"file": 0})  # looked before the other, came after it
    shared.of_process(0).publish(
        {"context": {"hits": 1}, "unheard-of": {"hits": 1}}, {"cache": {"hits": 1}}, {"file": 1}
    )
    found = samples(exposition(FACTS, shared.sums()))
    assert found[FILES.name, (("namespace", "context"), ("outcome", "hits"))] == 6
    assert found[FILES.name, (("namespace", "other"), ("outcome", "hits"))] == 1
    assert found["holdfast_cache_opens_total", (("outcome", "hits"),)] == 3
    assert found["holdfast_receipts_total", (("outcome", "failed"),)] == 1
    assert found[STALE.name, (("kind", "file"),)] == 2


@settings(max_examples=examples(40), deadline=None)
@given(st.text())
def test_a_label_survives_whatever_it_holds(text: str) -> None:
    """The format has lines; what ends none there is no matter of it."""
    facts = FACTS._replace(version=text)
    if any(character in text for character in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029") or text != text.strip():
        return  # the official parser takes these for ends of lines, which the format does not
    assert ("holdfast_build_info", (("python", "3.11.7"), ("version", text))) in samples(exposition(facts, [0] * SIZE))


def test_escaping_and_seconds() -> None:
    assert escaped('a"b\\c\nd', quotes=True) == 'a\\"b\\\\c\\nd'
    assert escaped('a"b\\c\nd', quotes=False) == 'a"b\\\\c\\nd'
    assert [seconds(number) for number in (0, 1, 500_000, 1_000_000_000, 12_345_678_901)] == [
        *("0.0", "0.000000001", "0.0005", "1.0", "12.345678901")
    ]


def test_every_namespace_that_is_counted_has_a_label_and_every_code() -> None:
    from holdfast.core.errors import FAILURES
    from holdfast.telemetry.metrics import NAMESPACES

    assert {failure.code for failure in FAILURES} < set(CODES)
    assert {"steering", "spec-status", "guide", "context", "cache"} < set(NAMESPACES)


def test_the_page_about_metrics_has_every_one_as_it_is() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats" / "metrics.md").read_text("utf-8")
    rows = [line for line in page.split("\n") if line.startswith("- `holdfast_") and "` (" in line]
    assert rows == [
        f"- `{metric.name}` ({', '.join([metric.kind, *[f'`{label}`' for label in metric.labels]])}): {metric.meaning}"
        for metric in METRICS
    ]
