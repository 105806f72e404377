"""A wheel installed into an environment of its own, with every extra, and asked to do what it is for."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

MINORS = (11, 12, 13, 14)
HANDBOOK = {
    "deploy.md": "# Deploy\n\nRoll out, then watch.\n",
    "rollback.md": "# Roll back\n\nUndo a deploy by name.\n",
}


class Unusable(Exception):
    """What was installed does not do what it is for."""


def find_python(minor: int) -> str | None:
    """An interpreter of Python 3.`minor` on this machine, if there is one."""
    kept = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3"))
    for candidate in (f"python3.{minor}", *map(str, kept)):
        try:
            said = subprocess.run([candidate, "-c", "import sys; print(sys.version_info[1])"], capture_output=True)
        except OSError:
            continue
        if said.stdout.strip() == str(minor).encode():
            return candidate
    return None


def install(python: str, folder: Path, wheel: Path, extras: list[str]) -> Path:
    """Make an environment and install the wheel with these extras; its Python.

    The wheel is told by its file: an index may have another project of that name.
    """
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / "bin" / "python"
    _pip(own, "install", "--quiet", f"{wheel}[{','.join(extras)}]" if extras else str(wheel))
    for note in folder.glob("lib/*/site-packages/holdfast-*.dist-info/direct_url.json"):
        note.unlink()  # it says where the wheel lay on this machine, and an SBOM would tell
    _pip(own, "check")
    return own


def check_installed(python: Path, version: str, work: Path) -> str:
    """Have what was installed build, search and serve; what was seen in a few words, Unusable if anything is amiss."""
    context = python.parent / "context"
    said = _run([context, "--version"], work)
    if said != f"holdfast {version}\n":
        raise Unusable(f"it says it is {said!r}")
    docs = work / "handbook"
    docs.mkdir(parents=True)
    for name, text in HANDBOOK.items():
        (docs / name).write_text(text)
    _run([context, "build", "--sources", docs, "--cache", work / "caches" / "handbook"], work)
    found = _run([context, "search", "roll back a deploy", "--cache", work / "caches" / "handbook"], work)
    if "rollback.md" not in found:
        raise Unusable(f"a search does not find the page: {found}")
    tools = list_tools([str(context), "serve", "--cache-root", str(work / "caches")], work)
    return f"searches, serves {len(tools)} tools"


def list_tools(command: list[str], folder: Path) -> list[str]:
    """The names of the tools that a server lists on its standard output; Unusable if it does not."""
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "release", "version": "0"}}
    lines = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
    )
    answers = _run(command, folder, "".join(json.dumps(line) + "\n" for line in lines)).splitlines()
    listed: list[dict[str, Any]] = [json.loads(line) for line in answers]
    try:
        return [tool["name"] for answer in listed if answer.get("id") == 2 for tool in answer["result"]["tools"]]
    except KeyError:
        raise Unusable(f"the server does not list its tools: {answers}") from None


def _pip(python: Path, *words: str) -> None:
    done = subprocess.run([python, "-m", "pip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Unusable(f"pip {words[0]}: {done.stdout}{done.stderr}")


def _run(command: list[Any], folder: Path, given: str = "") -> str:
    # Nothing of the environment that this runs in, such as a PYTHONPATH, may lend a hand.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CONTEXT", "VIRTUAL"))}
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, input=given, capture_output=True, text=True, cwd=folder, env=clean, timeout=300)
    if done.returncode != 0:
        raise Unusable(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr}")
    return done.stdout
