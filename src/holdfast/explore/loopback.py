"""HTTP on this machine's own address: admits requests that carry the token, from this machine, from a page of this
server; asks for a page, sends it. Standard library (docs/decisions)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore
from typing import Any, NamedTuple

from holdfast.core.standard_streams import write_error
from holdfast.core.unicode_text import lower_case
from holdfast.explore.explorer import Explorer, Page

HOST = "127.0.0.1"
# Pages made at once; other requests wait.
_AT_ONCE = 4
# Connections kept open; more are closed at once: every user of the machine can open some.
_CONNECTIONS = 64
# Seconds without a word after which a connection is closed.
_PATIENCE = 30


METHODS = ("GET", "HEAD")
_HOSTS = (HOST, "localhost")


class Admitted(NamedTuple):
    """What an admitted request asks for: the name of a page and what was filled in."""

    page: str
    query: str


class Refusal(NamedTuple):
    """Why a request was not admitted. It says nothing of the project."""

    status: int
    reason: str


def admit(method: str, target: str, headers: Mapping[str, str], token: str, port: int) -> Admitted | Refusal:
    """Admit a request or say why not: refuses DNS rebinding (Host) and cross-site requests (Origin, Sec-Fetch-Site)."""
    hosts = [f"{host}:{port}" for host in _HOSTS]
    if lower_case(headers.get("host", "")) not in hosts:
        return Refusal(403, "This server is reached at 127.0.0.1 alone.")
    origin = headers.get("origin")
    if origin is not None and lower_case(origin) not in [f"http://{host}" for host in hosts]:
        return Refusal(403, "Pages of elsewhere may not ask this server.")
    if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
        return Refusal(403, "Pages of elsewhere may not ask this server.")
    path, _, query = target.partition("?")
    _, _, rest = path.partition("/")
    given, slash, page = rest.partition("/")
    if not compare_digest(given.encode("utf-8", "replace"), token.encode()) or not slash:
        return Refusal(
            403, "Open the address that 'context explore' printed, whole: it has a token that is yours alone."
        )
    if method not in METHODS:
        return Refusal(405, "This server only reads.")
    return Admitted(page, query)


class LoopbackServer(ThreadingHTTPServer):
    """Serves the pages of an explorer to clients that have the token."""

    daemon_threads = True
    request_queue_size = 2 * _CONNECTIONS

    def __init__(self, port: int, explorer: Explorer, token: str, used: Callable[[], None]) -> None:
        self.explorer, self.token, self.used = explorer, token, used
        self.making, self._free = BoundedSemaphore(_AT_ONCE), BoundedSemaphore(_CONNECTIONS)
        super().__init__((HOST, port), _Handler)

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin with a connection, unless there are too many."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002  # as the library calls it
        """Say nothing of a reader that went away; report anything else, which is a bug, in a line."""
        error = sys.exception()
        if not isinstance(error, OSError):
            write_error(f"error: {type(error).__name__}: {error}")


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "holdfast", ""
    timeout = _PATIENCE
    # Head and body leave together and at once: else each page waits 40 ms for the other side to acknowledge the head.
    wbufsize, disable_nagle_algorithm = -1, True

    def do_GET(self) -> None:  # the library looks for a name like this
        explorer = self.server.explorer
        headers = {lower_case(name): value for name, value in self.headers.items()}
        admitted = admit(self.command, self.path, headers, self.server.token, self.server.server_port)
        if isinstance(admitted, Refusal):
            self._send(admitted.status, "text/plain; charset=utf-8", (admitted.reason + "\n").encode())
            return
        self.server.used()
        with self.server.making:
            page = self._page(admitted.page, admitted.query)
        if page.mark and headers.get("if-none-match") == f'"{page.mark}"':
            self._send(304, "", b"", page.mark)
            return
        self._send(
            page.status, "text/html; charset=utf-8", page.html.encode("utf-8", "replace"), page.mark, explorer.policy
        )

    def _page(self, name: str, query: str) -> Page:
        explorer = self.server.explorer
        try:
            return explorer.page(name, query)
        except Exception as error:  # whatever it is, the next page is still served
            words = f"{type(error).__name__}: {error}. Reload the page; if it stays, it is a bug."
            return Page(500, explorer.plain("This page could not be made", words))

    def _send(self, status: int, kind: str, body: bytes, mark: str = "", policy: str = "default-src 'none'") -> None:
        self.send_response(status)
        sent = {
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        if kind:
            sent["Content-Type"] = kind
        if status != 304:
            sent["Content-Length"] = str(len(body))
        if mark:
            sent["ETag"] = f'"{mark}"'
        if status == 405:
            sent["Allow"] = ", ".join(METHODS)
        if self.command not in METHODS:
            sent["Connection"] = "close"  # what was sent along is not read
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD" and status != 304:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: addresses hold the token."""


# Every method is accepted, so that one that would write gets a refusal in words.
for _method in ("HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
    setattr(_Handler, f"do_{_method}", _Handler.do_GET)
