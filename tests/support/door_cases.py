"""One call for each tool, each kind of answer and each format, on one project: what every door must answer alike."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast import build_cache
from holdfast.catalog import tools
from support.doors import Answer, Library
from support.specs import SpecProject

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.operation import Operation

WHOLE_CONTEXT = """\
version: 1
last_updated: 2026-02-13T10:00:00Z
fingerprint: a3f8b2c1
scope: src
summary: Core.
maintenance: Keep it current.
"""
RESOLVE = {"cache": "docs", "query": "deploy", "budget": 100}
SEARCH = {"cache": "docs", "query": "how to deploy"}
STALE = "deploy.md#L1-L3@000000000000"


class Kind(NamedTuple):
    """What tells answers apart: the tool, the error's code or else the exit code, the format that was asked for."""

    tool: str
    code: str | int
    format: str | None


def kind(tool: str, arguments: dict[str, Any], answer: Answer) -> Kind:
    """The kind of an answer that came through the library."""
    try:
        error = json.loads(answer.text).get("error")
    except (ValueError, AttributeError):  # text, or a list
        error = None
    code = error["code"] if isinstance(error, dict) else answer.exit_code
    return Kind(tool, code, arguments.get("format"))


CASES: dict[Kind, dict[str, Any]] = {
    Kind("context.resolve", 0, None): RESOLVE,
    Kind("context.resolve", "invalid_query", None): {},
    Kind("context.resolve", "invalid_budget", None): {**RESOLVE, "budget": -1},
    Kind("context.resolve", "cache_missing", None): {**RESOLVE, "cache": "../docs"},
    Kind("context.resolve", "cache_invalid", None): {**RESOLVE, "cache": "broken"},
    Kind("context.list_caches", 0, None): {},
    Kind("context.list_caches", "cache_missing", None): {"root": "none"},
    Kind("context.inspect_cache", 0, None): {"cache": "docs"},
    Kind("context.inspect_cache", 5, None): {"cache": "broken"},
    Kind("context.inspect_cache", "cache_missing", None): {"cache": "none"},
    Kind("context.search", 0, None): SEARCH,
    Kind("context.search", 0, "text"): {**SEARCH, "format": "text"},
    Kind("context.search", 0, "json"): {**SEARCH, "format": "json"},
    Kind("context.search", 0, "outline"): {**SEARCH, "format": "outline"},
    Kind("context.search", "invalid_query", None): {"query": 1},
    Kind("context.search", "invalid_budget", None): {**SEARCH, "budget": -1},
    Kind("context.search", "invalid_citation", None): {**SEARCH, "known": ["no citation"]},
    Kind("context.search", "cache_missing", None): {**SEARCH, "cache": "none"},
    Kind("context.search", "cache_invalid", None): {**SEARCH, "cache": "broken"},
    Kind("context.read", 0, None): {"cache": "docs", "id": "deploy.md"},
    Kind("context.read", 0, "text"): {"cache": "docs", "id": "deploy.md", "format": "text"},
    Kind("context.read", 0, "json"): {"cache": "docs", "id": "deploy.md", "format": "json"},
    Kind("context.read", 9, None): {"cache": "docs", "citation": STALE},
    Kind("context.read", 9, "json"): {"cache": "docs", "places": [STALE, "deploy.md#L1"], "format": "json"},
    Kind("context.read", "citation_stale", "json"): {"cache": "docs", "citation": STALE, "format": "json"},
    Kind("context.read", "invalid_budget", None): {"cache": "docs", "id": "deploy.md", "budget": -1},
    Kind("context.read", "invalid_citation", None): {"cache": "docs", "citation": "no citation"},
    Kind("context.read", "usage", "pretty"): {"cache": "docs", "id": "deploy.md", "format": "pretty"},
    Kind("context.read", "cache_missing", None): {"cache": "none", "id": "deploy.md"},
    Kind("context.read", "cache_invalid", None): {"cache": "broken", "id": "deploy.md"},
    Kind("list_contexts", 0, None): {},
    Kind("list_contexts", 6, None): {"path": "/nonexistent/path"},
    Kind("list_contexts", 3, None): {"budget": 1},
    Kind("check_freshness", 0, None): {"scope": "src"},
    Kind("check_freshness", 1, None): {},
    Kind("check_freshness", 2, None): {"scope": "../src"},
    Kind("check_freshness", 4, None): {"scope": "none"},
    Kind("check_freshness", 5, None): {"scope": "corrupt"},
    Kind("query_context", 0, None): {"scope": "src"},
    Kind("query_context", 1, None): {"scope": 1},
    Kind("query_context", 2, None): {"scope": "../src"},
    Kind("query_context", 4, None): {"scope": "none"},
    Kind("query_context", 5, None): {"scope": "newer"},
    Kind("context.symbol", 0, None): {"name": "Store.get"},
    Kind("context.symbol", 0, "json"): {"name": "Store", "format": "json"},
    Kind("context.symbol", "invalid_budget", None): {"name": "Store", "budget": -1},
    Kind("context.symbol", "usage", None): {},
    Kind("project_impact", 0, None): {"paths": ["src"]},
    Kind("project_impact", 0, "json"): {"paths": ["src/code.py"], "format": "json"},
    Kind("project_impact", "invalid_budget", None): {"paths": ["src"], "budget": -1},
    Kind("project_impact", "usage", None): {"paths": ["none"]},
    Kind("project_map", 0, None): {},
    Kind("project_map", 0, "json"): {"format": "json"},
    Kind("project_map", "invalid_budget", None): {"budget": -1},
    Kind("project_map", "usage", None): {"scopes": 1},
    Kind("project_map", "usage", "yaml"): {"format": "yaml"},
    Kind("list-specs", 0, None): {},
    Kind("list-specs", 1, None): {"projectPath": "/nonexistent/path"},
    Kind("spec-status", 0, None): {"specName": "demo"},
    Kind("spec-status", 1, None): {"specName": "../demo"},
    Kind("spec-workflow-guide", 0, None): {},
    Kind("spec-workflow-guide", 1, None): {},
    Kind("get-implementer-guide", 0, None): {},
    Kind("get-implementer-guide", 1, None): {"mode": "compact"},
    Kind("get-reviewer-guide", 0, None): {},
    Kind("get-reviewer-guide", 1, None): {},
}


