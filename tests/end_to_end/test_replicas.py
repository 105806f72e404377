"""Replicas behind a real proxy: one is lost while clients ask, and none of them notices more than one retry."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from support.doors import StdioServer
from support.listening import HEADERS, PATIENCE, Listening, answer_text, call_body, listening
from support.proxy import MISSING, PROGRAM, SHOWN, Proxy

pytestmark = [pytest.mark.rough, pytest.mark.skipif(PROGRAM is None, reason=MISSING)]

QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("context.search", {"query": "how long does a token last", "cache": "docs", "budget": 2000}),
    ("context.resolve", {"query": "größe 日本語", "cache": "docs", "budget": 2000}),
    ("spec-workflow-guide", {}),
    ("context.search", {"query": "token", "cache": "nowhere"}),
)
CLIENTS = 6
BEFORE, AFTER = 8, 24  # calls of each client until a replica goes, and from then on


@pytest.fixture
def docs(make_cache: Any, tmp_path: Path) -> Path:
    make_cache({"token.md": "# Tokens\n\nA token lasts an hour. Größe 日本語 😀\n", "b.md": "# Limits\n\nA hundred.\n"})
    return tmp_path


class Asker:
    """A client that keeps its connection, and asks once more on a new one when there is no answer."""

    def __init__(self, proxy: Proxy, token: str) -> None:
        self._proxy, self._connection = proxy, proxy.connection()
        self._headers = {**HEADERS, "authorization": f"Bearer {token}"}
        self.retried = 0

    def ask(self, tool: str, arguments: dict[str, Any]) -> str:
        try:
            return self._ask_once(tool, arguments)
        except (OSError, HTTPException, ValueError, KeyError):
            self.retried += 1
            self._connection.close()
            self._connection = self._proxy.connection()
            return self._ask_once(tool, arguments)

    def close(self) -> None:
        self._connection.close()

    def _ask_once(self, tool: str, arguments: dict[str, Any]) -> str:
        self._connection.request("POST", "/mcp", call_body(tool, arguments), self._headers)
        return answer_text(self._connection.getresponse().read())


def kill(replica: Listening) -> None:
    replica.process.kill()
    replica.process.wait(timeout=PATIENCE)


def drain(replica: Listening) -> None:
    assert replica.end() == 0


@pytest.mark.parametrize("lose", [kill, drain])
def test_no_call_is_lost_with_a_replica(docs: Path, lose: Callable[[Listening], None]) -> None:
    with StdioServer(docs) as stdio:
        expected = [stdio.call(tool, arguments).text for tool, arguments in QUESTIONS]
    (docs / "tokens").write_text("0123456789abcdef team\n")
    (docs / "tokens").chmod(0o600)
    with ExitStack() as stack:
        proxy = stack.enter_context(Proxy(docs))
        options = ("--public-url", proxy.url, "--token-file", str(docs / "tokens"))
        first, second = (stack.enter_context(listening(docs, *options)) for _ in range(2))
        proxy.start([first.port, second.port])
        warm = threading.Barrier(CLIENTS + 1, timeout=PATIENCE)
        given: list[tuple[int, str]] = []
        failures: list[BaseException] = []
        askers = [Asker(proxy, "0123456789abcdef") for _ in range(CLIENTS)]

        def keep_asking(start: int, asker: Asker) -> None:
            try:
                for number in range(start, start + BEFORE + AFTER):
                    if number == start + BEFORE:
                        warm.wait()
                    which = number % len(QUESTIONS)
                    given.append((which, asker.ask(*QUESTIONS[which])))
            except BaseException as error:
                failures.append(error)
            finally:
                asker.close()

        threads = [threading.Thread(target=keep_asking, args=pair) for pair in enumerate(askers)]
        for thread in threads:
            thread.start()
        warm.wait()
        asked_both = Counter(port for each in proxy.passed() for port in each.ports)
        lose(first)
        for thread in threads:
            thread.join(timeout=PATIENCE)
        assert failures == []
        assert [text for which, text in given if text != expected[which]] == []
        assert len(given) == CLIENTS * (BEFORE + AFTER)
        assert set(asked_both) == {first.port, second.port}
        # The proxy itself asks the other one: only an answer that a kill cut in two is asked for again by its client.
        assert {each.status for each in proxy.passed()} == {200}
        assert lose is kill or [asker.retried for asker in askers] == [0] * CLIENTS


def test_behind_the_proxy_only_its_own_name_and_pages_are_let_in(docs: Path) -> None:
    with Proxy(docs) as proxy, listening(docs, "--public-url", proxy.url) as replica:
        proxy.start([replica.port])
        cases: list[tuple[dict[str, str], int]] = [
            ({}, 200),
            ({"origin": proxy.url}, 200),
            ({"host": "evil.example"}, 421),
            ({"origin": "https://evil.example"}, 403),
        ]
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}})
        for headers, status in cases:
            connection = proxy.connection()
            connection.request("POST", "/mcp", body, {**HEADERS, **headers})
            assert connection.getresponse().status == status
            connection.close()
        assert replica.process.poll() is None
        replica.process.send_signal(signal.SIGTERM)
        assert replica.process.wait(timeout=PATIENCE) == 0


def test_the_how_to_leads_to_this_configuration() -> None:
    how_to = Path(__file__).parents[2] / "docs/how-to/serve-over-http.md"
    assert f"]({os.path.relpath(SHOWN, how_to.parent)})" in how_to.read_text(encoding="utf-8")
