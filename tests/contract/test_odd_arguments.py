"""Odd texts in every argument of every tool are answered or refused; none is a bug.

Where a tool looks into the folder it is given, the test's own folder stands for the root: nobody's machine is walked.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from holdfast.catalog import tools
from holdfast.mcp.server import Server
from holdfast.workspace import Workspace
from support.wire import call

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.operation import Operation

ODD = [
    "",
    "\0",
    "a\0b",
    "\ud800",
    "\udc80",
    "x" * 5000,
    "x/" * 3000,
    "..",
    "/",
    "//",
    ".",
    "~",
    "\\",
    "\n",
    "-",
    "%2e",
    "*",
]
# The arguments that say which folder to look in. What is absolute there is put below the test's own folder.
FOLDERS = ("path", "projectPath", "root")
ODD_FOLDERS = ["/./", "/../", "/none/../.."]
ARGUMENTS = [(tool, parameter.name) for tool in tools() for parameter in tool.offered("tool")]


@pytest.mark.parametrize(("tool", "name"), ARGUMENTS, ids=[f"{tool.tool} {name}" for tool, name in ARGUMENTS])
def test_no_odd_text_is_a_bug(tmp_path: Path, tool: Operation, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "outer" / "root"
    root.mkdir(parents=True)
    server = Server(Workspace(str(root), cache_root=str(root), door="tool"))
    usual = {"query": "a", "budget": 1, "cache": "docs", "scope": ".", "specName": "a"}
    found = []
    for odd in [*ODD, *ODD_FOLDERS]:
        odd = f"{root}{odd}" if name in FOLDERS and odd.startswith("/") else odd
        for value in (odd, [odd]):
            known = {parameter.name for parameter in tool.offered("tool")}
            arguments = {**{key: usual[key] for key in usual if key in known}, name: value}
            line = json.dumps(call(1, tool.tool, arguments, era="modern")).encode()
            asked = server.receive(line, lambda _key: None)
            assert not isinstance(asked, bytes | None)
            answer = json.loads(asked.run())
            if "result" not in answer:
                found.append((value, answer))
    assert (found, capsys.readouterr().err) == ([], "")
