"""A repository may come with settings of its own: looking at it runs no program that they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.doors import run_context
from support.projects import git


@pytest.mark.parametrize(
    "words", [["status", "--since", "HEAD"], ["status", "--staged"], ["spec", "check", "--trace", "sign-in"]]
)
def test_no_monitor_of_files_is_started(project: Path, tmp_path: Path, words: list[str]) -> None:
    spec = project / ".spec-context" / "specs" / "sign-in"
    spec.mkdir(parents=True)
    (spec / "requirements.md").write_text("# Requirements\n\n### Requirement 1\n\n1. WHEN asked THEN it SHALL answer\n")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "all")
    monitor = tmp_path / "monitor"
    monitor.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n")
    monitor.chmod(0o755)
    git(project, "config", "core.fsmonitor", str(monitor))

    done = run_context(*words, cwd=project)

    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "started").exists()
