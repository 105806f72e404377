"""`/metrics` of the real application: who may read it, what it says, and what it never says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open_metrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from holdfast.catalog import FAMILIES
from holdfast.core.http_address import Address
from holdfast.core.token_file import TokenFile
from holdfast.telemetry.metrics import ServerFacts
from holdfast.telemetry.metrics_page import MetricsPage, SharedCells, WatchedApplication
from holdfast.telemetry.watched_server import ORIGIN, WatchedServer
from support.http_server import ADDRESS, HttpServer

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.telemetry.watched_server import EndedCall

TOKEN = "0123456789abcdef"
SECRET = "how long does a zanzibar last"


class Seen:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.calls: list[EndedCall] = []

    def record(self, call: EndedCall) -> None:
        self.calls.append(call)


class WatchedHttpServer(HttpServer):
    """The application as `--metrics` makes it."""

    def __init__(self, root: Path, *, tokens: TokenFile | None = None, own_address: Address | None = None) -> None:
        self.cells = SharedCells(1)
        self.metrics = self.cells.of_process(0)
        self.seen = Seen()
        super().__init__(root, tokens=tokens)
        facts = ServerFacts("1.0", "3.11", started=1_800_000_000, processes=1)
        page = MetricsPage(self.cells, facts, address=ADDRESS, own_address=own_address, tokens=tokens)
        self.application = WatchedApplication(self.application, self.metrics, page)

    def new_server(self, workspace: Any) -> WatchedServer:
        return WatchedServer(workspace, self.metrics, self.seen, families=FAMILIES, tool_names="auto")

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def scraped(self, **headers: str) -> dict[str, float]:
        response = self.ask("GET", "/metrics", headers)
        assert response.status == 200
        is_open = "openmetrics" in headers.get("accept", "")
        families: Any = (parse_open_metrics if is_open else parse_text)(response.body.decode())
        return {
            ",".join([sample.name, *(f"{name}={text}" for name, text in sorted(sample.labels.items()))]): sample.value
            for family in families
            for sample in family.samples
        }


@pytest.fixture
def docs(make_cache: Any, tmp_path: Path) -> Path:
    make_cache({"token.md": "# Tokens\n\nA token lasts an hour.\n"})
    return tmp_path


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    (tmp_path / "tokens").write_text(f"{TOKEN} me\n", "utf-8")
    (tmp_path / "tokens").chmod(0o600)
    return TokenFile(str(tmp_path / "tokens"), lambda: 1_800_000_000.0, print)


def test_calls_are_counted_by_tool_and_failures_by_code(docs: Path) -> None:
    with WatchedHttpServer(docs) as server:
        for _ in range(3):
            given = server.call("context.search", {"query": SECRET, "cache": "docs"})
        server.call("context.search", {"query": SECRET, "cache": "nowhere"})
        server.call("context.read", {"citation": "token.md#L1-L1@0123456789ab", "cache": "docs"})
        server.call("query_context", {"scope": "nowhere"})
        server.request("tools/call", {"name": SECRET, "arguments": {}})
        server.request("tools/call", {"name": "context.search", "arguments": {SECRET: 1}})
        server.request("tools/list")
        server.request("resources/list")
        told = server.scraped()
    assert told["holdfast_calls_total,tool=context.search"] == 5
    assert told["holdfast_calls_total,tool=unknown"] == 1
    assert told["holdfast_call_errors_total,code=cache_missing,tool=context.search"] == 1
    assert told["holdfast_call_errors_total,code=usage,tool=context.search"] == 1
    assert told["holdfast_call_errors_total,code=usage,tool=unknown"] == 1
    assert told["holdfast_call_errors_total,code=citation_stale,tool=context.read"] == 1
    assert told["holdfast_call_errors_total,code=context_missing,tool=query_context"] == 1
    assert told["holdfast_stale_answers_avoided_total,kind=citation"] == 1
    assert told["holdfast_answer_bytes_total,tool=context.search"] > 3 * len(given.text.encode())
    assert told["holdfast_call_seconds_count,tool=context.search"] == 5
    assert told["holdfast_requests_total,method=tools/call"] == 8
    assert told["holdfast_requests_total,method=tools/list"] == 1
    assert told["holdfast_requests_total,method=resources/list"] == 1
    opens = [told[f"holdfast_cache_opens_total,outcome={outcome}"] for outcome in ("hits", "misses", "uncached")]
    assert sum(opens) == 4
    assert told["holdfast_http_responses_total,status=2xx"] == 10
    assert told["holdfast_calls_running"] == 0


def test_an_answer_that_says_what_it_costs_is_believed(docs: Path) -> None:
    with WatchedHttpServer(docs) as server:
        arguments = {"query": "token", "cache": "docs", "budget": 500}
        cost = json.loads(server.call("context.resolve", arguments).text)["selection"]["tokens_used"]
        assert server.scraped()["holdfast_answer_tokens_total,tool=context.resolve"] == cost > 0


def test_no_text_of_a_query_is_ever_told(docs: Path) -> None:
    with WatchedHttpServer(docs) as server:
        for tool in ("context.search", "context.resolve", SECRET):
            server.request("tools/call", {"name": tool, "arguments": {"query": SECRET, "cache": "docs", SECRET: 1}})
        server.request("tools/call", {"name": "context.search", "arguments": {"query": SECRET, "cache": SECRET}})
        server.request(SECRET)
        for accept in ("*/*", "application/openmetrics-text"):
            assert b"zanzibar" not in server.ask("GET", "/metrics", {"accept": accept}).body


def test_whoever_asks_for_openmetrics_gets_it(docs: Path) -> None:
    accept = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain"
    with WatchedHttpServer(docs) as server:
        server.call("context.list_caches", {})
        response = server.ask("GET", "/metrics", {"accept": accept})
        assert response.headers["content-type"].startswith("application/openmetrics-text")
        assert server.scraped(accept=accept)["holdfast_calls_total,tool=context.list_caches"] == 1
        assert server.ask("GET", "/metrics", {}).headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_behind_tokens_the_page_is_too_and_refusals_are_counted(docs: Path, tokens: TokenFile) -> None:
    with WatchedHttpServer(docs, tokens=tokens) as server:
        refused = server.ask("GET", "/metrics", {})
        assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert server.ask("GET", "/metrics", {"authorization": "Bearer another-token-here"}).status == 401
        assert server.post(b"{}").status == 401
        told = server.scraped(authorization=f"bEARER {TOKEN}")
        assert told["holdfast_http_refused_total,reason=token"] == 3
        assert told["holdfast_http_responses_total,status=4xx"] == 1


def test_another_host_another_method_and_a_large_body_are_refused_and_counted(docs: Path) -> None:
    with WatchedHttpServer(docs) as server:
        assert server.ask("GET", "/metrics", {"host": "evil.example"}).status == 421
        assert server.ask("POST", "/metrics", {}).status == 405
        assert server.post(b"{}", host="evil.example").status == 421
        assert server.post(b"{}", origin="http://evil.example").status == 403
        assert server.post(b" " * (5 << 20)).status == 413
        told = server.scraped()
    refused = {
        reason: told[f"holdfast_http_refused_total,reason={reason}"] for reason in ("host", "origin", "body_size")
    }
    assert refused == {"host": 2, "origin": 1, "body_size": 1}


def test_a_port_of_its_own_needs_no_token_and_has_nothing_else(docs: Path, tokens: TokenFile) -> None:
    own = Address("127.0.0.1", 8321)  # as the request says that it came in by
    with WatchedHttpServer(docs, tokens=tokens, own_address=own) as server:
        assert server.ask("GET", "/metrics", {}).status == 200
        assert server.ask("GET", "/metrics", {"host": "evil.example"}).status == 421
        assert server.post(b"{}").status == server.ask("GET", "/healthz", {}).status == 404
    with WatchedHttpServer(docs, tokens=tokens, own_address=Address("0.0.0.0", 8321)) as server:
        assert server.ask("GET", "/metrics", {"host": "metrics.example:8321"}).status == 200
    with WatchedHttpServer(docs, tokens=tokens, own_address=Address("127.0.0.1", 9464)) as server:
        assert server.ask("GET", "/metrics", {"authorization": f"Bearer {TOKEN}"}).status == 404


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_a_call_knows_its_trace_by_its_own_words_before_those_of_its_headers(docs: Path, version: str) -> None:
    of_headers, of_meta = f"00-{'a' * 32}-{'b' * 16}-01", f"00-{'c' * 32}-{'d' * 16}-01"
    prefix = "io.modelcontextprotocol/"
    modern: dict[str, Any] = {
        prefix + "protocolVersion": version,
        prefix + "clientCapabilities": {},
        prefix + "clientInfo": None,
    }
    modern[prefix + "clientInfo"] = {"name": "x", "version": "1"}
    headers = {"mcp_protocol_version": version, "traceparent": of_headers, "tracestate": "k=v"}
    if version == "2026-07-28":
        headers |= {"mcp_method": "tools/call", "mcp_name": "context.list_caches"}
    meta: dict[str, Any] = modern if version == "2026-07-28" else {}
    with WatchedHttpServer(docs) as server:
        for added in ({}, {"traceparent": of_meta}):
            params = {"name": "context.list_caches", "arguments": {}, "_meta": {**meta, **added}}
            assert "result" in server.request("tools/call", params, **headers)
        first, second = server.seen.calls
    assert first.origin == (True, version, {"traceparent": of_headers, "tracestate": "k=v"}, "")
    assert second.origin == (True, version, {"traceparent": of_meta}, "")
    assert (first.tool, first.code, first.rpc_code) == ("context.list_caches", "", None)
    assert ORIGIN.get() is None
