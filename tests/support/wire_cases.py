"""What may be said to a server and what comes back, as one table: name, revision in use, lines in, answers out.

Answers are written as `told` gives them: long texts replaced by what matters about them here. Where a revision is None
the answer belongs to none, since the line could not be understood.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from holdfast.catalog import tools
from holdfast.version import __version__
from support.wire import MODERN, MODERN_META, OPENING, Message, call, initialize, modern, notification, request

SERVER_INFO = {"name": "holdfast", "title": "Holdfast", "version": __version__}
STAMP: dict[str, Any] = {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO}}
HINTS: dict[str, Any] = {"ttlMs": 3_600_000, "cacheScope": "private"}
NAMES = [operation.tool for operation in tools()]
VERSION_KEY, CAPABILITIES_KEY = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"


class Case(NamedTuple):
    name: str
    revision: str | None
    lines: tuple[Message | bytes, ...]
    answers: list[Message]
    options: tuple[str, ...] = ()


def told(answer: Message) -> Message:
    """An answer with its long or growing parts made short: tools to their names, prose to its first word."""
    result = answer.get("result")
    if not isinstance(result, dict):
        return answer
    short = dict(result)
    if "tools" in short:
        short["tools"] = [tool["name"] for tool in short["tools"]]
    if "instructions" in short:
        short["instructions"] = short["instructions"][:8]
    if "capabilities" in short:
        short["capabilities"] = {"tools": short["capabilities"]["tools"]}
    return {**answer, "result": short}


def ok(identifier: object, **result: Any) -> Message:
    return {"jsonrpc": "2.0", "id": identifier, "result": result}


def text(identifier: object, value: object, *, is_error: bool = False, **more: Any) -> Message:
    block = {"type": "text", "text": json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"}
    return ok(identifier, content=[block], isError=is_error, **more)


def error(code: int, message: str, *identifier: object, **data: Any) -> Message:
    """An error response; without an id that member is left out."""
    head: Message = {"jsonrpc": "2.0", **({"id": identifier[0]} if identifier else {})}
    return {**head, "error": {"code": code, "message": message, **({"data": data} if data else {})}}


def opened(identifier: object = 0, version: str = "2025-11-25") -> Message:
    return ok(
        identifier,
        protocolVersion=version,
        capabilities={"tools": {}},
        serverInfo=SERVER_INFO,
        instructions="Holdfast",
    )


def discovered(identifier: object) -> Message:
    discovery = {"supportedVersions": [MODERN], "capabilities": {"tools": {}}, "instructions": "Holdfast"}
    return ok(identifier, **discovery, **HINTS, **STAMP)


PARSE_ERROR = error(-32700, "Parse error")
NOT_OBJECT = "A message is one JSON object; batches are not supported"
BAD_ID = error(-32600, "id must be a string or a whole number")
NEITHER_ERA = f"Send initialize first, or _meta with {VERSION_KEY} in every request"
NO_CACHES: dict[str, Any] = {"caches": []}
MISSING = {"error": {"code": "cache_missing", "message": "Cache does not exist"}}
_NO_OBJECTS: tuple[object, ...] = ([], "x", 1, None)
PING = request("p", "ping")
PONG = ok("p")


def _without(key: str) -> Message:
    return {name: value for name, value in MODERN_META.items() if name != key}


def _legacy(name: str, line: Message | bytes, *answers: Message, revision: str = "2025-11-25") -> Case:
    return Case(name, revision, (*OPENING, line), [opened(), *answers])


def _unopened(name: str, line: Message | bytes, *answers: Message, revision: str | None = None) -> Case:
    return Case(name, revision, (line,), list(answers))


def _nonsense(name: str, line: bytes, *answers: Message) -> Case:
    """A line no revision knows, and after it a ping to show that the server goes on."""
    return Case(name, None, (line, PING), [*answers, PONG])


OPENINGS = [
    *(
        Case(f"version {version} is echoed", version, (initialize("a", version),), [opened("a", version)])
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
    ),
    *(
        Case(
            f"version {version!r} is answered with the newest that opens",
            "2025-11-25",
            (initialize(1, version),),
            [opened(1)],
        )
        for version in ("2026-07-28", "1999-01-01", "", "2025-11-25 ", "\u00fc", "x" * 1000)
    ),
    _unopened(
        "a version that is no text",
        initialize(1, 20251125),
        error(-32602, "protocolVersion must be a string", 1),
        revision="2025-11-25",
    ),
    _unopened("ping before the opening", PING, PONG, revision="2025-11-25"),
    _legacy("ping after the opening", PING, PONG),
    _unopened("a list before the opening", request(1, "tools/list"), error(-32602, NEITHER_ERA, 1)),
    _unopened("a call before the opening", call(1, "context.list_caches", {}), error(-32602, NEITHER_ERA, 1)),
    _unopened("discover without meta", request(1, "server/discover", {}), error(-32602, NEITHER_ERA, 1)),
    _unopened(
        "meta without a version is neither era",
        modern(1, "tools/list", meta=_without(VERSION_KEY)),
        error(-32602, NEITHER_ERA, 1),
    ),
    _unopened("meta that is no object is neither era", modern(1, "tools/list", meta=7), error(-32602, NEITHER_ERA, 1)),
    _legacy("an opening twice", initialize(9, "2024-11-05"), opened(9, "2024-11-05"), revision="2024-11-05"),
    _legacy(
        "discover without meta after the opening",
        request(1, "server/discover"),
        error(-32601, "Method not found: server/discover", 1),
    ),
    Case(
        "an opening that failed opens nothing",
        None,
        (initialize(1, None), request(2, "tools/list")),
        [error(-32602, "protocolVersion must be a string", 1), error(-32602, NEITHER_ERA, 2)],
    ),
]

MODERN_ERA = [
    _unopened("discover", modern(1, "server/discover"), discovered(1), revision=MODERN),
    _unopened(
        "a list with caching hints", modern(1, "tools/list"), ok(1, tools=NAMES, **HINTS, **STAMP), revision=MODERN
    ),
    _unopened(
        "a call without caching hints",
        call(1, "context.list_caches", {}, era="modern"),
        text(1, NO_CACHES, **STAMP),
        revision=MODERN,
    ),
    _unopened(
        "a call that fails",
        call(1, "context.inspect_cache", {"cache": "none"}, era="modern"),
        text(1, MISSING, is_error=True, **STAMP),
        revision=MODERN,
    ),
    *(
        _unopened(
            f"version {version!r} in meta",
            modern(1, "server/discover", meta={**MODERN_META, VERSION_KEY: version}),
            error(-32022, "Unsupported protocol version", 1, supported=[MODERN], requested=version),
            revision=MODERN,
        )
        for version in ("2025-11-25", "2099-01-01", "")
    ),
    _unopened(
        "a version in meta that is no text",
        modern(1, "tools/list", meta={**MODERN_META, VERSION_KEY: 20260728}),
        error(-32602, f"_meta {VERSION_KEY} must be a string", 1),
        revision=MODERN,
    ),
    _unopened(
        "no client capabilities",
        modern(1, "tools/list", meta=_without(CAPABILITIES_KEY)),
        error(-32602, f"_meta {CAPABILITIES_KEY} must be an object", 1),
        revision=MODERN,
    ),
    _unopened(
        "client capabilities that are no object",
        modern(1, "server/discover", meta={**MODERN_META, CAPABILITIES_KEY: []}),
        error(-32602, f"_meta {CAPABILITIES_KEY} must be an object", 1),
        revision=MODERN,
    ),
    _unopened(
        "meta without client information",
        modern(1, "tools/list", meta=_without("io.modelcontextprotocol/clientInfo")),
        ok(1, tools=NAMES, **HINTS, **STAMP),
        revision=MODERN,
    ),
    *(
        _unopened(
            f"{method} was removed", modern(1, method), error(-32601, f"Method not found: {method}", 1), revision=MODERN
        )
        for method in ("initialize", "ping")
    ),
    _unopened(
        "a call to no tool",
        call(1, "nothing", {}, era="modern"),
        error(-32602, "Unknown tool: nothing", 1),
        revision=MODERN,
    ),
]

REQUESTS = [
    _legacy("a list", request(1, "tools/list"), ok(1, tools=NAMES)),
    _legacy("a list with other meta", request(1, "tools/list", {"_meta": {"progressToken": 1}}), ok(1, tools=NAMES)),
    _legacy("a call", call(1, "context.list_caches", {}), text(1, NO_CACHES, is_error=False)),
    _legacy("a call without arguments", request(1, "tools/call", {"name": "context.list_caches"}), text(1, NO_CACHES)),
    _legacy("a call in underscores", call(1, "context_list_caches", {}), text(1, NO_CACHES)),
    *(
        Case(
            f"a call that fails, in {version}",
            version,
            (initialize(0, version), call(1, "context.inspect_cache", {"cache": "none"})),
            [opened(0, version), text(1, MISSING, is_error=True)],
        )
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
    ),
    *(
        Case(
            f"a list, in {version}",
            version,
            (initialize(0, version), request(1, "tools/list")),
            [opened(0, version), ok(1, tools=NAMES)],
        )
        for version in ("2024-11-05", "2025-03-26", "2025-06-18")
    ),
    _legacy("an id that is text", request("ü-\u2028", "ping"), ok("ü-\u2028")),
    _legacy("an id that is empty", request("", "ping"), ok("")),
    _legacy("an id below nothing", request(-(2**63), "ping"), ok(-(2**63))),
    _legacy("an id beyond 64 bits", request(10**300, "ping"), ok(10**300)),
    _legacy("an unknown method", request(1, "tools/run"), error(-32601, "Method not found: tools/run", 1)),
    _legacy("a method that is empty", request(1, ""), error(-32601, "Method not found: ", 1)),
    _legacy("an unknown tool", call(1, "context.forget", {}), error(-32602, "Unknown tool: context.forget", 1)),
    _legacy("a command that is no tool", call(1, "build", {}), error(-32602, "Unknown tool: build", 1)),
    _legacy("no tool", request(1, "tools/call", {"arguments": {}}), error(-32602, "name must be a string", 1)),
    _legacy("a tool that is no text", call(1, 1, {}), error(-32602, "name must be a string", 1)),  # type: ignore[arg-type]  # wrong on purpose
    *(
        _legacy(
            f"arguments {arguments!r}",
            call(1, "context.list_caches", arguments),
            error(-32602, "arguments must be an object", 1),
        )
        for arguments in _NO_OBJECTS
    ),
    *(
        _legacy(
            f"params {params!r}",
            {**request(1, "tools/list"), "params": params},
            error(-32602, "params must be an object", 1),
        )
        for params in _NO_OBJECTS
    ),
    _legacy(
        "an unknown argument",
        call(1, "context.inspect_cache", {"cache": "x", "depth": 1}),
        error(-32602, "Unknown argument: depth", 1),
    ),
    _legacy(
        "a cursor nobody gave out",
        request(1, "tools/list", {"cursor": "x"}),
        error(-32602, "There is one page only: no cursor was given out", 1),
    ),
    _legacy(
        "a lone surrogate in an id, a name and an argument",
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/call","params":{"name":"context.inspect_cache","arguments":{"cache":"\\udfff"}}}',
        text("\ud800", MISSING, is_error=True),
    ),
    _legacy(
        "a lone surrogate in a method",
        b'{"jsonrpc":"2.0","id":1,"method":"\\udc80"}',
        error(-32601, "Method not found: \udc80", 1),
    ),
    _legacy(
        "a member given twice: the later one counts",
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"ping"}',
        ok(2),
    ),
    Case("two requests with one id", "2025-11-25", (*OPENING, PING, PING), [opened(), PONG, PONG]),
    Case("a line that ends in CR LF", "2025-11-25", (json.dumps(PING).encode() + b"\r",), [PONG]),
    Case("empty lines", "2025-11-25", (b"", b"  \t", b"\r", PING), [PONG]),
    Case(
        "underscore names listed",
        "2025-11-25",
        (*OPENING, request(1, "tools/list")),
        [opened(), ok(1, tools=[name.replace(".", "_") for name in NAMES])],
        ("--tool-names", "underscore"),
    ),
    Case(
        "dotted names accepted where underscores are listed",
        "2025-11-25",
        (*OPENING, call(1, "context.list_caches", {})),
        [opened(), text(1, NO_CACHES)],
        ("--tool-names", "underscore"),
    ),
    Case(
        "one family only",
        MODERN,
        (modern(1, "tools/list"),),
        [ok(1, tools=[operation.tool for operation in tools(("caches",))], **HINTS, **STAMP)],
        ("--only", "caches"),
    ),
]

# Deeper than any interpreter's own limit, so none of them can read it.
_DEEP = 500_000

NONSENSE = [
    _nonsense("no JSON", b"hello", PARSE_ERROR),
    _nonsense("half an object", b'{"jsonrpc":"2.0","id":1,"method":"ping"', PARSE_ERROR),
    _nonsense("two objects", b'{"jsonrpc":"2.0","id":1,"method":"ping"}{}', PARSE_ERROR),
    _nonsense("a line in latin-1", b'{"jsonrpc":"2.0","id":"\xe9","method":"ping"}', PARSE_ERROR),
    _nonsense("a surrogate in raw bytes", b'{"jsonrpc":"2.0","id":"\xed\xa0\x80","method":"ping"}', PARSE_ERROR),
    _nonsense("a line in UTF-16", '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"), PARSE_ERROR),
    _nonsense("a byte order mark", b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}', PARSE_ERROR),
    _nonsense("NUL bytes", b"\0\0\0", PARSE_ERROR),
    _nonsense("a raw control character in a string", b'{"jsonrpc":"2.0","id":"\x01","method":"ping"}', PARSE_ERROR),
    _nonsense("arrays too deep", b"[" * _DEEP + b"]" * _DEEP, PARSE_ERROR),
    _nonsense(
        "too many values",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[' + b"[]," * (1 << 20) + b"1]}}",
        PARSE_ERROR,
    ),
    _nonsense(
        "too many strings",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[' + b'"",' * (1 << 20) + b"1]}}",
        PARSE_ERROR,
    ),
    _nonsense("objects too deep", b'{"a":' * _DEEP + b"1" + b"}" * _DEEP, PARSE_ERROR),
    _nonsense("an argument too deep", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * _DEEP, PARSE_ERROR),
    *(
        _nonsense(f"{name} for an id", b'{"jsonrpc":"2.0","id":%b,"method":"ping"}' % name.encode(), PARSE_ERROR)
        for name in ("NaN", "Infinity", "-Infinity", "01", "1.", "+1", "'1'")
    ),
    *(
        _nonsense(f"{name} for a message", name.encode(), error(-32600, NOT_OBJECT))
        for name in ("[]", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "1", '"ping"', "null", "true", "9" * 10_000)
    ),
    *(
        _nonsense(f"{name[:20]} for an id", b'{"jsonrpc":"2.0","id":%b,"method":"ping"}' % name.encode(), BAD_ID)
        for name in ("null", "true", "false", "1.5", "1e400", "[]", "{}", "9" * 100_000)
    ),
    *(
        _nonsense(
            f"jsonrpc {value}",
            b'{"jsonrpc":%b,"id":7,"method":"ping"}' % value.encode(),
            error(-32600, 'jsonrpc must be "2.0"', 7),
        )
        for value in ('"1.0"', "2.0", "null", '"2"')
    ),
    _nonsense("no jsonrpc and no id", b'{"method":"ping"}', error(-32600, 'jsonrpc must be "2.0"')),
    _nonsense("an empty object", b"{}", error(-32600, 'jsonrpc must be "2.0"')),
    _nonsense("no method", b'{"jsonrpc":"2.0","id":7}', error(-32600, "method must be a string", 7)),
    _nonsense(
        "a method that is no text", b'{"jsonrpc":"2.0","id":7,"method":7}', error(-32600, "method must be a string", 7)
    ),
    _nonsense("neither method nor id", b'{"jsonrpc":"2.0"}', error(-32600, "method must be a string")),
]

UNANSWERED = [
    Case(name, "2025-11-25", (line, PING), [PONG])
    for name, line in (
        ("a response", {"jsonrpc": "2.0", "id": 1, "result": {}}),
        ("an error response", {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "x"}}),
        ("an error response to a line that was not understood", {"jsonrpc": "2.0", "id": None, "error": {}}),
        ("an error response without an id", {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}}),
        ("a notification before the opening", notification("notifications/initialized")),
        ("an unknown notification", notification("notifications/unheard")),
        ("a request's method as a notification", notification("tools/list")),
        ("a call as a notification", notification("tools/call", {"name": "context.list_caches", "arguments": {}})),
        ("a notification with wrong params", notification("notifications/initialized", [1])),
        ("a cancellation of nothing", notification("notifications/cancelled", {"requestId": 99})),
        ("a cancellation without an id", notification("notifications/cancelled", {})),
        ("a cancellation of a fraction", notification("notifications/cancelled", {"requestId": 1.5})),
        ("a cancellation with wrong params", notification("notifications/cancelled", "all")),
    )
]

CASES = [*OPENINGS, *MODERN_ERA, *REQUESTS, *NONSENSE, *UNANSWERED]
