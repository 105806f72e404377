"""The specs on a page: every spec in one look, and nothing breaks out of its card."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.operation import answer
from holdfast.specs.board_page import board as cards
from holdfast.specs.operations import BOARD
from holdfast.workspace import Workspace
from support.doors import run_context
from support.specs import SpecProject

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = [
    "<script>alert(1)<",
    '" onmouseover="alert(1)',
    "<img src=x onerror=alert(1)>",
    "@rows@ @title@",
    "\u202eesrever",
    "two\nlines",
    "\x1b[2J",
    "&amp;",
]


class Page(HTMLParser):
    """What a browser would make of a page: its tags with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def project(tmp_path: Path) -> SpecProject:
    project = SpecProject(tmp_path)
    project.spec("good", "- [x] 1. a\n- [ ] 2. b\n")
    project.spec("bad", "- [ ] Gate\n")
    (project.folder / "specs" / "bad" / "design.md").unlink()
    return project


def board(project: SpecProject) -> Any:
    return json.loads(answer(BOARD, {}, Workspace(str(project.root))).text)["data"]


def test_every_spec_has_phase_progress_documents_findings_and_what_is_next(project: SpecProject) -> None:
    run_context("spec", "approve", "good", "requirements", "--by", "ann", cwd=project.root)
    run_context("spec", "approve", "good", "design", "--by", "ann", cwd=project.root)
    project.write("specs/good/design.md", "# Other\n\nText.\n")
    assert board(project)["specs"] == [
        {
            "name": "bad",
            "currentPhase": "design",
            "overallStatus": "design-needed",
            "taskProgress": {"total": 0, "completed": 0, "pending": 0},
            "documents": {"requirements": "created", "design": "missing", "tasks": "created"},
            "findings": {"errors": 2, "warnings": 0},  # no requirement, and a task without a number
            "next": "write design.md",
        },
        {
            "name": "good",
            "currentPhase": "implementation",
            "overallStatus": "implementing",
            "taskProgress": {"total": 2, "completed": 1, "pending": 1},
            "documents": {"requirements": "approved", "design": "changed", "tasks": "created"},
            "findings": {"errors": 2, "warnings": 0},  # no requirement, and a stale approval
            "next": "task 2: b",
        },
    ]


def test_no_name_breaks_out_of_its_card(project: SpecProject) -> None:
    for name in HOSTILE:
        project.spec(name.replace("/", "\u2215"), f"- [ ] 1. {name} \n")
    text = cards(board(project))
    page = Page(text)
    plain = Page(text)
    allowed = {"h2", "h3", "ul", "li", "bdi", "span", "p", "svg", "rect"}
    assert {tag for tag, _ in page.tags} <= allowed
    assert {name for _, names in page.tags for name in names} <= {
        *("lang", "charset", "name", "content", "http-equiv", "class", "id", "tabindex", "role", "aria-label"),
        *("viewbox", "preserveaspectratio", "width", "height"),
    }
    assert ("http://" in text, "https://" in text, "\x1b" in text) == (False, False, False)
    assert text.count('<li class="card">') == 2 + len(HOSTILE)
    assert all(mark in plain.text for mark in ("<script>alert(1)<", "@rows@ @title@", "&amp;"))
    assert "\u202e" not in text
