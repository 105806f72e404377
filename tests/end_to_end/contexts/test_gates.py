"""Gates as people meet them: a hook, a workflow, a shallow clone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.doors import run_context
from support.projects import git
from support.terminal import on_a_terminal

Run = Callable[..., Any]
REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def committed(project: Path, context: Run) -> Path:
    for number in range(30):
        (project / f"part{number:02d}").mkdir()
        (project / f"part{number:02d}" / "a.py").write_text("x = 1\n" * 3000)
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    context("init", "--full")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    return project


def test_a_failing_gate_prints_at_most_fifteen_lines_piped_and_on_a_terminal(committed: Path) -> None:
    assert run_context("status", "--check", cwd=committed).stdout == b"All 35 contexts are up to date.\n"
    for number in range(30):
        (committed / f"part{number:02d}" / "a.py").write_text("y = 1\n" * 3000)
    done = run_context("status", "--check", cwd=committed)
    lines = done.stdout.decode().splitlines()

    assert (done.returncode, len(lines), done.stderr) == (8, 13, b"")
    assert (lines[0], lines[1]) == ("30 of 35 contexts are not up to date: 30 stale.", "  stale     part00")
    assert lines[-2:] == [
        "  and 20 more; `context status --state stale` lists them",
        "Run: context regen, then `git add` what it renewed",
    ]
    shown, code = on_a_terminal("status", "--check", cwd=committed)
    assert (code, shown.splitlines()) == (8, lines)


def test_machines_get_json_or_sarif(committed: Path, context: Run) -> None:
    (committed / "web" / "index.ts").write_text("changed\n" * 3000)
    (committed / "part01" / ".context.yaml").unlink()
    listed = context("status", "--check", "--format", "json", exit_code=8)
    log = context("status", "--check", "--format", "sarif", exit_code=8)

    assert [entry["scope"] for entry in listed["entries"] if entry["state"] != "fresh"] == ["part01", "web"]
    assert [
        (result["ruleId"], result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        for result in log["runs"][0]["results"]
    ] == [("stale", "web/.context.yaml")]


def test_a_merge_conflict_is_called_that(committed: Path) -> None:
    file = committed / "web" / ".context.yaml"
    file.write_text("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> other\n")
    lines = run_context("status", "--check", cwd=committed).stdout.decode().splitlines()

    assert lines[:2] == ["1 of 35 contexts are not up to date: 1 conflict.", "  conflict  web"]


def test_a_shallow_clone_is_told_what_to_fetch(tmp_path: Path, committed: Path) -> None:
    git(committed, "commit", "-q", "--allow-empty", "-m", "second")
    first = git(committed, "rev-parse", "HEAD~1").strip()
    git(tmp_path, "clone", "-q", "--depth", "1", committed.as_uri(), "shallow")
    done = run_context("status", "--check", "--since", first, cwd=tmp_path / "shallow")

    assert (done.returncode, b"fetch-depth: 0" in done.stderr, b"git fetch --unshallow" in done.stderr) == (
        1,
        True,
        True,
    )


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a step finds: a Python of its own, on which `pip` builds offline from what is installed here."""
    place = tmp_path_factory.mktemp("runner")
    venv.create(place / "python")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "GIT_"))},
        "PATH": os.pathsep.join([str(place / "here" / "bin"), str(place / "python" / "bin"), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(place / "here"), *packages]),
        "PIP_TARGET": str(place / "here"),
        "PIP_UPGRADE": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as the value of what the flag turns off
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "GITHUB_ACTION_PATH": str(REPOSITORY),
    }


def run_action(runner: dict[str, str], cwd: Path, **given: str) -> subprocess.CompletedProcess[bytes]:
    """Run the steps of `action.yml` as they stand, in order, until one fails."""
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text())
    inputs = {name: given.get(name, definition["default"]) for name, definition in action["inputs"].items()}
    done = None
    for step in action["runs"]["steps"]:
        if "uses" in step:
            assert re.fullmatch(r"actions/setup-python@[0-9a-f]{40}", step["uses"])  # the fixture stands for it
            continue
        if "if" in step:
            wanted, value = step["if"].removeprefix("${{ inputs.").removesuffix("' }}").split(" == '")
            if inputs[wanted] != value:
                continue
        environment = dict(runner)
        for name, value in step.get("env", {}).items():
            key = value.removeprefix("${{ inputs.").removesuffix(" }}")
            environment[name] = inputs[key]
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True)
        if done.returncode:
            break
    assert done is not None
    return done


def test_the_action_runs_as_its_steps_say(runner: dict[str, str], committed: Path) -> None:
    passing = run_action(runner, committed)
    (committed / "web" / "index.ts").write_text("changed\n" * 3000)
    failing = run_action(runner, committed.parent, path="project", since="HEAD")

    assert (passing.returncode, passing.stdout) == (0, b"All 35 contexts are up to date.\n"), passing.stderr
    assert failing.returncode == 8, failing.stderr
    assert failing.stdout.decode().splitlines() == [
        *(
            "# 1 file changed since HEAD: 1 public symbols, used in 0 files · 40 of 4,000 tokens",
            "web/index.ts render removed",
        ),
        "1 of 1 contexts are not up to date: 1 stale.",
        "  stale     web",
        "Run: context regen --path project, then `git add` what it renewed",
    ]


def test_the_answer_of_a_tool_is_json_whatever_a_command_may_choose(committed: Path) -> None:
    assert json.loads(run_context("call", "list_contexts", "{}", cwd=committed).stdout)["tracked"] == 35
