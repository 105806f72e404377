"""Every line a server writes has the shape its revision of the protocol asks for.

The official schemas are not part of this repository; where a copy stands beside the checkout every line of every case
is held against it. The shapes that matter most are written out here as well, so that a clone alone proves those.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema.validators import validator_for

from holdfast.catalog import tools
from support.wire import MODERN, OPENING, as_line, call, exchange, modern, request
from support.wire_cases import CASES, SERVER_INFO, Case

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema.protocols import Validator

    from support.wire import Message

SCHEMAS = Path(__file__).parents[2].parent / "shared" / "mcp"
# No schema of this revision is kept; what it adds to the one before it the server never writes.
STANDS_FOR = {"2025-03-26": "2024-11-05"}
# Methods by the definition of what they return. A result that is none of these fails.
RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
}
ERRORS = {
    -32700: "ParseError",
    -32600: "InvalidRequestError",
    -32601: "MethodNotFoundError",
    -32602: "InvalidParamsError",
    -32603: "InternalError",
}


class Schema:
    """The official schema of one revision."""

    def __init__(self, revision: str) -> None:
        path = SCHEMAS / f"schema-{STANDS_FOR.get(revision, revision)}.json"
        if not path.exists():
            pytest.skip("the official schemas (shared/mcp) do not stand beside this checkout")
        self._document: dict[str, Any] = json.loads(path.read_bytes())
        self._key = "$defs" if "$defs" in self._document else "definitions"
        self.definitions: dict[str, Any] = self._document[self._key]

    def check(self, definition: str, value: Any) -> None:
        schema = {**self._document, "$ref": f"#/{self._key}/{definition}"}
        validator: Validator = validator_for(schema)(schema)
        problems = [f"{definition}: {problem.json_path}: {problem.message}" for problem in validator.iter_errors(value)]
        assert problems == []

    def check_answer(self, answer: Message, method: Any) -> None:
        """An answer is a message, and its result or error is the one that its method or code promises."""
        self.check("JSONRPCMessage", answer)
        if "result" in answer:
            self.check(RESULTS[method], answer["result"])
        elif answer["error"]["code"] == -32022:
            self.check("UnsupportedProtocolVersionError", answer)
        elif (definition := ERRORS[answer["error"]["code"]]) in self.definitions:
            self.check(definition, answer["error"])


def requests_of(case: Case) -> dict[object, Message]:
    """The requests of a case by their ids; whatever is none is left out."""
    found: dict[object, Message] = {}
    for line in case.lines:
        try:
            message = json.loads(as_line(line))
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict) and isinstance(message.get("id"), str | int):
            found[message["id"]] = message
    return found


def revision_of(asked: Message, case: Case) -> str:
    """A request that carries the modern version is of that revision, any other of the one its case opened with."""
    params = asked.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    is_modern = isinstance(meta, dict) and "io.modelcontextprotocol/protocolVersion" in meta
    return MODERN if is_modern else case.revision if case.revision not in (None, MODERN) else "2025-11-25"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_line_validates_against_the_official_schema_of_its_revision(tmp_path: Path, case: Case) -> None:
    asked = requests_of(case)
    for answer in exchange(tmp_path, *case.lines, options=case.options).answers:
        if "id" in answer:
            schema = Schema(revision_of(asked[answer["id"]], case))
            schema.check_answer(answer, asked[answer["id"]].get("method"))
        else:  # a line that belongs to no revision; the older ones have no form for an error without an id
            Schema("2025-11-25").check_answer(answer, "")
            Schema(MODERN).check_answer(answer, "")


@pytest.mark.parametrize("tool", ["odd.fail", "context.resolve", "context.list_caches"])
def test_bugs_failures_and_answers_validate_in_both_eras(tmp_path: Path, tool: str) -> None:
    lines = (*OPENING, call(1, tool, {}), call(2, tool, {}, era="modern"))
    answers = exchange(tmp_path, *lines, odd_tools=True).answers_by_id()
    Schema("2025-11-25").check_answer(answers[1], "tools/call")
    Schema(MODERN).check_answer(answers[2], "tools/call")


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25", MODERN])
def test_a_tool_definition_that_is_wrong_does_not_validate(revision: str) -> None:
    """The check above can fail."""
    wrong = {"tools": [{"name": "x", "inputSchema": {"type": "array"}}], "resultType": "complete"}
    with pytest.raises(AssertionError, match="'object' was expected"):
        Schema(revision).check("ListToolsResult", wrong)


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
