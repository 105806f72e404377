"""Judges of what a server writes: the official SDK's own types, and the official JSON Schemas where a copy is at hand.

The SDK is a development dependency, so every checkout asks the first judge. The schemas are not part of this
repository; where they stand beside the checkout the second judge is asked as well, about the same answers.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema.validators import validator_for
from mcp_types import UnsupportedProtocolVersionErrorData
from mcp_types.jsonrpc import UNSUPPORTED_PROTOCOL_VERSION, ErrorData, JSONRPCError, JSONRPCResponse
from mcp_types.methods import SERVER_RESULTS, serialize_server_result

from support.wire import MODERN, as_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from support.wire import Message
    from support.wire_cases import Case

NEWEST_THAT_OPENS = "2025-11-25"
SCHEMAS = Path(__file__).parents[2].parent / "shared" / "mcp"
# No schema of this revision is kept; what it adds to the one before it the server never writes.
STANDS_FOR = {"2025-03-26": "2024-11-05"}
# Methods by the schemas' definition of what they return. A result that is none of these fails.
RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
}
ERRORS = {
    -32700: "ParseError",
    -32600: "InvalidRequestError",
    -32601: "MethodNotFoundError",
    -32602: "InvalidParamsError",
    -32603: "InternalError",
}


def check_answers(answers: Sequence[Message], case: Case) -> None:
    """Fail unless every answer of a case has the shape of the revision it was asked in."""
    asked = _requests_of(case)
    for answer in answers:
        if "id" in answer:
            request = asked[answer["id"]]
            check_answer(answer, request.get("method"), _revision_of(request, case))
        else:  # a line that belongs to no revision; the older ones have no form for an error without an id
            check_answer(answer, "", NEWEST_THAT_OPENS)
            check_answer(answer, "", MODERN)


def _requests_of(case: Case) -> dict[object, Message]:
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


def _revision_of(asked: Message, case: Case) -> str:
    """A request that carries the modern version is of that revision, any other of the one its case opened with."""
    params = asked.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    if isinstance(meta, dict) and "io.modelcontextprotocol/protocolVersion" in meta:
        return MODERN
    return case.revision if case.revision not in (None, MODERN) else NEWEST_THAT_OPENS


def check_answer(answer: Message, method: Any, revision: str) -> None:
    """Fail unless every judge at hand takes `answer` for one to `method` in that revision."""
    check_by_types(answer, method, revision)
    if has_schemas():
        schema_of(revision).check_answer(answer, method)


def check_by_types(answer: Message, method: Any, revision: str) -> None:
    """Fail unless the SDK reads the answer and would write exactly the same.

    Its models pass over members they do not know and turn some values into others, so that reading alone proves
    little. Written again, an unknown member is gone and a turned value is another one.
    """
    if "result" in answer:
        assert _rewritten(JSONRPCResponse, answer) == answer
        assert (method, revision) in SERVER_RESULTS, f"{method} returns nothing in {revision}"
        assert serialize_server_result(method, revision, answer["result"]) == answer["result"]
        return
    # The SDK asks for an id in every error and takes null for one that is not known; the schemas leave the member out.
    assert "id" not in answer or answer["id"] is not None
    known = {"id": None, **answer}
    assert _rewritten(JSONRPCError, known) == answer
    assert _rewritten(ErrorData, answer["error"]) == answer["error"]
    if answer["error"]["code"] == UNSUPPORTED_PROTOCOL_VERSION:
        data = answer["error"]["data"]
        assert _rewritten(UnsupportedProtocolVersionErrorData, data) == data
    else:
        assert answer["error"]["code"] in ERRORS


def _rewritten(model: type[BaseModel], value: Any) -> Any:
    return model.model_validate(value).model_dump(mode="json", by_alias=True, exclude_none=True)


class Schema:
    """The official JSON Schema of one revision."""

    def __init__(self, revision: str) -> None:
        path = SCHEMAS / f"schema-{STANDS_FOR.get(revision, revision)}.json"
        self._document: dict[str, Any] = json.loads(path.read_bytes())
        self._key = "$defs" if "$defs" in self._document else "definitions"
        self.definitions: dict[str, Any] = self._document[self._key]

    def problems(self, definition: str, value: Any) -> Sequence[str]:
        schema = {**self._document, "$ref": f"#/{self._key}/{definition}"}
        found = validator_for(schema)(schema).iter_errors(value)
        return [f"{definition}: {problem.json_path}: {problem.message}" for problem in found]

    def check_answer(self, answer: Message, method: Any) -> None:
        """An answer is a message, and its result or error is the one that its method or code promises."""
        assert self.problems("JSONRPCMessage", answer) == []
        if "result" in answer:
            assert self.problems(RESULTS[method], answer["result"]) == []
        elif answer["error"]["code"] == UNSUPPORTED_PROTOCOL_VERSION:
            assert self.problems("UnsupportedProtocolVersionError", answer) == []
        elif (definition := ERRORS[answer["error"]["code"]]) in self.definitions:
            assert self.problems(definition, answer["error"]) == []


def has_schemas() -> bool:
    return SCHEMAS.is_dir()


@cache
def schema_of(revision: str) -> Schema:
    return Schema(revision)
