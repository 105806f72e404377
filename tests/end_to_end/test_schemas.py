"""Every line a server writes has the shape its revision of the protocol asks for.

Judged by `support.official`: by the official SDK's types in every checkout, and by the official schemas where a copy
stands beside it. `test_wire` has every case of the table judged; here are calls that fail in other ways, the judges
themselves, and the shapes that matter most, written out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from holdfast.catalog import tools
from support.official import check_answer, check_by_types, has_schemas, schema_of
from support.wire import MODERN, OPENING, call, exchange, modern, request
from support.wire_cases import SERVER_INFO

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.wire import Message


@pytest.mark.parametrize("tool", ["odd.fail", "context.resolve", "context.list_caches"])
def test_bugs_failures_and_answers_have_the_official_shape_in_both_eras(tmp_path: Path, tool: str) -> None:
    lines = (*OPENING, call(1, tool, {}), call(2, tool, {}, era="modern"))
    answers = exchange(tmp_path, *lines, odd_tools=True).answers_by_id()
    check_answer(answers[1], "tools/call", "2025-11-25")
    check_answer(answers[2], "tools/call", MODERN)


TOOL: dict[str, Any] = {"name": "x", "inputSchema": {"type": "object"}}
LIST: dict[str, Any] = {"resultType": "complete", "ttlMs": 1, "cacheScope": "private"}
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a schema of an array": ({**TOOL, "inputSchema": {"type": "array"}}, {}),
    "a name that is a number": ({**TOOL, "name": 1}, {}),
    "a tool without a schema": ({"name": "x"}, {}),
    "a misspelt member of a tool": ({**TOOL, "titel": "X"}, {}),
    "a misspelt member of the result": (TOOL, {"toolz": []}),
    "a hint that is text": ({**TOOL, "annotations": {"readOnlyHint": "yes"}}, {}),
}


@pytest.mark.parametrize("revision", KNOWN_PROTOCOL_VERSIONS)
@pytest.mark.parametrize("wrong", WRONG)
def test_an_answer_that_is_wrong_has_not_the_official_shape(wrong: str, revision: str) -> None:
    """The checks above can fail, and fail for the wrong part alone."""
    tool, more = WRONG[wrong]
    stamp = LIST if revision == MODERN else {}
    check_by_types({"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL], **stamp}}, "tools/list", revision)
    with pytest.raises((AssertionError, ValueError)):
        check_by_types(
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool], **stamp, **more}}, "tools/list", revision
        )


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": None, "error": {"code": -32700, "message": "Parse error"}},
        {"id": 1.5, "error": {"code": -32700, "message": "Parse error"}},
        {"error": {"code": "-32700", "message": "Parse error"}},
        {"error": {"code": -32700}},
        {"error": {"code": -1, "message": "Parse error"}},
        {"error": {"code": -32022, "message": "Unsupported protocol version", "data": {"supported": MODERN}}},
        {"error": {"code": -32700, "message": "Parse error", "more": 1}},
    ],
)
def test_an_error_that_is_wrong_has_not_the_official_shape(wrong: dict[str, Any]) -> None:
    with pytest.raises((AssertionError, ValueError)):
        check_by_types({"jsonrpc": "2.0", **wrong}, "", MODERN)


def test_the_schemas_are_a_second_judge_of_all_these_answers_and_can_fail_them() -> None:
    if not has_schemas():
        pytest.skip("the official schemas (shared/mcp) do not stand beside this checkout; the SDK's types judge alone")
    wrong = {"tools": [{"name": "x", "inputSchema": {"type": "array"}}], "resultType": "complete"}
    for revision in KNOWN_PROTOCOL_VERSIONS:
        assert any("'object' was expected" in each for each in schema_of(revision).problems("ListToolsResult", wrong))


def test_the_results_of_the_legacy_era_have_their_members_and_no_others(tmp_path: Path) -> None:
    lines = (*OPENING, request(1, "ping"), request(2, "tools/list"), call(3, "context.list_caches", {}))
    answers = exchange(tmp_path, *lines).answers_by_id()
    assert {identifier: sorted(answer["result"]) for identifier, answer in answers.items()} == {
        0: ["capabilities", "instructions", "protocolVersion", "serverInfo"],
        1: [],
        2: ["tools"],
        3: ["content", "isError"],
    }


def test_the_results_of_the_modern_era_are_stamped_and_all_but_calls_may_be_kept(tmp_path: Path) -> None:
    lines = (modern(1, "server/discover"), modern(2, "tools/list"), call(3, "context.list_caches", {}, era="modern"))
    answers = exchange(tmp_path, *lines).answers_by_id()
    assert {identifier: sorted(answer["result"]) for identifier, answer in answers.items()} == {
        1: ["_meta", "cacheScope", "capabilities", "instructions", "resultType", "supportedVersions", "ttlMs"],
        2: ["_meta", "cacheScope", "resultType", "tools", "ttlMs"],
        3: ["_meta", "content", "isError", "resultType"],
    }
    stamp = {"io.modelcontextprotocol/serverInfo": SERVER_INFO}
    assert [answers[number]["result"]["_meta"] for number in (1, 2, 3)] == [stamp] * 3
    assert {answers[number]["result"]["resultType"] for number in (1, 2, 3)} == {"complete"}


@pytest.mark.parametrize("ask", [lambda: (*OPENING, request(1, "tools/list")), lambda: (modern(1, "tools/list"),)])
def test_every_tool_is_defined_in_full_and_in_the_order_of_the_catalog(
    tmp_path: Path, ask: Callable[[], tuple[Message, ...]]
) -> None:
    listed = exchange(tmp_path, *ask()).answers_by_id()[1]["result"]["tools"]
    assert [tool["name"] for tool in listed] == [operation.tool for operation in tools()]
    for tool in listed:
        sentences = tool["description"].count(". ") + 1
        assert (
            {"name", "title", "description", "inputSchema", "annotations"} <= set(tool) <= {*_TOOL_MEMBERS},
            bool(tool["title"]),
            1 <= sentences <= 3,
            tool["annotations"],
            tool["inputSchema"]["type"],
            tool["inputSchema"]["additionalProperties"],
            set(tool["inputSchema"].get("required", [])) <= set(tool["inputSchema"]["properties"]),
        ) == (True, True, True, {"readOnlyHint": True, "openWorldHint": False}, "object", False, True), tool["name"]


_TOOL_MEMBERS = ("name", "title", "description", "inputSchema", "annotations", "_meta")


def test_the_arguments_of_context_resolve_are_declared_as_its_specification_says(tmp_path: Path) -> None:
    listed = exchange(tmp_path, modern(1, "tools/list")).answers_by_id()[1]["result"]["tools"]
    schema = next(tool["inputSchema"] for tool in listed if tool["name"] == "context.resolve")
    assert schema == {
        "type": "object",
        "properties": {
            "cache": {"type": "string", "description": "Path or identifier of a built context cache"},
            "query": {"type": "string", "description": "Natural-language query"},
            "budget": {"type": "integer", "description": "Maximum token budget", "minimum": 0},
        },
        "additionalProperties": False,
        "required": ["cache", "query", "budget"],
    }


def test_an_error_names_no_id_that_the_request_did_not_have(tmp_path: Path) -> None:
    answers = exchange(tmp_path, b"{", b"[]", b'{"jsonrpc":"2.0","id":null,"method":"ping"}').answers
    assert [sorted(answer) for answer in answers] == [["error", "jsonrpc"]] * 3
