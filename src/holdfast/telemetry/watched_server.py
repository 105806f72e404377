"""`WatchedServer` subclasses `Server` and records metrics and traces.

It is made for `--metrics` and `--otlp` only; any other server pays nothing for them.
"""

from __future__ import annotations

from contextvars import ContextVar
from time import perf_counter_ns, time_ns
from typing import TYPE_CHECKING, NamedTuple, Protocol

from holdfast.core.errors import InternalError, UsageError
from holdfast.core.tokens import tokens_of_bytes
from holdfast.mcp.server import INTERNAL_ERROR, LEGACY_VERSIONS, MODERN_VERSIONS, Call, ProtocolError, Server
from holdfast.telemetry.metrics import OTHER, REQUESTS, STALE, UNKNOWN, CallMetrics

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from holdfast.mcp.server import Identifier, Members
    from holdfast.mcp.tool_definitions import NameStyle
    from holdfast.operation import Operation, Reply
    from holdfast.workspace import Workspace

    class Traces(Protocol):
        """Makes a span of each call that ended; never delays a call or makes it fail."""

        def record(self, call: EndedCall) -> None: ...


_LONGEST_ID = 36
_OF_IDS = frozenset("0123456789abcdefABCDEF-")
_TRACING = ("traceparent", "tracestate")
_VERSIONS = (*LEGACY_VERSIONS, *MODERN_VERSIONS)
_VERSION = "io.modelcontextprotocol/protocolVersion"


class Origin(NamedTuple):
    """Where a request came from: how, in which version of the protocol, and as part of which trace."""

    is_http: bool = False
    version: str = ""
    carrier: Mapping[str, str] = {}  # `traceparent` and `tracestate`
    identifier: str = ""  # of the request, where the door knows it


class EndedCall(NamedTuple):
    """A request that was answered, as a tracer gets it. Times are in nanoseconds."""

    method: str
    origin: Origin
    began: int  # since 1970
    took: int
    tool: str = ""
    code: str = ""  # of the failure it was answered with
    rpc_code: int | None = None  # where the protocol says that failure, and not a tool
    tokens: int = 0
    size: int = 0
    cache_version: str = ""
    arguments: Mapping[str, object] = {}


class _Watched(NamedTuple):
    """A call that was understood and is to be carried out."""

    origin: Origin
    began: int
    started: int  # by the clock that only counts


# What an HTTP request is known by, while it is served; and the call that is carried out in this thread or task.
ORIGIN: ContextVar[Origin | None] = ContextVar("origin", default=None)
_CALL: ContextVar[_Watched | None] = ContextVar("call", default=None)


def origin_of_headers(headers: Mapping[str, str]) -> Origin:
    """The origin of a request by its HTTP headers, their names in lower case."""
    version = headers.get("mcp-protocol-version", "")
    carrier = {name: headers[name] for name in _TRACING if name in headers}
    return Origin(True, version if version in _VERSIONS else "", carrier)


