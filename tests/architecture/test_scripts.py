"""Scripts and benchmarks, which no checker of types reads, name only what there is."""

from __future__ import annotations

import inspect
import re
import subprocess
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "scripts").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")])
# In the code itself, and in code that is handed to another process as text.
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


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_whatever_a_script_imports_is_there(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    wanted = [(module, name.split()[0]) for module, names in FROM.findall(text) for name in split(names)]
    missing = [f"{module}: {name}" for module, name in wanted if not exists(module, name)]
    assert missing + [module for module in WHOLE.findall(text) if not is_module(module)] == []


def split(names: str) -> list[str]:
    return [name for part in names.strip("()\n ").split(",") if (name := part.strip())]


def test_every_shell_script_is_sound() -> None:
    scripts = [file for file in (ROOT / "scripts").rglob("*") if file.is_file() and is_shell(file)]
    assert scripts
    said = {file.name: subprocess.run(["bash", "-n", file], capture_output=True).stderr for file in scripts}
    assert {name: error for name, error in said.items() if error} == {}


def is_shell(file: Path) -> bool:
    return file.read_bytes().startswith(b"#!/usr/bin/env bash\n")
