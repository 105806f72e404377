"""Checks of the server by clients that are not ours. Run by ./scripts/conformance, which puts them on the PATH.

A suite is a function that takes a place with caches and yields checks; a further client is one more suite below.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from http_bridge import Bridge

from holdfast import build_cache
from holdfast.catalog import FAMILIES, tools, underscored

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTEXT = str(Path(sys.executable).with_name("context"))
TIMEOUT = 60

DOCUMENTS = {
    "sign-in.md": "# Sign in\n\nSend a token with every request. A token lasts an hour.\n",
    "limits.md": "# Limits\n\nAt most 100 requests a minute; the answer says when to try again.\n",
    "Länder/größe.md": "# Größe\n\nZahlen ohne Einheit sind Millimeter. 日本語 😀\n",
}
# One success and the failures a client meets, for each tool.
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("context.resolve", {"cache": "docs", "query": "how long does a token last", "budget": 4000}),
    ("context.resolve", {"cache": "docs", "query": "größe 日本語 😀", "budget": 10}),
    ("context.resolve", {"cache": "docs", "query": "token", "budget": -1}),
    ("context.resolve", {"cache": "../docs", "query": "token", "budget": 10}),
    ("context.resolve", {"cache": "broken", "query": "token", "budget": 10}),
    ("context.list_caches", {}),
    ("context.list_caches", {"root": "nowhere"}),
    ("context.inspect_cache", {"cache": "docs"}),
    ("context.inspect_cache", {"cache": "broken"}),
    ("context.inspect_cache", {"cache": "missing"}),
)


class Check(NamedTuple):
    name: str
    found: object
    expected: object


def inspector(root: Path) -> Iterator[Check]:
    """The command line of the protocol's inspector, in both eras."""
    for era in ("legacy", "modern"):
        for style, spell in (("dotted", str), ("underscore", underscored)):
            listed, exit_code = _inspect(root, era, "--method", "tools/list", "--strict", serve=("--tool-names", style))
            names = [tool["name"] for tool in listed.get("tools", [])]
            yield Check(
                f"{era}: {style} names, strict", (names, exit_code), ([spell(tool.tool) for tool in tools()], 0)
            )
        for family in FAMILIES:
            listed, exit_code = _inspect(root, era, "--method", "tools/list", "--strict", serve=("--only", family))
            names = [tool["name"] for tool in listed.get("tools", [])]
            yield Check(f"{era}: only {family}", (names, exit_code), ([tool.tool for tool in tools((family,))], 0))
        for tool, arguments in CALLS:
            expected = _context("call", tool, json.dumps(arguments), "--cache-root", str(root))
            is_error = "error" in json.loads(expected)
            result, exit_code = _inspect(
                *(root, era, "--method", "tools/call", "--tool-name", tool),
                *("--tool-args-json", json.dumps(arguments)),
            )
            found = (result.get("content"), result.get("isError"), exit_code)
            block = {"type": "text", "text": expected}
            name = f"{era}: {tool} {json.dumps(arguments, ensure_ascii=False)}"
            yield Check(name, found, ([block], is_error, 5 if is_error else 0))
        load = ("--load", "--load-requests", "500", "--load-concurrency", "50")
        result, exit_code = _inspect(
            *(root, era, "--method", "tools/call", "--tool-name", "context.list_caches"), *load
        )
        yield Check(f"{era}: 500 calls, 50 at once", (result.get("ok"), result.get("errors"), exit_code), (500, 0, 0))


