"""What an extra installs is loaded by its own modules alone; without it the rest works or names what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

# extra -> the packages that it installs, and the modules that cannot be loaded without them; the SDK behind
# `http.application` installs `cryptography` itself
EXTRAS: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "analysis": (("tree_sitter_go", "tree_sitter_javascript", "tree_sitter_rust", "tree_sitter_typescript"), set()),
    "http": (
        ("anyio", "httptools", "mcp", "pydantic", "starlette", "uvicorn"),
        {f"http.{name}" for name in ("application", "calls", "connections", "processes")} | {"telemetry.metrics_page"},
    ),
    "registry": (("cryptography",), {"http.application"}),
    "telemetry": (("opentelemetry.exporter", "opentelemetry.sdk"), {"telemetry.traces"}),
    "tokens": (("splintr", "rs_bpe"), set()),
}
WITHOUT = """
import sys
from importlib.machinery import PathFinder
PACKAGES = sys.argv.pop(1).split(",")
class Poorer(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if not any(name == package or name.startswith(package + ".") for package in PACKAGES):
            return super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = Poorer
"""
UNLOADED = """
import json, pkgutil
from importlib import import_module
import holdfast
found = []
for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
    try:
        if "__main__" not in module.name:
            import_module(module.name)
    except ImportError:
        found.append(module.name.removeprefix("holdfast."))
print(json.dumps(found))
"""
COMMAND = """
import os
from holdfast.cli import main
sys.exit(main(sys.argv[1:], os.environ))
"""


def run(folder: Path, extras: Iterable[str], program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """What a program prints where some extras are not installed."""
    packages = ",".join(package for extra in extras for package in EXTRAS[extra][0])
    command = [sys.executable, "-c", WITHOUT + program, packages, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize("extra", EXTRAS)
def test_only_the_modules_of_an_extra_need_it(tmp_path: Path, extra: str) -> None:
    done = run(tmp_path, [extra], UNLOADED)
    assert (done.stderr, set(json.loads(done.stdout))) == ("", EXTRAS[extra][1])


def test_a_project_is_set_up_checked_and_asked_without_any_extra(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text("# Guide\n\nPress Promote to roll back.\n", encoding="utf-8")
    (tmp_path / "main.go").write_text("package main\n\nfunc Run() {}\n", encoding="utf-8")
    for words in (("add", "docs"), ("sync",), ("init",), ("status", "--check"), ("map",), ("doctor",)):
        done = run(tmp_path, EXTRAS, COMMAND, *words)
        assert done.returncode in (0, 8), (words, done.stderr)
    assert "roll back" in run(tmp_path, EXTRAS, COMMAND, "search", "promote").stdout


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("http", ("serve", "--http", "127.0.0.1:0")),
        ("telemetry", ("serve", "--otlp", "http://127.0.0.1:9/v1/traces")),
        ("registry", ("sign", "--new-key", "key")),
        ("tokens", ("build", "cache", "docs", "--tokenizer", "o200k_base")),
    ],
)
def test_a_command_that_needs_an_extra_names_it(tmp_path: Path, extra: str, words: tuple[str, ...]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    done = run(tmp_path, [extra], COMMAND, *words)
    assert (done.returncode, f"holdfast-context[{extra}]" in done.stderr) == (1, True), done.stderr
