"""What a client gets before it calls a tool: the instructions, and each tool's name, description and schema.

A name is the same everywhere a client reads it: with its dot, or with an underscore for clients that take no dots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from holdfast.catalog import tools, underscored
from holdfast.core.packaged_text import packaged_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.core.canonical_json import JsonValue
    from holdfast.operation import Operation, Parameter

    Members = dict[str, JsonValue]
    NameStyle = Literal["auto", "dotted", "underscore"]

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
_MOST_LETTERS = 100  # of what a client calls itself


def client_name(info: JsonValue) -> str:
    """What a `clientInfo` calls the client, with its version; empty where it says nothing."""
    fields = info if isinstance(info, dict) else {}
    words = [fields.get(member) for member in ("name", "version")]
    return " ".join([word[:_MOST_LETTERS] for word in words if isinstance(word, str) and word])


def takes_no_dots(info: JsonValue) -> bool:
    """Whether a `clientInfo` is that of a client known to take no dots; False for what is no `clientInfo` at all."""
    name = info.get("name") if isinstance(info, dict) else None
    if not isinstance(name, str):
        return False
    from holdfast.clients.client_table import CLIENTS

    folded = name[:_MOST_LETTERS].encode("ascii", "replace").lower()
    # Some add a version or the server's name to theirs; a longer word is another client.
    return any(
        folded.startswith(known.encode()) and not folded[len(known) :][:1].isalnum()
        for client in CLIENTS
        for known in client.no_dots
    )


def instructions(families: Collection[str], *, underscores: bool) -> str:
    """The instructions of a server that offers these families: the first text an agent reads."""
    opening, *parts = packaged_text("instructions.md").split("\n# ")
    texts = [opening.strip("\n")]
    for part in parts:
        family, _, text = part.partition("\n")
        if family in families:
            texts.append(text.strip("\n"))
    return _spelled("\n".join(texts), underscores=underscores)


def tool_definitions(families: Collection[str], *, underscores: bool) -> list[Members]:
    """The tools of these families as `tools/list` gives them, in its order."""
    return [_definition(operation, underscores=underscores) for operation in tools(families)]


def _definition(operation: Operation, *, underscores: bool) -> Members:
    meta: Members = {}
    if operation.always_load:
        meta["anthropic/alwaysLoad"] = True
    if operation.large_result:
        meta["anthropic/maxResultSizeChars"] = _LARGE_RESULT
    definition: Members = {
        "name": _spelled(operation.tool, underscores=underscores),
        "title": operation.title,
        "description": _spelled(operation.description, underscores=underscores),
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
    described: Members = {"type": _TYPES[parameter.kind]}
    if not parameter.is_plain:
        described["description"] = parameter.description
    if parameter.kind == "integer" and parameter.required:  # of the others a model sends none below
        described["minimum"] = 0
    if parameter.kind == "texts":
        described["items"] = {"type": "string", "enum": parameter.choices} if parameter.choices else {"type": "string"}
    elif parameter.choices:
        described["enum"] = parameter.choices
    return described


def _spelled(text: str, *, underscores: bool) -> str:
    """A text with every name of a tool in it spelt as it is listed."""
    if underscores:
        for operation in tools():
            text = text.replace(operation.tool, underscored(operation.tool))
    return text
