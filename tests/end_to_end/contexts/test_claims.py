"""A context is stale when what its words are about changed, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.doors import run_context
from support.projects import git, states

Run = Callable[..., Any]
SOURCE = '''class Store:
    """Where orders are kept."""

    def get(self, key):
        return key

    def put(self, key):
        return key


def audit(store): ...
'''


@pytest.fixture
def shop(project: Path, context: Run) -> Path:
    """A repository with one context of three claims; the directory that it is about."""
    folder = project / "src" / "shop" / "db"
    (folder / "store.py").write_text(SOURCE + "# filler\n" * 2000)
    (folder / ".context.yaml").write_text(
        "version: 1\nscope: src/shop/db\nfingerprint: ''\nlast_updated: x\nsummary: Where orders are.\n"
        "maintenance: Ours.\nconstraints:\n  - A lock is held in `Store.get`.\n"
        "decisions:\n  - what: Logs are text\n    why: grep\n    about: [audit]\nderived_fields: []\n"
    )
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    context("regen")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    return folder


def edit(folder: Path, old: str, new: str) -> None:
    file = folder / "store.py"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def told(project: Path) -> list[str]:
    return run_context("check", "src/shop/db", cwd=project).stderr.decode().splitlines()


def test_what_no_claim_is_about_may_change(project: Path, shop: Path, context: Run) -> None:
    edit(
        shop,
        "    def put(self, key):\n        return key",
        "    def put(self, key):\n        # twice\n        return 2 * key",
    )
    edit(shop, '"""Where orders are kept."""', '"""Where all orders are kept."""')
    (shop / "notes.txt").write_text("more\n")
    git(project, "add", "-A")

    assert context("check", "src/shop/db")["state"] == "fresh"
    assert context("regen")["contexts"] == []


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("def get(self, key):", "def get(self, key, default):", "Store.get: signature changed (constraints: A lock is"),
        ("get(self, key):\n        return key", "get(self, key):\n        return 2", "Store.get: body changed (constr"),
        ("def audit(store)", "def review(store)", "audit: gone (decisions: Logs are text — grep)"),
        ("class Store:", "class Shop:", ".: public symbols changed (summary: Where orders are.)"),
    ],
)
def test_what_a_claim_is_about_is_named_when_it_changes(
    project: Path, shop: Path, context: Run, old: str, new: str, change: str
) -> None:
    edit(shop, old, new)
    answer = context("check", "src/shop/db")

    assert (answer["state"], list(answer)) == ("stale", ["scope", "state", "fingerprint", "last_updated"])
    assert answer["fingerprint"]["stored"] != answer["fingerprint"]["computed"]
    assert any(line.startswith(f"note: {change}") for line in told(project))
    gate = run_context("status", "--check", cwd=project)
    assert (gate.returncode, change[:40] in gate.stdout.decode()) == (8, True)


def test_only_naming_the_directory_says_that_a_claim_still_holds(project: Path, shop: Path, context: Run) -> None:
    edit(shop, "def get(self, key):", "def get(self, key, default):")
    left = context("regen")["contexts"]

    assert [(one["scope"], one["action"]) for one in left] == [("src/shop/db", "unchanged")]
    assert left[0]["reason"].startswith("read what it says, then `context regen src/shop/db`: Store.get: signature")
    assert context("check", "src/shop/db")["state"] == "stale"
    context("regen", "src/shop/db")
    assert context("check", "src/shop/db")["state"] == "fresh"
    assert git(project, "diff", "--numstat", "--", "*.yaml").startswith("2\t2\t")


def test_a_claim_that_is_edited_or_added_makes_nothing_stale_and_is_recorded_next(
    project: Path, shop: Path, context: Run
) -> None:
    file = shop / ".context.yaml"
    edit(shop, "def get(self, key):", "def get(self, key, default):")
    file.write_text(
        file.read_text().replace("A lock is held in `Store.get`.", "Mind `Store.get`.\n  - Not `Store.put`.")
    )

    assert context("check", "src/shop/db")["state"] == "fresh"
    assert [one["action"] for one in context("regen")["contexts"]] == ["renewed"]
    edit(shop, "def put(self, key):", "def put(self, key, now):")
    assert told(project) == ["note: Store.put: signature changed (constraints: Not `Store.put`.)"]


def test_comments_that_another_tool_dropped_are_made_up_for(project: Path, shop: Path, context: Run) -> None:
    file = shop / ".context.yaml"
    file.write_text("".join(f"{line}\n" for line in file.read_text().splitlines() if not line.startswith("#")))
    assert context("check", "src/shop/db")["state"] == "fresh"
    edit(shop, "def get(self, key):", "def get(self, key, default):")
    assert context("check", "src/shop/db")["state"] == "stale"


def test_a_draft_that_is_accepted_becomes_a_claim(project: Path, context: Run) -> None:
    context("init")
    file = project / "src" / "shop" / ".context.yaml"
    (project / "src" / "shop" / "__init__.py").write_text('"""The shop itself."""\ndef other(): ...\n' + "#\n" * 9000)
    assert context("check", "src/shop")["state"] == "fresh"
    value = yaml.safe_load(file.read_text())
    file.write_text(file.read_text().replace('  - "summary"\n', ""))
    assert value["summary"] == "The shop itself."
    assert context("check", "src/shop")["state"] == "fresh"
    context("regen")
    assert "A draft" not in file.read_text()
    (project / "src" / "shop" / "__init__.py").write_text('"""The shop itself."""\ndef third(): ...\n' + "#\n" * 9000)
    assert context("check", "src/shop")["state"] == "stale"


def test_a_renamed_directory_is_stale_and_renewing_writes_its_scope(project: Path, shop: Path, context: Run) -> None:
    git(project, "mv", "src/shop/db", "src/shop/store")
    git(project, "commit", "-qm", "rename")
    assert states(context("status"))["src/shop/store"] == "stale"
    context("regen")
    made = yaml.safe_load((project / "src/shop/store/.context.yaml").read_text())
    assert (made["scope"], states(context("status"))["src/shop/store"]) == ("src/shop/store", "fresh")


def test_whatever_git_does_the_gate_is_green_where_nothing_claimed_changed(
    project: Path, shop: Path, context: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    context("setup", "git")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "attributes")
    for name in ("one", "two", "three", "four"):
        git(project, "checkout", "-q", "-b", name, "main")
        (shop / f"{name}.py").write_text(f"def _{name}(): ...\n")
        git(project, "add", "-A")
        git(project, "commit", "-qm", name)
    git(project, "checkout", "-q", "main")
    for words in (
        ("merge", "-q", "--no-edit", "one", "two"),
        ("cherry-pick", "three"),
        ("checkout", "-q", "four"),
        ("rebase", "-q", "main"),
    ):
        git(project, *words)
        assert run_context("status", "--check", cwd=project).returncode == 0, words
    git(project, "mv", "src/shop/db", "src/shop/store")
    git(project, "commit", "-qm", "rename")
    assert run_context("status", "--check", cwd=project).returncode == 0
    assert "scope: src/shop/store\n" in git(project, "show", "HEAD:src/shop/store/.context.yaml").replace('"', "")


def test_the_merge_driver_takes_the_record_of_the_side_that_renewed_it(
    project: Path, shop: Path, context: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    context("setup", "git")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "attributes")
    for branch, old, new in (
        ("theirs", "get(self, key)", "get(self, key, now)"),
        ("ours", "audit(store)", "audit(all)"),
    ):
        git(project, "checkout", "-q", "-b", branch, "main")
        edit(shop, old, new)
        context("regen", "src/shop/db")
        git(project, "commit", "-qam", branch)
    git(project, "merge", "-q", "--no-edit", "theirs")
    assert run_context("status", "--check", cwd=project).returncode == 0


def test_a_hook_that_does_not_find_the_command_says_so_once(
    project: Path, shop: Path, context: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    context("setup", "git")
    hook = project / ".git" / "hooks" / "pre-commit"
    places = [place for place in os.environ["PATH"].split(os.pathsep) if not os.path.exists(f"{place}/context")]
    monkeypatch.setenv("PATH", os.pathsep.join(places))
    said = [subprocess.run([hook], cwd=project, capture_output=True, check=True).stderr for _ in range(2)]

    assert (b"context is not on PATH" in said[0], said[1]) == (True, b"")


def test_doctor_offers_to_remove_files_that_say_nothing(project: Path, context: Run) -> None:
    context("init", "--all")
    (check,) = [one for one in context("doctor")["checks"] if one["check"] == "files without content"]

    assert (check["level"], check["run"]) == (
        "advice",
        "rm -- src/.context.yaml src/shop/db/.context.yaml web/.context.yaml",
    )
