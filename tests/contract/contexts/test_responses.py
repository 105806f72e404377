"""Every response the specification shows, field for field."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.contexts.on_disk.project import Project
from holdfast.core.file_contents import RememberedFiles
from support.doors import Door, StdioServer

HAND_MADE = """\
version: 1
last_updated: 2026-02-13T10:00:00Z
fingerprint: {fingerprint}
scope: {scope}
summary: {summary}
maintenance: Keep it current.
decisions:
  - what: Fingerprint uses content
    why: Clones stay fresh
exports: ["scan(root)", "check(value)"]
dependencies: {{internal: [src]}}
evidence: {{collected_at: 2026-02-13T10:00:00Z, test_count: 3}}
derived_fields: [version, exports]
"""
NOT_FOUND = (
    'No .context.yaml found at scope "{scope}". This scope may be below the min_tokens threshold; '
    "use list_contexts to see eligible scopes."
)


def write_context(root: Path, scope: str, *, fresh: bool = True, summary: str = "Core.") -> str:
    """A context written by hand; its fingerprint."""
    directory = root / scope
    computed = Project(RememberedFiles(), str(root)).view(scope if scope != "." else "").fingerprint()
    fingerprint = computed if fresh else "a3f8b2c1"
    text = HAND_MADE.format(fingerprint=json.dumps(fingerprint), scope=scope, summary=summary)
    (directory / ".context.yaml").write_text(text)
    return computed


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a few directories: two big enough to keep, one too small."""
    for place in ("src/core", "tests", "small"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "a.py").write_text("x = 1\n" * (4000 if place != "small" else 1))
    (tmp_path / "src" / "py.typed").write_text("")
    return tmp_path


def ask(door: Door, tool: str, **arguments: Any) -> tuple[Any, bool]:
    """The answer as a value, and whether it was an error. The encoding is compact, with one newline at the end."""
    answer = door.call(tool, arguments)
    value = json.loads(answer.text)
    assert answer.text == json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"
    assert (answer.exit_code != 0) == answer.is_error
    return value, answer.is_error


def test_a_context_is_returned_whole_in_the_declared_order(door: Door, project: Path) -> None:
    fingerprint = write_context(project, "src/core")
    value, is_error = ask(door, "query_context", scope="src/core")
    assert (list(value), list(value["context"]), is_error) == (
        ["found", "scope", "context"],
        [
            *("version", "scope", "fingerprint", "last_updated", "summary", "decisions", "dependencies"),
            *("maintenance", "exports", "derived_fields", "evidence"),
        ],
        False,
    )
    assert value == {
        "found": True,
        "scope": "src/core",
        "context": {
            "version": 1,
            "scope": "src/core",
            "fingerprint": fingerprint,
            "last_updated": "2026-02-13T10:00:00Z",
            "summary": "Core.",
            "decisions": [{"what": "Fingerprint uses content", "why": "Clones stay fresh"}],
            "dependencies": {"internal": ["src"]},
            "maintenance": "Keep it current.",
            "exports": ["scan(root)", "check(value)"],
            "derived_fields": ["version", "exports"],
            "evidence": {"collected_at": "2026-02-13T10:00:00Z", "test_count": 3},
        },
    }


def test_a_filter_gives_the_metadata_and_the_requested_fields_in_request_order_once(door: Door, project: Path) -> None:
    fingerprint = write_context(project, "src/core")
    wanted = ["exports", "summary", "nonsense", "exports", "todos"]
    value, is_error = ask(door, "query_context", scope="src/core", filter=wanted)
    assert (list(value["context"].items()), is_error) == (
        [
            ("version", 1),
            ("scope", "src/core"),
            ("fingerprint", fingerprint),
            ("last_updated", "2026-02-13T10:00:00Z"),
            ("exports", ["scan(root)", "check(value)"]),
            ("summary", "Core."),
        ],
        False,
    )


def test_an_empty_filter_is_no_filter(door: Door, project: Path) -> None:
    write_context(project, "src/core")
    assert ask(door, "query_context", scope="src/core", filter=[]) == ask(door, "query_context", scope="src/core")


@pytest.mark.parametrize("tool", ["query_context", "check_freshness"])
def test_a_missing_context_is_told_with_what_to_do(door: Door, project: Path, tool: str) -> None:
    error = NOT_FOUND.format(scope="src/unknown")
    expected = {
        "query_context": {"found": False, "scope": "src/unknown", "error": error},
        "check_freshness": {"scope": "src/unknown", "state": "missing", "error": error},
    }
    assert ask(door, tool, scope="src/unknown") == (expected[tool], True)


