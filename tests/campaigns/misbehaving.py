"""A server that breaks one promise of the wire, named in the environment: programs for the campaign to find out."""

from __future__ import annotations

import itertools
import os
import sys

import holdfast.mcp.stdio
from holdfast.cli import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.mcp.server import Call

promise = os.environ["BROKEN_PROMISE"]
send = holdfast.mcp.stdio._Connection._send
answer_call = holdfast.mcp.stdio._Connection._schedule
LEAK: list[bytes] = []
written = itertools.count(1)


def send_badly(self: holdfast.mcp.stdio._Connection, line: bytes) -> None:
    count = next(written)
    if promise == "descriptors" and count % 2 == 0:
        os.dup(0)
    if promise == "truth":
        line = line.replace(b"token", b"Token")
    if promise == "leak":
        LEAK.append(b"x" * 20_000)
    if (promise, count) == ("drop", 300):
        return
    if (promise, count) == ("print", 300):
        os.write(self._output, b"Loading...\n")
    if (promise, count) == ("cut", 300):
        line = line[:-1]
    if (promise, count) == ("bug", 300):
        sys.stderr.write("Traceback\n")
    send(self, line)
    if (promise, count) == ("twice", 300):
        send(self, line)
    if (promise, count) == ("leave", 300):
        os._exit(3)


def forget_to_count(self: holdfast.mcp.stdio._Connection, call: Call, size: int) -> None:
    if self._server.calls.get("context.resolve") == 10:
        self._server.calls["context.resolve"] = 9
    answer_call(self, call, size)


holdfast.mcp.stdio._Connection._send = send_badly  # type: ignore[method-assign]  # that is the point
if promise == "count":
    holdfast.mcp.stdio._Connection._schedule = forget_to_count  # type: ignore[method-assign]  # the fault
run()
