"""What all policies share that ask one MCP server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.agents.runs import Call
from benchmarks.agents.tasks import KINDS

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.agents.mcp_client import McpClient


class ServerPolicy:
    """A server that runs in the project; `home` is a folder for what it keeps, `program` its path among the peers."""

    kinds: tuple[str, ...] = KINDS
    program = ""
    client: McpClient

    def __init__(self, home: Path, peers: Path | None = None) -> None:
        self.home = home
        self.installed = (peers or home) / self.program

    def tool_list(self) -> str:
        return self.client.tool_list()

    def close(self) -> None:
        self.client.close()

    def call(self, tool: str, **arguments: Any) -> Call:
        """One call, as a model writes it and reads its answer."""
        text = json.dumps({"name": tool, "arguments": arguments}, ensure_ascii=False)
        return Call(text, self.client.call(tool, arguments))
