"""`context impact`: what a change reaches, as the files and git say at the call."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from support.doors import run_context
from support.projects import git
from support.specs import SpecProject
from support.wire import Wire, call, initialize

FILES = {
    "shop/__init__.py": "",
    "shop/store.py": (
        "class Store:\n    def get(self, key):\n        return key\n\n    def put(self, key): ...\n\n\n"
        "def audit(store): ...\n\n\ndef unused(): ...\n"
    ),
    "shop/front.py": "from shop.store import Store, audit\n\n\ndef show(key):\n    return Store().get(key)\n",
    "tools/report.py": "import shop.store\n\n# Store is used below\nprint(shop.store.audit(None))\n",
    "tests/test_store.py": "from shop.store import Store\n\n\ndef test_get():\n    assert Store().get(1) == 1\n",
    "tests/test_front.py": "from shop.front import show\n\n\ndef test_show():\n    assert show(1) == 1\n",
    "shop/.context.yaml": (
        "version: 1\nscope: shop\nfingerprint: ''\nlast_updated: x\nsummary: ''\nmaintenance: Ours.\n"
        "constraints:\n  - A lock is held in `Store.get`.\n  - The text of `show` is short.\n"
        "decisions:\n  - what: Logs are text\n    why: grep\n    about: [audit]\nderived_fields: [summary]\n"
    ),
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository of a package, its tests, its claims and a spec whose tasks name a file."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    tasks = "- [x] 1. Keep orders\n  - File: shop/store.py\n- [ ] 2. Show orders\n  - File: shop/front.py\n"
    SpecProject(tmp_path).spec("orders", tasks=tasks)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def impact(root: Path, *words: str) -> Any:
    done = run_context("impact", "--format", "json", *words, cwd=root)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def edit(root: Path, name: str, old: str, new: str) -> None:
    text = (root / name).read_text()
    assert old in text
    (root / name).write_text(text.replace(old, new))


def test_a_changed_method_has_its_users_tests_claims_and_tasks(shop: Path) -> None:
    edit(shop, "shop/store.py", "def get(self, key):", "def get(self, key, default):")
    found = impact(shop)

    assert found["symbols"] == [
        {"path": "shop/store.py", "name": "Store.get", "line": 2, "change": "signature changed", "used_in": 2}
    ]
    assert found["users"] == [{"path": "shop/front.py", "lines": [1, 5], "symbols": ["Store.get"]}]
    assert found["directories"] == [{"scope": "shop", "files": 1}]
    assert found["tests"] == ["tests/test_store.py"]
    assert found["claims"] == [
        {
            "scope": "shop",
            "field": "constraints",
            "text": "A lock is held in `Store.get`.",
            "subject": "Store.get",
        }
    ]
    assert [(task["spec"], task["id"], task["status"]) for task in found["tasks"]] == [("orders", "1", "completed")]
    assert found["since"] == "HEAD"


def test_what_is_removed_is_found_where_it_is_still_used_and_comes_first(shop: Path) -> None:
    edit(shop, "shop/store.py", "def audit(store): ...", "def review(store): ...")
    edit(shop, "shop/store.py", "def unused(): ...", "def unused():\n    return 1")
    text = run_context("impact", cwd=shop).stdout.decode().split("\n")

    assert text[1] == "shop/store.py audit removed (in 2) · :11 unused body changed · :8 review added"
    assert text[2:5] == ["used by", "shop/front.py:1 audit", "tools/report.py:1,4 audit"]
    assert "shop decisions: Logs are text — grep (audit)" in text


def test_comments_and_formatting_change_no_symbol(shop: Path) -> None:
    edit(shop, "shop/store.py", "        return key", "        # as it is\n        return key")
    found = impact(shop)

    assert (found["file_count"], found["symbols"], found["users"]) == (1, [], [])


def test_a_file_that_is_gone_is_found_where_it_is_imported(shop: Path) -> None:
    git(shop, "rm", "-q", "shop/store.py")
    found = impact(shop, "--staged")

    assert [one["change"] for one in found["symbols"]] == ["removed"] * 3
    assert {user["path"] for user in found["users"]} == {"shop/front.py", "tools/report.py"}
    assert found["tests"] == ["tests/test_store.py"]


def test_files_can_be_asked_about_before_they_change(shop: Path) -> None:
    text = run_context("impact", "--file", "shop/store.py", cwd=shop).stdout.decode()

    assert text.split("\n")[1:6] == [
        "shop/store.py :1 Store (in 2) · :2 Store.get (in 2) · :8 audit (in 2)",
        "used by",
        "shop/front.py:1,5 Store{get} audit",
        "tools/report.py:1,4 audit",
        "tests to run",
    ]


def test_a_branch_is_compared_with_where_it_left_a_commit(shop: Path) -> None:
    git(shop, "checkout", "-q", "-b", "topic")
    edit(shop, "shop/front.py", "def show(key):", "def show(key, short):")
    git(shop, "commit", "-qam", "topic")
    git(shop, "checkout", "-q", "main")
    edit(shop, "shop/store.py", "def audit(store)", "def audit(store, log)")
    git(shop, "commit", "-qam", "main")
    git(shop, "checkout", "-q", "topic")

    assert [one["name"] for one in impact(shop, "main")["symbols"]] == ["show"]
    assert impact(shop, "main", "--file", "tools")["file_count"] == 0


def test_the_staged_change_is_what_the_index_has(shop: Path) -> None:
    edit(shop, "shop/store.py", "def audit(store)", "def audit(store, log)")
    git(shop, "add", "-A")
    edit(shop, "shop/front.py", "def show(key):", "def show(key, short):")

    assert [one["name"] for one in impact(shop, "--staged")["symbols"]] == ["audit"]
    assert [one["name"] for one in impact(shop)["symbols"]] == ["audit", "show"]


def test_a_file_that_is_staged_empty_has_no_symbols_whatever_the_working_tree_has(shop: Path) -> None:
    text = (shop / "shop/store.py").read_text()
    (shop / "shop/store.py").write_text("")
    git(shop, "add", "-A")
    (shop / "shop/store.py").write_text(text)

    found = impact(shop, "--staged")["symbols"]
    assert {(one["name"], one["change"]) for one in found} >= {("Store", "removed"), ("audit", "removed")}


@pytest.mark.parametrize("budget", [60, 90, 130, 200, 1000])
def test_the_whole_text_keeps_to_the_budget_and_what_is_left_out_is_counted(shop: Path, budget: int) -> None:
    edit(shop, "shop/store.py", "def get(self, key):", "def get(self, key, default):")
    found = impact(shop, "--budget", str(budget))

    assert found["tokens_used"] <= budget
    assert (found["user_count"], found["test_count"], found["claim_count"], found["task_count"]) == (1, 1, 1, 1)
    assert run_context("impact", "--budget", "5", cwd=shop).returncode == 3


def test_no_program_that_the_settings_of_a_repository_name_is_run(shop: Path) -> None:
    program, mark = shop / "filter.sh", shop / "ran"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (shop / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    for key in ("filter.evil.clean", "diff.evil.command", "diff.evil.textconv", "diff.external", "core.fsmonitor"):
        git(shop, "config", key, str(program))
    git(shop, "config", "filter.evil.required", "true")
    edit(shop, "shop/store.py", "def get(self, key):", "def get(self, key, default):")
    os.utime(shop / "shop/front.py", (1, 1))
    found = impact(shop)

    assert [one["name"] for one in found["symbols"]] == ["Store.get"]
    assert not mark.exists()


def test_a_server_answers_in_the_same_words_and_names_what_is_wrong(shop: Path) -> None:
    calls = (
        call(1, "project_impact", {"paths": ["shop/store.py"]}),
        call(2, "project_impact", {"paths": ["../other"]}),
        call(3, "project_impact", {"since": "--output=x"}),
    )
    with Wire(shop, "--path", str(shop)) as wire:
        wire.send(initialize(), *calls)
        answers = {answer["id"]: answer["result"] for answer in [wire.read() for _ in range(4)]}
    texts = {number: answers[number]["content"][0]["text"] for number in (1, 2, 3)}

    assert texts[1] == run_context("impact", "--file", "shop/store.py", cwd=shop).stdout.decode()
    assert "is outside the project" in texts[2]
    assert "is no commit" in texts[3]


def test_a_header_is_compared_in_the_language_it_is_written_in(shop: Path) -> None:
    header = (
        "namespace ink {\nclass Box {\n public:\n  void grow(int n) { n_ += n; }\n  int n_;\n};\n"
        "template <typename T> T twice(T t) { return t + t; }\n}\n"
    )
    (shop / "box.h").write_text(header)
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "second")
    edit(shop, "box.h", "grow(int n)", "grow(int n, int m)")
    edit(shop, "box.h", "t + t", "2 * t")

    found = [(one["name"], one["line"], one["change"]) for one in impact(shop)["symbols"]]
    assert found == [("Box.grow", 4, "signature changed"), ("twice", 7, "body changed")]
