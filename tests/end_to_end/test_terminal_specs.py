"""What a person sees of specs: the same commands on a real terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.specs import SpecProject
from support.terminal import on_a_terminal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> SpecProject:
    project = SpecProject(tmp_path)
    project.spec("[bold]login", "- [x] 1. a\n- [ ] 2. say [red]hello\n  - File: b.py\n  - _Requirements: 1.1_\n")
    project.steering("tech", "principles")
    return project


def shown(project: SpecProject, *words: str) -> tuple[list[str], int]:
    text, code = on_a_terminal(*words, cwd=project.root)
    return [line.rstrip() for line in text.splitlines()], code


def test_status_shows_the_phases_a_bar_and_what_to_do(project: SpecProject) -> None:
    assert shown(project, "spec", "status", "[bold]login") == (
        [
            "[bold]login: implementing",
            "Requirements    created",
            "Design          created",
            "Tasks           created",
            "Implementation  in-progress",
            "██████████░░░░░░░░░░ 1 of 2 tasks",
            "→ Take the first open task and mark it [-]",
            "→ Call get-implementer-guide",
            "→ Mark it [x] once it is verified",
        ],
        0,
    )


def test_list_shows_a_row_a_spec(project: SpecProject) -> None:
    lines, code = shown(project, "spec", "list")
    assert ([line.split() for line in lines[:2]], code) == (
        [
            ["spec", "status", "progress", "next"],
            ["[bold]login", "implementing", "██████████░░░░░░░░░░", *"1 of 2 tasks task 2: say [red]hello".split()],
        ],
        0,
    )


def test_next_shows_the_task_as_it_was_written(project: SpecProject) -> None:
    lines, code = shown(project, "spec", "next", "[bold]login")
    assert (lines[0], [line.split() for line in lines[1:3]], code) == (
        "2 say [red]hello",
        [["files", "b.py"], ["requirements", "1.1"]],
        0,
    )


def test_a_guide_is_rendered(project: SpecProject) -> None:
    lines, code = shown(project, "guide", "reviewer")
    assert (lines[0].strip(), "## tech.md" in lines, code) == ("Reviewer's guide", False, 0)


def test_steering_init_shows_what_was_written(project: SpecProject) -> None:
    written, _ = shown(project, "spec", "init", "--steering")
    assert (written[0], written[2]) == (
        "wrote .spec-context/steering/product.md",
        "kept  .spec-context/steering/tech.md",
    )


def test_a_failure_shows_why_and_what_to_do(project: SpecProject) -> None:
    assert shown(project, "spec", "status", "nope") == (
        [
            "Specification 'nope' not found",
            "→ Specs here: [bold]login",
            "→ A new spec is .spec-context/specs/NAME/ with requirements.md, design.md and tasks.md;",
            "spec-workflow-guide has the templates",
        ],
        1,
    )