# The scenarios of the suite that a server without the suite's own tools can pass, with the capability each needs.
SCENARIOS = (
    ("server-initialize", "2025-11-25", ""),
    ("ping", "2025-11-25", ""),
    ("tools-list", "2025-11-25", "tools"),
    ("tools-list", "2026-07-28", "tools"),
    ("resources-list", "2025-11-25", "resources"),
    ("resources-list", "2026-07-28", "resources"),
    ("prompts-list", "2025-11-25", "prompts"),
    ("prompts-list", "2026-07-28", "prompts"),
    ("server-stateless", "2026-07-28", ""),
    ("caching", "2026-07-28", ""),
    ("input-required-result-unsupported-methods", "2026-07-28", ""),
)
# Checks within those that do not speak of this server, by how their names start: of a capability it lacks, or of HTTP.
OF_CAPABILITY = {"sep-2549-prompts-": "prompts", "sep-2549-resources-": "resources"}
OF_HTTP = ("sep-2575-http-server-header-mismatch-400",)


def conformance_suite(root: Path) -> Iterator[Check]:
    """The protocol's own conformance suite, which speaks HTTP, through a bridge."""
    with Bridge((CONTEXT, "serve", "--cache-root", str(root))) as bridge:
        capabilities = bridge.open()["capabilities"]
        for scenario, revision, needed in SCENARIOS:
            if needed and needed not in capabilities:
                continue
            with tempfile.TemporaryDirectory() as output:
                words = ("--url", bridge.url, "--scenario", scenario, "--spec-version", revision, "-o", output)
                command = ["conformance", "server", *words]
                subprocess.run(command, capture_output=True, cwd=output, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
                reports = [json.loads(file.read_bytes()) for file in Path(output).rglob("checks.json")]
            yield Check(f"{revision}: {scenario} ran", len(reports), 1)
            for check in (check for report in reports for check in report if _speaks_of_us(check, capabilities)):
                found = (check["status"], check.get("errorMessage", ""))
                yield Check(f"{revision}: {scenario}: {check['id']}", found, ("SUCCESS", ""))


def _speaks_of_us(check: dict[str, Any], capabilities: dict[str, Any]) -> bool:
    lacking = any(check["id"].startswith(name) and of not in capabilities for name, of in OF_CAPABILITY.items())
    # The suite says so itself where a check needs a tool that only a server made for the suite would have.
    untestable = check["status"] == "SKIPPED" or check.get("errorMessage", "").startswith("Not testable")
    return not lacking and not untestable and check["id"] not in OF_HTTP


SUITES = (inspector, conformance_suite)


def _inspect(root: Path, era: str, *words: str, serve: tuple[str, ...] = ()) -> tuple[dict[str, Any], int]:
    """One run of the inspector against a server of its own; the result it printed, and its exit code."""
    server = (CONTEXT, "serve", "--cache-root", str(root), *serve)
    done = subprocess.run(
        ["mcp-inspector", "--cli", "--format", "json", "--protocol-era", era, *words, "--", *server],
        capture_output=True,
        cwd=root,
        stdin=subprocess.DEVNULL,
        timeout=TIMEOUT,
    )
    try:
        result: dict[str, Any] = json.loads(done.stdout)["result"]
    except (ValueError, KeyError):
        result = {}
        print((done.stdout + done.stderr).decode(errors="replace"), file=sys.stderr)
    return result, done.returncode


def _context(*words: str) -> str:
    done = subprocess.run([CONTEXT, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
    return done.stdout.decode()


def _lay_out(root: Path) -> None:
    """A cache, and a broken one beside it."""
    sources = root / "sources"
    for name, text in DOCUMENTS.items():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_bytes(text.encode())
    for name in ("docs", "broken"):
        build_cache(sources, root / "caches" / name)
    (root / "caches" / "broken" / "manifest.json").write_bytes(b"{")


def main() -> int:
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "caches").mkdir()
        _lay_out(root)
        for suite in SUITES:
            for check in suite(root / "caches"):
                if check.found == check.expected:
                    passed += 1
                    print(f"ok      {check.name}")
                else:
                    failed += 1
                    print(f"FAILED  {check.name}\n  found    {check.found}\n  expected {check.expected}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    os.environ.pop("CONTEXT_CACHE_ROOT", None)
    sys.exit(main())
