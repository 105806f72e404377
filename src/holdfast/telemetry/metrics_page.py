"""`GET /metrics`: an application that counts its responses, and the page that shows the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from mmap import mmap

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.core.http_address import LOOPBACK, PATH, Address
from holdfast.core.token_file import TokenFile
from holdfast.telemetry.metrics import (
    HTTP,
    OPEN_METRICS,
    OTHER,
    REFUSED,
    SIZE,
    TEXT,
    CallMetrics,
    ServerFacts,
    exposition,
)
from holdfast.telemetry.watched_server import ORIGIN, origin_of_headers

METRICS_PATH = "/metrics"
_REASONS = {401: "token", 403: "origin", 408: "slow", 413: "body_size", 421: "host", 429: "busy", 503: "busy"}
_REASONS_OF_LINES = {b"408": "slow", b"431": "head_size", b"503": "busy"}
_LOOKED_AT = frozenset((b"host", b"accept", b"authorization", b"mcp-protocol-version", b"traceparent", b"tracestate"))
_CELL = 8


class SharedCells:
    """Cells in memory that this process shares with those it forks, as many rows as there are processes."""

    def __init__(self, processes: int) -> None:
        self._cells = memoryview(mmap(-1, processes * SIZE * _CELL)).cast("Q")

    def of_process(self, number: int) -> CallMetrics:
        """The row of one process; it takes over what another counted there before it died."""
        return CallMetrics(self._cells[number * SIZE : (number + 1) * SIZE])

    def sums(self) -> list[int]:
        """The sums over the cells of all processes."""
        cells = self._cells.tolist()
        return [sum(each) for each in zip(*(cells[at : at + SIZE] for at in range(0, len(cells), SIZE)), strict=True)]


class MetricsPage:
    """The page, and who may read it: where it has a port of its own everybody who reaches that, else those who may
    ask the server anything."""

    def __init__(
        self,
        cells: SharedCells,
        facts: ServerFacts,
        *,
        address: Address,
        own_address: Address | None,
        tokens: TokenFile | None,
    ) -> None:
        self._cells, self._facts, self._tokens = cells, facts, tokens
        self._address, self._own = address, own_address

    def is_own_port(self, scope: Scope) -> bool:
        """Whether a request came in by the page's own port."""
        server = scope.get("server")
        return self._own is not None and server is not None and server[1] == self._own.port

    def is_asked(self, scope: Scope) -> bool:
        """Whether a request is for this page to answer."""
        return self.is_own_port(scope) or (self._own is None and scope["path"] == METRICS_PATH)

    def answer(self, scope: Scope, headers: Mapping[str, str]) -> Response:
        """The page, or why not."""
        if scope["path"] != METRICS_PATH:
            return PlainTextResponse("Not Found\n", 404)
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Method Not Allowed\n", 405, {"allow": "GET, HEAD"})
        address = self._own or self._address
        is_anywhere = self._own is not None and self._own.host not in LOOPBACK
        if not is_anywhere and headers.get("host") not in address.hosts:
            return PlainTextResponse("Invalid Host header\n", 421)
        guard = self._tokens if self._own is None else None
        if guard is not None and guard.name_of_header(headers.get("authorization", "")) is None:
            return PlainTextResponse("A token is needed\n", 401, {"www-authenticate": "Bearer"})
        is_open = "application/openmetrics-text" in headers.get("accept", "")
        text = exposition(self._facts, self._cells.sums(), open_metrics=is_open)
        return Response(text, headers={"content-type": OPEN_METRICS if is_open else TEXT})


class WatchedApplication:
    """An application whose responses are counted, whose requests are known to who traces them; and the page, if any."""

    def __init__(self, application: ASGIApp, metrics: CallMetrics, page: MetricsPage | None) -> None:
        self._application, self._metrics, self._page = application, metrics, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        headers = _headers(scope["headers"])
        is_protocol = scope["path"] == PATH

        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._count(message["status"], is_protocol=is_protocol)
            await send(message)

        if self._page is not None and self._page.is_asked(scope):
            await self._page.answer(scope, headers)(scope, receive, send_counted)
            return
        if is_protocol:
            ORIGIN.set(origin_of_headers(headers))
        await self._application(scope, receive, send_counted)

    def count_refusal(self, status: bytes) -> None:
        """A connection refused a request by itself, with a status that begins its line."""
        self._metrics.add(REFUSED, _REASONS_OF_LINES.get(status[:3], OTHER))

    def _count(self, status: int, *, is_protocol: bool) -> None:
        if is_protocol:
            self._metrics.add(HTTP, f"{status // 100}xx")
        if status in _REASONS and (is_protocol or status in (401, 421)):
            self._metrics.add(REFUSED, _REASONS[status])
        elif is_protocol and 400 <= status < 500:
            self._metrics.add(REFUSED, OTHER)


def _headers(pairs: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers that are read here, by name; of a repeated one the last."""
    return {name.decode("latin-1"): text.decode("latin-1") for name, text in pairs if name in _LOOKED_AT}