def declared_cases(operation: Operation) -> dict[Kind, dict[str, Any]]:
    """A case that succeeds and one that fails, of a tool that needs nothing but a cache, a scope or a spec."""
    needed = [parameter for parameter in operation.offered("tool") if parameter.required]
    good = {parameter.name: _NEEDED[parameter.name] for parameter in needed if parameter.name in _NEEDED}
    first = next(iter(needed or operation.offered("tool")))
    return {
        Kind(operation.tool, 0, None): good,
        Kind(operation.tool, first.error.code, None): {**good, first.name: ["of no kind that a tool takes"]},
    }


_NEEDED = {"cache": "docs", "scope": "src", "specName": "demo", "query": "deploy", "budget": 1000}
for _operation in tools():
    if all(_each.tool != _operation.tool for _each in CASES):
        CASES.update(declared_cases(_operation))
# These fail by the settings of the project alone.
SETTINGS = {
    Kind("spec-workflow-guide", 1, None): '{"discipline":"strict"}',
    Kind("get-reviewer-guide", 1, None): '{"discipline":"minimal"}',
}


class SampledLibrary(Library):
    """The library, for a test of which each kind of answer is compared with the other doors' elsewhere."""

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        answer = super().call(tool, arguments)
        assert kind(tool, arguments, answer) in CASES, "a new kind of answer: add a case to tests/support/door_cases.py"
        return answer


def lay_out_project(root: Path) -> Path:
    """What the cases are asked of: two caches, one of them broken, directory contexts, specs and steering documents."""
    (root / "pages").mkdir()
    (root / "pages" / "deploy.md").write_text("# Deploy\n\nTo deploy, push.\n", "utf-8")
    (root / "pages" / "more.md").write_text("# Größer\n\nMehr davon: “deploy”.\n", "utf-8")
    for name in ("docs", "broken"):
        build_cache(root / "pages", root / name, created_at="2026-01-02T03:04:05Z")
    manifest = root / "broken" / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:40])
    contexts = {"src": WHOLE_CONTEXT, "corrupt": "{", "newer": "version: 2\n"}
    for scope, text in contexts.items():
        (root / scope).mkdir()
        (root / scope / "code.py").write_text('"""Does what it does."""\n' + "value = 1\n" * 3000, "utf-8")
        (root / scope / ".context.yaml").write_text(text, "utf-8")
    specs = SpecProject(root)
    specs.spec("demo")
    specs.steering()
    return root