class WatchedServer(Server):
    """A server that tells `metrics` what it did and, where there are some, `traces`."""

    def __init__(
        self,
        workspace: Workspace,
        metrics: CallMetrics,
        traces: Traces | None = None,
        *,
        families: Collection[str],
        tool_names: NameStyle,
    ) -> None:
        super().__init__(workspace, families=families, tool_names=tool_names)
        self.metrics = metrics
        self._traces = traces
        self._version = ""  # that `initialize` agreed on

    def _requested(self, identifier: Identifier, method: str, params: Members) -> bytes | Call:
        token = ORIGIN.set(Origin(version=self._version, identifier=_plain_identifier(identifier)))
        try:
            reply = super()._requested(identifier, method, params)
            if method == "initialize":
                version = params.get("protocolVersion")
                self._version = version if isinstance(version, str) and version in _VERSIONS else LEGACY_VERSIONS[-1]
            if not isinstance(reply, Call):
                return reply
            origin, call, run = ORIGIN.get(), _CALL.get(), reply.run
        finally:
            ORIGIN.reset(token)

        def run_watched() -> bytes:  # in another thread, which knows neither
            ORIGIN.set(origin)
            _CALL.set(call)
            return run()

        return reply._replace(run=run_watched)

    def called_tool(self, params: Members) -> tuple[Operation, Members]:
        """The same, and from now on its time runs."""
        watched = _Watched(_origin(params), time_ns(), perf_counter_ns())
        self.metrics.add(REQUESTS, "tools/call")
        try:
            operation, arguments = super().called_tool(params)
        except ProtocolError as error:
            self.metrics.refuse(UsageError.code)
            self._record(_ended(watched, "tools/call", UNKNOWN)._replace(code=UsageError.code, rpc_code=error.code))
            raise
        _CALL.set(watched)
        return operation, arguments

    def carry_out(self, operation: Operation, arguments: Members) -> Reply:
        """The same, counted and traced."""
        watched = _CALL.get() or _Watched(_origin({}), time_ns(), perf_counter_ns())
        code, rpc_code, reply = InternalError.code, INTERNAL_ERROR, None
        self.metrics.begin()
        try:
            reply = super().carry_out(operation, arguments)
        except ProtocolError as error:
            code, rpc_code = UsageError.code, error.code
            raise
        finally:
            if reply is None:
                ended = _ended(watched, "tools/call", operation.tool)
                self.metrics.end(operation.tool, code, tokens=0, size=0, nanoseconds=ended.took)
                self._record(ended._replace(code=code, rpc_code=rpc_code, arguments=arguments))
        self._answered(watched, operation.tool, reply, arguments)
        if (afterwards := reply.afterwards) is not None:
            return reply._replace(afterwards=lambda client: self._leave(afterwards, client))
        return reply

    def _answered(self, watched: _Watched, tool: str, reply: Reply, arguments: Members) -> None:
        ended = _ended(watched, "tools/call", tool)
        size = len(reply.text.encode())
        value = reply.value if isinstance(reply.value, dict) else {}
        selection = value.get("selection", value)  # what a search or `resolve` says of its own answer
        stated = selection.get("tokens_used")
        tokens = stated if type(stated) is int and stated >= 0 else tokens_of_bytes(size)
        code = (reply.code or OTHER) if reply.is_error else ""
        self.metrics.end(tool, code, tokens=tokens, size=size, nanoseconds=ended.took)
        if value.get("state") == "stale":
            self.metrics.add(STALE, "context")
        self.publish()
        if self._traces is not None:
            version = selection.get("cache_version")
            named = version if isinstance(version, str) else ""
            self._record(ended._replace(code=code, tokens=tokens, size=size, cache_version=named, arguments=arguments))

    def _leave(self, afterwards: Callable[[str], None], client: str) -> None:
        try:
            afterwards(client)
        finally:
            self.publish()

    def publish(self) -> None:
        """Add the workspace's own counters to the metrics."""
        self.metrics.publish(*self.workspace.looks(), self.workspace.stale())

    def listed_tools(self, params: Members, client: object) -> Members:
        """The same, counted."""
        self.metrics.add(REQUESTS, "tools/list")
        return super().listed_tools(params, client)  # type: ignore[arg-type]  # any JSON, as `Server` has it

    def offered(self, method: str, params: Members, *, modern: bool) -> Members:
        """The same, counted and traced."""
        watched = _Watched(_origin(params), time_ns(), perf_counter_ns())
        self.metrics.add(REQUESTS, method)
        code = InternalError.code
        rpc_code: int | None = INTERNAL_ERROR
        try:
            result = super().offered(method, params, modern=modern)
        except ProtocolError as error:
            code, rpc_code = UsageError.code, error.code
            raise
        else:
            code, rpc_code = "", None
            return result
        finally:
            self.publish()
            self._record(_ended(watched, method)._replace(code=code, rpc_code=rpc_code))

    def _record(self, call: EndedCall) -> None:
        if self._traces is not None:
            self._traces.record(call)


def _ended(watched: _Watched, method: str, tool: str = "") -> EndedCall:
    """A call that ends now."""
    return EndedCall(method, watched.origin, watched.began, perf_counter_ns() - watched.started, tool)


def _plain_identifier(identifier: Identifier) -> str:
    """A request's id, where it is a number or looks like one that was made up; any other text is nobody's business."""
    text = str(identifier)
    return text if len(text) <= _LONGEST_ID and _OF_IDS.issuperset(text) else ""


def _origin(params: Members) -> Origin:
    """Where a request came from; what it says itself in `_meta` goes before what came with it."""
    origin = ORIGIN.get() or Origin()
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        return origin
    carrier = {name: text for name in _TRACING if isinstance(text := meta.get(name), str)}
    version = meta.get(_VERSION)
    if isinstance(version, str) and version in _VERSIONS:
        origin = origin._replace(version=version)
    return origin._replace(carrier=carrier) if "traceparent" in carrier else origin
