"""Projects to run the real command in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.doors import run_context

BODY = "\n\ndef go(a: int) -> int:\n    return a\n" * 450  # above the threshold below which a directory is skipped
STORE = "class Store:\n    def get(self): ...\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project of four directories in two languages."""
    root = tmp_path / "project"
    files = {
        "README.md": "# Shop\n\nSells things to people. Quickly.\n",
        "pyproject.toml": '[project]\nname = "shop"\ndescription = "Sells things."\n',
        ".gitignore": "*.log\n/dist/\n",
        "src/py.typed": "",
        "src/shop/__init__.py": '"""The shop itself."""\n\nfrom shop.db.store import Store\n' + BODY,
        "src/shop/db/store.py": f'"""Where orders are kept."""\n\nimport numpy\n\n\n{STORE}{BODY}',
        "src/shop/db/notes.log": "ignored\n",
        "web/index.ts": "export function render(a: string): string { return a; }\n" + "const filler = 1;\n" * 1000,
        "web/logo.png": "not really\n",
        "tiny/a.py": "x = 1\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def context(project: Path) -> Callable[..., Any]:
    """Run a command in the project; its answer as a value. The exit code must be the expected one."""

    def run(*words: str, exit_code: int = 0, cwd: Path = project, env: dict[str, str] | None = None) -> Any:
        done = run_context(*words, cwd=cwd, env=env)
        assert done.returncode == exit_code, (done.stdout, done.stderr)
        return json.loads(done.stdout) if done.stdout else done.stderr.decode()

    return run
