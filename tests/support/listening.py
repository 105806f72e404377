"""A server over HTTP as a process of its own, on a port of this machine."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import IO, TYPE_CHECKING, Any

from support.waiting import has_ended

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def call_body(tool: str, arguments: dict[str, Any]) -> bytes:
    """The body of a request that calls a tool."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def answer_text(body: bytes) -> str:
    """What a tool answered, from the body of a response."""
    text: str = json.loads(body)["result"]["content"][0]["text"]
    return text


class Listening:
    """A server process and its port."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process, self.port = process, port

    def connection(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def post(self, body: bytes, **headers: str) -> tuple[int, Any]:
        connection = self.connection()
        try:
            connection.request("POST", "/mcp", body, {**HEADERS, **headers})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        _, answer = self.post(call_body(tool, arguments))
        text: str = answer["result"]["content"][0]["text"]
        return text

    def two_children(self) -> list[int]:
        """The processes behind this one, as soon as there are two."""
        found: list[int] = []
        while len(found) != 2:
            assert not has_ended(self.process, 0.005)
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
                found = [int(word) for word in file.read().split()]
        return found

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)


@contextmanager
def listening(root: Path, *options: str) -> Iterator[Listening]:
    """`context serve --http` on any port, for caches in a folder; ended with the block, if it has not by itself."""
    command = [sys.executable, "-m", "holdfast", "serve", "--http", "127.0.0.1:0", "--cache-root", str(root), *options]
    with listening_process(command, root) as server:
        yield server


@contextmanager
def listening_process(command: list[str], folder: Path, env: dict[str, str] | None = None) -> Iterator[Listening]:
    """A process that says on standard error where it listens, whatever it says before; ended with the block at last."""
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        stderr: IO[bytes] = process.stderr  # type: ignore[assignment]  # it is a pipe
        before = []
        while not (line := stderr.readline().decode()).startswith("listening on http://127.0.0.1:"):
            before.append(line)
            assert line, "".join(before)
        yield Listening(process, int(line.rpartition(":")[2].partition("/")[0]))
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
