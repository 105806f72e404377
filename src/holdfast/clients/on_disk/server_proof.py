"""Proof that an entry works: our own command is started as the client would, and asked for its tools."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from shutil import which
from typing import NamedTuple

_SECONDS = 60
_VERSION = "2025-06-18"
# What a program that was started from a dock or menu has, and nothing of the shell's.
_DESKTOP_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
_DESKTOP_PASSES = ("HOME", "USER", "LOGNAME", "LANG", "TMPDIR", "SHELL")


class Start(NamedTuple):
    """How a client starts the server."""

    words: Sequence[str]
    directory: str
    environment: Mapping[str, str]


class Proven(NamedTuple):
    """What came of it: the names of the tools, or why there are none."""

    tools: Sequence[str]
    failure: str = ""


def start_environment(
    environment: Mapping[str, str], passes: Sequence[str], added: Mapping[str, str], *, is_desktop: bool
) -> dict[str, str]:
    """The variables that the server gets from a client."""
    if is_desktop:
        kept = {name: environment[name] for name in _DESKTOP_PASSES if name in environment}
        return {**kept, "PATH": _DESKTOP_PATH, **added}
    kept = {name: value for name, value in environment.items() if not passes or name in passes}
    return {**kept, **added}


def prove(start: Start, client_info: str) -> Proven:
    """Start it, list its tools, let it end."""
    asked = [
        _request(
            1,
            "initialize",
            {
                "protocolVersion": _VERSION,
                "capabilities": {},
                "clientInfo": {"name": client_info, "version": "0"},
            },
        ),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        _request(2, "tools/list", {}),
        "",
    ]
    program = start.words[0]
    found = program if os.path.sep in program else _on_path(program, start.environment)
    if not found:
        return Proven((), f"'{program}' is not on the search path: install it for your user (uv tool install, pipx)")
    try:
        ended = subprocess.run(  # noqa: S603  # the command line that set-up writes
            [found, *start.words[1:]],
            input="\n".join(asked).encode(),
            capture_output=True,
            cwd=start.directory,
            env=dict(start.environment),
            timeout=_SECONDS,
            check=False,
        )
    except OSError as error:
        return Proven((), f"'{program}' cannot be started: {error.strerror}")
    except subprocess.TimeoutExpired:
        return Proven((), f"'{program}' did not answer within {_SECONDS} seconds")
    tools = _tools(ended.stdout)
    if tools:
        return Proven(tools)
    said = ended.stderr.decode("utf-8", "replace").strip("\n").rpartition("\n")[2]
    return Proven((), f"'{program}' listed no tools (exit code {ended.returncode}){': ' + said if said else ''}")


def _request(number: int, method: str, parameters: Mapping[str, object]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})


def _on_path(program: str, environment: Mapping[str, str]) -> str:
    """The program that a search path leads to; a part that depends on the working directory may lead into a clone."""
    parts = [part for part in environment.get("PATH", "").split(os.pathsep) if os.path.isabs(part)]
    return which(program, path=os.pathsep.join(parts)) or ""


def _tools(output: bytes) -> list[str]:
    for line in output.split(b"\n"):
        try:
            message = json.loads(line)
            if message["id"] == 2:
                return [str(tool["name"]) for tool in message["result"]["tools"]]
        except (ValueError, KeyError, TypeError):
            continue
    return []
