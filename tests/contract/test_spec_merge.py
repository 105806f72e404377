"""`context spec delta`, `merge` and `archive` as they are typed, killed at every step, and given bad files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from support.doors import run_context
from support.specs import SpecProject

if TYPE_CHECKING:
    from pathlib import Path

LIVING = (
    "# login\n\n## Requirements\n\n### Requirement: Log in\nIt SHALL let in.\n\n### Requirement: Log out\nIt SHALL.\n"
)
ADDED = "## ADDED Requirements\n\n### Requirement: New\nIt SHALL be new.\n"


@pytest.fixture
def project(tmp_path: Path) -> SpecProject:
    project = SpecProject(tmp_path)
    project.spec("demo", "- [x] 1. a\n")
    project.write("living/login.md", LIVING)
    return project


def run(project: SpecProject, *words: str) -> tuple[Any, int]:
    done = run_context("spec", *words, cwd=project.root, env={"SOURCE_DATE_EPOCH": "1700000000"})
    assert done.stderr == b"", done.stderr
    return json.loads(done.stdout), done.returncode


def living(project: SpecProject) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((project.folder / "living").iterdir())}


def test_a_change_is_started_edited_shown_merged_and_archived(project: SpecProject) -> None:
    started, code = run(project, "delta", "demo", "login", "Log  in")
    file = project.root / started["data"]["file"]
    assert (code, started["data"]["kind"], started["data"]["file"]) == (
        0,
        "MODIFIED",
        ".spec-context/specs/demo/delta/login.md",
    )
    unedited = run(project, "merge", "demo", "--check")
    file.write_text(file.read_text(encoding="utf-8").replace("let in", "let everybody in"), encoding="utf-8")
    checked, check_code = run(project, "merge", "demo", "--check")
    assert (unedited[1], check_code, living(project)) == (0, 8, {"login.md": LIVING})
    assert "-It SHALL let in.\n+It SHALL let everybody in.\n" in checked["data"]["diff"]
    merged = [run(project, "merge", "demo") for _ in range(2)]
    assert [(code, answer["data"]["changes"]) for answer, code in merged] == [(0, 1), (0, 0)]
    assert living(project) == {"login.md": LIVING.replace("let in", "let everybody in")}
    archived, code = run(project, "merge", "--archive", "demo")
    assert (code, archived["data"]["archived"], run(project, "list")[0]["data"]["specs"]) == (
        0,
        ".spec-context/archive/demo",
        [],
    )
    assert (project.folder / "archive" / "demo" / "delta" / "login.md").is_file()


def test_removing_and_several_changes_in_one_delta(project: SpecProject) -> None:
    run(project, "delta", "demo", "login", "Log in")
    run(project, "delta", "demo", "login", "Log out", "--remove")
    assert run(project, "merge", "demo")[0]["data"]["files"][0]["removed"] == 1
    assert living(project) == {"login.md": LIVING.partition("### Requirement: Log out")[0]}


def test_a_delta_of_what_is_not_there_or_twice_is_refused(project: SpecProject) -> None:
    refused = [
        run(project, "delta", "demo", "login", "Nothing"),
        run(project, "delta", "demo", "other", "Log in"),
        run(project, "delta", "demo", "../login", "Log in"),
        run(project, "delta", "nope", "login", "Log in"),
    ]
    run(project, "delta", "demo", "login", "Log in")
    refused.append(run(project, "delta", "demo", "login", "log in"))
    refused.append(run(project, "delta", "demo", "login", "Log in"))
    assert {code for _, code in refused} == {1}
    assert [answer["message"] for answer, _ in refused] == [
        ".spec-context/living/login.md has no requirement 'Nothing'",
        ".spec-context/living/other.md has no requirement 'Log in'",
        "'../login' is no name for a capability",
        "Specification 'nope' not found",
        ".spec-context/living/login.md has no requirement 'log in'",
        ".spec-context/specs/demo/delta/login.md changes 'Log in' already",
    ]
    assert refused[0][0]["nextSteps"][0] == "Requirements there: 'Log in', 'Log out'"


def test_what_changed_since_is_a_conflict_that_names_both_places_and_writes_nothing(project: SpecProject) -> None:
    run(project, "delta", "demo", "login", "Log in")
    file = project.folder / "specs" / "demo" / "delta" / "login.md"
    file.write_text(file.read_text(encoding="utf-8").replace("let in", "mine"), encoding="utf-8")
    project.write("specs/demo/delta/new.md", ADDED)
    theirs = LIVING.replace("let in", "theirs")
    project.write("living/login.md", theirs)
    for words in (("merge", "demo"), ("merge", "demo", "--check"), ("merge", "--archive", "demo")):
        answer, code = run(project, *words)
        (conflict,) = answer["data"]["conflicts"]
        assert (code, conflict["code"], conflict["delta"], conflict["living"]) == (
            9,
            "base_changed",
            {"file": ".spec-context/specs/demo/delta/login.md", "line": 5},
            {"file": ".spec-context/living/login.md", "line": 5},
        )
    assert (living(project), (project.folder / "specs" / "demo").is_dir()) == ({"login.md": theirs}, True)


@pytest.mark.parametrize(
    ("file", "text", "code"),
    [
        ("specs/demo/delta.md", ADDED, "delta_misplaced"),
        ("specs/demo/spec.md", ADDED, "delta_misplaced"),
        ("specs/demo/delta/notes.txt", "x", "delta_misplaced"),
        ("specs/demo/delta/deep/login.md", ADDED, "delta_misplaced"),
        ("specs/demo/delta/login.md", b"\xff", "not_utf8"),
        ("living/login.md", b"\xff", "not_utf8"),
        ("living/login.md", LIVING + LIVING, "title_twice"),
    ],
)
def test_files_that_cannot_be_merged_are_named_and_nothing_is_written(
    project: SpecProject, file: str, text: str | bytes, code: str
) -> None:
    project.write("specs/demo/delta/login.md", ADDED)
    project.write(file, text)
    before = {path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file()}
    answer, exit_code = run(project, "merge", "demo")
    assert (exit_code, code in {each["code"] for each in answer["data"]["conflicts"]}) == (9, True)
    assert {path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file()} == before


def test_a_delta_that_is_a_link_elsewhere_is_misplaced(project: SpecProject) -> None:
    outside = project.root / "outside.md"
    outside.write_text(ADDED, encoding="utf-8")
    (project.folder / "specs" / "demo" / "delta").mkdir()
    (project.folder / "specs" / "demo" / "delta" / "login.md").symlink_to(outside)
    assert run(project, "merge", "demo")[0]["data"]["conflicts"][0]["code"] == "delta_misplaced"


@pytest.mark.parametrize("place", ["living", "specs/demo/delta"])
def test_a_folder_that_a_link_leads_out_of_the_project_is_not_read(
    project: SpecProject, place: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "login.md").write_text(ADDED if "delta" in place else LIVING, encoding="utf-8")
    shutil.rmtree(project.folder / place, ignore_errors=True)
    (project.folder / place).symlink_to(outside)
    for words in ("delta demo login Log", "merge demo --check", "merge demo"):
        done = run_context("spec", *words.split(), cwd=project.root)
        assert not [word for word in (b"SHALL let in", b"SHALL be new") if word in done.stdout + done.stderr], words


@pytest.mark.parametrize(
    ("tasks", "reason"),
    [
        ("- [x] 1. a\n- [ ] 2. b\n", "1 of 2 tasks are open"),
        ("- [x] 1. a\n- [-] 2. b\n", "1 of 2 tasks are open"),
        ("- [x] 1. a\n- [ ] Gate\n", "1 checkbox lines are open and not counted"),
        ("nothing\n", "it has no tasks"),
    ],
)
def test_what_is_not_finished_is_not_archived(project: SpecProject, tasks: str, reason: str) -> None:
    project.spec("demo", tasks)
    project.write("specs/demo/delta/login.md", ADDED)
    answer, code = run(project, "merge", "--archive", "demo")
    assert (code, answer["message"], living(project)) == (1, f"'demo' is not finished: {reason}", {"login.md": LIVING})


def test_an_archive_that_is_taken_and_required_approvals_keep_a_spec_where_it_is(project: SpecProject) -> None:
    project.write("archive/demo/mine.md", "mine")
    taken, code = run(project, "merge", "--archive", "demo")
    project.write("settings.json", '{"approvals":"required"}')
    unapproved, second = run(project, "merge", "--archive", "demo")
    assert (code, second, taken["message"], unapproved["message"]) == (
        1,
        1,
        ".spec-context/archive/demo is there already: nothing was moved",
        "'demo' is not finished: requirements.md is not approved",
    )
    assert (project.folder / "archive" / "demo" / "mine.md").read_text(encoding="utf-8") == "mine"


def test_an_openspec_change_is_merged_and_archived_where_openspec_keeps_them(tmp_path: Path) -> None:
    project = SpecProject(tmp_path, "openspec")
    project.write("changes/add/proposal.md", "x")
    project.write("changes/add/tasks.md", "- [x] a\n")
    project.write("changes/add/specs/login/spec.md", ADDED)
    project.write("changes/add/specs/user/pay/spec.md", "## Purpose\nPay for it.\n\n" + ADDED)
    project.write("specs/login/spec.md", LIVING)
    checked, code = run(project, "merge", "add", "--check")
    based, _ = run(project, "delta", "add", "login", "Log in")
    archived, archived_code = run(project, "merge", "--archive", "add")
    new = (project.folder / "specs/user/pay/spec.md").read_text()
    assert (code, checked["data"]["files"][0]["added"], "+### Requirement: New" in checked["data"]["diff"]) == (
        8,
        1,
        True,
    )
    assert (based["data"]["kind"], len(based["data"]["base"])) == ("MODIFIED", 64)
    assert (archived_code, archived["data"]["archived"]) == (0, "openspec/changes/archive/2023-11-14-add")
    assert (
        new
        == f"# user/pay Specification\n\n## Purpose\n\nPay for it.\n\n## Requirements\n{ADDED.partition(chr(10))[2]}"
    )
    assert "### Requirement: New" in (project.folder / "specs/login/spec.md").read_text()


def test_the_first_requirement_of_an_openspec_project_gets_its_folder(tmp_path: Path) -> None:
    project = SpecProject(tmp_path, "openspec")
    project.write("specs/.gitkeep", "")
    project.write("changes/add/specs/login/spec.md", ADDED)
    assert run(project, "merge", "add")[1] == 0
    assert "here; the change add began it." in (project.folder / "specs/login/spec.md").read_text()


def test_in_spec_kit_there_is_nothing_to_merge_into_and_the_refusal_says_so(tmp_path: Path) -> None:
    (tmp_path / "specs/001-a").mkdir(parents=True)
    (tmp_path / "specs/001-a/spec.md").write_text("# A\n")
    project = SpecProject(tmp_path, ".specify")
    for words in (("merge", "001-a"), ("merge", "--archive", "001-a")):
        refused, code = run(project, *words)
        assert (code, refused["message"]) == (
            1, "spec-kit keeps no requirements beyond a spec, and no archive: there is nothing to merge into"
        )  # fmt: skip


# Ends the process before the n-th step that changes a file; exits as the command does when there are fewer.
KILLED = """
import os, sys
left = int(sys.argv[1])
changing = {"os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "ctypes.call_function"}
def count(event, arguments):
    global left
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if event in changing or writes:
        left -= 1
        if left == 0:
            os._exit(99)
from holdfast.cli import main
sys.addaudithook(count)
sys.exit(main(sys.argv[2:], os.environ))
"""


@pytest.mark.rough
def test_all_files_are_merged_or_none_wherever_the_process_is_killed(project: SpecProject) -> None:
    names = ["a", "b", "c"]
    for name in names:
        project.write(f"living/{name}.md", LIVING)
        project.write(f"specs/demo/delta/{name}.md", ADDED)
    project.write("living/untouched.md", "mine")
    before, seen, step = living(project), [], 0
    after = {**before, **{f"{name}.md": f"{LIVING}\n{ADDED.partition(chr(10) * 2)[2]}" for name in names}}
    while True:
        step += 1
        command = [sys.executable, "-c", KILLED, str(step), "spec", "merge", "demo"]
        done = subprocess.run(command, cwd=project.root, capture_output=True, timeout=60)
        found = living(project)
        assert found in (before, after), step
        seen.append(found == after)
        if done.returncode != 99:
            break
        if found == after:
            for name in names:
                project.write(f"living/{name}.md", LIVING)
    assert (done.returncode, seen[-1], True in seen[:-1], False in seen) == (0, True, True, True)
    assert [path.name for path in project.folder.iterdir() if path.name.startswith(".")] == []
