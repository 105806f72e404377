"""Metrics of a real server: of all its processes, also when one is killed; judged and scraped by Prometheus itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import pytest
from prometheus_client.parser import text_string_to_metric_families

from support.listening import PATIENCE, Listening, listening
from support.waiting import has_ended

pytestmark = pytest.mark.rough

PROMTOOL, PROMETHEUS = shutil.which("promtool"), shutil.which("prometheus")
needs_prometheus = pytest.mark.skipif(not (PROMTOOL and PROMETHEUS), reason="prometheus is not installed")
EXAMPLES = Path(__file__).parents[2] / "examples" / "prometheus"
TOKEN = "0123456789abcdef"


@pytest.fixture
def docs(make_cache: Any, tmp_path: Path) -> Path:
    make_cache({"token.md": "# Tokens\n\nA token lasts an hour.\n"})
    return tmp_path


def ask(port: int, path: str, **headers: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def scraped(port: int, **headers: str) -> dict[str, float]:
    status, text = ask(port, "/metrics", **headers)
    assert status == 200
    return {
        ",".join([sample.name, *(f"{name}={value}" for name, value in sorted(sample.labels.items()))]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def search(server: Listening, times: int) -> None:
    for _ in range(times):
        assert "A token lasts an hour" in server.call(
            "context.search", {"query": "how long is a token", "cache": "docs"}
        )


def test_one_scrape_tells_of_all_processes_and_of_those_that_died(docs: Path) -> None:
    calls = "holdfast_calls_total,tool=context.search"
    with listening(docs, "--workers", "2", "--metrics") as server:
        before = server.two_children()
        search(server, 12)
        assert [scraped(server.port)[calls] for _ in range(4)] == [12] * 4
        os.kill(before[0], signal.SIGKILL)
        while before[0] in server.two_children():
            pass
        search(server, 8)
        told = scraped(server.port)
        assert server.end() == 0
    assert told[calls] == told["holdfast_call_seconds_count,tool=context.search"] == 20
    assert sum(told[f"holdfast_cache_opens_total,outcome={name}"] for name in ("hits", "misses", "uncached")) == 20
    assert told["holdfast_http_responses_total,status=2xx"] == 20
    assert (told["holdfast_processes"], told["holdfast_process_replacements_total"]) == (2, 1)
    assert told["holdfast_calls_running"] == 0


def test_stale_answers_that_were_avoided_and_receipts_that_were_not_written_are_counted(docs: Path) -> None:
    receipts = docs / "receipts"
    with listening(docs, "--metrics", "--receipts", str(receipts)) as server:
        shutil.rmtree(receipts)  # the server made it
        receipts.write_bytes(b"not a folder")
        while not scraped(server.port)["holdfast_cache_opens_total,outcome=hits"]:
            search(server, 1)  # a cache that was written a moment ago is not kept
        os.utime(docs / "docs" / "manifest.json")
        search(server, 1)
        assert scraped(server.port)["holdfast_stale_answers_avoided_total,kind=cache"] == 1
        while not scraped(server.port)["holdfast_receipts_total,outcome=failed"]:
            assert server.process.poll() is None  # a receipt is tried for after the answer


def test_a_port_of_its_own_is_open_while_the_other_asks_for_tokens(docs: Path) -> None:
    (docs / "tokens").write_text(f"{TOKEN} me\n", "utf-8")
    (docs / "tokens").chmod(0o600)
    options = ("--token-file", str(docs / "tokens"), "--metrics-address", "127.0.0.1:0", "--workers", "2")
    with listening(docs, *options) as server:
        stderr: IO[bytes] = server.process.stderr  # type: ignore[assignment]  # it is a pipe
        told = re.fullmatch(rb"metrics at http://127\.0\.0\.1:([0-9]+)/metrics\n", stderr.readline())
        assert told is not None
        port = int(told[1])
        assert server.post(b"{}")[0] == 401
        with suppress(ConnectionError):  # it is refused before all of it is read
            ask(server.port, "/mcp", padding="x" * 70_000)
        told_there = scraped(port)
        assert told_there["holdfast_http_refused_total,reason=token"] == 1
        assert told_there["holdfast_http_refused_total,reason=head_size"] == 1
        assert ask(server.port, "/metrics", authorization=f"Bearer {TOKEN}")[0] == 404
        assert ask(port, "/mcp")[0] == ask(port, "/healthz")[0] == 404
        assert server.end() == 0


@needs_prometheus
def test_promtool_finds_nothing_wrong_with_the_examples() -> None:
    for words in (["check", "config", "prometheus.yml"], ["check", "rules", "--lint-fatal", "holdfast.rules.yml"]):
        done = subprocess.run([PROMTOOL or "", *words], cwd=EXAMPLES, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr


def rule_test(alert: str, series: str, values: str, labels: dict[str, str], summary: str) -> dict[str, Any]:
    """A case of `promtool test rules`: after half an hour of these values an alert stands there, and did not before."""
    severity = "page" if alert == "HoldfastDown" else "ticket"
    alerts = [{"exp_labels": {"severity": severity, **labels}, "exp_annotations": {"summary": summary}}]
    return {
        "interval": "1m",
        "input_series": [{"series": series, "values": values}],
        "alert_rule_test": [
            {"eval_time": "4m", "alertname": alert, "exp_alerts": []},
            {"eval_time": "30m", "alertname": alert, "exp_alerts": alerts},
        ],
    }


@needs_prometheus
def test_the_alerts_of_the_examples_come_when_they_should(tmp_path: Path) -> None:
    at = {"instance": "a:1"}
    cases = [
        rule_test(
            "HoldfastDown",
            'up{job="holdfast",instance="a:1"}',
            "1x9 0x25",
            {"job": "holdfast", **at},
            "a:1 is not scraped",
        ),
        rule_test(
            "HoldfastBug",
            'holdfast_call_errors_total{instance="a:1",tool="context.read",code="internal_error"}',
            "0x24 1x9",
            {"tool": "context.read", **at},
            "context.read failed by a bug: its traceback is on the server's stderr",
        ),
        rule_test(
            "HoldfastProcessesDie",
            'holdfast_process_replacements_total{instance="a:1"}',
            "0x20 1+1x12",
            at,
            "processes of a:1 die and are replaced",
        ),
        rule_test(
            "HoldfastReceiptsLost",
            'holdfast_receipts_total{instance="a:1",outcome="failed"}',
            "0x24 5x9",
            at,
            "receipts cannot be written: the directory is full or gone",
        ),
    ]
    (tmp_path / "cases.yml").write_text(
        json.dumps({"rule_files": [str(EXAMPLES / "holdfast.rules.yml")], "tests": cases}), "utf-8"
    )
    done = subprocess.run([PROMTOOL or "", "test", "rules", "cases.yml"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@needs_prometheus
def test_a_real_prometheus_scrapes_the_server_with_the_example(docs: Path, tmp_path: Path) -> None:
    port = free_port()
    with listening(docs, "--metrics", "--workers", "2") as server:
        search(server, 5)
        told = ask(server.port, "/metrics")[1]
        done = subprocess.run([PROMTOOL or "", "check", "metrics"], input=told.encode(), capture_output=True)
        assert (done.returncode, done.stdout + done.stderr) == (0, b"")
        shown = (EXAMPLES / "prometheus.yml").read_text("utf-8")
        config = shown.replace("127.0.0.1:8321", f"127.0.0.1:{server.port}").replace("15s", "100ms")
        (tmp_path / "prometheus.yml").write_text(config, "utf-8")
        shutil.copy(EXAMPLES / "holdfast.rules.yml", tmp_path)
        command = [
            PROMETHEUS or "",
            f"--config.file={tmp_path}/prometheus.yml",
            f"--storage.tsdb.path={tmp_path}/data",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        with (tmp_path / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            found: list[Any] = []
            while not found:
                assert not has_ended(process), (tmp_path / "log").read_text("utf-8")
                found = queried(port, 'holdfast_calls_total{tool="context.search"}')
            assert [(one["metric"]["job"], one["value"][1]) for one in found] == [("holdfast", "5")]
            quantile = "histogram_quantile(0.99, sum by (le) (holdfast_call_seconds_bucket))"
            assert 0 < float(queried(port, quantile)[0]["value"][1]) <= 10
        finally:
            process.kill()
            process.wait()


def queried(port: int, expression: str) -> list[Any]:
    """What Prometheus answers; nothing while it does not listen or has not scraped."""
    try:
        status, text = ask(port, f"/api/v1/query?query={quote(expression)}")
    except ConnectionError:
        return []
    found: list[Any] = json.loads(text)["data"]["result"] if status == 200 else []
    return found
