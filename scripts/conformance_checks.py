"""Checks of the server by clients that are not ours. Run by ./scripts/conformance, which puts them on the PATH.

A suite is a function that takes a place with caches and yields checks; a further client is one more suite below.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scripts.http_bridge import Bridge

from holdfast import build_cache
from holdfast.catalog import FAMILIES, tools, underscored

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTEXT = str(Path(sys.executable).with_name("context"))
FIXTURES = str(Path(__file__).with_name("conformance_fixtures.py"))
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
    ("spec-status", {"specName": "sign-in"}),
    ("spec-status", {"specName": "missing"}),
    ("spec-workflow-guide", {}),
    ("get-implementer-guide", {}),
)


class Check(NamedTuple):
    name: str
    found: object
    expected: object


class NotApplicable(NamedTuple):
    name: str
    reason: str


def inspector(root: Path) -> Iterator[Check | NotApplicable]:
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
            expected = _context(
                "call", tool, json.dumps(arguments), "--cache-root", str(root), "--path", str(root.parent)
            )
            value = json.loads(expected)
            is_error = "error" in value or value.get("success") is False
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


ONLY_HTTP = "of HTTP, and this server speaks on standard input and output"
REVISIONS = ("2025-11-25", "2026-07-28")
# The suite's scenarios, all of them: those any server can be put through; those that look for a tool, prompt or
# resource by a name of the suite's, which a fixture server has; and those that do not speak of this server, with why.
PLAIN = (
    *("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "server-stateless", "caching"),
    *("input-required-result-unsupported-methods", "sep-2164-resource-not-found"),
)
WITH_FIXTURES = (
    *("tools-call-simple-text", "tools-call-error", "resources-read-text", "resources-templates-read"),
    *("prompts-get-simple", "prompts-get-with-args", "completion-complete"),
)
NOT_APPLICABLE = {
    "of sessions and streams, and every request here is answered by itself": (
        *("server-session-lifecycle", "server-sse-polling", "server-sse-multiple-streams"),
    ),
    "of logging to the client, which the server does not declare": ("logging-set-level", "tools-call-with-logging"),
    "of progress, which the server never tells": ("tools-call-with-progress",),
    "of subscriptions, which the server does not declare": ("resources-subscribe", "resources-unsubscribe"),
    "of content other than text, and every answer is one text": (
        *("tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content"),
        *("resources-read-binary", "prompts-get-embedded-resource", "prompts-get-with-image"),
    ),
    "of a server that asks its client something, and this one never does": (
        *("tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"),
        *(
            f"input-required-result-{name}"
            for name in (
                *("basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multi-round"),
                *("multiple-input-requests", "missing-input-response", "non-tool-request", "result-type"),
                *("tampered-state", "capability-check", "ignore-extra-params", "validate-input"),
            )
        ),
    ),
    "of a schema with references and conditions, and no tool here needs one": ("json-schema-2020-12",),
}
REASONS = {scenario: reason for reason, scenarios in NOT_APPLICABLE.items() for scenario in scenarios}
# Scenarios, and a check within another one, that are of HTTP alone.
OF_HTTP = (
    *("dns-rebinding-protection", "http-header-validation", "http-custom-header-server-validation"),
    "sep-2575-http-server-header-mismatch-400",
)


def conformance_suite(root: Path) -> Iterator[Check | NotApplicable]:
    """The protocol's own conformance suite, which speaks HTTP, through a bridge to standard input and output."""
    words = ("serve", "--cache-root", str(root), "--path", str(root.parent))
    with Bridge((CONTEXT, *words)) as plain, Bridge((sys.executable, FIXTURES, *words)) as fixtures:
        yield from _run_scenarios(plain.url, fixtures.url, over_http=False)


def conformance_suite_over_http(root: Path) -> Iterator[Check | NotApplicable]:
    """The same suite against `context serve --http`, with nothing between."""
    words = ("serve", "--http", "127.0.0.1:0", "--cache-root", str(root), "--path", str(root.parent))
    with _listening(CONTEXT, *words) as plain, _listening(sys.executable, FIXTURES, *words) as fixtures:
        yield from _run_scenarios(plain, fixtures, over_http=True)


