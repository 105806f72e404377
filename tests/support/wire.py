"""A real server process, spoken to in raw lines; nothing here knows more of the protocol than that it has lines."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

ODD_TOOLS = Path(__file__).parent / "odd_tools.py"
# Nothing here takes this long; a server that hangs is killed, and the test that waits for it fails.
PATIENCE = 120

MODERN = "2026-07-28"
MODERN_META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "0"},
}

Message = dict[str, Any]


class Exchange(NamedTuple):
    """A conversation that is over: every line the server wrote, in order, how it ended and what it told people."""

    lines: list[bytes]
    exit_code: int
    stderr: str

    @property
    def answers(self) -> list[Message]:
        return [json.loads(line) for line in self.lines]

    def answers_by_id(self) -> dict[Any, Message]:
        """The answers, of which each has an id of its own; answers may come in any order."""
        found = {answer.get("id"): answer for answer in self.answers}
        assert len(found) == len(self.lines)
        return found


class Wire:
    """One server process. `with` sees to it that none outlives its test."""

    def __init__(self, root: Path, *options: str, odd_tools: bool = False, env: dict[str, str] | None = None) -> None:
        program = [str(ODD_TOOLS)] if odd_tools else ["-m", "holdfast"]
        self.process = subprocess.Popen(
            [sys.executable, *program, "serve", "--cache-root", str(root), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
            env={**os.environ, **(env or {})},
        )
        self._watchdog = threading.Timer(PATIENCE, self.process.kill)
        self._watchdog.start()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *exc: object) -> None:
        self._watchdog.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def send(self, *messages: Message | bytes) -> None:
        """Write lines: a message as JSON, bytes as they are, each with a newline after it."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(as_line(message) for message in messages))
        self.process.stdin.flush()

    def read(self) -> Message:
        """The next line the server writes."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), f"the server ended: {line!r}"
        message: Message = json.loads(line)
        return message

    def ask(self, message: Message) -> Message:
        self.send(message)
        return self.read()

    def end(self, last: bytes = b"") -> Exchange:
        """End the input, with `last` as its last bytes; all that was still to be read."""
        stdout, stderr = self.process.communicate(last, timeout=PATIENCE)
        return Exchange((stdout or b"").splitlines(keepends=True), self.process.returncode, stderr.decode())

    def stop(self, number: signal.Signals) -> Exchange:
        """Send a signal, its input still open; all that was still to be read."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.send_signal(number)
        lines = self.process.stdout.readlines()
        return Exchange(lines, self.process.wait(PATIENCE), self.process.stderr.read().decode())


def exchange(
    root: Path, *messages: Message | bytes, options: tuple[str, ...] = (), odd_tools: bool = False
) -> Exchange:
    """Say all of it, end the input, and see what comes back."""
    with Wire(root, *options, odd_tools=odd_tools) as wire:
        return wire.end(b"".join(as_line(message) for message in messages))


def as_line(message: Message | bytes) -> bytes:
    return (message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n"


def request(identifier: object, method: str, params: object = None, **more: object) -> Message:
    """A request of the legacy era."""
    message: Message = {"jsonrpc": "2.0", "id": identifier, "method": method, **more}
    return message if params is None else {**message, "params": params}


def modern(identifier: object, method: str, params: Message | None = None, meta: object = MODERN_META) -> Message:
    """A request of the modern era: it carries its version itself."""
    return request(identifier, method, {**(params or {}), "_meta": meta})


def call(identifier: object, tool: str, arguments: object, *, era: str = "legacy") -> Message:
    make = modern if era == "modern" else request
    return make(identifier, "tools/call", {"name": tool, "arguments": arguments})


def initialize(identifier: object = 0, version: object = "2025-11-25", client: object = None) -> Message:
    client = client or {"name": "tests", "version": "0"}
    return request(identifier, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})


def notification(method: str, params: object = None) -> Message:
    return {"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}


OPENING = (initialize(), notification("notifications/initialized"))
