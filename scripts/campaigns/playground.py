"""The project a campaign plays in: caches, one of them broken, specs, contexts; and calls of every tool."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from holdfast import build_cache
from holdfast.catalog import find_tool, tools
from holdfast.contexts.fingerprint import ContentEntry, content_fingerprint
from holdfast.operation import answer
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = {
    "sign-in.md": "# Sign in\n\nSend a token with every request. A token lasts an hour.\n",
    "limits.md": "# Limits\n\nAt most 100 requests a minute; the answer says when to try again.\n",
    "Länder/größe.md": "# Größe\n\nZahlen ohne Einheit sind Millimeter. 日本語 😀\n",
}
SPECS = {
    "steering/product.md": "# Product\n\nA gate with a token.\n",
    "steering/principles.md": "# Principles\n\nTell the truth.\n",
    "steering/tech.md": "# Tech\n\n- Python\n- größe 😀\n",
    "specs/sign-in/requirements.md": "# Requirements\n\nA person signs in.\n",
    "specs/sign-in/design.md": "# Design\n\nTokens last an hour.\n",
    "specs/sign-in/tasks.md": "# Tasks\n\n- [x] 1. Issue tokens\n- [-] 2. Check them\n  - größe\n- [ ] 3. Ende\n",
    "specs/empty/requirements.md": "",
}
CODE = "def check(token): ...\n"
# Fresh as long as the folder holds that code and nothing else.
CONTEXT = """\
version: 1
scope: code
fingerprint: {fingerprint}
last_updated: "2026-01-02T03:04:05Z"
summary: The gate, größe 😀.
maintenance: Keep it short.
decisions:
  - what: Tokens last an hour
    why: no one waits longer
"""
# Each tool with a success and the failures a client meets. Those of families that are not there are left out.
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("context.resolve", {"cache": "docs", "query": "how long does a token last", "budget": 4000}),
    ("context.resolve", {"cache": "docs", "query": "größe 日本語 😀", "budget": 10}),
    ("context.resolve", {"cache": "docs", "query": "", "budget": 9007199254740991}),
    ("context.resolve", {"cache": "docs", "query": "token", "budget": -1}),
    ("context.resolve", {"cache": "docs", "query": 7, "budget": 1}),
    ("context.resolve", {"cache": "../docs", "query": "token", "budget": 10}),
    ("context.resolve", {"cache": "broken", "query": "token", "budget": 10}),
    ("context.search", {"cache": "docs", "query": "how long does a token last", "budget": 400}),
    ("context.search", {"cache": "docs", "query": "how long does a token last", "format": "json", "explain": True}),
    ("context.search", {"cache": "docs", "query": "token", "format": "outline", "under": "*.md", "limit": 1}),
    ("context.search", {"cache": "docs", "query": "token", "known": ["gone.md#L1-L2@0123456789ab"]}),
    ("context.search", {"cache": "docs", "query": "token", "known": ["no citation"]}),
    ("context.search", {"cache": "docs", "query": "größe 😀", "budget": 0}),
    ("context.search", {"cache": "broken", "query": "token", "budget": 10}),
    ("context.list_caches", {}),
    ("context.list_caches", {"root": "nowhere"}),
    ("context.inspect_cache", {"cache": "docs"}),
    ("context.inspect_cache", {"cache": "broken"}),
    ("context.inspect_cache", {"cache": "missing"}),
    ("list_contexts", {}),
    ("list_contexts", {"under": "code", "states": ["fresh"]}),
    ("check_freshness", {"scope": "code", "path": "."}),
    ("check_freshness", {"scope": "."}),
    ("check_freshness", {"scope": "../elsewhere"}),
    ("query_context", {"scope": "code"}),
    ("query_context", {"scope": "code", "filter": ["decisions", "nothing"]}),
    ("query_context", {"scope": "nowhere"}),
    ("spec-status", {"specName": "sign-in", "projectPath": "."}),
    ("spec-status", {"specName": "nothing"}),
    ("spec-workflow-guide", {}),
    ("get-implementer-guide", {}),
    ("get-reviewer-guide", {}),
    ("get-reviewer-guide", {"mode": "compact"}),
    ("get-reviewer-guide", {"runId": "größe"}),
)
# Requests beside the calls of tools; they are answered when the server says it can.
OFFERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "context://steering/product"}),
    ("resources/read", {"uri": "context://spec/sign-in/tasks"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "implement-task", "arguments": {"spec": "sign-in", "task": "2"}}),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "implement-task"}, "argument": {"name": "spec", "value": "s"}},
    ),
)


def offered_calls() -> list[tuple[str, dict[str, Any]]]:
    """The calls of the tools that this release has."""
    names = {operation.tool for operation in tools()}
    return [call for call in CALLS if call[0] in names]


def lay_out(project: Path) -> Path:
    """Fill a folder with a small project; its cache root."""
    sources = project / "handbook"
    for name, text in DOCUMENTS.items():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_bytes(text.encode())
    for name, text in SPECS.items():
        (project / ".spec-context" / name).parent.mkdir(parents=True, exist_ok=True)
        (project / ".spec-context" / name).write_bytes(text.encode())
    (project / "code").mkdir()
    (project / "code" / "gate.py").write_bytes(CODE.encode())
    fingerprint = content_fingerprint([ContentEntry(b"gate.py", len(CODE), sha256(CODE.encode()).hexdigest())])
    (project / "code" / ".context.yaml").write_bytes(CONTEXT.format(fingerprint=fingerprint).encode())
    # Small as it is, this project shall be looked at.
    (project / ".context.config.yaml").write_text("min_tokens: 0\n")
    caches = project / ".context" / "caches"
    caches.mkdir(parents=True)
    for name in ("docs", "broken"):
        build_cache(sources, caches / name)
    (caches / "broken" / "manifest.json").write_bytes(b"{")
    return caches


def serve_options(project: Path, caches: Path) -> list[str]:
    """How a server of this project is started, after its program's name."""
    return ["serve", "--path", str(project), "--cache-root", str(caches), "--telemetry"]


def true_answers(project: Path, caches: Path) -> list[str]:
    """The text each offered call must be answered with, worked out in this process and not over the wire."""
    return [
        answer(find_tool(tool), arguments, Workspace(str(project), cache_root=str(caches), door="tool")).text
        for tool, arguments in offered_calls()
    ]
