"""The section for coding agents: it names what there is, wherever a tool reads it, and touches nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.catalog import tools
from holdfast.cli import COMMANDS
from support.doors import run_context

Run = Callable[..., Any]


def named(text: str) -> set[str]:
    """The tools a text names."""
    return {tool.tool for tool in tools() if re.search(rf"`{re.escape(tool.tool)}`", text)}


def test_the_section_names_what_there_is_and_is_renewed_when_that_changes(project: Path, context: Run) -> None:
    context("init")
    alone = (project / "AGENTS.md").read_text()
    (project / "docs").mkdir()
    (project / "docs" / "a.md").write_text("# A\n\nText.\n")
    built = run_context("build", "--sources", "docs", "--cache", ".context/caches/docs", cwd=project)
    assert built.returncode == 0, built.stderr
    (project / ".spec-context" / "specs" / "cart").mkdir(parents=True)
    context("init")
    more = (project / "AGENTS.md").read_text()

    assert named(alone) == {"project_map", "list_contexts", "query_context", "project_impact"}
    assert named(more) - named(alone) == {
        *("context.search", "context.read", "list-specs", "spec-status", "get-implementer-guide")
    }
    assert len(more) < 1800
    assert context("init")["agents"] == "unchanged"


def test_every_command_that_the_section_names_exists() -> None:
    template = Path(__file__).parents[3] / "src" / "holdfast" / "contexts" / "templates" / "agents.md"
    known = {command.name for command in COMMANDS}
    commands = re.findall(r"`context ([a-z]+(?: [a-z]+)?)", template.read_text())

    assert commands
    assert [words for words in commands if words not in known and words.split()[0] not in known] == []


@pytest.mark.parametrize("name", ["CLAUDE.md", "GEMINI.md"])
def test_the_file_of_a_tool_that_exists_gets_the_section_and_keeps_its_text(
    project: Path, context: Run, name: str
) -> None:
    (project / name).write_text("# Mine\n\nKeep this.\n")
    told = context("init")
    text = (project / name).read_text()

    assert told["other_agents"] == {name: "renewed"}
    assert text.startswith("# Mine\n\nKeep this.\n\n<!-- contexts: start -->\n")
    assert context("init")["other_agents"] == {name: "unchanged"}
    assert context("status", "--check", "--format", "json")["entries"][0]["state"] == "fresh"


def test_a_file_that_includes_agents_is_left_alone_and_one_that_is_a_link_to_it_not_told_twice(
    project: Path, context: Run
) -> None:
    (project / "CLAUDE.md").write_text("@AGENTS.md\n")
    (project / "GEMINI.md").symlink_to("AGENTS.md")
    told = context("init")

    assert (told["other_agents"], (project / "CLAUDE.md").read_text()) == ({"CLAUDE.md": "left alone"}, "@AGENTS.md\n")
    assert (project / "AGENTS.md").read_text().count("contexts: start") == 1


def test_cursor_gets_a_rule_of_its_own_where_it_has_rules(project: Path, context: Run) -> None:
    (project / ".cursor" / "rules").mkdir(parents=True)
    context("init")
    text = (project / ".cursor" / "rules" / "holdfast.mdc").read_text()

    assert text.startswith("---\ndescription: ")
    assert "alwaysApply: true" in text
    assert "project_map" in text


def test_no_file_of_a_tool_is_made_where_there_is_none(project: Path, context: Run) -> None:
    assert "other_agents" not in context("init")
    assert not (project / "CLAUDE.md").exists()
    context("init", "--no-agents")


def test_a_file_that_cannot_be_written_is_named_and_its_exit_code_says_so(project: Path) -> None:
    (project / "AGENTS.md").mkdir()
    done = run_context("init", cwd=project)

    assert (done.returncode, json.loads(done.stdout)["agents"]) == (6, "failed")
    assert b"or closed to this user (--no-agents leaves it alone): AGENTS.md" in done.stderr
    assert run_context("init", "--no-agents", cwd=project).returncode == 0
