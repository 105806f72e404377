"""The official SDK's client against a real `context serve`, in each way it can open a connection.

The client is the oracle: it checks every message it receives against its own model of the protocol.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from holdfast.catalog import tools
from holdfast.version import __version__
from support.doors import EXIT_CODES, Library
from support.vectors import cache_vectors, load

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from mcp.types import CallToolResult

MODES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


@asynccontextmanager
async def connected(root: Path, mode: str, *options: str) -> AsyncIterator[Client]:
    """A client, and behind it a server process that has nothing to say on stderr."""
    command = ["-m", "holdfast", "serve", "--cache-root", str(root), *options]
    parameters = StdioServerParameters(command=sys.executable, args=command, cwd=root, env=dict(os.environ))
    log = root / "stderr.txt"
    with log.open("w", encoding="utf-8") as stderr:
        async with Client(stdio_client(parameters, errlog=stderr), mode=mode) as client:
            yield client
    assert log.read_text(encoding="utf-8") == ""


def with_client(root: Path, mode: str, talk: Callable[[Client], Awaitable[None]], *options: str) -> None:
    async def conversation() -> None:
        async with connected(root, mode, *options) as client:
            await talk(client)

    asyncio.run(conversation())


def text_of(result: CallToolResult) -> tuple[bytes, bool | None]:
    """The one text block, as bytes, and whether it is an error; there is nothing else."""
    assert [block.type for block in result.content] == ["text"]
    assert result.structured_content is None
    block: Any = result.content[0]
    return block.text.encode(), result.is_error


@pytest.mark.parametrize("mode", MODES)
def test_the_client_opens_lists_and_calls_every_tool_of_the_caches(
    tmp_path: Path, make_cache: Callable[..., Path], mode: str
) -> None:
    make_cache({"a.md": "Alpha beta\n", "b.md": "beta gamma \u00e9\u20ac\U0001f600 \u2028\n"})
    make_cache({"a.md": "altered"}, name="broken")
    (tmp_path / "broken" / "index.json").write_bytes(b"{}")
    library = Library(tmp_path)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("context.list_caches", {}),
        ("context.list_caches", {"root": "nowhere"}),
        ("context.inspect_cache", {"cache": "docs"}),
        ("context.inspect_cache", {"cache": "broken"}),
        ("context.inspect_cache", {"cache": "../docs"}),
        ("context.inspect_cache", {}),
        ("context.resolve", {"cache": "docs", "query": "beta \u00e9\u20ac\U0001f600", "budget": 100}),
        ("context.resolve", {"cache": "docs", "query": "", "budget": 0}),
        ("context.resolve", {"cache": "broken", "query": "beta", "budget": 100}),
        ("context.resolve", {"cache": "missing", "query": "beta", "budget": 100}),
        ("context.resolve", {"cache": "docs", "query": "beta", "budget": -1}),
        ("context.resolve", {"cache": "docs", "query": "beta", "budget": True}),
        ("context.resolve", {"cache": "docs", "query": 7, "budget": 100}),
        ("context.resolve", {}),
        ("context.read", {"cache": "docs", "id": "b.md"}),
        ("context.read", {"cache": "docs", "id": "b.md", "format": "json"}),
        ("context.read", {"cache": "docs", "citation": "a.md#L1-L1@0123456789ab"}),
        ("context.read", {"cache": "docs", "id": "b.md", "budget": 1}),
        ("context.read", {"citation": "a.md"}),
    ]

    async def talk(client: Client) -> None:
        assert client.protocol_version == MODES[mode]
        if mode != "2026-07-28":  # that mode asks for nothing before its first request, so it learns nothing either
            assert client.server_info is not None
            assert (client.server_info.name, client.server_info.version) == ("holdfast", __version__)
            assert client.server_capabilities.tools is not None
            assert client.instructions is not None
            assert client.instructions.startswith("Holdfast: this project's context")
        listed = await client.list_tools()
        assert ([tool.name for tool in listed.tools], listed.next_cursor) == ([tool.tool for tool in tools()], None)
        for tool, arguments in calls:
            expected = library.call(tool, arguments)
            dotted = text_of(await client.call_tool(tool, arguments))
            underscored = text_of(await client.call_tool(tool.replace(".", "_"), arguments))
            assert dotted == underscored == (expected.text.encode(), expected.is_error), (tool, arguments)

    with_client(tmp_path, mode, talk)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_wrong_with_a_call_itself_reaches_the_client_as_a_protocol_error(tmp_path: Path, mode: str) -> None:
    async def talk(client: Client) -> None:
        codes = []
        for tool, arguments in (("context.forget", {}), ("context.inspect_cache", {"cache": "x", "depth": 1})):
            with pytest.raises(MCPError) as raised:
                await client.call_tool(tool, arguments)
            codes.append((raised.value.code, raised.value.message))
        assert codes == [(-32602, "Unknown tool: context.forget"), (-32602, "Unknown argument: depth")]

    with_client(tmp_path, mode, talk)


@pytest.mark.parametrize("mode", MODES)
def test_names_in_underscores_can_be_listed_and_called(tmp_path: Path, mode: str) -> None:
    async def talk(client: Client) -> None:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == [operation.tool.replace(".", "_") for operation in tools(("caches",))]
        assert text_of(await client.call_tool("context_list_caches", {})) == (b'{"caches":[]}\n', False)

    with_client(tmp_path, mode, talk, "--tool-names", "underscore", "--only", "caches")


def recorded(text: bytes, query: dict[str, Any]) -> dict[str, Any]:
    """A text in the form a vector recorded it: whole, or its hash and length; refused, as the code of the refusal."""
    if query["exit_code"]:
        return {"exit_code": EXIT_CODES[json.loads(text)["error"]["code"]]}
    if "stdout" in query:
        return {"exit_code": 0, "stdout": text.decode()}
    return {"exit_code": 0, "stdout_sha256": hashlib.sha256(text).hexdigest(), "stdout_len": len(text)}


@pytest.fixture(scope="module")
def vector_queries(built_vector: Callable[[Path], Path]) -> tuple[Path, list[tuple[str, dict[str, Any]]]]:
    """A cache root with the cache of every vector, and what to ask of which."""
    asked: list[tuple[str, dict[str, Any]]] = []
    for path in cache_vectors():
        vector = load(path)
        if vector["build"]["exit_code"] == 0:
            root = built_vector(path).parent
            queries = vector.get("queries", [])
            # A query that begins with `-` was recorded as a command line takes words apart; a tool answers it.
            queries = [query for query in queries if not query["query"].startswith("-")]
            asked.extend((path.stem, query) for query in queries if query.get("format", "json") == "json")
    assert len(asked) > 100
    return root, asked


@pytest.mark.rough
@pytest.mark.parametrize("mode", MODES)
def test_every_vector_is_answered_by_one_server_whatever_was_asked_before(
    vector_queries: tuple[Path, list[tuple[str, dict[str, Any]]]], mode: str
) -> None:
    root, asked = vector_queries
    # Twice each, in an order that means nothing and is the same in every run; the client takes seconds over the few
    # answers so long that only their hash was recorded, so those come once.
    shuffled = asked + [(cache, query) for cache, query in asked if "stdout" in query]
    random.Random(20260728).shuffle(shuffled)

    async def talk(client: Client) -> None:
        calls = [
            client.call_tool("context.resolve", {"cache": cache, "query": query["query"], "budget": query["budget"]})
            for cache, query in shuffled
        ]
        answers = [text_of(answer) for answer in await asyncio.gather(*calls)]
        for (cache, query), (text, is_error) in zip(shuffled, answers, strict=True):
            found = recorded(text, query)
            expected = {name: query[name] for name in found}
            assert (found, is_error) == (expected, query["exit_code"] != 0), (cache, query["query"])

    with_client(root, mode, talk)
