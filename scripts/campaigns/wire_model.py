"""What the server owes for each line it is sent: docs/formats/wire.md once more, as plainly as it can be put.

It shares nothing with the server but the names of the tools and their arguments.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

from holdfast.catalog import tools, underscored
from holdfast.operation import SPECIFIED

Key = tuple[str, Any]
RESULT, ANY = "result", "any"
# What further releases may answer with results; here only that there is one answer, and no bug behind it, is checked.
OPEN_METHODS = ("resources/", "prompts/", "completion/", "subscriptions/", "logging/")
VERSION_KEY, CAPABILITIES_KEY = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"
MODERN = "2026-07-28"
MAX_VALUES = 1 << 20


class Owed(NamedTuple):
    """One answer: whose (no key, no id) and what: `result`, an error's code, `any`, or the number of a template."""

    key: Key | None
    what: str | int


class Refused(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


def key_of(identifier: Any) -> Key:
    return type(identifier).__name__, identifier


class Model:
    """One connection, as the format's page describes it."""

    def __init__(self) -> None:
        self.opened = False
        self.calls: Counter[str] = Counter()
        self._parameters = {
            name: (operation.tool, {parameter.name for parameter in operation.parameters})
            for operation in tools()
            for name in (operation.tool, underscored(operation.tool))
        }

    def hear(self, line: bytes) -> tuple[Owed | None, Key | None]:
        """The answer a line is owed, and the request it cancels."""
        if not line.strip():
            return None, None
        try:
            message = read(line)
        except Refused as refused:
            return Owed(None, refused.code), None
        if not isinstance(message, dict):
            return Owed(None, -32600), None
        if "method" not in message and ("result" in message or "error" in message):
            return None, None
        key = None
        if "id" in message:
            if type(message["id"]) not in (int, str):
                return Owed(None, -32600), None
            key = key_of(message["id"])
        method, params = message.get("method"), message.get("params", {})
        if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
            return Owed(key, -32600), None
        if key is None:
            return None, self._cancelled(method, params)
        try:
            return Owed(key, self._request(method, params)), None
        except Refused as refused:
            return Owed(key, refused.code), None

    def count(self, tool: str) -> None:
        """A call that was told about without being heard."""
        self.calls[tool] += 1

    def _cancelled(self, method: str, params: Any) -> Key | None:
        if method != "notifications/cancelled" or not isinstance(params, dict):
            return None
        identifier = params.get("requestId")
        return key_of(identifier) if type(identifier) in (int, str) else None

    def _request(self, method: str, params: Any) -> str:
        if not isinstance(params, dict):
            raise Refused(-32602)
        modern = self._is_modern(method, params)
        if method == "tools/call":
            return self._call(params)
        if method == "tools/list":
            if params.get("cursor") is not None:
                raise Refused(-32602)
            return RESULT
        if method == "initialize" and not modern:
            if not isinstance(params.get("protocolVersion"), str):
                raise Refused(-32602)
            self.opened = True
            return RESULT
        if (method, modern) in (("ping", False), ("server/discover", True)):
            return RESULT
        if method.startswith(OPEN_METHODS):
            return ANY
        raise Refused(-32601)

    def _is_modern(self, method: str, params: dict[str, Any]) -> bool:
        meta = params.get("_meta")
        if isinstance(meta, dict) and VERSION_KEY in meta:
            if not isinstance(meta[VERSION_KEY], str):
                raise Refused(-32602)
            if meta[VERSION_KEY] != MODERN:
                raise Refused(-32022)
            if not isinstance(meta.get(CAPABILITIES_KEY), dict):
                raise Refused(-32602)
            return True
        if not self.opened and method not in ("initialize", "ping"):
            raise Refused(-32602)
        return False

    def _call(self, params: dict[str, Any]) -> str:
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict) or name not in self._parameters:
            raise Refused(-32602)
        tool, known = self._parameters[name]
        self.count(tool)
        if tool in SPECIFIED and not known.issuperset(arguments):
            raise Refused(-32602)  # another tool answers with the arguments there are
        return RESULT


def read(line: bytes) -> Any:
    """The value of a line; Refused when it has none."""
    try:
        value = json.loads(line.decode(), parse_int=_number, parse_constant=_constant)
    except (ValueError, RecursionError):
        raise Refused(-32700) from None
    if len(line) > MAX_VALUES and _has_too_many(value):
        raise Refused(-32700)
    return value


def _has_too_many(value: Any) -> bool:
    count, left = 0, [value]
    while left and count <= MAX_VALUES:
        value = left.pop()
        count += 1
        left += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return count > MAX_VALUES


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else float(digits)


def _constant(_name: str) -> None:
    raise ValueError
