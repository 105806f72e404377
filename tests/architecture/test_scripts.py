"""What mypy does not see of scripts and benchmarks: code in text, and the shell."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "scripts").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")])
FROM = re.compile(r"\bfrom (holdfast(?:\.\w+)*) import (\([^)]*\)|[^\n;\"'#]+)")
WHOLE = re.compile(r"\bimport (holdfast(?:\.\w+)+)")


def exists(module: str, name: str) -> bool:
    """Whether a module has something of that name, be it a module itself or a type that only checkers see."""
    if not is_module(module):
        return False
    loaded = import_module(module)
    return (
        hasattr(loaded, name)
        or (hasattr(loaded, "__path__") and is_module(f"{module}.{name}"))
        or re.search(rf"^    {name} = ", inspect.getsource(loaded), re.MULTILINE) is not None
    )


def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # its package is not there
        return False


def test_whatever_a_script_imports_in_code_for_another_process_is_there() -> None:
    """mypy reads the scripts and the benchmarks, but not the programs that they hold as text."""
    missing = []
    for file in FILES:
        for text in texts(ast.parse(file.read_text(encoding="utf-8"))):
            wanted = [(module, name.split()[0]) for module, names in FROM.findall(text) for name in split(names)]
            missing += [f"{file.name}: {module}.{name}" for module, name in wanted if not exists(module, name)]
            missing += [f"{file.name}: {module}" for module in WHOLE.findall(text) if not is_module(module)]
    assert missing == []


def test_mypy_reads_the_scripts_and_the_benchmarks() -> None:
    checked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["files"]
    assert checked == ["src", "tests", "scripts", "benchmarks"]


def texts(tree: ast.AST) -> list[str]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [node.value for node in nodes if isinstance(node.value, str)]


def split(names: str) -> list[str]:
    return [name for part in names.strip("()\n ").split(",") if (name := part.strip())]


def test_every_shell_script_is_sound() -> None:
    scripts = [file for file in (ROOT / "scripts").rglob("*") if file.is_file() and is_shell(file)]
    assert scripts
    said = {file.name: subprocess.run(["bash", "-n", file], capture_output=True).stderr for file in scripts}
    assert {name: error for name, error in said.items() if error} == {}


def is_shell(file: Path) -> bool:
    return file.read_bytes().startswith(b"#!/usr/bin/env bash\n")
