"""An HTTP front for a stdio server, for clients that speak nothing else: one process a session, this machine only."""

from __future__ import annotations

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

SESSION = "Mcp-Session-Id"
# What the modern era's errors are in HTTP.
STATUSES = {-32700: 400, -32600: 400, -32601: 404, -32602: 400, -32022: 400}


class Session:
    """One server process. Answers find their way to whoever asked by the id of the request."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._asked: dict[str, SimpleQueue[bytes]] = {}
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def send(self, message: dict[str, Any]) -> bytes | None:
        """The line that answers a message; None for one that gets no answer."""
        answer: SimpleQueue[bytes] = SimpleQueue()
        expects_answer = "id" in message and "method" in message
        with self._writing:
            if expects_answer:
                self._asked[json.dumps(message["id"])] = answer
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        return answer.get(timeout=30) if expects_answer else None

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._reader.join()
        self._process.stdout.close()
        self._process.wait(timeout=30)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._asked.pop(json.dumps(json.loads(line)["id"])).put(line)


class Bridge:
    """Serves `command` at `url` while the `with` block lasts."""

    def __init__(self, command: Sequence[str]) -> None:
        self._sessions: dict[str, Session] = {}
        bridge = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                name = self.headers.get(SESSION, "")
                if message.get("method") == "initialize" or name not in bridge._sessions:
                    name = name or f"session-{len(bridge._sessions)}"
                    bridge._sessions[name] = Session(command)
                line = bridge._sessions[name].send(message)
                code = json.loads(line).get("error", {}).get("code") if line else None
                # Only a request of the legacy era names a session, and its errors are no errors of HTTP.
                status = 202 if line is None else 200 if SESSION in self.headers else STATUSES.get(code or 0, 200)
                self._answer(status, line or b"", name)

            def do_GET(self) -> None:
                self.send_error(405)  # this server never speaks first, so there is no stream to offer

            do_DELETE = do_GET  # noqa: N815  # the name is the base class's

            def _answer(self, status: int, line: bytes, session: str) -> None:
                self.send_response(status)
                self.send_header(SESSION, session)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(line)))
                self.end_headers()
                self.wfile.write(line)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self.url = f"http://127.0.0.1:{self._server.server_port}/mcp"

    def __enter__(self) -> Bridge:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        for session in self._sessions.values():
            session.close()
