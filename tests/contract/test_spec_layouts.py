"""Specs wherever they were written: each layout is read, and a draft is never a document."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from support.doors import Library, run_context
from support.specs import SpecProject

if TYPE_CHECKING:
    from pathlib import Path

    from support.doors import Answer, Door


def value(answer: Answer) -> Any:
    return json.loads(answer.text)


def write(root: Path, path: str, text: str = "Something.\n") -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_a_spec_kit_project_is_read_as_it_is(tmp_path: Path, door: Door) -> None:
    write(tmp_path, ".specify/memory/constitution.md", "# Constitution\n")
    write(tmp_path, "specs/001-login/spec.md")
    write(tmp_path, "specs/001-login/plan.md")
    write(tmp_path, "specs/001-login/tasks.md", "- [X] T001 a\n- [ ] T002 [P] [US1] b in `src/b.py`\n")
    write(tmp_path, "specs/002-next/spec.md")
    listed = value(door.call("list-specs", {}))["data"]
    assert (listed["layout"], listed["folder"], listed["documents"]) == (
        "spec-kit",
        "specs",
        ["spec.md", "plan.md", "tasks.md"],
    )
    assert [(spec["name"], spec["overallStatus"], spec["next"]) for spec in listed["specs"]] == [
        ("001-login", "implementing", "task T002: b in `src/b.py`"),
        ("002-next", "design-needed", "write plan.md"),
    ]
    guide = value(door.call("get-implementer-guide", {}))["data"]
    assert (guide["steering"], "(constitution) are binding" in guide["guide"]) == (
        {"constitution": "# Constitution\n"},
        True,
    )
    steps = value(door.call("spec-status", {"specName": "002-next"}))["nextSteps"]
    assert steps == ["Write plan.md from the approved requirements", "Then have it approved"]


def test_advice_is_in_the_words_of_the_layout(tmp_path: Path) -> None:
    write(tmp_path, ".specify/memory/constitution.md", "# Constitution\n")
    for name in ("spec.md", "plan.md"):
        write(tmp_path, f"specs/001-login/{name}")
    write(tmp_path, "specs/001-login/tasks.md", "- [ ] T001 a\n- [ ] Gate\n")
    status = json.loads(run_context("spec", "status", "001-login", cwd=tmp_path).stdout)
    assert "(a task is `- [ ] T003 [US1] Text`)" in status["nextSteps"][0]
    missing = json.loads(run_context("spec", "next", "002", cwd=tmp_path).stdout)
    assert missing["nextSteps"][-1] == "`context spec list` names the specs, `/speckit.specify` starts one"


def test_an_openspec_project_is_read_as_it_is(tmp_path: Path, door: Door) -> None:
    write(tmp_path, "openspec/project.md", "# Project\n")
    write(tmp_path, "openspec/changes/add-login/proposal.md")
    write(tmp_path, "openspec/changes/add-login/tasks.md", "## 1. Work\n- [x] 1.1 a\n- [ ] 1.2 b\n")
    write(tmp_path, "openspec/changes/archive/2025-old/tasks.md")
    listed = value(door.call("list-specs", {}))["data"]
    assert (listed["layout"], [(spec["name"], spec["overallStatus"], spec["next"]) for spec in listed["specs"]]) == (
        "openspec",
        [("add-login", "implementing", "task 1.2: b")],  # its design is optional
    )
    assert value(door.call("get-reviewer-guide", {}))["success"]


@pytest.mark.parametrize("folder", [".specify", "openspec/changes"])
def test_what_belongs_to_another_tool_is_not_written(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    for words in (("spec", "init", "x"), ("spec", "init", "--steering")):
        done = run_context(*words, cwd=tmp_path)
        answer = json.loads(done.stdout)
        assert (done.returncode, answer["success"], "it is read here, not written" in answer["message"]) == (
            1,
            False,
            True,
        )
    assert sorted(path.name for path in (tmp_path / folder).rglob("*")) == []


@pytest.mark.parametrize("folder", [".kiro", ".spec-workflow"])
def test_guides_come_with_what_the_tool_of_the_project_writes(tmp_path: Path, door: Door, folder: str) -> None:
    project = SpecProject(tmp_path, folder)
    project.spec("demo")
    none = value(door.call("get-implementer-guide", {}))
    project.steering("product", "structure")
    some = value(door.call("get-implementer-guide", {}))
    paths = " and ".join(f"{folder}/steering/{doc}.md" for doc in ("product", "tech", "structure"))
    assert (none["message"], none["nextSteps"][0], list(some["data"]["steering"])) == (
        "Required steering docs missing: product.md, tech.md, structure.md",
        f"Write {paths}, at least one of them: spec-workflow-guide has their templates",
        ["product", "structure"],
    )


def test_every_kiro_document_that_is_always_included_is_steering(tmp_path: Path, door: Door) -> None:
    project = SpecProject(tmp_path, ".kiro")
    project.steering("tech")
    project.write("steering/testing.md", "---\ninclusion: always\n---\n# Testing\n" + 100 * "Test it. ")
    project.write("steering/security.md", "# Security\n")
    project.write("steering/api.md", "---\ninclusion: fileMatch\nfileMatchPattern: '*.ts'\n---\n# API\n")
    guide = value(door.call("get-implementer-guide", {}))["data"]
    assert list(guide["steering"]) == ["tech", "security", "testing"]
    assert "## testing.md\n" in value(door.call("get-reviewer-guide", {}))["data"]["guide"]


def test_what_openspec_init_writes_is_steering(tmp_path: Path) -> None:
    write(tmp_path, "openspec/config.yaml", "schema: spec-driven\ncontext: Rust only\n")
    write(tmp_path, "openspec/changes/x/tasks.md", "- [ ] a\n")
    guide = value(Library(tmp_path).call("get-implementer-guide", {}))["data"]
    assert guide["steering"] == {"config.yaml": "schema: spec-driven\ncontext: Rust only\n"}
    review = value(Library(tmp_path).call("get-reviewer-guide", {}))["data"]["guide"]
    assert "## config.yaml\n\nschema: spec-driven\n" in review


def test_a_kiro_bugfix_is_its_requirements(tmp_path: Path, door: Door) -> None:
    project = SpecProject(tmp_path, ".kiro")
    project.write("specs/fix/bugfix.md", "# Bug\n")
    assert value(door.call("spec-status", {"specName": "fix"}))["data"]["overallStatus"] == "design-needed"
    project.write("specs/fix/design.md", "# Design\n")
    project.write("specs/fix/tasks.md", "- [x] 1. a\n- [ ]* 1.1 b\n")
    found = value(door.call("spec-status", {"specName": "fix"}))
    assert (found["data"]["overallStatus"], found["data"]["taskProgress"], found["nextSteps"][-1]) == (
        "completed",
        {"total": 1, "completed": 1, "pending": 0},
        "1 optional task is open",
    )


class TestDrafts:
    """What equals its template counts as missing."""

    def test_a_spec_just_started_needs_its_requirements_then_its_design_then_its_tasks(self, tmp_path: Path) -> None:
        assert run_context("spec", "init", "todo", cwd=tmp_path).returncode == 0
        spec, door, seen = tmp_path / ".spec-context" / "specs" / "todo", Library(tmp_path), []
        for name in ("requirements.md", "design.md", "tasks.md", ""):
            data = value(door.call("spec-status", {"specName": "todo"}))["data"]
            seen.append((data["overallStatus"], [phase["status"] for phase in data["phases"][:3]]))
            if name:
                (spec / name).write_bytes((spec / name).read_bytes() + b"\n- [ ] 1. Something of our own\n")
        assert seen == [
            ("requirements-needed", ["missing"] * 3),
            ("design-needed", ["created", "missing", "missing"]),
            ("tasks-needed", ["created", "created", "missing"]),
            ("implementing", ["created"] * 3),
        ]

    def test_untouched_steering_is_not_quoted_as_binding(self, tmp_path: Path, door: Door) -> None:
        assert run_context("spec", "init", "--steering", cwd=tmp_path).returncode == 0
        refused = value(door.call("get-implementer-guide", {}))
        assert (refused["message"], value(door.call("spec-workflow-guide", {}))["data"]["steering"]) == (
            "Required steering docs missing: tech.md, principles.md",
            None,
        )


class TestNoDeadEnds:
    def test_a_spec_that_is_not_there_tells_which_are_and_where_a_new_one_goes(
        self, tmp_path: Path, door: Door
    ) -> None:
        empty = value(door.call("spec-status", {"specName": "a"}))["nextSteps"]
        project = SpecProject(tmp_path, ".kiro")
        for number in range(22):
            project.spec(f"s{number:02}")
        full = value(door.call("spec-status", {"specName": "a"}))["nextSteps"]
        where = "requirements.md, design.md and tasks.md; spec-workflow-guide has the templates"
        assert empty == ["There are no specs here yet", f"A new spec is .spec-context/specs/NAME/ with {where}"]
        assert full == [
            f"Specs here: {', '.join(f's{number:02}' for number in range(20))} and 2 more",
            f"A new spec is .kiro/specs/NAME/ with {where}",
        ]

    def test_the_workflow_guide_names_folders_and_gives_templates_of_missing_steering(
        self, tmp_path: Path, door: Door
    ) -> None:
        empty = value(door.call("spec-workflow-guide", {}))["data"]["guide"]
        SpecProject(tmp_path).steering()
        full = value(door.call("spec-workflow-guide", {}))["data"]["guide"]
        assert "This project keeps a spec in .spec-context/specs/NAME/ with requirements.md," in empty
        assert "`.spec-context/steering/tech.md`:\n\n````md\n# Technology\n" in empty
        assert ("Steering documents to write" in full, "{{" in empty + full, "<!--" in empty + full) == (False,) * 3

    @pytest.mark.parametrize(
        ("folder", "own", "templates", "said"),
        [
            (".specify", ".specify/templates/spec-template.md",
             ["requirements", "design", "tasks"], "- [ ] T012 [P] [US1]"),
            ("openspec/changes", "openspec/schemas/spec-driven/templates/proposal.md",
             ["requirements", "delta", "design", "tasks"], "openspec validate NAME --strict"),
        ],
    )  # fmt: skip
    def test_the_workflow_guide_speaks_of_the_layout_there_is_and_gives_its_templates(
        self, tmp_path: Path, door: Door, folder: str, own: str, templates: list[str], said: str
    ) -> None:
        (tmp_path / folder).mkdir(parents=True)
        packaged = value(door.call("spec-workflow-guide", {}))["data"]
        write(tmp_path, own, "# The project's own\n")
        data = value(door.call("spec-workflow-guide", {}))["data"]
        assert (list(data["templates"]), said in data["guide"], "{{" in data["guide"]) == (templates, True, False)
        assert data["templates"]["requirements"] == "# The project's own\n" != packaged["templates"]["requirements"]

    def test_of_several_workflow_folders_the_first_with_specs_is_used_and_the_others_are_named(
        self, tmp_path: Path, door: Door
    ) -> None:
        (tmp_path / ".spec-context").mkdir()
        SpecProject(tmp_path, ".kiro").spec("real")
        note = "Note: several workflow folders here: .kiro is used, .spec-context is not"
        for tool, arguments in (("spec-status", {"specName": "real"}), ("list-specs", {}), ("spec-workflow-guide", {})):
            assert value(door.call(tool, arguments))["nextSteps"][-1] == note, tool

    def test_a_constitution_alone_hides_no_open_change(self, tmp_path: Path) -> None:
        write(tmp_path, ".specify/memory/constitution.md")
        write(tmp_path, "openspec/changes/add-login/tasks.md", "- [ ] a\n")
        assert value(Library(tmp_path).call("list-specs", {}))["data"]["layout"] == "openspec"

    def test_context_toml_chooses_between_layouts(self, tmp_path: Path) -> None:
        SpecProject(tmp_path).spec("ours")
        SpecProject(tmp_path, ".kiro").spec("theirs")
        listed = []
        for text in ("", '[specs]\nlayout = "kiro"\n', '[specs]\nlayout = "other"\n', "no toml ["):
            write(tmp_path, "context.toml", text)
            listed.append(value(Library(tmp_path).call("list-specs", {}))["data"]["layout"])
        assert listed == ["spec-context", "kiro", "spec-context", "spec-context"]

    @pytest.mark.parametrize("name", ["001-login", "login"])
    def test_numbered_folders_with_a_spec_are_spec_kit_without_its_own_folder(self, tmp_path: Path, name: str) -> None:
        write(tmp_path, f"specs/{name}/spec.md")
        listed = value(Library(tmp_path).call("list-specs", {}))["data"]
        assert (listed["layout"], len(listed["specs"])) == (
            ("spec-kit", 1) if name == "001-login" else ("spec-context", 0)
        )

    def test_the_specs_of_a_monorepo_are_found_below_its_root(self, tmp_path: Path) -> None:
        SpecProject(tmp_path / "packages" / "a", ".kiro").spec("one")
        write(tmp_path, "apps/web/specs/001-x/spec.md")
        (tmp_path / "node_modules" / "x" / ".kiro" / "specs" / "y").mkdir(parents=True)
        steps = value(Library(tmp_path).call("list-specs", {}))["nextSteps"]
        assert steps[0] == "Specs are below apps/web, packages/a: pass one of these folders as projectPath"
        missing = value(Library(tmp_path).call("spec-status", {"specName": "one"}))["nextSteps"]
        assert missing[1] == steps[0]
        below = value(Library(tmp_path).call("list-specs", {"projectPath": str(tmp_path / "packages" / "a")}))
        assert [spec["name"] for spec in below["data"]["specs"]] == ["one"]

    def test_five_thousand_specs_are_listed_in_part_and_the_rest_is_counted(self, tmp_path: Path) -> None:
        specs = tmp_path / ".spec-context" / "specs"
        for number in range(5_000):
            (specs / f"s{number:04}").mkdir(parents=True)
            os.utime(specs / f"s{number:04}", (10**9 + number, 10**9 + number))
        listed = value(Library(tmp_path).call("list-specs", {}))
        names = [spec["name"] for spec in listed["data"]["specs"]]
        assert (listed["message"], len(names), names[0], names[-1], listed["data"]["leftOut"]) == (
            *("5000 specifications", 20, "s4980", "s4999"),
            4_980,
        )
        assert len(json.dumps(listed)) < 5_200
        more = json.loads(run_context("spec", "list", "--limit", "4999", cwd=tmp_path).stdout)["data"]
        assert (len(more["specs"]), more["leftOut"]) == (4_999, 1)

    def test_what_a_caller_asks_about_gives_the_specs_of_that_name_and_their_next_tasks_alone(
        self, tmp_path: Path, door: Door
    ) -> None:
        project = SpecProject(tmp_path)
        for name in ("add-login", "add-global-install", "add-search", "fix-search-root"):
            project.spec(name, f"- [ ] 1. Begin {name}\n")
        for about, expected in (
            ("what is next for the global install", ["add-global-install"]),
            ("next open task of add-search", ["add-search", "fix-search-root"]),
            ("searching", ["add-search", "fix-search-root"]),
        ):
            found = value(door.call("list-specs", {"about": about}))
            assert [spec["name"] for spec in found["data"]["specs"]] == expected, about
        assert (found["message"], found["data"]["specs"][0]["next"], found["nextSteps"]) == (
            "2 of 4 specifications",
            "task 1: Begin add-search",
            ["Call spec-status with one of these names"],
        )
        other = value(door.call("list-specs", {"about": "billing"}))
        assert (len(other["data"]["specs"]), other["nextSteps"][1]) == (
            4,
            "No name of a spec shares a word with 'billing': these are the latest",
        )

    def test_finished_specs_are_listed_by_name_alone(self, tmp_path: Path, door: Door) -> None:
        project = SpecProject(tmp_path)
        project.spec("done", "- [x] 1. a\n")
        project.spec("open", "- [ ] 1. a\n")
        listed = value(door.call("list-specs", {}))
        assert (listed["message"], [spec["name"] for spec in listed["data"]["specs"]], listed["data"]["finished"]) == (
            *("2 specifications", ["open"]),
            ["done"],
        )

    def test_checkbox_lines_that_do_not_count_are_told(self, tmp_path: Path, door: Door) -> None:
        project = SpecProject(tmp_path)
        project.spec("demo", "- [x] 1. a\n- [ ] Gate\n- [x] Done gate\n")
        found = value(door.call("spec-status", {"specName": "demo"}))
        assert (found["data"]["overallStatus"], found["nextSteps"][0]) == (
            "completed",
            (
                "2 checkbox lines of tasks.md not counted, 1 of them open: line 2 has no number "
                "(a task is `- [ ] 1.2 Text`)"
            ),
        )
