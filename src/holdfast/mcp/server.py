"""Door 2: one line of JSON-RPC in, the line that answers it out, or a call of a tool to run.

`offers` answers what is asked beside tools; `http` serves the same server through the official SDK. Both eras of
the protocol are spoken, request by request: the legacy one opens with `initialize`, the modern one carries its version
in every request's `_meta`. docs/formats/wire.md describes what is written to the wire and when.
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident
from typing import TYPE_CHECKING, NamedTuple

from holdfast.catalog import FAMILIES, PROMPTING, find_tool
from holdfast.core.canonical_json import JsonError, decode, encode, holds_more_values
from holdfast.core.errors import OfferError, UnknownName
from holdfast.core.standard_streams import write_bug
from holdfast.operation import answer
from holdfast.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from holdfast.core.canonical_json import JsonValue
    from holdfast.mcp.roots import Roots
    from holdfast.mcp.tool_definitions import NameStyle
    from holdfast.operation import Operation, Reply
    from holdfast.workspace import Workspace

    Members = dict[str, JsonValue]
    Identifier = str | int
    Key = tuple[str, Identifier]  # tells requests apart
    Handler = Callable[["Server", Members], Members]

# Directories that are counted by name; of others a server counts only the answers.
MOST_DIRECTORIES = 1000
# The argument that names the directory whose sources an answer describes.
_SCOPE = {"query_context": "scope"}


class AnswerCounts:
    """Counts that calls in several threads add to."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._counts: dict[str, dict[str, int]] = {}
        self._directories: dict[str, dict[str, int]] = {}

    def add(self, tool: str, reply: Reply, arguments: Mapping[str, object]) -> None:
        """Count one answer."""
        size = len(reply.text.encode())
        scope = arguments.get(_SCOPE[tool]) if tool in _SCOPE and not reply.is_error else None
        with self._lock:
            counts = self._counts.setdefault(tool, {"given": 0, "failed": 0, "bytes": 0})
            counts["given"] += 1
            counts["failed"] += reply.is_error
            counts["bytes"] += size
            if isinstance(scope, str):
                named = self._directories.setdefault(tool, {})
                if scope in named or len(named) < MOST_DIRECTORIES:
                    named[scope] = named.get(scope, 0) + 1

    def telemetry(self) -> dict[str, JsonValue]:
        """`given`, `failed` and `bytes` of every tool that answered, by name, and `directories` where it has some."""
        with self._lock:
            found: dict[str, JsonValue] = {}
            for tool, counts in sorted(self._counts.items()):
                named = self._directories.get(tool)
                found[tool] = {**counts, **({"directories": dict(sorted(named.items()))} if named else {})}
            return found


LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED_VERSION = -32022

_PREFIX = "io.modelcontextprotocol/"
_VERSION, _CAPABILITIES, _CLIENT_INFO, _SERVER_INFO = (
    _PREFIX + "protocolVersion",
    _PREFIX + "clientCapabilities",
    _PREFIX + "clientInfo",
    _PREFIX + "serverInfo",
)
CACHING: Mapping[str, JsonValue] = {"ttlMs": 3_600_000, "cacheScope": "private"}
# No request needs more values than this; far more would hold up every other request while they are made.
MAX_VALUES = 1 << 20


