"""The spec tools: recorded folders, shapes, failures and bad input. Bytes are compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from support.doors import Library, StdioServer, run_context
from support.specs import SpecProject, lay_out_tree, status_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from support.doors import Answer, Door

GUIDE_FULL = ["guide", "steering", "disciplineMode", "guideMode", "guideCacheKey", "searchGuidance"]
GUIDE_SHORT = ["guide", "disciplineMode", "guideMode", "guideCacheKey", "searchGuidance"]


@pytest.fixture
def project(tmp_path: Path) -> SpecProject:
    """An empty project, where the door looks for one."""
    return SpecProject(tmp_path)


def value(answer: Answer) -> Any:
    assert answer.text.endswith("}\n")
    return json.loads(answer.text)


def test_every_recorded_folder_gets_its_status(tmp_path: Path, door: Door) -> None:
    for case in status_vectors():
        lay_out_tree(case["tree"], tmp_path)
        found = value(door.call("spec-status", {"specName": case["spec"]}))
        assert {name: found["data"][name] for name in case["expect"]} == case["expect"], case["spec"]
        assert found["message"] == f"Specification '{case['spec']}' status: {case['expect']['overallStatus']}"


def test_the_answer_is_this_to_the_byte(tmp_path: Path, door: Door) -> None:
    case = next(case for case in status_vectors() if case["spec"] == "s09-pending")
    lay_out_tree(case["tree"], tmp_path)
    assert door.call("spec-status", {"specName": "s09-pending"}).text == (
        '{"success":true,"message":"Specification \'s09-pending\' status: implementing","data":{"name":"s09-pending",'
        '"description":null,"currentPhase":"implementation","overallStatus":"implementing",'
        '"createdAt":"2023-11-14T22:13:21.123Z","lastModified":"2023-11-14T22:13:28.123Z","phases":['
        '{"name":"Requirements","status":"created","lastModified":"2023-11-14T22:13:21.123Z"},'
        '{"name":"Design","status":"created","lastModified":"2023-11-14T22:13:22.123Z"},'
        '{"name":"Tasks","status":"created","lastModified":"2023-11-14T22:13:23.123Z"},'
        '{"name":"Implementation","status":"not-started","progress":{"total":2,"completed":0,"pending":2}}],'
        '"taskProgress":{"total":2,"completed":0,"pending":2}},"nextSteps":["Take the first open task and mark it [-]",'
        '"Call get-implementer-guide","Mark it [x] once it is verified"],"projectContext":'
        f'{{"projectPath":"{tmp_path}","workflowRoot":"{tmp_path}/.spec-context","currentPhase":"implementation"}}}}\n'
    )


@pytest.mark.parametrize(
    ("words", "tool", "arguments"),
    [
        (["spec", "status", "demo"], "spec-status", {"specName": "demo"}),
        (["spec", "status", "nope"], "spec-status", {"specName": "nope"}),
        (["spec", "status"], "spec-status", {}),
        (["spec", "status", "other", "--path", "below"], "spec-status", {"specName": "other", "projectPath": "below"}),
        (["guide", "workflow"], "spec-workflow-guide", {}),
        (["guide", "implementer"], "get-implementer-guide", {}),
        (
            ["guide", "implementer", "--run", "r", "--mode", "full"],
            "get-implementer-guide",
            {"runId": "r", "mode": "full"},
        ),
        (["guide", "implementer", "--mode", "compact"], "get-implementer-guide", {"mode": "compact"}),
        (["guide", "implementer", "--mode", "long"], "get-implementer-guide", {"mode": "long"}),
        (["guide", "reviewer", "--mode=compact", "--run=r"], "get-reviewer-guide", {"mode": "compact", "runId": "r"}),
        (["guide", "reviewer"], "get-reviewer-guide", {}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_prints_what_the_tool_answers(
    project: SpecProject, door: Door, words: list[str], tool: str, arguments: dict[str, Any]
) -> None:
    project.spec("demo")
    project.steering()
    SpecProject(project.root / "below").spec("other")
    answer = door.call(tool, arguments)
    done = run_context(*words, cwd=project.root)
    assert (done.stdout.decode(), done.returncode, done.stderr) == (answer.text, int(answer.is_error), b"")
    assert value(answer)["success"] is not answer.is_error


class TestShapes:
    def test_the_workflow_guide(self, project: SpecProject, door: Door) -> None:
        before = value(door.call("spec-workflow-guide", {}))
        project.steering("tech", "product")
        after = value(door.call("spec-workflow-guide", {}))
        assert list(after) == ["success", "message", "data", "nextSteps"]
        assert list(after["data"]) == ["guide", "steering", "templates", "disciplineMode"]
        assert (list(after["data"]["templates"]), after["data"]["disciplineMode"]) == (
            ["requirements", "design", "tasks"],
            "full",
        )
        assert (before["data"]["steering"], after["data"]["steering"]) == (
            None,
            {"product": "# Product\n\nRules of product.\n", "tech": "# Tech\n\nRules of tech.\n"},
        )

    def test_the_implementers_guide(self, project: SpecProject, door: Door) -> None:
        project.steering()
        found = value(door.call("get-implementer-guide", {"runId": "r7"}))
        data = found["data"]
        assert (list(found), list(data)) == (["success", "message", "data", "nextSteps"], GUIDE_FULL)
        assert (data["steering"], data["disciplineMode"], data["guideMode"], data["guideCacheKey"][:15]) == (
            {"tech": "# Tech\n\nRules of tech.\n", "principles": "# Principles\n\nRules of principles.\n"},
            "full",
            "full",
            "implementer:r7:",
        )

    def test_the_reviewers_guide_quotes_the_steering_documents(self, project: SpecProject, door: Door) -> None:
        project.steering()
        data = value(door.call("get-reviewer-guide", {}))["data"]
        assert (list(data), data["guideCacheKey"]) == (GUIDE_SHORT, None)
        assert "\n\n## tech.md\n\n# Tech\n\nRules of tech.\n\n## principles.md\n\n" in data["guide"]


@pytest.fixture
def server(tmp_path: Path) -> Library:
    """One process that answers several calls."""
    return Library(tmp_path)


class TestCompactGuides:
    @pytest.mark.parametrize("role", ["implementer", "reviewer"])
    def test_a_compact_guide_follows_a_full_one_of_the_same_run_and_role(
        self, project: SpecProject, server: Library, role: str
    ) -> None:
        project.steering()
        tool = f"get-{role}-guide"
        refused = value(server.call(tool, {"mode": "compact", "runId": "r"}))
        server.call(tool, {"runId": "r"})
        compact = value(server.call(tool, {"mode": "compact", "runId": "r"}))["data"]
        other_run = value(server.call(tool, {"mode": "compact", "runId": "s"}))
        assert refused == {
            "success": False,
            "message": "no full guide was given yet for runId 'r'",
            "nextSteps": [
                "Call with mode full first",
                "Its guideCacheKey as runId needs no earlier call in this process",
            ],
        }
        assert (list(compact), compact["guideMode"]) == (GUIDE_SHORT, "compact")
        assert compact["guideCacheKey"].startswith(f"{role}:r:")
        assert ("- tech.md, sha256 " in compact["guide"], other_run["success"]) == (True, False)

    @pytest.mark.parametrize("role", ["implementer", "reviewer"])
    def test_a_key_of_an_earlier_answer_is_enough_at_every_door_and_in_any_process(
        self, project: SpecProject, door: Door, role: str
    ) -> None:
        project.steering()
        tool = f"get-{role}-guide"
        key = value(Library(project.root).call(tool, {"runId": "a:b"}))["data"]["guideCacheKey"]
        answer = door.call(tool, {"mode": "compact", "runId": key})
        done = run_context("guide", role, "--mode", "compact", "--run", key, cwd=project.root)
        data = value(answer)["data"]
        assert (done.stdout.decode(), data["guideMode"], data["guideCacheKey"]) == (answer.text, "compact", key)
        project.write("steering/tech.md", "# Tech\n\nOther rules.\n")
        changed = value(door.call(tool, {"mode": "compact", "runId": key}))["data"]
        newer = value(door.call(tool, {"mode": "compact", "runId": changed["guideCacheKey"]}))["data"]
        assert (changed["guideMode"], newer["guideMode"], changed["guideCacheKey"] != key) == ("full", "compact", True)
        assert changed["guideCacheKey"].startswith(f"{role}:a:b:")

    def test_the_key_of_one_role_does_not_stand_for_the_other(self, project: SpecProject, door: Door) -> None:
        project.steering()
        key = value(door.call("get-implementer-guide", {"runId": "r"}))["data"]["guideCacheKey"]
        assert door.call("get-reviewer-guide", {"mode": "compact", "runId": key}).is_error

    def test_the_guide_of_one_role_does_not_stand_for_the_other(self, project: SpecProject, server: Library) -> None:
        project.steering()
        server.call("get-implementer-guide", {"runId": "r"})
        assert server.call("get-reviewer-guide", {"mode": "compact", "runId": "r"}).is_error

    def test_a_full_call_that_failed_gave_no_guide(self, project: SpecProject, server: Library) -> None:
        server.call("get-implementer-guide", {"runId": "r"})
        project.steering()
        assert server.call("get-implementer-guide", {"mode": "compact", "runId": "r"}).is_error

    def test_steering_edited_between_a_full_and_a_compact_call_gives_the_full_guide_once(
        self, project: SpecProject, server: Library
    ) -> None:
        project.steering()
        server.call("get-implementer-guide", {"runId": "r"})
        project.write("steering/tech.md", "# Tech\n\nOther rules.\n")
        modes = [
            value(server.call("get-implementer-guide", {"mode": "compact", "runId": "r"}))["data"] for _ in range(2)
        ]
        assert [data["guideMode"] for data in modes] == ["full", "compact"]
        assert modes[0]["steering"]["tech"] == "# Tech\n\nOther rules.\n"

    def test_steering_touched_and_unchanged_keeps_the_compact_guide(
        self, project: SpecProject, server: Library
    ) -> None:
        project.steering()
        server.call("get-implementer-guide", {"runId": "r"})
        os.utime(project.folder / "steering" / "tech.md", ns=(10**18, 10**18))
        data = value(server.call("get-implementer-guide", {"mode": "compact", "runId": "r"}))["data"]
        assert data["guideMode"] == "compact"

    def test_a_discipline_changed_since_gives_the_full_guide(self, project: SpecProject, server: Library) -> None:
        project.steering()
        server.call("get-implementer-guide", {"runId": "r"})
        project.write("settings.json", '{"discipline":"standard"}')
        data = value(server.call("get-implementer-guide", {"mode": "compact", "runId": "r"}))["data"]
        assert (data["guideMode"], data["disciplineMode"]) == ("full", "standard")


class TestFailures:
    """Each is an answer with `success: false`, and a shell sees exit code 1."""

    def refused(self, door: Door, tool: str, arguments: dict[str, Any]) -> str:
        answer = door.call(tool, arguments)
        found = value(answer)
        assert (answer.is_error, found["success"], list(found)) == (True, False, ["success", "message", "nextSteps"])
        message: str = found["message"]
        return message

    @pytest.mark.parametrize(
        "name", ["", ".", "..", "../demo", "demo/", "a/b", "/etc", "demo\0", "\\", "n" * 300, "Demo", "demo "]
    )
    def test_a_name_that_leads_elsewhere_is_not_found(self, project: SpecProject, door: Door, name: str) -> None:
        project.spec("demo")
        assert self.refused(door, "spec-status", {"specName": name}) == f"Specification '{name}' not found"

    def test_a_link_that_leads_out_of_the_specs_is_not_found(self, project: SpecProject, door: Door) -> None:
        project.spec("demo")
        (project.root / "elsewhere").mkdir()
        (project.folder / "specs" / "out").symlink_to(project.root / "elsewhere")
        (project.folder / "specs" / "same").symlink_to("demo")
        (project.folder / "specs" / "loop").symlink_to("loop")
        refused = [self.refused(door, "spec-status", {"specName": name}) for name in ("out", "loop")]
        assert refused == ["Specification 'out' not found", "Specification 'loop' not found"]
        assert not door.call("spec-status", {"specName": "same"}).is_error

    @pytest.mark.parametrize(
        "arguments", [{}, {"specName": 7}, {"specName": None}, {"specName": "a", "projectPath": 1}]
    )
    def test_arguments_of_the_wrong_kind(self, project: SpecProject, door: Door, arguments: dict[str, Any]) -> None:
        assert self.refused(door, "spec-status", arguments).startswith(("specName", "projectPath"))

    def test_guides(self, project: SpecProject, door: Door) -> None:
        messages = [
            self.refused(door, "get-implementer-guide", {"mode": "short"}),
            self.refused(door, "get-implementer-guide", {"mode": "compact"}),
            self.refused(door, "get-implementer-guide", {"mode": "compact", "runId": ""}),
            self.refused(door, "get-implementer-guide", {}),
        ]
        project.steering("tech")
        messages.append(self.refused(door, "get-reviewer-guide", {}))
        project.write("settings.json", '{"discipline":"minimal"}')
        messages.append(self.refused(door, "get-reviewer-guide", {}))
        assert messages == [
            "mode must be one of: full, compact",
            "compact mode requires runId",
            "compact mode requires runId",
            "Required steering docs missing: tech.md, principles.md",
            "Required steering docs missing: principles.md",
            "Reviews are not part of minimal discipline",
        ]

    @pytest.mark.parametrize("tool", ["get-implementer-guide", "get-reviewer-guide", "spec-workflow-guide"])
    def test_settings_that_cannot_be_followed(self, project: SpecProject, door: Door, tool: str) -> None:
        project.steering()
        project.write("settings.json", '{"discipline":"strict"}')
        messages = [self.refused(door, tool, {})]
        project.write("settings.json", "discipline = full")
        messages.append(self.refused(door, tool, {})[:26])
        assert messages == [
            'discipline in settings.json must be one of: full, standard, minimal; not "strict"',
            "settings.json is not JSON:",
        ]

    def test_no_traceback_and_exit_code_1_on_the_command_line(self, project: SpecProject) -> None:
        project.write("settings.json", '{"discipline":"strict"}')
        done = run_context("guide", "workflow", cwd=project.root)
        assert (done.returncode, done.stderr, json.loads(done.stdout)["success"]) == (1, b"", False)


class TestWorkflowFolders:
    @pytest.mark.parametrize("folder", [".spec-context", ".spec-workflow", ".kiro"])
    def test_each_kind_of_project_works_unchanged(self, tmp_path: Path, door: Door, folder: str) -> None:
        project = SpecProject(tmp_path, folder)
        project.spec("demo")
        project.steering()
        found = value(door.call("spec-status", {"specName": "demo"}))
        assert found["projectContext"]["workflowRoot"] == f"{tmp_path}/{folder}"
        assert not door.call("get-implementer-guide", {}).is_error

    def test_the_first_of_several_wins_and_a_note_on_stderr_says_so(self, tmp_path: Path) -> None:
        for folder in (".kiro", ".spec-workflow"):
            SpecProject(tmp_path, folder).spec(folder[1:])
        done = run_context("spec", "list", cwd=tmp_path)
        assert ([spec["name"] for spec in json.loads(done.stdout)["data"]["specs"]], done.stderr.decode()) == (
            ["spec-workflow"],
            "note: several workflow folders here: .spec-workflow is used, .kiro is not\n",
        )

    def test_the_note_is_told_beside_a_failure_as_well(self, tmp_path: Path) -> None:
        for folder in (".kiro", ".spec-workflow"):
            SpecProject(tmp_path, folder).write("settings.json", "{")
        note = b"note: several workflow folders here: .spec-workflow is used, .kiro is not\n"
        for words in (("spec", "status", "x"), ("guide", "workflow"), ("guide", "reviewer")):
            done = run_context(*words, cwd=tmp_path)
            assert (done.returncode, done.stderr, json.loads(done.stdout)["success"]) == (1, note, False), words

    def test_a_workflow_folder_that_is_a_file_is_passed_over(self, tmp_path: Path, door: Door) -> None:
        (tmp_path / ".spec-context").write_bytes(b"")
        SpecProject(tmp_path, ".kiro").spec("demo")
        assert not door.call("spec-status", {"specName": "demo"}).is_error

    def test_nothing_but_a_file_is_no_folder_and_nothing_is_written_over_it(self, tmp_path: Path, door: Door) -> None:
        (tmp_path / ".spec-context").write_bytes(b"mine")
        refused = value(door.call("spec-status", {"specName": "demo"}))
        done = run_context("spec", "init", "demo", cwd=tmp_path)
        assert (refused["success"], done.returncode, json.loads(done.stdout)["message"]) == (
            False,
            1,
            "specs/demo cannot be made: a file is in the way",
        )
        assert (tmp_path / ".spec-context").read_bytes() == b"mine"


class TestBadFiles:
    def test_a_phase_that_is_a_folder_a_fifo_or_unreadable_is_missing(self, project: SpecProject, door: Door) -> None:
        spec = project.spec("demo")
        for name in ("requirements.md", "design.md", "tasks.md"):
            (spec / name).unlink()
        (spec / "requirements.md").mkdir()
        os.mkfifo(spec / "design.md")
        (spec / "tasks.md").symlink_to("tasks.md")
        phases = value(door.call("spec-status", {"specName": "demo"}))["data"]["phases"]
        assert [phase["status"] for phase in phases] == ["missing", "missing", "missing", "not-started"]

    @pytest.mark.parametrize(
        "tasks",
        [
            pytest.param("\ufeff- [x] 1. a\r\n- [ ] 2. b\r\n".encode(), id="BOM and CRLF"),
            pytest.param(b"- [x] 1. caf\xe9\n- [ ] 2. \xff\n", id="not UTF-8"),
            pytest.param(b"- [X] 1. a\n* [ ] 2. b\n- [ ] c\n- [] 3. d\n", id="boxes"),
            pytest.param(b"- [x] 1. a\n- [ ] 2. " + b"b" * 1_000_000, id="a line of a megabyte"),
        ],
    )
    def test_task_lists_of_every_kind_are_read(self, project: SpecProject, door: Door, tasks: bytes) -> None:
        project.spec("demo", tasks)
        found = value(door.call("spec-status", {"specName": "demo"}))
        assert found["data"]["taskProgress"] == {"total": 2, "completed": 1, "pending": 1}

    def test_a_task_list_of_three_megabytes(self, project: SpecProject, server: Library) -> None:
        project.spec("demo", b"- [x] 1.1 a thing that is done\n" * 100_000)
        found = value(server.call("spec-status", {"specName": "demo"}))
        assert found["data"]["taskProgress"] == {"total": 100_000, "completed": 100_000, "pending": 0}

    def test_a_project_that_does_not_exist(self, project: SpecProject, door: Door) -> None:
        for path in ("nowhere", "/nonexistent", "a\0b", "\udcff"):
            assert door.call("spec-status", {"specName": "demo", "projectPath": path}).is_error
            listed = door.call("list-specs", {"projectPath": path})
            assert (listed.is_error, value(listed)["message"].startswith("There is no project at '")) == (True, True)

    def test_a_steering_document_that_is_not_utf8_is_shown_with_replacement_characters(
        self, project: SpecProject, door: Door
    ) -> None:
        project.steering()
        project.write("steering/tech.md", b"caf\xe9")
        assert value(door.call("get-implementer-guide", {}))["data"]["steering"]["tech"] == "caf\ufffd"


class TestCommands:
    """The commands that have no tool."""

    def run(self, project: SpecProject, *words: str, exit_code: int = 0) -> Any:
        done = run_context(*words, cwd=project.root)
        assert (done.returncode, done.stderr) == (exit_code, b"")
        return json.loads(done.stdout)

    def test_list(self, project: SpecProject) -> None:
        project.spec("beta")
        project.spec("Alpha", "- [x] 1. a\n")
        project.write("specs/.hidden/requirements.md", "")
        project.write("specs/a-file", "")
        listed = self.run(project, "spec", "list")["data"]
        specs = [*listed["specs"], *self.run(project, "spec", "list", "--about", "alpha")["data"]["specs"]]
        assert listed["finished"] == ["Alpha"]
        assert [(spec["name"], spec["overallStatus"], spec["taskProgress"]) for spec in specs] == [
            ("beta", "implementing", {"total": 2, "completed": 1, "pending": 1}),
            ("Alpha", "completed", {"total": 1, "completed": 1, "pending": 0}),
        ]

    def test_next_is_the_first_pending_task_with_details(self, project: SpecProject) -> None:
        project.spec(
            "demo", "- [x] 1. a\n  - x\n- [ ] 2. Group\n- [ ] 2.1 b\n  - File: b.py\n  - _Requirements: 1.1_\n"
        )
        data = self.run(project, "spec", "next", "demo")["data"]
        assert data == {
            "name": "demo",
            "task": {
                "id": "2.1",
                "description": "b",
                "status": "pending",
                "lineNumber": 3,
                "indentLevel": 0,
                "isHeader": False,
                "completed": False,
                "inProgress": False,
                "requirements": ["1.1"],
                "files": ["b.py"],
            },
            "taskProgress": {"total": 3, "completed": 1, "pending": 2},
        }

    @pytest.mark.parametrize(
        ("tasks", "expected"),
        [
            ("- [x] 1. a\n- [ ] 2. b\n", "2"),
            ("- [x] 1. a\n- [-] 2. b\n", "2"),
            ("- [x] 1. a\n", None),
            ("nothing\n", None),
        ],
    )
    def test_next_without_details_is_any_open_task(
        self, project: SpecProject, tasks: str, expected: str | None
    ) -> None:
        project.spec("demo", tasks)
        task = self.run(project, "spec", "next", "demo")["data"]["task"]
        assert (task and task["id"]) == expected

    def test_init_writes_a_spec_and_never_over_one(self, project: SpecProject) -> None:
        mine = project.write("specs/demo/design.md", "mine")
        first = self.run(project, "spec", "init", "demo")["data"]
        again = self.run(project, "spec", "init", "demo")["data"]
        written = (project.folder / "specs" / "demo" / "requirements.md").read_text(encoding="utf-8")
        assert (first["created"], first["kept"], again["created"], mine.read_text(encoding="utf-8"), written[:21]) == (
            ["requirements.md", "tasks.md"],
            ["design.md"],
            [],
            "mine",
            "# Requirements: demo\n",
        )
        progress = self.run(project, "spec", "status", "demo")["data"]["taskProgress"]
        assert (progress, sorted(os.listdir(mine.parent))) == (
            {"total": 0, "completed": 0, "pending": 0},
            ["design.md", "requirements.md", "tasks.md"],
        )

    @pytest.mark.parametrize("name", ["..", "a/b", ".hidden", "n" * 300, "a\\b", " a"])
    def test_init_refuses_a_name_that_leads_elsewhere(self, project: SpecProject, name: str) -> None:
        refused = self.run(project, "spec", "init", name, exit_code=1)
        assert (refused["message"], os.listdir(project.root)) == (f"'{name}' is no name for a spec", [])

    def test_init_does_not_write_through_a_link_that_leads_elsewhere(self, project: SpecProject) -> None:
        (project.root / "elsewhere").mkdir()
        project.spec("other")
        (project.folder / "specs" / "demo").symlink_to(project.root / "elsewhere")
        refused = self.run(project, "spec", "init", "demo", exit_code=1)
        assert (refused["message"], os.listdir(project.root / "elsewhere")) == (
            "specs/demo cannot be made: something else is in the way",
            [],
        )

    def test_init_uses_the_workflow_folder_that_is_there(self, project: SpecProject) -> None:
        (project.root / ".kiro").mkdir()
        assert self.run(project, "spec", "init", "demo")["data"]["folder"] == ".kiro/specs/demo"

    def test_steering_init_writes_what_is_missing(self, project: SpecProject) -> None:
        project.steering("tech")
        created = self.run(project, "spec", "init", "--steering")["data"]["created"]
        # A draft that nobody has filled in is not there yet.
        quoted = self.run(project, "guide", "workflow")["data"]["steering"]
        assert (created, [*quoted]) == (["product.md", "structure.md", "principles.md"], ["tech"])
        assert (project.folder / "steering" / "tech.md").read_text(encoding="utf-8") == "# Tech\n\nRules of tech.\n"


def test_two_servers_on_one_project_see_every_change_at_once(project: SpecProject) -> None:
    tasks = project.spec("demo") / "tasks.md"
    project.steering()
    seen = []
    with StdioServer(project.root) as first, StdioServer(project.root) as second:
        for number, text in enumerate(("- [ ] 1. a\n", "- [x] 1. a\n", "- [-] 1. a\n", "- [ ] 1. b\n")):
            tasks.write_text(text, encoding="utf-8")
            project.write("steering/tech.md", f"{number}")
            for server in (first, second):
                status = value(server.call("spec-status", {"specName": "demo"}))["data"]["taskProgress"]
                guide = value(server.call("get-implementer-guide", {}))["data"]["steering"]["tech"]
                seen.append((status["completed"], status["pending"], guide))
    assert seen == [
        *((0, 1, "0"), (0, 1, "0"), (1, 0, "1"), (1, 0, "1")),
        *((0, 0, "2"), (0, 0, "2"), (0, 1, "3"), (0, 1, "3")),
    ]


@pytest.mark.rough
def test_many_processes_may_start_one_spec_at_once(project: SpecProject) -> None:
    command = [sys.executable, "-m", "holdfast", "spec", "init", "demo"]
    running = [subprocess.Popen(command, cwd=project.root, stdout=subprocess.PIPE) for _ in range(4)]
    outputs = [process.communicate(timeout=60)[0] for process in running]
    created = sorted(name for output in outputs for name in json.loads(output)["data"]["created"])
    assert created == ["design.md", "requirements.md", "tasks.md"]
