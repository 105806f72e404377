"""The HTTP door without a socket: the real application, asked as a server of HTTP asks it."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from anyio.from_thread import start_blocking_portal

from holdfast.core.http_address import Address
from holdfast.http.application import http_application
from holdfast.mcp.server import Server
from holdfast.workspace import Workspace
from support.doors import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from holdfast.core.token_file import TokenFile

ADDRESS = Address("127.0.0.1", 8321)
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


class Response(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class HttpServer:
    """An application that lives while the `with` block lasts, in an event loop in a thread of its own."""

    def __init__(self, root: Path, *, tokens: TokenFile | None = None, address: Address = ADDRESS) -> None:
        self.server = self.new_server(Workspace(str(root), cache_root=str(root), door="tool"))
        self.application = http_application(self.server, address, tokens)
        self._stack = ExitStack()

    def new_server(self, workspace: Workspace) -> Server:
        """What answers; a test may have another."""
        return Server(workspace)

    def __enter__(self) -> HttpServer:
        from asyncio import Queue

        self._portal = self._stack.enter_context(start_blocking_portal())
        told: Queue[dict[str, Any]] = Queue()
        said: Queue[Any] = Queue()
        living = self._portal.start_task_soon(self.application, {"type": "lifespan"}, told.get, said.put)
        self._portal.call(told.put, {"type": "lifespan.startup"})
        assert self._portal.call(said.get)["type"] == "lifespan.startup.complete"
        self._stack.callback(living.result)
        self._stack.callback(self._portal.call, told.put, {"type": "lifespan.shutdown"})
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def ask(
        self, method: str, path: str, headers: dict[str, str], body: Iterable[bytes] = (), *, ends: bool = True
    ) -> Response:
        """One request; without `ends` its body never does."""
        given = {"host": "127.0.0.1:8321", **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.lower().encode(), text.encode("latin-1")) for name, text in given.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8321),
        }
        response: Response = self._portal.call(self._exchange, scope, list(body), ends)
        return response

    async def _exchange(self, scope: dict[str, Any], body: list[bytes], ends: bool) -> Response:
        from asyncio import Event

        sent: list[Any] = []
        pieces = [{"type": "http.request", "body": piece, "more_body": True} for piece in body]

        async def receive() -> Any:
            if pieces:
                return pieces.pop(0)
            if ends and not finished:
                finished.append(True)
                return {"type": "http.request", "body": b"", "more_body": False}
            return await Event().wait()  # nothing more comes

        async def send(message: Any) -> None:
            sent.append(message)

        finished: list[bool] = []
        await self.application(scope, receive, send)
        start, *parts = sent
        headers = {name.decode(): text.decode() for name, text in start["headers"]}
        return Response(start["status"], headers, b"".join(part.get("body", b"") for part in parts))

    def request(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        """One message of the protocol; the whole response."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        answer: dict[str, Any] = json.loads(self.post(json.dumps(message).encode(), **headers).body)
        return answer

    def post(self, body: bytes, **headers: str) -> Response:
        """Post a message; names of headers have underscores here."""
        given = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.ask("POST", "/mcp", {**JSON, **given}, [body])

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        response = self.request("tools/call", {"name": tool, "arguments": arguments})
        result = response["result"]
        assert [block["type"] for block in result["content"]] == ["text"]
        assert "structuredContent" not in result
        return Answer(result["content"][0]["text"], result["isError"])
