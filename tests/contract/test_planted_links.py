"""A clone brings symbolic links at every name that a command writes to: nothing outside the project changes."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from holdfast.cli import main
from support.example_project import ADDED, CAN_SIGN, CODE, DESIGN, GUIDE, LIVING, REQUIREMENTS
from support.planted_links import LinkTrial
from support.projects import git
from support.specs import SpecProject

ADD = ["add", "docs", "docs"]
BUILD = ["build", "--sources", "handbook", "--cache", ".context/older"]
SEARCH = ["call", "context.search", '{"query":"roll back"}', "--receipts", ".context/receipts"]
APPROVE = ["spec", "approve", "login", "requirements", "--by", "ada"]
VSCODE = ["setup", "vscode", "--project", "--yes"]
NOTHING: dict[str, list[str]] = {".context": [], ".context/caches": []}
# Each command that writes into a project, with what comes before it.
COMMANDS: list[tuple[list[list[str]], list[str]]] = [
    ([], ADD),
    ([ADD], ["add", "two", "handbook"]),
    ([ADD, ["edit"], ["sync"], ["edit"]], ["sync"]),
    ([ADD, ["removed"]], ["sync"]),
    ([], BUILD),
    ([BUILD], [*BUILD, "--force"]),
    ([BUILD, ["unindexed"]], ["build", "--index", ".context/older"]),
    ([ADD, ["keyed"]], ["sign", "docs", "--key", "team.key"]),
    ([ADD, ["received"]], SEARCH),
    ([], ["init"]),
    ([["init", "--all", "--full"], ["coded"]], ["regen"]),
    ([["init", "--all", "--full"], ["coded"]], ["regen", "--hash-only"]),
    ([], ["config", "min_tokens", "200"]),
    ([], ["setup", "git"]),
    ([], ["setup", "ci"]),
    ([["setup", "ci"]], ["setup", "ci", "--undo"]),
    ([], VSCODE),
    ([], APPROVE),
    ([APPROVE], ["spec", "approve", "--revoke", *APPROVE[2:]]),
    ([], ["spec", "delta", "finished", "accounts", "Log in"]),
    ([], ["spec", "merge", "login"]),
    ([["two deltas"]], ["spec", "merge", "login"]),
    ([], ["spec", "merge", "--archive", "finished"]),
    ([], ["spec", "init", "password-reset"]),
    ([], ["spec", "init", "--steering"]),
    ([ADD], ["search", "roll back", "--receipt", "answer.json", "--html", "answer.html"]),
    ([ADD], ["explore", "--html", "project.html"]),
    ([ADD], ["search", "roll back", "--receipt", ".context/answer.json", "--html", ".context/answer.html"]),
    ([ADD], ["explore", "--html", ".context/project.html"]),
    ([["init", "--all"]], ["merge-driver", *["src/.context.yaml"] * 3]),
]


def clone(root: Path) -> None:
    """A small project with everything that commands work on."""
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "guide.md").write_text(GUIDE, "utf-8")
    (root / "docs" / "deploy.md").write_text("# deploy\n\nTakes a version.\n", "utf-8")
    (root / "handbook").mkdir()
    (root / "handbook" / "start.md").write_text("# Start\n\nSay hello.\n", "utf-8")
    (root / "src").mkdir()
    (root / "src" / "deploy.py").write_text(CODE, "utf-8")
    (root / ".context.config.yaml").write_text("min_tokens: 0\n", "utf-8")
    (root / "AGENTS.md").write_text("# Agents\n\nBe kind.\n", "utf-8")
    specs = SpecProject(root)
    for name, tasks in (("login", "- [ ] 1. Draw the form"), ("finished", "- [x] 1. Draw the form")):
        specs.write(f"specs/{name}/requirements.md", REQUIREMENTS)
        specs.write(f"specs/{name}/design.md", DESIGN)
        specs.write(f"specs/{name}/tasks.md", f"# Tasks\n\n{tasks}\n  - _Requirements: 1.1_\n")
    specs.write("living/accounts.md", LIVING)
    specs.write("specs/login/delta/accounts.md", ADDED)
    git(root, "init", "-q", "--template=")


def prepare(step: list[str], environment: dict[str, str]) -> None:
    """Do what comes before: a command, or what a person does."""
    root = Path()
    match step:
        case ["edit"]:
            page = root / "docs" / "deploy.md"
            page.write_text(page.read_text("utf-8") + "Once more.\n", "utf-8")
        case ["removed"]:
            (root / "docs" / "deploy.md").unlink()
            shutil.rmtree(root / ".context" / "caches" / "docs")
        case ["unindexed"]:
            shutil.rmtree(root / ".context" / "older" / "index")
        case ["keyed"]:
            assert main(["sign", "--new-key", "team.key"], environment) == 0
        case ["received"]:
            (root / ".context" / "receipts").mkdir()
        case ["coded"]:
            (root / "src" / "undo.py").write_text('"""Takes a release back."""\n', "utf-8")
        case ["two deltas"]:
            SpecProject(root).write("specs/login/delta/teams.md", ADDED)
        case words:
            assert main(words, environment, progress=False) == 0, words


@pytest.mark.parametrize(
    ("before", "words"),
    [pytest.param(*each, id=" ".join(each[1][:3]) + f" {place}") for place, each in enumerate(COMMANDS)],
)
def test_a_link_at_any_name_that_a_command_writes_to_changes_nothing_outside(
    before: list[list[str]], words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if words[0] == "sign" and not CAN_SIGN:
        pytest.skip("signatures need the extra 'registry'")
    base = tmp_path / "base"
    clone(base)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"HOME": str(tmp_path / "home"), "PATH": path, "SOURCE_DATE_EPOCH": "1767323045"}
    (tmp_path / "home").mkdir()
    with monkeypatch.context() as patch:
        patch.chdir(base)
        for step in before:
            prepare(step, environment)
    trial = LinkTrial(base, words, environment, monkeypatch)

    assert trial.exit_code == 0
    assert trial.names
    assert list(trial.changes()) == []
    assert {place: trial.moved(place) for place in (".context", ".context/caches")} == NOTHING
