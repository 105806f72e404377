"""The tool list and the instructions as a model reads them: what they say, how they spell names, what they cost."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation

from holdfast.caches.tokenizers import counter
from holdfast.catalog import FAMILIES, tools, underscored
from holdfast.mcp.tool_definitions import takes_no_dots
from support.wire import MODERN_META, Message, call, exchange, initialize, modern, request

if TYPE_CHECKING:
    from pathlib import Path

DOTTED = [operation.tool for operation in tools()]
UNDERSCORED = [underscored(name) for name in DOTTED]
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
ERAS = ("legacy", "modern")
# Tokens that every session pays for the tools. One in, one out: a new tool or word takes the room of another one.
CEILING = 1_400
# What each client was seen to send as its name (docs/formats/wire.md).
NO_DOTS = [
    *("cursor-vscode", "Cursor", "claude-ai", "claude-ai (via mcp-remote 0.1.37)", "local-agent-mode-holdfast"),
    *("continue-client", "continue-cli-client", "windsurf-client", "Windsurf", "Cline", "@cline/core"),
    *("qwen-code", "qwen-cli-mcp-client-holdfast", "CURSOR", "cline\u00e4", "Zed", "goose"),
]
DOTS = [
    *("claude-code", "codex-mcp-client", "gemini-cli-mcp-client", "opencode", "Visual Studio Code", "mcp"),
    *(
        "",
        "cursory",
        "clines",
        "claude-ai2",
        "continue",
        "continued-client",
        "my-cursor",
        "\u212aline",
        "\ud800",
    ),
    "x" * 100_000,
]
Told = tuple[str, list[dict[str, Any]]]


def told(root: Path, era: str, name: object = "tests", *options: str) -> Told:
    """Instructions and tools, as a client of that name is given them."""
    client = {"name": name, "version": "1"}
    meta = {**MODERN_META, CLIENT_INFO: client}
    lines: dict[str, tuple[Message, ...]] = {
        "legacy": (initialize(0, client=client), request(1, "tools/list")),
        "modern": (modern(0, "server/discover", meta=meta), modern(1, "tools/list", meta=meta)),
    }
    answers = exchange(root, *lines[era], options=options).answers_by_id()
    return answers[0]["result"]["instructions"], answers[1]["result"]["tools"]


def names_in(listed: Told) -> list[str]:
    return [tool["name"] for tool in listed[1]]


def mentioned(text: str) -> set[str]:
    """The tools a text names, in either spelling, each as it is spelt there."""
    return {name for name in {*DOTTED, *UNDERSCORED} if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text)}


@pytest.mark.parametrize("style", ["dotted", "underscore"])
@pytest.mark.parametrize("era", ERAS)
def test_the_whole_list_of_tools_costs_at_most_its_ceiling(tmp_path: Path, era: str, style: str) -> None:
    listed = told(tmp_path, era, "tests", "--tool-names", style)[1]
    # What clients put before the model; titles, annotations and `_meta` are for the client itself.
    read = [{part: tool[part] for part in ("name", "description", "inputSchema")} for tool in listed]
    count = counter("o200k_base")
    parts = [
        part if isinstance(part, str) else json.dumps(part, separators=(",", ":"))
        for tool in read
        for part in tool.values()
    ]

    assert len(listed) == len(DOTTED)
    assert sum(map(count, parts)) <= CEILING


@pytest.mark.parametrize("operation", tools(), ids=lambda operation: operation.tool)
def test_a_description_begins_with_when_to_use_the_tool_in_words_people_search_for(operation: Any) -> None:
    beginning = operation.description[:150]

    assert re.search(r"\bUse it (once, )?(before|when|after)\b", beginning), beginning
    assert re.search(r"\b(documentation|project|spec)\b", beginning), beginning


def test_search_is_the_first_tool_and_says_what_a_budget_is_for(tmp_path: Path) -> None:
    first = told(tmp_path, "modern")[1][0]

    assert (first["name"], first["inputSchema"]["properties"]["budget"]["description"]) == (
        "context.search",
        "Tokens to fill; unset, the answer stops when relevance falls off",
    )


def test_resolve_says_what_an_answer_costs() -> None:
    resolve = next(operation for operation in tools() if operation.tool == "context.resolve")

    assert "1.3 to 1.6 times the budget" in resolve.description


@pytest.mark.parametrize("style", ["dotted", "underscore"])
@pytest.mark.parametrize("families", [FAMILIES, *((family,) for family in FAMILIES), FAMILIES[1:]])
def test_instructions_and_descriptions_name_only_tools_that_are_listed_as_they_are_listed(
    tmp_path: Path, families: tuple[str, ...], style: str
) -> None:
    only = [word for family in families for word in ("--only", family)]
    instructions, listed = told(tmp_path, "legacy", "tests", "--tool-names", style, *only)

    assert len(listed) == len(tools(families))
    assert mentioned(json.dumps(listed)) == mentioned(" ".join(tool["name"] for tool in listed))
    assert mentioned(instructions) < {tool["name"] for tool in listed}
    assert len(mentioned(instructions)) >= 2 * len(families)
    assert 0 < len(instructions) <= 500


@pytest.mark.parametrize("era", ERAS)
def test_instructions_are_the_same_however_the_server_was_opened(tmp_path: Path, era: str) -> None:
    assert told(tmp_path, era)[0] == told(tmp_path, "legacy")[0]


@pytest.mark.parametrize("name", NO_DOTS)
def test_a_client_known_to_take_no_dots_is_known_by_its_name(name: str) -> None:
    assert takes_no_dots({"name": name, "version": "1"})


@pytest.mark.parametrize("name", DOTS, ids=ascii)
def test_every_other_client_sees_dots(name: str) -> None:
    assert not takes_no_dots({"name": name, "version": "1"})


@pytest.mark.parametrize("client", [None, [], "cursor", {}, {"name": None}, {"name": ["cursor"]}, {"title": "Cursor"}])
def test_what_is_no_client_information_sees_dots(client: Any) -> None:
    assert not takes_no_dots(client)


@pytest.mark.parametrize("era", ERAS)
def test_the_server_spells_names_by_the_client_it_talks_to_unless_told(tmp_path: Path, era: str) -> None:
    spelt = {
        (name, style): names_in(told(tmp_path, era, name, *(("--tool-names", style) if style else ())))
        for name in ("Cursor", "claude-code")
        for style in ("", "auto", "dotted", "underscore")
    }

    assert spelt == {
        (name, style): UNDERSCORED if style == "underscore" or (name == "Cursor" and style != "dotted") else DOTTED
        for name, style in spelt
    }


def test_a_modern_request_is_answered_by_what_it_carries_itself_and_a_legacy_one_by_its_opening(tmp_path: Path) -> None:
    cursor, other = {"name": "cursor-vscode", "version": "1"}, {"name": "claude-code", "version": "1"}
    bare = {key: value for key, value in MODERN_META.items() if key != CLIENT_INFO}
    answers = exchange(
        tmp_path,
        modern(1, "tools/list", meta={**bare, CLIENT_INFO: cursor}),
        modern(2, "tools/list", meta={**bare, CLIENT_INFO: other}),
        initialize(3, client=cursor),
        modern(4, "tools/list", meta=bare),
        modern(5, "tools/list", meta={**bare, CLIENT_INFO: other}),
        request(6, "tools/list"),
        initialize(7, client=other),
        request(8, "tools/list"),
    ).answers_by_id()

    listed = {number: [tool["name"] for tool in answers[number]["result"]["tools"]] for number in (1, 2, 4, 5, 6, 8)}
    assert listed == {1: UNDERSCORED, 2: DOTTED, 4: DOTTED, 5: DOTTED, 6: UNDERSCORED, 8: DOTTED}


@pytest.mark.parametrize("name", ["Cline", "claude-code"])
def test_both_spellings_can_be_called_whichever_is_listed(tmp_path: Path, name: str) -> None:
    opening = initialize(0, client={"name": name, "version": "1"})
    calls = [call(1, "context.list_caches", {}), call(2, "context_list_caches", {})]
    answers = exchange(tmp_path, opening, *calls).answers_by_id()

    assert (
        answers[1]["result"]
        == answers[2]["result"]
        == {
            "content": [{"type": "text", "text": '{"caches":[]}\n'}],
            "isError": False,
        }
    )


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
@pytest.mark.parametrize(("name", "expected"), [("cursor-vscode", UNDERSCORED), ("claude-code", DOTTED)])
def test_the_official_client_is_given_names_by_the_name_it_was_given(
    tmp_path: Path, mode: str, name: str, expected: list[str]
) -> None:
    async def talk() -> tuple[list[str], str]:
        command = ["-m", "holdfast", "serve", "--cache-root", str(tmp_path)]
        server = StdioServerParameters(command=sys.executable, args=command, cwd=tmp_path, env=dict(os.environ))
        information = Implementation(name=name, version="1.0.0")
        async with Client(stdio_client(server), mode=mode, client_info=information) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            called: Any = (await client.call_tool(listed[DOTTED.index("context.list_caches")], {})).content[0]
            return listed, called.text

    assert asyncio.run(talk()) == (expected, '{"caches":[]}\n')
