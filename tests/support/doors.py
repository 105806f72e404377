"""The ways into Holdfast, behind one face: a tool name and arguments in, text and exit code out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from holdfast.catalog import find_tool
from holdfast.operation import answer
from holdfast.workspace import Workspace
from support.command_starter import PATIENCE, can_be_forked, run_forked

# The exit code of each error code, as CONTRACT section 1 lists them; the server shows the code, the shell the number.
EXIT_CODES = {
    "invalid_query": 2,
    "invalid_budget": 3,
    "cache_missing": 4,
    "cache_invalid": 5,
    "io_error": 6,
    "internal_error": 7,
}


class Answer(NamedTuple):
    """What came back: the text a program would read, whether it is an error, and what a person sees beside it."""

    text: str
    is_error: bool
    stderr: str = ""
    exit_code: int = 0


class Door(Protocol):
    """One way in; `root` is where caches are and where the process runs."""

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer: ...


class Library:
    """In process, through `answer`."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace(str(root), cache_root=str(root), door="tool")

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        reply = answer(find_tool(tool), arguments, self.workspace)
        return Answer(reply.text, reply.is_error, exit_code=reply.exit_code)


class CallCommand:
    """The `context call` command in a process of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        done = run_context(
            "call", tool, "-", "--cache-root", str(self.root), cwd=self.root, stdin=json.dumps(arguments)
        )
        return Answer(done.stdout.decode(), done.returncode != 0, done.stderr.decode(), done.returncode)


class StdioServer:
    """A real server process that is asked line by line and closed by the end of its input."""

    def __init__(
        self,
        root: Path,
        *options: str,
        env: dict[str, str] | None = None,
        cache_root: str | None = ".",
        capabilities: dict[str, Any] | None = None,
    ) -> None:
        roots = [] if cache_root is None else ["--cache-root", str(root / cache_root)]
        command = [sys.executable, "-m", "holdfast", "serve", *roots, *options]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root, env=env
        )
        self._next_id = 0
        opening: dict[str, Any] = {"protocolVersion": "2025-11-25", "capabilities": capabilities or {}}
        opening["clientInfo"] = {"name": "tests", "version": "0"}
        self.opened = self.request("initialize", opening)
        self.notify("notifications/initialized")

    def __enter__(self) -> StdioServer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def write(self, line: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next line the server wrote."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), f"the server ended: {line!r}"
        message: dict[str, Any] = json.loads(line)
        return message

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}).encode() + b"\n")

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask and wait; the whole response."""
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params or {}}
        self.write(json.dumps(message).encode() + b"\n")
        response = self.read()
        assert response["id"] == self._next_id
        return response

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        response = self.request("tools/call", {"name": tool, "arguments": arguments})
        result = response["result"]
        assert [block["type"] for block in result["content"]] == ["text"]
        assert "structuredContent" not in result
        return Answer(result["content"][0]["text"], result["isError"])

    def close(self) -> int:
        """End the input, wait for the end of the process; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            return self.process.wait(timeout=30)
        finally:
            self.process.kill()
            for stream in (self.process.stdout, self.process.stderr):
                assert stream is not None
                stream.close()


def run_context(
    *words: str | bytes,
    cwd: Path | None = None,
    stdin: str = "",
    env: dict[str, str] | None = None,
    python: str = sys.executable,
) -> subprocess.CompletedProcess[bytes]:
    """Run the `context` command to its end, output captured as bytes."""
    environment = {**os.environ, **(env or {})}
    if python == sys.executable and can_be_forked(environment):
        return run_forked([os.fsdecode(word) for word in words], stdin.encode(), cwd, environment)
    return subprocess.run(
        [python, "-m", "holdfast", *words],
        input=stdin.encode(),
        capture_output=True,
        cwd=cwd,
        env=environment,
        timeout=PATIENCE,
    )
