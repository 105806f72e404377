"""Connections whose cost is bounded whatever the client does: how slow, how large and how many.

Uvicorn waits for the head of a request, and for an answer to be taken, as long as a client likes. Here both end in
time. Where there is no room for one more connection, the one that has waited longest without asking makes room.
"""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from typing import NamedTuple

from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from holdfast.core.posix_calls import most_open_files

SPARE_FILES = 64  # what a process has open besides its connections
_FRAMING = 8  # bytes between those of a body, for each of them: what a chunk of one byte needs, and room
_ONCE = (
    b"host",
    b"origin",
    b"authorization",
)  # Authentication reads these; a proxy and we might pick different duplicates.


class Limits(NamedTuple):
    """Bounds on what a client may use of a server."""

    head_seconds: float = 10.0  # from the connection, or the first byte, to the end of the headers
    head_bytes: int = 64 << 10
    answer_seconds: float = 60.0  # until an answer is taken
    idle_seconds: int = 30  # between an answer and the next request
    connections: int = 1000  # of one process


def limited_connections(limits: Limits) -> type[HttpToolsProtocol]:
    """The protocol of a process's connections, which know of each other."""
    files = most_open_files() or limits.connections + SPARE_FILES
    most = min(limits.connections, max(files - SPARE_FILES, 1))
    members = {"limits": limits._replace(connections=most), "idle": {}}
    return type("LimitedConnection", (_LimitedConnection,), members)


def _refusal(status: int, reason: str) -> PlainTextResponse:
    return PlainTextResponse(f"{reason}\n", status, {"connection": "close"})


_TOO_LARGE = _refusal(431, "The headers are too large")
_TWICE = _refusal(400, "Host, Origin and Authorization may stand in a request once")
_UPGRADE = _refusal(400, "This server speaks HTTP/1.1 alone: send no Upgrade with a body")


class _LimitedConnection(HttpToolsProtocol):
    limits: Limits
    idle: dict[_LimitedConnection, None]  # connections without a request under way, the longest idle first

    _head_timer: TimerHandle | None = None
    _answer_timer: TimerHandle | None = None
    _is_in_head = _is_in_body = False
    _begun = 0  # requests
    _head_bytes = _body_bytes = _framing_bytes = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            longest = next(iter(self.idle), None)
            if longest is None:
                self._refuse(b"503 Service Unavailable", b"retry-after: 1\r\n")
                return
            longest.make_room()
        self.idle[self] = None
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.idle.pop(self, None)
        self._cancel_head()
        self._cancel_answer()
        self._unset_keepalive_if_required()  # uvicorn leaves it where a connection broke
        super().connection_lost(exc)

    def make_room(self) -> None:
        """Close, since others need the place."""
        self.idle.pop(self, None)
        self.transport.abort() if self.transport.get_write_buffer_size() else self.transport.close()

    def data_received(self, data: bytes) -> None:
        was_in_head, was_in_body, begun, body = self._is_in_head, self._is_in_body, self._begun, self._body_bytes
        super().data_received(data)
        if self.transport.is_closing():
            return
        if was_in_head and self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > self.limits.head_bytes:
                self._refuse(b"431 Request Header Fields Too Large")
            return
        if was_in_body and self._is_in_body and self._begun == begun:
            self._framing_bytes += len(data) - (self._body_bytes - body)
            if self._framing_bytes > self.limits.head_bytes + _FRAMING * self._body_bytes:
                self._refuse(b"431 Request Header Fields Too Large")
                return
        if not self._is_in_head and self._has_answered():
            self._await_head()  # the rest of a body that was answered already: another request has to follow in time

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begun += 1
        self._is_in_head, self._is_in_body = True, False
        self._head_bytes = self._body_bytes = self._framing_bytes = 0
        self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # what follows a body is held by nobody, and could be without end
            # Spaces around a value are no part of it; httptools leaves those after it.
            super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        self._is_in_head, self._is_in_body = False, True
        self._cancel_head()
        self.idle.pop(self, None)
        self.app = self.config.loaded_app
        if (refusal := self._refused_head()) is not None:
            self.app = refusal
            self._tell_refusal(str(refusal.status_code).encode())
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_in_body = False
        super().on_message_complete()

    def _refused_head(self) -> PlainTextResponse | None:
        """The refusal of a request by its headers alone; None to let it pass."""
        if len(self.url) + sum([len(name) + len(text) for name, text in self.headers]) > self.limits.head_bytes:
            return _TOO_LARGE
        names = [name for name, _ in self.headers]
        if any(names.count(name) > 1 for name in _ONCE):
            return _TWICE
        has_body = b"transfer-encoding" in names or dict(self.headers).get(b"content-length", b"0") != b"0"
        # The parser takes such a body for another protocol's.
        return _UPGRADE if has_body and self.parser.should_upgrade() else None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._await_taking()
        elif self.cycle.response_complete:
            self.idle[self] = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_taking()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_answer()

    def timeout_keep_alive_handler(self) -> None:
        self.make_room()

    def _has_answered(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # there is none before the first request
        return cycle is not None and cycle.response_complete

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.limits.head_seconds, self._head_is_late)

    def _cancel_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._is_in_head:
            self._refuse(b"408 Request Timeout")
        else:
            self.make_room()

    def _await_taking(self) -> None:
        if self._answer_timer is None:
            self._answer_timer = self.loop.call_later(self.limits.answer_seconds, self.transport.abort)

    def _cancel_answer(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None

    def _tell_refusal(self, status: bytes) -> None:
        """Count a refusal where metrics are kept: the application never sees such a request."""
        count = getattr(self.config.loaded_app, "count_refusal", None)
        if count is not None:
            count(status)

    def _refuse(self, status: bytes, headers: bytes = b"") -> None:
        self._tell_refusal(status)
        self.idle.pop(self, None)
        self._cancel_head()
        if self._is_in_head or not self._has_answered():  # or it would seem to be the answer to another request
            self.transport.write(
                b"HTTP/1.1 " + status + b"\r\n" + headers + b"content-length: 0\r\nconnection: close\r\n\r\n"
            )
        self.transport.close()
        self._await_taking()
