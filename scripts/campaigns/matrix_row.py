"""One surrounding of the determinism matrix: build everything, ask everything cold and warm, print two hashes.

Runs under any supported Python, with nothing but the package on its path. Everything is built in a process of its own.
Cold is a process that has built and answered nothing before, one for each answer, forked where the modules are loaded;
warm is a server asked everything twice, of which the second round counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast import cli
from holdfast.caches.build.build import build_cache
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.build.project_directory import Project
from holdfast.caches.build.sync import sync_cache
from holdfast.caches.project.project_lock import ProjectLock, encode_lock
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.tokenizers import USUAL
from holdfast.core.errors import ContextError

# Smaller ones would only measure how fast processes start.
WORTH_SHARING = 20
CREATED_AT = "2026-01-02T03:04:05Z"


def build_all(inputs: Path, root: Path, workers: int) -> bytes:
    """Build every folder of sources; one hash over every byte written, or what the build was refused with."""
    total = hashlib.sha256()
    for sources in sorted((inputs / "sources").iterdir()):
        cache = root / sources.name
        try:
            shared = workers if sum(1 for _ in sources.rglob("*.md")) >= WORTH_SHARING else 1
            report = build_cache(sources, cache, BuildOrder(CREATED_AT, workers=shared))
            total.update(repr(tuple(report)).encode())
        except ContextError as error:
            total.update(f"{error.code} {error.reason}".replace(str(inputs), "").encode("utf-8", "surrogateescape"))
        for file in sorted(cache.rglob("*")):
            if file.is_file():
                total.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    total.update(sync_project(inputs / "declared", root))
    return total.digest()


def sync_project(place: Path, root: Path) -> bytes:
    """Sync the caches that a project declares; their lock, and every byte written, as one hash."""
    project = Project(str(place), str(root))
    total = hashlib.sha256()
    locked = {}
    for declared in project.declared().caches:
        locked[declared.name] = sync_cache(project, declared, BuildOrder(CREATED_AT, tokenizer=USUAL)).locked
        for file in sorted((root / declared.name).rglob("*")):
            if file.is_file():
                total.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    total.update(encode_lock(ProjectLock(RANKING, USUAL, locked)))
    return total.digest()


def forked(work: Callable[[int], int]) -> bytes:
    """What a process of its own writes to the descriptor it is given."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        code = 70
        try:
            code = work(writing)
        finally:
            os._exit(code)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(process, 0)
    return text


def build_apart(inputs: Path, root: Path, workers: int) -> bytes:
    """`build_all` in a process of its own, so that nothing it imported or kept is known to those that answer."""

    def work(writing: int) -> int:
        os.write(writing, build_all(inputs, root, workers))
        return 0

    built = forked(work)
    if len(built) != hashlib.sha256().digest_size:
        raise RuntimeError("the build failed")
    return built


def ask_cold(tool: str, arguments: dict[str, Any], root: Path, project: str) -> bytes:
    """What `context call` prints, in a process that has done nothing else."""

    def work(writing: int) -> int:
        os.dup2(writing, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        words = ["call", tool, json.dumps(arguments), "--cache-root", str(root), "--path", project]
        return cli.main(words, os.environ)

    return forked(work)


class Server:
    """A server for one project."""

    def __init__(self, root: Path, project: str) -> None:
        command = [sys.executable, "-m", "holdfast", "serve", "--cache-root", str(root), "--path", project]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        client = {"name": "matrix", "version": "0"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, tool: str, arguments: dict[str, Any]) -> bytes:
        text: str = self.ask("tools/call", {"name": tool, "arguments": arguments})["content"][0]["text"]
        return text.encode()

    def close(self) -> None:
        self.process.communicate()


def main() -> int:
    inputs, root, workers = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    built = build_apart(inputs, root, workers)
    questions = json.loads((inputs / "questions.json").read_bytes())
    cold, warm = hashlib.sha256(built), hashlib.sha256(built)
    # Some answers name their project. Where it lies this time is the one thing that may differ from run to run.
    here = str(inputs).encode()
    for tool, arguments, project in questions:
        cold.update(ask_cold(tool, arguments, root, project).replace(here, b"INPUTS"))
    servers: dict[str, Server] = {}
    for project in {question[2] for question in questions}:
        servers[project] = Server(root, project)
    for tool, arguments, project in reversed(questions):
        servers[project].call(tool, arguments)
    for tool, arguments, project in questions:
        warm.update(servers[project].call(tool, arguments).replace(here, b"INPUTS"))
    for server in servers.values():
        server.close()
    print(json.dumps({"python": sys.version.split()[0], "cold": cold.hexdigest(), "warm": warm.hexdigest()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
