"""The stand-in for a model asks for the calls it was told to, in each of three APIs, and keeps what it is given."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from scripts.model_stand_in import DONE, ModelStandIn

CALLS = [{"query": "one"}, {"query": "two"}]
NAME = "mcp__holdfast__context_search"


@pytest.fixture
def stand_in() -> Iterator[ModelStandIn]:
    stand_in = ModelStandIn(CALLS)
    yield stand_in
    stand_in.close()


def ask(stand_in: ModelStandIn, path: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(stand_in.address + path, json.dumps(body).encode(), method="POST")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as reply:
        return str(reply.read().decode())


def test_messages(stand_in: ModelStandIn) -> None:
    tools = [{"name": "other"}, {"name": NAME}]
    assert json.dumps(json.dumps(CALLS[0])) in ask(stand_in, "/v1/messages", {"tools": tools, "messages": []})
    given = [{"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "a"}]}]}]
    assert json.dumps(json.dumps(CALLS[1])) in ask(stand_in, "/v1/messages", {"tools": tools, "messages": given})
    assert DONE in ask(stand_in, "/v1/messages", {"tools": tools, "messages": given * 2})
    assert stand_in.results == ["a", "a"]


def test_responses(stand_in: ModelStandIn) -> None:
    tools = [{"type": "namespace", "name": "mcp__holdfast", "tools": [{"type": "function", "name": "context_search"}]}]
    said = ask(stand_in, "/v1/responses", {"tools": tools, "input": []})
    assert '"namespace": "mcp__holdfast"' in said
    given = [{"type": "function_call_output", "output": text} for text in ("a", "b")]
    assert DONE in ask(stand_in, "/v1/responses", {"tools": tools, "input": given})
    assert stand_in.results == ["a", "b"]


def test_completions(stand_in: ModelStandIn) -> None:
    tools = [{"type": "function", "function": {"name": "holdfast_context_search"}}]
    assert "tool_calls" in ask(stand_in, "/v1/chat/completions", {"tools": tools, "messages": []})
    given = [{"role": "tool", "content": text} for text in ("a", "b")]
    assert DONE in ask(stand_in, "/v1/chat/completions", {"tools": tools, "messages": given})
    assert stand_in.results == ["a", "b"]


def test_without_the_tool_it_calls_nothing(stand_in: ModelStandIn) -> None:
    assert DONE in ask(stand_in, "/v1/chat/completions", {"tools": [], "messages": []})
    assert (stand_in.results, stand_in.offered) == ([], [])