class ProtocolError(Exception):
    """A request that cannot be served, as JSON-RPC says so."""

    def __init__(self, code: int, message: str, data: JsonValue = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Call(NamedTuple):
    """A request that was understood and is still to be carried out; `run` does, and returns the line to write.

    `afterwards` is run once that line is on its way.
    """

    key: Key
    run: Callable[[], bytes]
    afterwards: Callable[[], None] = lambda: None


class Server:
    """One connection: what was opened, and what each line is answered with. Knows nothing of threads or descriptors."""

    def __init__(
        self, workspace: Workspace, *, families: Collection[str] = FAMILIES, tool_names: NameStyle = "auto"
    ) -> None:
        self.workspace = workspace
        self.families = families
        self.tool_names = tool_names
        self.calls: dict[str, int] = {}
        self._answers = AnswerCounts()
        self._opened = False
        self.send: Callable[[bytes], None] = lambda _line: None  # the door's: writes a line that answers nothing
        self._roots: Roots | None = None  # of a client that has some
        self._client: JsonValue = None  # the `clientInfo` of `initialize`; a modern request carries its own

    def receive(self, line: bytes, cancel: Callable[[Key], None]) -> bytes | Call | None:
        """What a line asks for: an answer at once, a call to run, or nothing; `cancel` learns of cancelled requests."""
        identifier: Identifier | None = None
        try:
            message = _decoded(line)
            if not isinstance(message, dict):
                raise ProtocolError(INVALID_REQUEST, "A message is one JSON object; batches are not supported")
            if "method" not in message and ("result" in message or "error" in message):
                if self._roots is not None:
                    self.workspace = self._roots.take(message)
                return None
            if "id" in message:
                identifier = _checked_id(message["id"])
            if message.get("jsonrpc") != "2.0":
                raise ProtocolError(INVALID_REQUEST, 'jsonrpc must be "2.0"')
            method = message.get("method")
            if not isinstance(method, str):
                raise ProtocolError(INVALID_REQUEST, "method must be a string")
            params: JsonValue = message.get("params", {})
            if identifier is None:
                self._notified(method, params, cancel)
                return None
            if not isinstance(params, dict):
                raise ProtocolError(INVALID_PARAMS, "params must be an object")
            return self._requested(identifier, method, params)
        except ProtocolError as error:
            return _error_line(identifier, error)
        except Exception:
            return _bug_line(identifier)

    def _notified(self, method: str, params: JsonValue, cancel: Callable[[Key], None]) -> None:
        if method == "notifications/cancelled" and isinstance(params, dict):
            try:
                cancel(_key(_checked_id(params.get("requestId"))))
            except ProtocolError:
                pass  # a notification is never answered, not even a wrong one
        elif method in _ROOTS_MAY_DIFFER and self._roots is not None:
            self.send(self._roots.question())

    def _requested(self, identifier: Identifier, method: str, params: Members) -> bytes | Call:
        modern = self._is_modern(method, params)
        if method == "tools/call":
            operation, arguments = self.called_tool(params)
            left: list[Callable[[], None]] = []
            client = _modern_client(params) if modern else self._client
            meta = params.get("_meta")
            token = meta.get("progressToken") if isinstance(meta, dict) else None
            return Call(
                _key(identifier),
                lambda: self._call(identifier, operation, arguments, left, client, token, modern=modern),
                lambda: _do(left),
            )
        if OFFERS.get(method) in self.capabilities():
            return Call(_key(identifier), lambda: self._offer(identifier, method, params, modern=modern))
        handlers = _MODERN if modern else _LEGACY
        handler = handlers.get(method)
        if handler is None:
            raise ProtocolError(UNKNOWN_METHOD, f"Method not found: {method}")
        return _result_line(identifier, handler(self, params), modern=modern)

    def _is_modern(self, method: str, params: Members) -> bool:
        """Which era a request belongs to, or an error when it belongs to neither."""
        meta = params.get("_meta")
        if isinstance(meta, dict) and _VERSION in meta:
            version = meta[_VERSION]
            if not isinstance(version, str):
                raise ProtocolError(INVALID_PARAMS, f"_meta {_VERSION} must be a string")
            if version not in MODERN_VERSIONS:
                supported: JsonValue = {"supported": MODERN_VERSIONS, "requested": version}
                raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)
            if not isinstance(meta.get(_CAPABILITIES), dict):
                raise ProtocolError(INVALID_PARAMS, f"_meta {_CAPABILITIES} must be an object")
            return True
        if not self._opened and method not in ("initialize", "ping"):
            raise ProtocolError(INVALID_PARAMS, f"Send initialize first, or _meta with {_VERSION} in every request")
        return False

    def _initialize(self, params: Members) -> Members:
        requested = params.get("protocolVersion")
        if not isinstance(requested, str):
            raise ProtocolError(INVALID_PARAMS, "protocolVersion must be a string")
        self._opened, self._client = True, params.get("clientInfo")
        offered = params.get("capabilities")
        if isinstance(offered, dict) and isinstance(offered.get("roots"), dict) and not self.workspace.confined_to:
            from holdfast.mcp.roots import Roots

            self._roots = self._roots or Roots(self.workspace)
        return {
            "protocolVersion": requested if requested in LEGACY_VERSIONS else LEGACY_VERSIONS[-1],
            "capabilities": self.capabilities(),
            "serverInfo": _server_info(),
            "instructions": self.instructions(self._client),
        }

    def _discover(self, params: Members) -> Members:
        return {
            "supportedVersions": MODERN_VERSIONS,
            "capabilities": self.capabilities(),
            "instructions": self.instructions(_modern_client(params)),
            **CACHING,
        }

    def instructions(self, client: JsonValue) -> str:
        """The instructions for an agent, with tool names spelled as its client accepts them."""
        from holdfast.mcp.tool_definitions import instructions

        return instructions(self.families, underscores=self._lists_underscores(client))

    def _lists_underscores(self, client: JsonValue) -> bool:
        """Whether a client reads names with underscores; what it calls may be spelt either way."""
        if self.tool_names == "auto":
            from holdfast.mcp.tool_definitions import takes_no_dots

            return takes_no_dots(client)
        return self.tool_names == "underscore"

    def capabilities(self) -> Members:
        """The methods beside `initialize` and `server/discover`."""
        prompting = any(family in self.families for family in PROMPTING)
        prompts: Members = {"prompts": {}, "completions": {}} if prompting else {}
        return {"tools": {}, "resources": {}, **prompts}

    def listed_tools(self, params: Members, client: JsonValue) -> Members:
        """The tools, their names spelt as a client takes them."""
        if params.get("cursor") is not None:
            raise ProtocolError(INVALID_PARAMS, "There is one page only: no cursor was given out")
        from holdfast.mcp.tool_definitions import tool_definitions

        return {"tools": tool_definitions(self.families, underscores=self._lists_underscores(client))}

    def called_tool(self, params: Members) -> tuple[Operation, Members]:
        """The tool that a call means, counted, and its arguments; ProtocolError when there is none such."""
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str):
            raise ProtocolError(INVALID_PARAMS, "name must be a string")
        if not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        try:
            operation = find_tool(name, self.families)
        except UnknownName as error:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {error.name}") from None
        # Counted here, where one thread comes by, and not where several run.
        self.calls[operation.tool] = self.calls.get(operation.tool, 0) + 1
        return operation, arguments

    def carry_out(self, operation: Operation, arguments: Members) -> Reply:
        """Run a tool, and count what it gave; ProtocolError for an argument that it does not know."""
        try:
            workspace = self.workspace
            if self._roots is not None:
                workspace, arguments = self._roots.chosen(arguments)
            reply = answer(operation, arguments, workspace)
        except UnknownName as error:
            raise ProtocolError(INVALID_PARAMS, f"Unknown argument: {error.name}") from None
        self._answers.add(operation.tool, reply, arguments)
        return reply

    def _carry_out_watched(self, token: JsonValue, operation: Operation, arguments: Members) -> Reply:
        """Run a tool; while it waits for a build, the client is sent how far that is."""
        from holdfast.caches.build.refresh import WATCHERS

        def report(seconds: float, words: str) -> None:
            params: Members = {"progressToken": token, "progress": seconds, "message": words}
            self.send(_line({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))

        WATCHERS[get_ident()] = report
        try:
            return self.carry_out(operation, arguments)
        finally:
            del WATCHERS[get_ident()]

    def _call(
        self,
        identifier: Identifier,
        operation: Operation,
        arguments: Members,
        left: list[Callable[[], None]],
        client: JsonValue,
        token: JsonValue,
        *,
        modern: bool,
    ) -> bytes:
        """Run a tool and write its answer; a bug in it is reported on stderr, and to the client as a code alone.

        What the tool leaves to do is added to `left`.
        """
        try:
            if token is None:
                reply = self.carry_out(operation, arguments)
            else:
                reply = self._carry_out_watched(token, operation, arguments)
        except ProtocolError as error:
            return _error_line(identifier, error)
        except BaseException:  # a worker outlives whatever its tool does, `sys.exit` included
            return _bug_line(identifier)
        if (afterwards := reply.afterwards) is not None:
            left.append(lambda: _tell_who_asked(afterwards, client))
        result: Members = {"content": [{"type": "text", "text": reply.text}], "isError": reply.is_error}
        return _result_line(identifier, result, modern=modern)

    def offered(self, method: str, params: Members, *, modern: bool) -> Members:
        """The result of a request for a resource, a prompt or a completion; ProtocolError when there is none."""
        from holdfast.mcp.offers import METHODS, Offers

        handler, keep = METHODS[method]
        try:
            result = handler(Offers(self.workspace, self.families, self.telemetry), params)
        except OfferError as error:
            data: JsonValue = None if error.uri is None else {"uri": error.uri}
            raise ProtocolError(INVALID_PARAMS, error.reason, data) from None
        return {**result, **CACHING, "ttlMs": keep} if modern and keep is not None else result

    def _offer(self, identifier: Identifier, method: str, params: Members, *, modern: bool) -> bytes:
        try:
            return _result_line(identifier, self.offered(method, params, modern=modern), modern=modern)
        except ProtocolError as error:
            return _error_line(identifier, error)
        except Exception:
            return _bug_line(identifier)

    def telemetry(self) -> Members:
        """Counters of calls so far and of how often remembered values were used. Never part of a tool's answer."""
        return {
            "calls": dict(self.calls),
            "file_contents": self.workspace.telemetry(),
            "answers": self._answers.telemetry(),
        }


# Method -> the capability that declares it; `offers` answers them.
OFFERS = {
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "completion/complete": "completions",
}
# Notifications after which a client that has roots is asked for them.
_ROOTS_MAY_DIFFER = ("notifications/initialized", "notifications/roots/list_changed")
_LEGACY: Mapping[str, Handler] = {
    "initialize": Server._initialize,
    "ping": lambda _server, _params: {},
    "tools/list": lambda server, params: server.listed_tools(params, server._client),
}
_MODERN: Mapping[str, Handler] = {
    "server/discover": Server._discover,
    "tools/list": lambda server, params: {**server.listed_tools(params, _modern_client(params)), **CACHING},
}


def _server_info() -> Members:
    return {"name": "holdfast", "title": "Holdfast", "version": __version__}


def _tell_who_asked(afterwards: Callable[[str], None], client: JsonValue) -> None:
    from holdfast.mcp.tool_definitions import client_name

    afterwards(client_name(client))


def _modern_client(params: Members) -> JsonValue:
    """The `clientInfo` that a modern request carries, if it does."""
    meta = params["_meta"]
    return meta.get(_CLIENT_INFO) if isinstance(meta, dict) else None


def _decoded(line: bytes) -> JsonValue:
    if not holds_more_values(line, MAX_VALUES):
        try:
            value: JsonValue = decode(line)
        except JsonError:
            pass
        else:
            return value
    raise ProtocolError(PARSE_ERROR, "Parse error")


def _checked_id(identifier: JsonValue) -> Identifier:
    if isinstance(identifier, str) or type(identifier) is int:
        return identifier
    raise ProtocolError(INVALID_REQUEST, "id must be a string or a whole number")


def _key(identifier: Identifier) -> Key:
    """The key of a request: 1 and "1" are two."""
    return type(identifier).__name__, identifier


def _result_line(identifier: Identifier, result: Members, *, modern: bool) -> bytes:
    if modern:
        result = {**result, "resultType": "complete", "_meta": {_SERVER_INFO: _server_info()}}
    return _line({"jsonrpc": "2.0", "id": identifier, "result": result})


def _error_line(identifier: Identifier | None, error: ProtocolError) -> bytes:
    """An error response; without a usable id that member is left out."""
    message: Members = {"jsonrpc": "2.0"}
    if identifier is not None:
        message["id"] = identifier
    body: Members = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return _line({**message, "error": body})


def _bug_line(identifier: Identifier | None) -> bytes:
    """The client's answer to a bug: that there was one. Its traceback goes to stderr."""
    try:
        write_bug()
    except Exception:
        pass  # nobody reads stderr any more; the client still gets its answer
    return _error_line(identifier, ProtocolError(INTERNAL_ERROR, "Internal error"))


def _do(left: list[Callable[[], None]]) -> None:
    """Do what a call left to do; a bug in it is reported on stderr, and its worker goes on."""
    for step in left:
        try:
            step()
        except Exception:
            _bug_line(None)


def _line(message: Members) -> bytes:
    return f"{encode(message)}\n".encode()
