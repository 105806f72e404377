"""What a client is told about a tool before it calls one: name, description and the JSON Schema of its arguments."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.canonical_json import JsonValue
    from holdfast.operation import Operation, Parameter

    Members = dict[str, JsonValue]

# Clients that spill long tool results to a file raise their limit to this.
_LARGE_RESULT = 500_000
_TYPES = {
    "text": "string",
    "query": "string",
    "path": "string",
    "integer": "integer",
    "flag": "boolean",
    "texts": "array",
}


def tool_definition(name: str, operation: Operation) -> Members:
    """An operation as `tools/list` gives it, under the name that clients are to use."""
    meta: Members = {}
    if operation.always_load:
        meta["anthropic/alwaysLoad"] = True
    if operation.large_result:
        meta["anthropic/maxResultSizeChars"] = _LARGE_RESULT
    definition: Members = {
        "name": name,
        "title": operation.title,
        "description": operation.description,
        "inputSchema": input_schema(operation),
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    return {**definition, "_meta": meta} if meta else definition


def input_schema(operation: Operation) -> Members:
    """The JSON Schema of a tool's arguments."""
    parameters = operation.offered("tool")
    schema: Members = {
        "type": "object",
        "properties": {parameter.name: _property(parameter) for parameter in parameters},
        "additionalProperties": False,
    }
    if required := [parameter.name for parameter in parameters if parameter.required]:
        schema["required"] = required
    return schema


def _property(parameter: Parameter) -> Members:
    described: Members = {"type": _TYPES[parameter.kind], "description": parameter.description}
    if parameter.kind == "integer":
        described["minimum"] = 0
    if parameter.kind == "texts":
        described["items"] = {"type": "string", "enum": parameter.choices} if parameter.choices else {"type": "string"}
    elif parameter.choices:
        described["enum"] = parameter.choices
    return described