@contextmanager
def _listening(*command: str) -> Iterator[str]:
    """The address of a server while the `with` block lasts."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        assert process.stderr is not None
        yield process.stderr.readline().removeprefix("listening on ").strip()
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT)


def _run_scenarios(plain: str, fixtures: str, *, over_http: bool) -> Iterator[Check | NotApplicable]:
    for revision in REVISIONS:
        for scenario in _scenarios(revision):
            name = f"{revision}: {scenario}"
            if scenario in REASONS:
                yield NotApplicable(name, REASONS[scenario])
            elif scenario in OF_HTTP and not over_http:
                yield NotApplicable(name, ONLY_HTTP)
            else:
                yield Check(f"{name}: is a scenario we know", scenario in PLAIN + WITH_FIXTURES + OF_HTTP, True)
                url = fixtures if scenario in WITH_FIXTURES else plain
                yield from _run_scenario(url, revision, scenario, over_http=over_http)


def _scenarios(revision: str) -> list[str]:
    """The names of every scenario the suite has for servers of a revision."""
    command = ["conformance", "list", "--server", "--spec-version", revision]
    listed = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT).stdout
    return [line.split()[1] for line in listed.splitlines() if line.startswith("  - ")]


def _run_scenario(url: str, revision: str, scenario: str, *, over_http: bool) -> Iterator[Check | NotApplicable]:
    with tempfile.TemporaryDirectory() as output:
        words = ("--url", url, "--scenario", scenario, "--spec-version", revision, "-o", output)
        command = ["conformance", "server", *words]
        subprocess.run(command, capture_output=True, cwd=output, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        reports = [json.loads(file.read_bytes()) for file in Path(output).rglob("checks.json")]
    yield Check(f"{revision}: {scenario} ran", len(reports), 1)
    for check in (check for report in reports for check in report):
        name, told = f"{revision}: {scenario}: {check['id']}", check.get("errorMessage", "")
        if check["id"] in OF_HTTP and not over_http:
            yield NotApplicable(name, ONLY_HTTP)
        elif check["status"] in ("SKIPPED", "INFO") or told.startswith("Not testable"):
            # The suite says so itself where a check needs a tool that only a server made for the suite would have, and
            # gives no verdict (INFO) on what a server may leave out, such as sessions.
            yield NotApplicable(name, told or "the suite gives no verdict")
        else:
            yield Check(name, (check["status"], told), ("SUCCESS", ""))


SUITES = (inspector, conformance_suite, conformance_suite_over_http)


def _inspect(root: Path, era: str, *words: str, serve: tuple[str, ...] = ()) -> tuple[dict[str, Any], int]:
    """One run of the inspector against a server of its own; the result it printed, and its exit code."""
    server = (CONTEXT, "serve", "--cache-root", str(root), "--path", str(root.parent), *serve)
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
    """A cache, a broken one beside it, and a spec."""
    spec = root / ".spec-context" / "specs" / "sign-in"
    spec.mkdir(parents=True)
    (spec / "requirements.md").write_text("# Requirements\n\nA person signs in with a token.\n")
    sources = root / "sources"
    for name, text in DOCUMENTS.items():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_bytes(text.encode())
    for name in ("docs", "broken"):
        build_cache(sources, root / "caches" / name)
    (root / "caches" / "broken" / "manifest.json").write_bytes(b"{")


def main() -> int:
    passed = failed = not_applicable = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "caches").mkdir()
        _lay_out(root)
        for suite in SUITES:
            print(f"== {suite.__doc__}")
            for check in suite(root / "caches"):
                if isinstance(check, NotApplicable):
                    not_applicable += 1
                    print(f"n/a     {check.name}: {check.reason}")
                elif check.found == check.expected:
                    passed += 1
                    print(f"ok      {check.name}")
                else:
                    failed += 1
                    print(f"FAILED  {check.name}\n  found    {check.found}\n  expected {check.expected}")
    print(f"{passed} passed, {failed} failed, {not_applicable} not applicable")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    os.environ.pop("CONTEXT_CACHE_ROOT", None)
    sys.exit(main())
