"""One line in, one line out: what a connection answers at once, what it leaves to be run, and where it is silent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.mcp.server import Call, Server
from holdfast.mcp.stdio import read_lines
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def line(method: str | None = None, identifier: object = 1, **params: Any) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": identifier}
    if method is not None:
        message |= {"method": method, "params": params}
    return json.dumps(message).encode()


def received(server: Server, data: bytes) -> Any:
    """What a line is answered with, decoded; a call is run."""
    found = server.receive(data, lambda _: None)
    if isinstance(found, Call):
        found = found.run()
    return None if found is None else json.loads(found)


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(Workspace(str(tmp_path), door="tool"))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", -32700),
        (b"[]", -32600),
        (b"1", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":1}', -32600),
        (b'{"jsonrpc":"2.0","id":[],"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
        (line("tools/list"), -32602),  # before `initialize`
        (line("tools/list", _meta={**META, "io.modelcontextprotocol/protocolVersion": "1999-01-01"}), -32022),
        (line("tools/list", _meta={**META, "io.modelcontextprotocol/clientCapabilities": 1}), -32602),
        (line("nothing/like/it", _meta=META), -32601),
        (line("tools/call", _meta=META, name="none", arguments={}), -32602),
    ],
)
def test_what_is_no_request_is_answered_with_the_code_of_the_protocol(server: Server, data: bytes, code: int) -> None:
    assert received(server, data)["error"]["code"] == code


def test_responses_and_notifications_are_not_answered_and_a_cancelled_request_is_named(server: Server) -> None:
    cancelled: list[object] = []
    silent = [
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}',
    ]
    assert [server.receive(data, cancelled.append) for data in silent] == [None] * 5
    call = server.receive(line("tools/call", 7, _meta=META, name="context.list_caches"), cancelled.append)
    assert isinstance(call, Call)
    assert cancelled == [call.key]


def test_the_legacy_era_opens_with_initialize_and_the_modern_one_needs_no_opening(server: Server) -> None:
    opened = received(server, line("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={}))
    assert opened["result"]["protocolVersion"] == "2025-06-18"
    legacy = received(server, line("tools/list", "a"))
    modern = received(Server(Workspace(), tool_names="dotted"), line("tools/list", _meta=META))
    assert (legacy["id"], legacy["result"]["tools"][0]["name"]) == ("a", "context.search")
    assert modern["result"]["tools"] == legacy["result"]["tools"]


def test_a_call_is_answered_with_the_text_of_the_library_and_counted(server: Server) -> None:
    answered = received(server, line("tools/call", _meta=META, name="context.list_caches", arguments={}))
    assert answered["result"]["isError"] is True
    assert json.loads(answered["result"]["content"][0]["text"])["error"]["code"] == "cache_missing"


def test_lines_are_read_whole_however_they_arrive(tmp_path: Path) -> None:
    with (tmp_path / "input").open("wb+", buffering=0) as file:
        file.write(b'{"a":1}\n\n' + b"x" * 100_000 + b"\nlast")
        file.seek(0)
        found = list(read_lines(file.fileno()))
    assert [len(each.strip()) for each in found if each.strip()] == [7, 100_000, 4]