@pytest.mark.parametrize("scope", ["../../etc", "..", "/etc", "src/../..", "..\\..\\etc", "link"])
@pytest.mark.parametrize("tool", ["query_context", "check_freshness"])
def test_a_scope_that_leaves_the_root_is_refused_and_echoed(door: Door, project: Path, tool: str, scope: str) -> None:
    (project / "link").symlink_to("/etc")
    error = "Invalid scope: path traversal detected"
    expected: dict[str, Any] = {
        "query_context": {"found": False, "scope": scope, "error": error},
        "check_freshness": {"scope": scope, "state": "missing", "error": error},
    }
    assert ask(door, tool, scope=scope) == (expected[tool], True)


@pytest.mark.parametrize("tool", ["query_context", "check_freshness"])
def test_another_schema_version_is_told_by_its_number(door: Door, project: Path, tool: str) -> None:
    (project / ".context.yaml").write_text("version: 2\nshape: unknown\n")
    error = "Unsupported schema version 2 (this tool supports version 1). Upgrade dotcontext to read this file."
    expected = {
        "query_context": {"found": False, "scope": ".", "error": error},
        "check_freshness": {"scope": ".", "state": "missing", "error": error},
    }
    assert ask(door, tool, scope=".") == (expected[tool], True)


@pytest.mark.parametrize("text", ["version: 1\n", "a: [", "version: '1'\n", "", "- list\n", "\xff"])
@pytest.mark.parametrize("tool", ["query_context", "check_freshness"])
def test_a_corrupt_file_is_told_as_such(door: Door, project: Path, tool: str, text: str) -> None:
    (project / ".context.yaml").write_bytes(text.encode("latin-1"))
    error = 'Invalid or corrupt .context.yaml at scope "."'
    expected = {
        "query_context": {"found": False, "scope": ".", "error": error},
        "check_freshness": {"scope": ".", "state": "missing", "error": error},
    }
    assert ask(door, tool, scope=".") == (expected[tool], True)


def test_a_fresh_context_shows_the_same_fingerprint_twice(door: Door, project: Path) -> None:
    fingerprint = write_context(project, "src/core")
    expected = {
        "scope": "src/core",
        "state": "fresh",
        "fingerprint": {"stored": fingerprint, "computed": fingerprint},
        "last_updated": "2026-02-13T10:00:00Z",
    }
    assert ask(door, "check_freshness", scope="src/core") == (expected, False)


def test_a_stale_context_is_no_error(door: Door, project: Path) -> None:
    computed = write_context(project, "src/core", fresh=False)
    expected = {
        "scope": "src/core",
        "state": "stale",
        "fingerprint": {"stored": "a3f8b2c1", "computed": computed},
        "last_updated": "2026-02-13T10:00:00Z",
    }
    assert ask(door, "check_freshness", scope="src/core") == (expected, False)


def test_a_context_of_the_existing_tool_is_fresh_by_its_stat_fingerprint(door: Door, project: Path) -> None:
    os.utime(project / "tests" / "a.py", ns=(1_700_000_000_123_456_789,) * 2)
    write_context(project, "tests", fresh=False)
    file = project / "tests" / ".context.yaml"
    # sha256 of `a.py:1700000000123:24000`
    file.write_text(file.read_text().replace("a3f8b2c1", "aaaf04a9"))
    expected = {
        "scope": "tests",
        "state": "fresh",
        "fingerprint": {"stored": "aaaf04a9", "computed": "aaaf04a9"},
        "last_updated": "2026-02-13T10:00:00Z",
    }
    assert ask(door, "check_freshness", scope="tests") == (expected, False)


def test_backslashes_mean_slashes_and_the_scope_is_echoed(door: Door, project: Path) -> None:
    write_context(project, "src/core")
    value, is_error = ask(door, "query_context", scope="src\\core")
    assert (value["found"], value["scope"], is_error) == (True, "src\\core", False)


def test_the_listing_names_every_directory_that_counts_in_order_of_scope(door: Door, project: Path) -> None:
    write_context(project, ".", summary="Root.")
    write_context(project, "src/core", fresh=False)
    expected = {
        "root": str(project),
        "total_directories": 4,
        "skipped_directories": 1,
        "tracked": 2,
        "entries": [
            {
                "scope": ".",
                "state": "fresh",
                "has_context": True,
                "last_updated": "2026-02-13T10:00:00Z",
                "summary": "Root.",
            },
            {"scope": "src", "state": "missing", "has_context": False},
            {
                "scope": "src/core",
                "state": "stale",
                "has_context": True,
                "last_updated": "2026-02-13T10:00:00Z",
                "summary": "Core.",
            },
            {"scope": "tests", "state": "missing", "has_context": False},
        ],
    }
    assert ask(door, "list_contexts") == (expected, False)


