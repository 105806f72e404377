"""A client of one MCP server over standard input and output: as much of the protocol as a benchmark needs."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class McpClient:
    """A running server; its tools and instructions as it lists them."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._server = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._number = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agents", "version": "1"}}
        self.instructions: str = self._ask("initialize", about).get("instructions") or ""
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools: list[dict[str, Any]] = self._ask("tools/list", {})["tools"]

    def tool_list(self) -> str:
        """What a model reads of the tools: names, descriptions and schemas, and the instructions."""
        told = [{name: tool.get(name) for name in ("name", "description", "inputSchema")} for tool in self.tools]
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")) + self.instructions

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """The text of an answer, errors included."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        return "\n".join([part["text"] for part in result.get("content", []) if part.get("type") == "text"])

    def close(self) -> None:
        """End the server; it is killed where it does not end by itself."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        try:
            self._server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        if self._server.stdout is not None:
            self._server.stdout.close()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(message) + "\n")
        self._server.stdin.flush()

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        assert self._server.stdout is not None
        for line in self._server.stdout:
            message = json.loads(line) if line.startswith("{") else {}
            if message.get("id") == self._number and "method" not in message:
                error = message.get("error")
                failed = {"content": [{"type": "text", "text": str(error)}], "tools": []}
                return message["result"] if error is None else failed
        raise RuntimeError(f"the server ended at {method}")
