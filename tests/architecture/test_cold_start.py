"""What a cold process loads before it answers: of five commands little, and of the server nothing from outside.

Ceilings are measured (`python -m benchmarks.startup`, docs/decisions/0006-cold-start.md); the list of modules is what
keeps under them. The processes here run without `site`, so that nothing a virtual environment or an editable install
loads for itself can hide what this package loads.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import build_cache
from support.wire import OPENING, Wire, as_line, call, modern

CITATION = "other.md#L1-L1@0123456789ab"
HEAVY = {
    *("argparse", "asyncio", "collections", "contextlib", "dataclasses", "enum", "functools", "inspect", "json"),
    *("logging", "pathlib", "queue", "re", "signal", "subprocess", "threading", "traceback", "typing"),
}
# Runs the `context` command as its script does, and tells on stderr what it had loaded by the time it ended.
LOADED = """
import sys
before = set(sys.modules)
sys.path[:] = {path!r}
from holdfast.cli import main
import os
code = main(sys.argv[1:], os.environ)
sys.stderr.write("\\n".join(sorted(set(sys.modules) - before)))
sys.exit(code)
"""


def loaded(*words: str, stdin: bytes = b"") -> tuple[set[str], bytes]:
    """The modules one `context` command loads that a bare interpreter does not, and what it wrote to stdout."""
    command = [sys.executable, "-I", "-S", "-c", LOADED.format(path=sys.path), *words]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=True)
    return set(done.stderr.decode().split()), done.stdout


def heavy(modules: set[str]) -> set[str]:
    return {module for module in modules if module.split(".")[0] in HEAVY}


def foreign(modules: set[str]) -> set[str]:
    """Modules of neither this package nor the standard library."""
    return {module for module in modules if module.split(".")[0] not in {"holdfast", *sys.stdlib_module_names}}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_text("alpha beta\n", encoding="utf-8")
    build_cache(tmp_path / "sources", tmp_path / "docs")
    return tmp_path / "docs"


@pytest.mark.parametrize(
    "lines",
    [
        OPENING,
        (modern(1, "server/discover"), modern(2, "tools/list")),
        (call(1, "context.list_caches", {}, era="modern"),),
    ],
    ids=["legacy opening", "modern discovery and list", "first call"],
)
def test_the_server_answers_first_and_loads_the_standard_library_alone_for_it(
    tmp_path: Path, lines: tuple[dict[str, object], ...]
) -> None:
    modules, _ = loaded("serve", "--cache-root", str(tmp_path), stdin=b"".join(as_line(line) for line in lines))
    assert foreign(modules) == set()
    assert "holdfast.mcp.stdio" in modules
    # Whoever is not watched pays nothing for it.
    assert not modules & {
        "holdfast.telemetry.watched_server",
        "holdfast.telemetry.metrics",
        "holdfast.telemetry.trace_command",
        "contextvars",
    }


def test_a_server_that_resolved_has_loaded_the_standard_library_alone(cache: Path) -> None:
    asked = call(1, "context.resolve", {"cache": "docs", "query": "alpha", "budget": 10}, era="modern")
    modules, _ = loaded("serve", "--cache-root", str(cache.parent), stdin=as_line(asked))
    assert foreign(modules) == set()


def test_the_version_loads_nothing_heavy() -> None:
    modules, _ = loaded("--version")
    assert (heavy(modules), foreign(modules)) == (set(), set())


@pytest.mark.parametrize(
    "words",
    [
        ("resolve", "--query", "alpha", "--budget", "10"),
        ("search", "--query", "alpha beta", "--format", "json"),
        ("search", "--query", "alpha beta", "--format", "json", "--explain", "--under", "a*", "--known", CITATION),
    ],
)
def test_a_command_on_a_cache_loads_nothing_heavy(cache: Path, words: tuple[str, ...]) -> None:
    modules, stdout = loaded(*words, "--cache", str(cache))
    assert (heavy(modules), foreign(modules)) == (set(), set())
    assert json.loads(stdout)


def test_a_search_that_is_told_in_text_loads_nothing_heavy(cache: Path) -> None:
    modules, stdout = loaded("search", "--query", "alpha beta", "--cache", str(cache))
    assert (heavy(modules), foreign(modules)) == (set(), set())
    assert b"] a.md#L1-L1@" in stdout


def test_the_gate_loads_nothing_that_only_other_commands_need(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("A = 1\n", encoding="utf-8")
    modules, _ = loaded("status", "--check", "--path", str(tmp_path))
    assert "holdfast.contexts.answers.inquiry" in modules
    assert not modules & {"shutil", "tempfile", "subprocess", "holdfast.contexts.on_disk.staged_copy"}


def test_the_check_itself_sees_what_is_loaded(cache: Path) -> None:
    modules, _ = loaded("resolve", "--cache", str(cache), "--query", "x", "--budget", "1")
    assert {"holdfast.cli", "holdfast.operation", "holdfast.caches.selection"} <= modules
    assert heavy({"asyncio.events", "json.decoder", "_json", "re", "holdfast.cli"}) == {
        "asyncio.events",
        "json.decoder",
        "re",
    }
    assert foreign({"rich.table", "holdfast.cli", "os"}) == {"rich.table"}


def test_the_instructions_fit_what_every_client_shows(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        instructions = wire.ask(OPENING[0])["result"]["instructions"]
    assert 0 < len(instructions.encode()) <= 2_048
