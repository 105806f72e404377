"""Contexts in a repository that people work in: quiet diffs, merges without conflicts, and a way out of the rest."""

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
from support.projects import git, snapshot, states

Run = Callable[..., Any]
LATER = {"SOURCE_DATE_EPOCH": "1900000000"}


@pytest.fixture(autouse=True)
def _command_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git finds `context` as it would where it is installed."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def committed(project: Path, context: Run) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    context("init", "--full")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    return project


def read(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = yaml.safe_load(path.read_text())
    return value


def on_branch(root: Path, name: str, source: str, *edits: tuple[str, str], start: str = "main") -> None:
    """A branch on which one source file and the words of its context are changed, and the context renewed."""
    git(root, "checkout", "-q", "-b", name, start)
    file = root / source
    file.write_text(f"# {name}\n" + file.read_text())
    context = file.parent / ".context.yaml"
    for old, new in edits:
        assert old in context.read_text()
        context.write_text(context.read_text().replace(old, new))
    assert run_context("regen", cwd=root, env={"SOURCE_DATE_EPOCH": str(1_800_000_000 + len(name))}).returncode == 0
    git(root, "commit", "-qam", name)


def two_branches(root: Path, ours: list[tuple[str, str]], theirs: list[tuple[str, str]]) -> None:
    folder = root / "src" / "shop"
    (folder / "second.py").write_text("y = 1\n")
    git(root, "add", "-A")
    assert run_context("regen", cwd=root).returncode == 0
    git(root, "commit", "-qam", "second file")
    on_branch(root, "theirs", "src/shop/second.py", *theirs)
    on_branch(root, "ours", "src/shop/__init__.py", *ours)


WORDS = 'maintenance: "'


def constraint(text: str) -> tuple[str, str]:
    return (WORDS, f"constraints:\n  - {text}\n{WORDS}")


def test_a_change_that_says_nothing_new_changes_one_line(committed: Path, context: Run) -> None:
    before = (committed / "web" / ".context.yaml").read_text().splitlines()
    (committed / "web" / "logo.png").write_text("another picture")
    context("regen", env=LATER)
    after = (committed / "web" / ".context.yaml").read_text().splitlines()

    assert [new.partition(":")[0] for old, new in zip(before, after, strict=True) if old != new] == ["fingerprint"]


def test_rehash_changes_the_fingerprint_alone(committed: Path, context: Run) -> None:
    (committed / "web" / "logo.png").write_text("another picture")
    context("regen", "--hash-only", env=LATER)

    assert git(committed, "diff", "--numstat", "--", "*.yaml") == "1\t1\tweb/.context.yaml\n"


def test_with_the_driver_two_branches_that_touch_one_directory_merge_with_both_sides_words(
    committed: Path, context: Run
) -> None:
    context("setup", "git")
    git(committed, "add", ".gitattributes")
    git(committed, "commit", "-qm", "attributes")
    two_branches(committed, [constraint("ours holds")], [constraint("theirs holds")])
    git(committed, "merge", "-q", "--no-edit", "theirs")

    found = read(committed / "src" / "shop" / ".context.yaml")
    assert found["constraints"] == ["ours holds", "theirs holds"]
    assert git(committed, "status", "--porcelain") == ""
    context("regen")
    assert set(states(context("status")).values()) == {"fresh"}


def test_with_the_driver_only_two_peoples_texts_are_left_open(committed: Path, context: Run) -> None:
    context("setup", "git")
    git(committed, "add", ".gitattributes")
    git(committed, "commit", "-qm", "attributes")
    summary = '"The shop itself."'
    two_branches(committed, [(summary, '"Ours."'), constraint("a")], [(summary, '"Theirs."'), constraint("b")])
    with pytest.raises(subprocess.CalledProcessError):
        git(committed, "merge", "-q", "--no-edit", "theirs")
    file = committed / "src" / "shop" / ".context.yaml"

    assert file.read_text().count("<<<<<<<") == 1
    refused = context("regen", "src/shop", exit_code=5)["contexts"]
    assert refused == [
        {
            "scope": "src/shop",
            "action": "failed",
            "reason": "left as it is: merge conflict: both sides wrote summary; keep one text of each, remove the "
            "markers and run this again",
        }
    ]
    assert context("validate", exit_code=5)["problems"][0]["problem"] == "merge conflict"


@pytest.mark.parametrize("command", ["regen", "regen --hash-only"])
def test_without_the_driver_a_conflict_is_resolved_by_the_next_command(
    committed: Path, context: Run, command: str
) -> None:
    two_branches(committed, [constraint("ours holds")], [constraint("theirs holds")])
    with pytest.raises(subprocess.CalledProcessError):
        git(committed, "merge", "-q", "--no-edit", "theirs")
    file = committed / "src" / "shop" / ".context.yaml"
    assert "<<<<<<<" in file.read_text()
    context(*command.split())

    assert read(file)["constraints"] == ["ours holds", "theirs holds"]
    assert states(context("status"))["src/shop"] == "fresh"


def test_setting_up_twice_changes_nothing_and_a_dry_run_writes_nothing(committed: Path, context: Run) -> None:
    before = snapshot(committed), git(committed, "config", "--list", "--local")
    planned = context("setup", "git", "--dry-run")
    assert (snapshot(committed), git(committed, "config", "--list", "--local")) == before
    first = context("setup", "git")
    assert {**planned, "dry_run": False} == first
    assert {step["action"] for step in context("setup", "git")["steps"]} == {"unchanged"}
    assert set(states(context("status")).values()) == {"fresh"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*.png binary", "*.png binary\n.context.yaml merge=holdfast\n"),
        ("*.png binary\r\n", "*.png binary\r\n.context.yaml merge=holdfast\r\n"),
        (".context.yaml merge=holdfast\n*.yaml merge=union\n", None),
    ],
)
def test_attributes_of_others_stay_and_ours_decides(
    committed: Path, context: Run, text: str, expected: str | None
) -> None:
    file = committed / ".gitattributes"
    file.write_bytes(text.encode())
    context("setup", "git")

    assert file.read_bytes().decode() == (expected or text + ".context.yaml merge=holdfast\n")
    assert git(committed, "check-attr", "merge", "web/.context.yaml").endswith("merge: holdfast\n")


