"""A project whose names try to break out of a page, and a `context explore` that shows it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, NamedTuple

from holdfast import build_cache
from support.doors import run_context
from support.specs import SpecProject
from support.wire import call, exchange, initialize

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<script>alert(1)<\u2215script>"
IMAGE = "<img src=x onerror=alert(1)>"
QUOTED = '" autofocus onfocus="alert(1)'


def lay_out_explored(root: Path) -> Path:
    """The project: two caches, directories with contexts, specs, receipts of which one is none."""
    sources = root / "docs"
    sources.mkdir(parents=True)
    (sources / "deploy.md").write_text("# Deploy\n\nTo deploy, push.\n\n## Roll back\n\nTo roll back, pull.\n", "utf-8")
    (sources / f"{HOSTILE}.md").write_text(f"# {IMAGE}\n\ndeploy {QUOTED} </pre><script>alert(2)</script>\n", "utf-8")
    (sources / "long.md").write_text("# Long\n\n" + "deploy and more " * 300 + "\n", "utf-8")
    caches = root / ".context" / "caches"
    caches.mkdir(parents=True)
    build_cache(sources, caches / "docs", tokenizer="bytes/4")
    build_cache(sources, caches / HOSTILE, tokenizer="bytes/4")
    for folder in ("src", f"src/{HOSTILE}", "src/other"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "code.py").write_text('"""Does what it does."""\n\n' + "value = 1\n" * 3000, "utf-8")
    assert run_context("init", "--full", "--no-agents", cwd=root).returncode == 0
    context = root / "src" / "other" / ".context.yaml"
    context.write_text(context.read_text("utf-8") + f'constraints:\n  - "never {IMAGE}"\n', "utf-8")
    specs = SpecProject(root)
    specs.spec("checkout")
    specs.spec(IMAGE.replace("/", "\u2215"), f"- [ ] 1. {HOSTILE}\n")
    receipts = root / ".context" / "receipts"
    receipts.mkdir()
    kept = ("--receipts", str(receipts))
    asked = json.dumps({"query": "how to deploy", "cache": "docs"})
    assert run_context("call", "context.search", asked, *kept, cwd=root).returncode == 0
    opening = initialize()
    opening["params"]["clientInfo"] = {"name": IMAGE, "version": QUOTED}
    query = {"query": f"deploy {IMAGE}", "cache": "docs"}
    assert (
        exchange(caches, opening, call(1, "context.search", query), options=("--path", str(root), *kept)).exit_code == 0
    )
    (receipts / "none.json").write_text("{}", "utf-8")
    return root


class Sent(NamedTuple):
    """What a server sent."""

    status: int
    headers: dict[str, str]
    text: str


class ExploreServer:
    """A real `context explore`, ended as a person ends it."""

    def __init__(self, root: Path, *options: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "holdfast", "explore", *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root, env={**os.environ, **(env or {})}
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().decode().strip()
        self.port = int(self.address.split(":")[2].partition("/")[0])
        self.origin = f"http://127.0.0.1:{self.port}"

    def get(self, page: str = "", *, url: str = "", method: str = "GET", **headers: str) -> Sent:
        """Ask for a page by its name, or for any address."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = b"x=1" if method == "POST" else None
        asked = urllib.request.Request(url or self.address + page, data, named, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(asked, timeout=60) as answer:
                return Sent(answer.status, dict(answer.headers), answer.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                return Sent(error.code, dict(error.headers), error.read().decode())

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """Interrupt it; its exit code and what it said on stderr."""
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said.decode()