def test_a_context_of_another_version_is_listed_as_missing(door: Door, project: Path) -> None:
    (project / "tests" / ".context.yaml").write_text("version: 2\n")
    (project / "src" / "core" / ".context.yaml").write_text("not: [valid")
    value, is_error = ask(door, "list_contexts")
    assert (value["tracked"], value["entries"][2:], is_error) == (
        0,
        [
            {"scope": "src/core", "state": "missing", "has_context": False},
            {"scope": "tests", "state": "missing", "has_context": False},
        ],
        False,
    )


def test_a_listing_can_be_narrowed_and_still_counts_the_whole_project(door: Door, project: Path) -> None:
    write_context(project, "src/core")
    whole, _ = ask(door, "list_contexts")
    under, _ = ask(door, "list_contexts", under="src")
    fresh, _ = ask(door, "list_contexts", states=["fresh"])
    both, _ = ask(door, "list_contexts", under="src/", states=["missing"])
    entries = {entry["scope"]: entry for entry in whole["entries"]}
    assert [under, fresh, both] == [
        {**whole, "entries": [entries["src"], entries["src/core"]]},
        {**whole, "entries": [entries["src/core"]]},
        {**whole, "entries": [entries["src"]]},
    ]


def test_a_directory_without_files_needs_no_context_and_keeps_one_that_was_written(door: Door, project: Path) -> None:
    (project / "src" / "py.typed").unlink()
    before, _ = ask(door, "list_contexts")
    write_context(project, "src")
    after, _ = ask(door, "list_contexts")
    assert [[entry["scope"] for entry in value["entries"]] for value in (before, after)] == [
        [".", "src/core", "tests"],
        [".", "src", "src/core", "tests"],
    ]


def test_a_listing_can_be_rolled_up_and_a_budget_that_is_too_small_is_told(door: Door, project: Path) -> None:
    whole, _ = ask(door, "list_contexts")
    rolled, _ = ask(door, "list_contexts", depth=1)
    small, is_error = ask(door, "list_contexts", budget=5)
    entries = {entry["scope"]: entry for entry in whole["entries"]}
    assert rolled == {
        **whole,
        "entries": [entries["."], {**entries["src"], "below": {"missing": 1}}, entries["tests"]],
        "more": "1 directories below depth 1 are counted in `below`, not listed: give `under` with a scope, or `depth` "
        "and `budget`.",
    }
    assert (small["entries"], small["error"], is_error) == (
        [],
        "a single directory does not fit: 500 tokens are needed",
        True,
    )


def test_a_project_that_cannot_be_scanned_is_told_as_such(door: Door, project: Path) -> None:
    expected = {
        "root": "/nonexistent/path",
        "total_directories": 0,
        "skipped_directories": 0,
        "tracked": 0,
        "entries": [],
        "error": 'Failed to scan project at "/nonexistent/path"',
    }
    assert ask(door, "list_contexts", path="/nonexistent/path") == (expected, True)


def test_another_project_can_be_named(door: Door, project: Path) -> None:
    write_context(project, "src/core", summary="Elsewhere.")
    (project / "src" / "core" / "inner").mkdir()
    listed, _ = ask(door, "list_contexts", path="src/core")
    found, _ = ask(door, "query_context", scope=".", path="src/core", filter=["summary"])
    assert (listed["root"], found["context"]["summary"]) == (str(project / "src" / "core"), "Elsewhere.")


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("query_context", {}, {"found": False, "scope": "", "error": "scope is required"}),
        ("query_context", {"scope": 3}, {"found": False, "scope": "", "error": "scope must be a path"}),
        ("check_freshness", {}, {"scope": "", "state": "missing", "error": "scope is required"}),
        (
            "query_context",
            {"scope": ".", "filter": "summary"},
            {"found": False, "scope": ".", "error": "filter must be a list of strings"},
        ),
        (
            "check_freshness",
            {"scope": "a\0b"},
            {"scope": "a\0b", "state": "missing", "error": "scope must be a path: it cannot hold a NUL character"},
        ),
    ],
)
def test_an_unfit_argument_is_told_in_the_shape_of_the_tool(
    door: Door, project: Path, tool: str, arguments: dict[str, Any], answer: dict[str, Any]
) -> None:
    assert ask(door, tool, **arguments) == (answer, True)


def test_what_only_the_command_line_offers_is_unknown_to_the_server(project: Path) -> None:
    with StdioServer(project) as server:
        response = server.request("tools/call", {"name": "list_contexts", "arguments": {"since": "HEAD"}})
    assert response["error"] == {"code": -32602, "message": "Unknown argument: since"}
