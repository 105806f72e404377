"""Traces as they arrive at a real collector, from servers of both doors; and a collector that is slow or killed."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.core.landlock import LandlockUnavailable, kernel_abi
from holdfast.telemetry.metrics import PLACES, SIZE, SPANS, CallMetrics
from holdfast.telemetry.watched_server import EndedCall, Origin
from support.collector import Collector
from support.doors import run_context
from support.listening import listening
from support.wire import MODERN_META, Wire, call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERY = "how long does a zanzibar token last"
TRACE, PARENT = "c" * 32, "d" * 16
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


def has_landlock() -> bool:
    try:
        return kernel_abi() >= 4
    except LandlockUnavailable:
        return False


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as started:
        yield started


@pytest.fixture
def docs(make_cache: Any, tmp_path: Path) -> Path:
    make_cache({"token.md": "# Tokens\n\nA token lasts an hour.\n"})
    return tmp_path


def modern_call(number: int, tool: str, arguments: dict[str, Any], **meta: str) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments, "_meta": {**MODERN_META, **meta}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_every_call_over_stdio_is_a_span_of_the_trace_that_it_belongs_to(docs: Path, collector: Collector) -> None:
    initialize = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": QUERY, "version": "0"}},
    }
    with Wire(docs, "--otlp", collector.url) as wire:
        wire.ask(initialize)
        wire.ask(call(1, "context.search", {"query": QUERY, "cache": "docs"}))
        wire.ask(modern_call(2, "context.search", {"query": QUERY, "cache": "nowhere"}, traceparent=TRACEPARENT))
        wire.ask(modern_call(3, QUERY, {}))
        wire.ask(modern_call(4, "context.search", {QUERY: 1}))
        wire.ask({"jsonrpc": "2.0", "id": QUERY, "method": "resources/list", "params": {"_meta": MODERN_META}})
        ended = wire.end()
    assert (ended.exit_code, ended.stderr) == (0, "")
    good, missing, unknown, odd, listing = collector.wait_for(5)
    assert good.name == "tools/call context.search"
    assert (good.kind, good.is_error, good.parent) == (2, False, "")
    assert good.attributes.pop("holdfast.answer.bytes") > good.attributes.pop("holdfast.answer.tokens") > 0
    assert good.attributes.pop("holdfast.cache.version").startswith("sha256:")
    assert good.attributes == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2025-06-18",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "context.search",
        "jsonrpc.request.id": "1",
        "network.transport": "pipe",
    }
    assert (missing.trace, missing.parent, missing.is_error) == (TRACE, PARENT, True)
    assert missing.attributes["error.type"] == "tool_error"
    assert missing.attributes["holdfast.error.code"] == "cache_missing"
    assert missing.attributes["mcp.protocol.version"] == "2026-07-28"
    assert "gen_ai.tool.name" not in unknown.attributes
    assert unknown.attributes["error.type"] == "-32602"
    # An unknown argument of a tool of ours is answered by the tool, which names the arguments there are.
    assert (odd.is_error, odd.attributes["error.type"]) == (True, "tool_error")
    assert odd.attributes["holdfast.error.code"] == "usage"
    assert (listing.name, listing.is_error) == ("resources/list", False)
    assert good.resource["service.name"] == "holdfast"
    # Whoever asks for it gets the arguments; nobody else gets a word of them.
    assert all(b"zanzibar" not in body for _, _, body in collector.requests)


def test_arguments_are_in_a_span_where_that_is_asked_for(docs: Path, collector: Collector) -> None:
    with Wire(docs, "--otlp", collector.url, "--otlp-arguments") as wire:
        wire.ask(modern_call(1, "context.search", {"query": QUERY, "cache": "docs"}))
        wire.ask(modern_call(2, "context.search", {"query": "x" * 9000, "cache": "docs"}))
        wire.end()
    first, second = collector.wait_for(2)
    told = json.loads(first.attributes["gen_ai.tool.call.arguments"])
    assert told == {"query": QUERY, "cache": "docs"}
    assert len(second.attributes["gen_ai.tool.call.arguments"]) == 4096


def test_every_process_over_http_sends_its_spans_and_metrics_tell_so(
    docs: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=docs")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
    options = ("--confine",) if has_landlock() else ()
    with listening(docs, "--otlp", "env", "--workers", "2", "--metrics", "--path", str(docs), *options) as server:
        for _ in range(12):
            server.post(json.dumps(modern_less_call()).encode(), traceparent=TRACEPARENT)
        assert server.end() == 0
    spans = collector.wait_for(12)
    assert len(spans) == 12
    assert {(span.trace, span.parent) for span in spans} == {(TRACE, PARENT)}
    assert spans[0].attributes["network.transport"] == "tcp"
    assert spans[0].resource["deployment.environment.name"] == "test"
    path, headers, _ = collector.requests[0]
    assert (path, headers["x-team"]) == ("/v1/traces", "docs")
    assert all(b"zanzibar" not in body for _, _, body in collector.requests)


def modern_less_call() -> dict[str, Any]:
    params = {"name": "context.search", "arguments": {"query": QUERY, "cache": "docs"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def test_nothing_is_sent_without_the_flag_whatever_the_environment_says(docs: Path, collector: Collector) -> None:
    with Wire(docs, env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_TRACES_EXPORTER": "otlp"}) as wire:
        wire.ask(modern_call(1, "context.list_caches", {}))
        assert wire.end().exit_code == 0
    assert collector.requests == []


@pytest.mark.rough
def test_a_collector_that_is_killed_costs_one_warning_and_no_answer(docs: Path, collector: Collector) -> None:
    with Wire(docs, "--otlp", collector.url, env={"OTEL_BSP_SCHEDULE_DELAY": "10"}) as wire:
        wire.ask(modern_call(1, "context.list_caches", {}))
        collector.wait_for(1)
        collector.kill()
        for number in range(2, 12):
            assert "result" in wire.ask(modern_call(number, "context.list_caches", {}))
        ended = wire.end()
    assert ended.exit_code == 0
    assert ended.stderr == f"warning: the collector at {collector.url} does not take spans; calls go on without it\n"


@pytest.mark.rough
def test_a_collector_that_never_answers_holds_up_neither_calls_nor_the_end(docs: Path) -> None:
    with Collector(stuck=True) as stuck, Wire(docs, "--otlp", stuck.url, env={"OTEL_BSP_SCHEDULE_DELAY": "10"}) as wire:
        wire.ask(modern_call(1, "context.list_caches", {}))
        stuck.wait_for(1)  # from now on the thread that sends is held up
        for number in range(2, 30):
            assert "result" in wire.ask(modern_call(number, "context.list_caches", {}))
        assert wire.end().exit_code == 0


def test_a_span_that_finds_the_queue_full_is_counted_and_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    from holdfast.telemetry import traces as call_traces

    monkeypatch.setattr(call_traces, "MOST_WAITING", 4)
    monkeypatch.setattr(call_traces, "LARGEST_BATCH", 2)
    monkeypatch.setattr(call_traces, "LAST_SECONDS", 0.01)
    cells, told = [0] * SIZE, list[str]()
    before = set(threading.enumerate())
    with Collector(stuck=True) as stuck:
        traces = call_traces.CallTraces(stuck.url, CallMetrics(cells), told.append)
        ended = EndedCall("tools/call", Origin(), 1_800_000_000_000_000_000, 1000, "context.search")
        traces.record(ended)
        traces.record(ended)
        stuck.wait_for(2)  # both are on their way, for ever
        for _ in range(10):
            traces.record(ended)
        traces.record(ended._replace(began="never"))  # type: ignore[arg-type]  # a bug costs a span and no answer
        traces.close()
    for thread in set(threading.enumerate()) - before:  # nothing is tried again once that collector is gone
        thread.join(60)
        assert not thread.is_alive()
    assert cells[PLACES[SPANS.name, ("dropped",)]] == 7
    assert told == [f"warning: the collector at {stuck.url} does not take spans; calls go on without it"]


@pytest.mark.parametrize(
    ("words", "variables", "said"),
    [
        (["--otlp", "collector:4318"], {}, "--otlp is an address such as https://docs.example/v1/traces"),
        (["--otlp", "http://127.0.0.1:99999"], {}, "--otlp is an address such as https://docs.example/v1/traces"),
        (["--otlp-arguments"], {}, "--otlp-arguments goes with --otlp"),
        (["--otlp", "env"], {"OTEL_EXPORTER_OTLP_ENDPOINT": "nowhere"}, "OTEL_EXPORTER_OTLP_ENDPOINT is an address"),
        (["--otlp", "env"], {"OTEL_BSP_SCHEDULE_DELAY": "-1"}, "a variable of OpenTelemetry cannot be used"),
        (["--metrics"], {}, "--metrics goes with --http"),
        (["--metrics-address", "127.0.0.1:0"], {}, "--metrics-address goes with --http"),
        (["--http", "127.0.0.1:0", "--metrics-address", "x"], {}, "--metrics-address is HOST:PORT"),
    ],
)
def test_what_makes_no_sense_is_told_before_anything_starts(
    tmp_path: Path, words: list[str], variables: dict[str, str], said: str
) -> None:
    done = run_context("serve", *words, cwd=tmp_path, env=variables)
    assert (done.returncode, done.stdout) == (1, b"")
    assert said in done.stderr.decode()


def test_without_the_extra_it_is_said_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "opentelemetry.py").write_text("raise ImportError\n")
    done = run_context("serve", "--otlp", "http://127.0.0.1:1", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert (
        "reason: --otlp needs the extra 'telemetry': pip install 'holdfast-context[telemetry]'" in done.stderr.decode()
    )
