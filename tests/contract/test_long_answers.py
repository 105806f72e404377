"""An answer of everything costs memory by its length, not by how often it was copied on its way."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from holdfast import build_cache
from holdfast.catalog import find_tool
from holdfast.core.standard_streams import write_parts
from holdfast.mcp.server import Call, Server
from holdfast.operation import answer
from holdfast.workspace import Workspace

DOCUMENTS = 150
CONTENT = 'some words of a document, and a "quote"\n' * 400
EVERYTHING = {"cache": "built", "query": "words quote", "budget": 2**53 - 1}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for number in range(DOCUMENTS):
        (tmp_path / "sources").mkdir(exist_ok=True)
        (tmp_path / "sources" / f"{number}.md").write_text(f"{number} {CONTENT}", encoding="utf-8")
    build_cache(tmp_path / "sources", tmp_path / "built")
    workspace = Workspace(str(tmp_path), cache_root=str(tmp_path), door="tool")
    answer(find_tool("context.resolve"), {**EVERYTHING, "budget": 10}, workspace)  # imports are not what is measured
    return workspace


def test_a_command_holds_a_long_answer_as_its_documents_and_as_its_text_and_no_more(
    workspace: Workspace, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    tracemalloc.start()
    try:
        reply = answer(find_tool("context.resolve"), EVERYTHING, workspace)
        write_parts(reply.parts)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    length = sum(map(len, reply.parts))
    assert capfdbinary.readouterr().out == reply.text.encode()
    assert json.loads(reply.text)["selection"]["documents_selected"] == DOCUMENTS
    assert peak < 2.5 * length


def test_a_server_lets_go_of_the_documents_before_it_writes_the_line(workspace: Workspace) -> None:
    params = {"name": "context.resolve", "arguments": EVERYTHING}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    server = Server(workspace)
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "0"}}
    opened = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening}
    server.receive(json.dumps(opened).encode(), lambda _: None)
    call = server.receive(request, lambda _: None)
    assert isinstance(call, Call)
    tracemalloc.start()
    try:
        line = call.run()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    text = json.loads(line)["result"]["content"][0]["text"]
    assert text == answer(find_tool("context.resolve"), EVERYTHING, workspace).text
    assert peak < 2.5 * len(line)
