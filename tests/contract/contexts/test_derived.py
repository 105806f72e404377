"""Derived fields and the map: computed from the files as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.doors import Door, run_context

LEAN = """\
version: 1
last_updated: 2026-02-13T10:00:00Z
fingerprint: "00000000"
scope: {scope}
summary: What a person wrote.
maintenance: Keep it.
"""
FILES = {
    "pyproject.toml": '[project]\nname = "shop"\ndescription = "Sells."\n[project.scripts]\nshop = "shop.cli:run"\n'
    "[tool.pytest.ini_options]\n[tool.ruff]\n",
    "Makefile": "build: x\n\techo\ntest-all:\n\techo\nVAR := 1\n",
    ".github/workflows/ci.yml": "jobs:\n a:\n  steps:\n   - run: |\n      pip install x\n      pytest -q\n",
    "src/shop/__init__.py": '"""The shop."""\n\nfrom .db.store import Store as Store\n',
    "src/shop/cli.py": '"""Starts it."""\nfrom shop.db.store import Store\ndef run() -> int:\n    """Run it."""\n'
    'if __name__ == "__main__":\n    run()\n',
    "src/shop/db/store.py": "import numpy\n\n\nclass Store:\n    def get(self): ...\n",
    "src/shop/db/test_store.py": "def test_get(): ...\n",
    "tests/test_cli.py": "from shop.db.store import Store\nimport shop.cli\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for scope in (".", "src/shop", "src/shop/db"):
        (tmp_path / scope / ".context.yaml").write_text(LEAN.format(scope=scope))
    return tmp_path


def fields(door: Door, scope: str, *names: str) -> dict[str, Any]:
    answer = door.call("query_context", {"scope": scope, "filter": list(names)})
    assert not answer.is_error
    context: dict[str, Any] = json.loads(answer.text)["context"]
    return {name: context[name] for name in context if name not in ("version", "scope", "fingerprint", "last_updated")}


def test_a_derived_field_that_is_asked_for_is_computed_in_the_order_asked(project: Path, door: Door) -> None:
    found = fields(door, "src/shop/db", "tests", "exports", "summary", "dependents", "dependencies", "nonsense")
    assert list(found.items()) == [
        ("tests", ["src/shop/db/test_store.py", "tests/test_cli.py"]),
        ("exports", ["store.py: class Store: get()"]),
        ("summary", "What a person wrote."),
        ("dependents", ["src/shop", "tests"]),
        ("dependencies", {"internal": [], "external": ["numpy"]}),
    ]


def test_files_interfaces_and_entry_points_of_a_directory(project: Path, door: Door) -> None:
    assert fields(door, "src/shop", "files", "interfaces", "entry_points", "dependencies") == {
        "files": [{"name": "__init__.py", "purpose": "The shop."}, {"name": "cli.py", "purpose": "Starts it."}],
        "interfaces": [{"name": "cli.py: run() -> int", "description": "Run it."}],
        "entry_points": ["src/shop/cli.py"],
        "dependencies": {"internal": ["src/shop/db"], "external": []},
    }


def test_the_root_tells_its_commands_and_its_structure(project: Path, door: Door) -> None:
    (project / ".context.config.yaml").write_text("min_tokens: 0\n")
    found = fields(door, ".", "commands", "structure", "project", "entry_points")
    assert found["commands"] == {
        "build": ["make build  # Makefile:1"],
        "test": ["make test-all  # Makefile:3", "pytest  # pyproject.toml:6"],
        "lint": ["ruff check .  # pyproject.toml:7"],
        "run": ["shop  # pyproject.toml:5"],
        "ci": ["pytest -q  # .github/workflows/ci.yml:6"],
    }
    assert found["entry_points"] == ["shop = shop.cli:run (pyproject.toml)"]
    assert found["project"]["name"] == "shop"
    assert [part["path"] for part in found["structure"]] == ["src", "tests"]


def test_a_directory_without_a_context_answers_for_what_is_computed_and_for_nothing_else(
    project: Path, door: Door
) -> None:
    (project / "src/shop/db/.context.yaml").unlink()
    asked = {"scope": "src/shop/db", "filter": ["exports", "summary", "tests"]}
    answer = json.loads(door.call("query_context", asked).text)
    assert (answer["found"], answer["scope"]) == (True, "src/shop/db")
    assert list(answer["context"]) == ["version", "scope", "fingerprint", "last_updated", "exports", "tests"]
    assert (answer["context"]["last_updated"], len(answer["context"]["fingerprint"])) == (None, 8)
    for names in (["summary"], []):
        assert not json.loads(door.call("query_context", {"scope": "src/shop/db", "filter": names}).text)["found"]
    assert not json.loads(door.call("query_context", {"scope": "nowhere", "filter": ["exports"]}).text)["found"]


def test_an_unfiltered_answer_is_the_file_and_what_stands_in_it_is_given_as_it_stands(
    project: Path, door: Door
) -> None:
    answer = json.loads(door.call("query_context", {"scope": "src/shop"}).text)["context"]
    assert list(answer) == ["version", "scope", "fingerprint", "last_updated", "summary", "maintenance"]
    file = project / "src/shop/.context.yaml"
    file.write_text(file.read_text() + "exports: [an old word]\n")
    assert fields(door, "src/shop", "exports") == {"exports": ["an old word"]}


def test_what_is_computed_follows_the_files_at_once(project: Path, door: Door) -> None:
    assert fields(door, "src/shop/db", "exports") == {"exports": ["store.py: class Store: get()"]}
    (project / "src/shop/db/store.py").write_text("def other(): ...\n")
    assert fields(door, "src/shop/db", "exports") == {"exports": ["store.py: other()"]}
    (project / "src/shop/db/more.py").write_text("def more(): ...\n")
    assert fields(door, "src/shop/db", "exports") == {"exports": ["more.py: more()", "store.py: other()"]}


def test_the_file_whose_names_are_used_most_comes_first_among_exports(project: Path, door: Door) -> None:
    (project / "src/shop/db/base.py").write_text("class Base: ...\n\n\nclass Other: ...\n")
    (project / "src/shop/db/aside.py").write_text("from .base import Other\n\n\ndef aside() -> Other: ...\n")
    (project / "src/shop/db/store.py").write_text("from .base import Other\n\n\ndef store() -> Other: ...\n")
    expected = [
        "base.py: class Base",
        "base.py: class Other",
        "aside.py: aside() -> Other",
        "store.py: store() -> Other",
    ]
    assert fields(door, "src/shop/db", "exports") == {"exports": expected}


def test_the_map_is_this_text_and_the_same_json(project: Path, door: Door) -> None:
    text = door.call("project_map", {}).text
    assert text.split("\n", 1)[1] == "src/shop/db/store.py:4 Store{get}\nsrc/shop/cli.py:3 run\n"
    assert text == run_context("map", cwd=project).stdout.decode()
    value = json.loads(door.call("project_map", {"format": "json", "scopes": ["src/shop/db"], "budget": 200}).text)
    assert value["files"] == [
        {"path": "src/shop/db/store.py", "symbols": [{"name": "Store", "line": 4, "members": ["get"]}]}
    ]
    assert (value["budget"], value["left_out"]["tests"]) == (200, 1)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"budget": 3}, "invalid_budget"),
        ({"budget": -1}, "invalid_budget"),
        ({"scopes": ["../.."]}, "usage"),
        ({"scopes": ["nope"]}, "usage"),
        ({"focus": ["a\0b"]}, "usage"),
        ({"format": "yaml"}, "usage"),
        ({"scopes": "src"}, "usage"),
    ],
)
def test_what_cannot_be_mapped_is_a_typed_error(
    project: Path, door: Door, arguments: dict[str, Any], code: str
) -> None:
    answer = door.call("project_map", arguments)
    error = json.loads(answer.text)["error"]
    assert (error["code"], answer.is_error) == (code, True)
    assert ": " in error["message"]  # and says what is wrong with what was given
