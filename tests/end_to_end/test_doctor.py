"""`context doctor`: one look at everything, what is wrong by area, and what to run next."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.doors import run_context
from support.example_project import example_project
from support.projects import git, snapshot

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    example_project(tmp_path / "project")
    return tmp_path / "project"


def doctor(cwd: Path, *words: str, exit_code: int, home: Path | None = None) -> Any:
    """Asked by somebody who has no client, unless their home is given."""
    environment = {"HOME": str(home or "/nobody"), "PATH": "/usr/bin:/bin"}
    done = run_context("doctor", *words, cwd=cwd, env=environment)
    assert (done.returncode, done.stderr) == (exit_code, b"")
    return json.loads(done.stdout)


def problems(found: Any) -> dict[tuple[str, str], str]:
    """(area, check) -> the command that mends it."""
    return {(each["area"], each["check"]): each["run"] for each in found["checks"] if each["level"] == "problem"}


def test_what_it_says_to_run_makes_a_project_healthy_and_it_writes_nothing_itself(project: Path) -> None:
    before = snapshot(project)
    found = doctor(project, exit_code=8)
    assert snapshot(project) == before
    assert (found["healthy"], problems(found)) == (False, {("contexts", "contexts"): "context regen"})
    for command in found["next"]:
        assert run_context(*command.split()[1:], cwd=project).returncode == 0
    git(project, "add", "-A")
    assert run_context("regen", cwd=project).returncode == 0  # AGENTS.md is a file of the project now
    healthy = doctor(project, exit_code=0)
    assert (healthy["healthy"], healthy["next"]) == (True, [])
    assert healthy["checks"][-1]["area"] == "clients"
    assert healthy["checks"][0]["area"] == "versions"


def test_every_area_tells_of_its_own_troubles(project: Path) -> None:
    (project / "docs" / "guide.md").write_text("# Deploying\n\nOtherwise now.\n", "utf-8")
    (project / ".context.config.yaml").write_text("max_depth: deep\n", "utf-8")
    tasks = project / ".spec-context" / "specs" / "login" / "tasks.md"
    tasks.write_text("# Tasks\n\n- [ ] 1. Draw it\n  - _Requirements: 9.9_\n", "utf-8")
    found = problems(doctor(project, exit_code=8))
    assert found[("caches", "docs")] == "context sync"
    assert found[("contexts", "settings")] == ""
    assert found[("specs", "errors")] == "context spec check"


@pytest.mark.parametrize(
    ("file", "text", "area"),
    [
        ("context.toml", "caches = 3\n", "caches"),
        ("context.lock", "what is this\n", "caches"),
        (".context/caches/docs/manifest.json", "{}", "caches"),
    ],
)
def test_a_broken_file_is_a_finding_and_hides_no_other_area(project: Path, file: str, text: str, area: str) -> None:
    (project / file).write_text(text, "utf-8")
    found = doctor(project, exit_code=8)
    assert area in {area for area, _ in problems(found)}
    assert {each["area"] for each in found["checks"]} >= {"versions", "caches", "receipts", "contexts", "specs"}


def test_an_empty_folder_needs_nothing_and_is_told_how_to_begin(tmp_path: Path) -> None:
    found = doctor(tmp_path, exit_code=0)
    assert (found["healthy"], found["next"][0]) == (True, "context add NAME PATH")


def test_another_project_is_looked_at_by_its_path_with_its_own_caches(project: Path, tmp_path: Path) -> None:
    found = doctor(tmp_path, "--path", str(project), exit_code=8)
    assert found == doctor(project, exit_code=8)
    assert b"there is no directory 'nowhere'" in run_context("doctor", "--path", "nowhere", cwd=tmp_path).stderr


def test_the_index_that_git_names_counts_with_a_path_too(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "added").mkdir()
    (project / "added" / "one.py").write_text("def one() -> int:\n    return 1\n", "utf-8")
    index = tmp_path / "index"
    index.write_bytes((project / ".git" / "index").read_bytes())
    with monkeypatch.context() as hook:
        hook.setenv("GIT_INDEX_FILE", str(index))
        git(project, "update-index", "--add", "added/one.py")
    environment = {"HOME": "/nobody", "PATH": "/usr/bin:/bin", "GIT_INDEX_FILE": str(index)}
    plain, here = [run_context("doctor", *words, cwd=project, env=environment) for words in ((), ("--path", "."))]
    assert plain.stdout == here.stdout
    assert plain.stdout != run_context("doctor", cwd=project, env=environment | {"GIT_INDEX_FILE": ""}).stdout