def test_attributes_that_are_a_link_are_left_alone(committed: Path, context: Run) -> None:
    (committed / "elsewhere").write_text("mine\n")
    (committed / ".gitattributes").symlink_to("elsewhere")
    step = context("setup", "git")["steps"][0]

    assert (step["action"], (committed / "elsewhere").read_text()) == ("left alone", "mine\n")


def test_without_the_command_git_merges_lines_and_loses_nothing(
    committed: Path, context: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    context("setup", "git")
    git(committed, "add", ".gitattributes")
    git(committed, "commit", "-qm", "attributes")
    two_branches(committed, [constraint("ours holds")], [constraint("theirs holds")])
    (tmp_path / "bin").mkdir()
    for name in ("git", "sh"):
        found = subprocess.run(["which", name], capture_output=True, check=True).stdout.decode().strip()
        (tmp_path / "bin" / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(subprocess.CalledProcessError):
        git(committed, "merge", "-q", "--no-edit", "theirs")
    text = (committed / "src" / "shop" / ".context.yaml").read_text()

    assert ("<<<<<<<" in text, "ours holds" in text, "theirs holds" in text) == (True, True, True)


def test_a_driver_that_set_up_did_not_write_is_shown_and_nothing_is_written(committed: Path, context: Run) -> None:
    git(committed, "config", "merge.holdfast.driver", "context merge-driver %O %A %B; touch PWNED")
    before = snapshot(committed)
    for words in (["--dry-run"], []):
        said = context("setup", "git", *words, exit_code=5)
        assert "merge.holdfast.driver of this clone is not what setup wrote" in said
        assert "context merge-driver %O %A %B; touch PWNED" in said
        assert "git config --local --unset-all merge.holdfast.driver" in said
    assert snapshot(committed) == before


def test_the_driver_of_an_earlier_release_is_renewed(committed: Path, context: Run) -> None:
    context("setup", "git")
    now = git(committed, "config", "merge.holdfast.driver")
    assert " merge-driver -- %O %A %B %P " in now
    git(committed, "config", "merge.holdfast.driver", now.strip().replace(" -- ", " "))
    steps = {step["what"]: step["action"] for step in context("setup", "git")["steps"]}

    assert (steps["merge.holdfast.driver"], git(committed, "config", "merge.holdfast.driver")) == ("renewed", now)


@pytest.mark.parametrize("folder", ["-x", "--help", "a 'b' $(touch PWNED)"])
def test_the_driver_merges_whatever_a_path_is_called(committed: Path, context: Run, folder: str) -> None:
    context("setup", "git")
    file = committed / folder / ".context.yaml"
    file.parent.mkdir()
    file.write_text((committed / "src" / "shop" / ".context.yaml").read_text())
    git(committed, "add", "-A")
    git(committed, "commit", "-qnm", "odd name")
    for branch in ("theirs", "ours"):
        git(committed, "checkout", "-q", "-b", branch, "main")
        file.write_text(file.read_text().replace(*constraint(f"{branch} holds")))
        git(committed, "commit", "-qanm", branch)
    git(committed, "merge", "-q", "--no-edit", "theirs")

    assert read(file)["constraints"] == ["ours holds", "theirs holds"]
    assert not list(committed.rglob("PWNED"))


def test_outside_a_repository_there_is_nothing_to_set_up(project: Path, context: Run) -> None:
    assert "there is no git repository here" in context("setup", "git", exit_code=1)


def test_the_driver_tells_what_cannot_be_read(tmp_path: Path) -> None:
    done = run_context("merge-driver", "no", "such", "files", cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[1]) == (
        1,
        b"reason: 'no' cannot be read: No such file or directory",
    )


def test_a_side_that_is_no_context_is_merged_as_text(tmp_path: Path) -> None:
    for name, text in (("base", "a\n"), ("ours", "b\n"), ("theirs", "c\n")):
        (tmp_path / name).write_text(text)
    done = run_context("merge-driver", "base", "ours", "theirs", "lib/.context.yaml", cwd=tmp_path)

    assert done.returncode == 5
    assert (tmp_path / "ours").read_text() == "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"
